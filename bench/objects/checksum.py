"""Bytes: Adler's checksum and a hash of Fowler, Noll and Vo."""

PRESETS = {"tiny": {"n": 20}, "S": {"n": 2_000}, "M": {"n": 200_000}}
CHANGES = ()


def initialize(n):
    return {"data": bytes(k * k % 251 for k in range(n))}


def checksum(data):
    low, high, mixed = 1, 0, 2166136261
    for byte in data:
        low = (low + byte) % 65521
        high = (high + low) % 65521
        mixed = ((mixed ^ byte) * 16777619) & 0xFFFFFFFF
    return (high << 16) | low, mixed
