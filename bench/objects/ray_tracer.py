"""Instances with operators: light on spheres, ray by ray."""

import math

import numpy as np

PRESETS = {"tiny": {"n": 4}, "S": {"n": 16}, "M": {"n": 80}}
CHANGES = ()


class Vec:
    def __init__(self, x, y, z):
        self.x = x
        self.y = y
        self.z = z

    def __add__(self, o):
        return Vec(self.x + o.x, self.y + o.y, self.z + o.z)

    def __sub__(self, o):
        return Vec(self.x - o.x, self.y - o.y, self.z - o.z)

    def __mul__(self, k):
        return Vec(self.x * k, self.y * k, self.z * k)

    def dot(self, o):
        return self.x * o.x + self.y * o.y + self.z * o.z

    def unit(self):
        return self * (1.0 / math.sqrt(self.dot(self)))


def initialize(n):
    return {"spheres": np.array([[0.0, 0.0, 5.0, 1.0], [1.5, 0.5, 6.0, 0.8], [-1.2, -0.3, 4.0, 0.5]])}


def ray_tracer(spheres, n):
    image = np.zeros((n, n))
    light = Vec(1.0, 2.0, -1.0).unit()
    for i in range(n):
        for j in range(n):
            ray = Vec((j - n / 2) / n, (i - n / 2) / n, 1.0).unit()
            nearest = 1e30
            for k in range(spheres.shape[0]):
                center = Vec(spheres[k, 0], spheres[k, 1], spheres[k, 2])
                b = ray.dot(center)
                d = b * b - center.dot(center) + spheres[k, 3] ** 2
                if d > 0.0:
                    t = b - math.sqrt(d)
                    if 0.0 < t < nearest:
                        nearest = t
                        normal = (ray * t - center).unit()
                        image[i, j] = max(0.0, normal.dot(light))
    return image
