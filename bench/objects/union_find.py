"""An instance with lists: sets that are joined, with path halving."""

PRESETS = {"tiny": {"n": 10}, "S": {"n": 500}, "M": {"n": 50_000}}
CHANGES = ()


class Sets:
    def __init__(self, n):
        self.parent = list(range(n))
        self.size = [1] * n
        self.count = n

    def find(self, k):
        while self.parent[k] != k:
            self.parent[k] = self.parent[self.parent[k]]
            k = self.parent[k]
        return k

    def join(self, a, b):
        a, b = self.find(a), self.find(b)
        if a == b:
            return
        if self.size[a] < self.size[b]:
            a, b = b, a
        self.parent[b] = a
        self.size[a] += self.size[b]
        self.count -= 1


def initialize(n):
    return {}


def union_find(n):
    sets = Sets(n)
    for k in range(n):
        sets.join(k, (k * k + 1) % n)
    return sets.count, sets.size[sets.find(0)]
