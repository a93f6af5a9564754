"""A list of instances: masses on springs, one object each."""

PRESETS = {"tiny": {"n": 4, "steps": 3}, "S": {"n": 30, "steps": 30}, "M": {"n": 200, "steps": 200}}
CHANGES = ()


class Mass:
    __slots__ = ("x", "v", "force")

    def __init__(self, x):
        self.x = x
        self.v = 0.0
        self.force = 0.0


def initialize():
    return {}


def springs(n, steps):
    chain = [Mass(k + 0.1 * (k % 3)) for k in range(n)]
    for _ in range(steps):
        for k in range(1, n - 1):
            chain[k].force = chain[k - 1].x - 2.0 * chain[k].x + chain[k + 1].x
        for m in chain:
            m.v += 0.01 * m.force
            m.x += 0.01 * m.v
    return [m.x for m in chain]
