"""A tree of instances: nearest neighbours in the plane."""

import math

PRESETS = {"tiny": {"n": 8}, "S": {"n": 100}, "M": {"n": 2_000}}
CHANGES = ()


class Node:
    def __init__(self, point, axis, left, right):
        self.point = point
        self.axis = axis
        self.left = left
        self.right = right


def build(points, depth):
    if not points:
        return None
    axis = depth % 2
    ordered = sorted(points, key=lambda p: p[axis])
    m = len(ordered) // 2
    return Node(ordered[m], axis, build(ordered[:m], depth + 1), build(ordered[m + 1 :], depth + 1))


def search(node, x, y, best):
    if node is None:
        return best
    px, py = node.point
    best = min(best, (px - x) ** 2 + (py - y) ** 2)
    ahead = (x if node.axis == 0 else y) - node.point[node.axis]
    near, far = (node.left, node.right) if ahead < 0 else (node.right, node.left)
    best = search(near, x, y, best)
    if ahead * ahead < best:
        best = search(far, x, y, best)
    return best


def initialize(n):
    return {"points": [(k * 0.618 % 1.0, k * 0.414 % 1.0) for k in range(n)]}


def nearest_points(points):
    tree = build(points, 0)
    total = 0.0
    for k in range(len(points)):
        total += math.sqrt(search(tree, k * 0.27 % 1.0, k * 0.73 % 1.0, 1e30))
    return total
