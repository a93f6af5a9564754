"""A list that grows: primes by trial division, and their gaps."""

PRESETS = {"tiny": {"n": 30}, "S": {"n": 1_000}, "M": {"n": 30_000}}
CHANGES = ()


def initialize(n):
    return {}


def primes(n):
    found = [2]
    gaps = []
    for k in range(3, n, 2):
        prime = True
        for p in found:
            if p * p > k:
                break
            if k % p == 0:
                prime = False
                break
        if prime:
            gaps.append(k - found[-1])
            found.append(k)
    return len(found), max(gaps), sum(found)
