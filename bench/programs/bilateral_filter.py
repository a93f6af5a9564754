"""Image processing: smooth an image but not across its edges."""

import numpy as np

PRESETS = {"tiny": {"n": 10}, "S": {"n": 40}, "M": {"n": 90}}
CHANGES = ()


def initialize(n):
    image = np.random.default_rng(12).random((n, n)) * 30
    image[n // 4 : n // 2, n // 4 :] += 150
    return {"image": image, "radius": 3, "sigma_space": 2.0, "sigma_colour": 25.0}


def bilateral_filter(image, radius, sigma_space, sigma_colour):
    height, width = image.shape
    out = np.zeros_like(image)
    for y in range(height):
        for x in range(width):
            total = 0.0
            weight = 0.0
            for v in range(max(0, y - radius), min(height, y + radius + 1)):
                for u in range(max(0, x - radius), min(width, x + radius + 1)):
                    near = ((y - v) ** 2 + (x - u) ** 2) / (2 * sigma_space**2)
                    alike = (image[y, x] - image[v, u]) ** 2 / (2 * sigma_colour**2)
                    w = np.exp(-near - alike)
                    total += w * image[v, u]
                    weight += w
            out[y, x] = total / weight
    return out
