"""Text: lines of a table to sums by name."""

PRESETS = {"tiny": {"n": 4}, "S": {"n": 100}, "M": {"n": 5_000}}
CHANGES = ()


def initialize(n):
    return {"lines": [f"station{k % 17},{k * 0.37:.2f},{k % 24}" for k in range(n)]}


def table_of_numbers(lines):
    totals = {}
    hours = [0.0] * 24
    for line in lines:
        name, value, hour = line.split(",")
        x = float(value)
        totals[name] = totals.get(name, 0.0) + x
        hours[int(hour)] += x
    return totals, hours
