"""Agents in a grid of a dict: instances that eat, move and die."""

PRESETS = {"tiny": {"n": 5, "steps": 3}, "S": {"n": 30, "steps": 20}, "M": {"n": 300, "steps": 60}}
CHANGES = ()
SIDE = 40


class Forager:
    def __init__(self, x, y):
        self.x = x
        self.y = y
        self.energy = 6.0

    def move(self, k):
        self.x = (self.x + (k * 5 + 1) % 3 - 1) % SIDE
        self.y = (self.y + (k * 7 + 2) % 3 - 1) % SIDE
        self.energy -= 1.0


def initialize():
    return {}


def foragers(n, steps):
    food = {(x, y): float((x * y) % 5) for x in range(SIDE) for y in range(SIDE)}
    alive = [Forager(k * 7 % SIDE, k * 11 % SIDE) for k in range(n)]
    for step in range(steps):
        for k, f in enumerate(alive):
            f.move(k + step)
            here = (f.x, f.y)
            if food[here] >= 1.0:
                food[here] -= 1.0
                f.energy += 1.5
        alive = [f for f in alive if f.energy > 0.0]
    return len(alive), sum(food.values())
