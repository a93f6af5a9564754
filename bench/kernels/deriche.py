"""Deriche's recursive edge filter: four recurrences, two along each axis of the image."""

import numpy as np

PRESETS = {
    "tiny": {"W": 8, "H": 7},
    "S": {"W": 400, "H": 200},
    "M": {"W": 1500, "H": 1000},
    "L": {"W": 6000, "H": 3000},
    "paper": {"W": 7680, "H": 4320},
}
CHANGES = ()


def initialize(W, H):
    return {"alpha": 0.25, "image": np.random.default_rng(7).random((W, H))}


def deriche(alpha, image):
    decay = np.exp(-alpha)
    k = (1.0 - decay) ** 2 / (1.0 + alpha * decay - np.exp(2.0 * alpha))
    a1, a2, a3, a4 = k, k * decay * (alpha - 1.0), k * decay * (alpha + 1.0), -k * np.exp(-2.0 * alpha)
    b1, b2 = 2.0**-alpha, -np.exp(-2.0 * alpha)
    width, height = image.shape

    forward = np.empty_like(image)
    forward[:, 0] = a1 * image[:, 0]
    forward[:, 1] = a1 * image[:, 1] + a2 * image[:, 0] + b1 * forward[:, 0]
    for j in range(2, height):
        fresh = a1 * image[:, j] + a2 * image[:, j - 1]
        forward[:, j] = fresh + b1 * forward[:, j - 1] + b2 * forward[:, j - 2]
    backward = np.empty_like(image)
    backward[:, height - 1] = 0.0
    backward[:, height - 2] = a3 * image[:, height - 1]
    for j in range(height - 3, -1, -1):
        fresh = a3 * image[:, j + 1] + a4 * image[:, j + 2]
        backward[:, j] = fresh + b1 * backward[:, j + 1] + b2 * backward[:, j + 2]
    half = forward + backward

    forward[0] = a1 * half[0]
    forward[1] = a1 * half[1] + a2 * half[0] + b1 * forward[0]
    for i in range(2, width):
        forward[i] = a1 * half[i] + a2 * half[i - 1] + b1 * forward[i - 1] + b2 * forward[i - 2]
    backward[-1] = 0.0
    backward[-2] = a3 * half[-1]
    for i in range(width - 3, -1, -1):
        backward[i] = a3 * half[i + 1] + a4 * half[i + 2] + b1 * backward[i + 1] + b2 * backward[i + 2]
    return forward + backward
