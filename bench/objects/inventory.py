"""Named tuples and sets: what is in stock, and what was asked for twice."""

from collections import namedtuple

PRESETS = {"tiny": {"n": 6}, "S": {"n": 200}, "M": {"n": 10_000}}
CHANGES = ()
Order = namedtuple("Order", ["item", "count", "price"])


def initialize(n):
    return {"orders": [Order(f"part{k * k % 97}", k % 5 + 1, 0.25 * (k % 40)) for k in range(n)]}


def inventory(orders):
    stock = {}
    seen = set()
    twice = set()
    worth = 0.0
    for o in orders:
        if o.item in seen:
            twice.add(o.item)
        seen.add(o.item)
        stock[o.item] = stock.get(o.item, 0) + o.count
        worth += o.count * o.price
    return worth, len(twice), sorted(stock.items())[:5]
