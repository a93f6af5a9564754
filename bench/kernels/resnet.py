"""A bottleneck block of ResNet: three convolutions with batch normalization and a shortcut (NHWC)."""

import numpy as np

PRESETS = {
    "tiny": {"N": 2, "W": 5, "H": 6, "C1": 4, "C2": 3},
    "S": {"N": 8, "W": 14, "H": 14, "C1": 32, "C2": 8},
    "M": {"N": 8, "W": 28, "H": 28, "C1": 64, "C2": 16},
    "L": {"N": 8, "W": 56, "H": 56, "C1": 128, "C2": 32},
    "paper": {"N": 8, "W": 56, "H": 56, "C1": 256, "C2": 64},
}
CHANGES = ()
TOLERANCE = 1e-4


def initialize(N, W, H, C1, C2):
    rng = np.random.default_rng(7)
    return {
        "x": rng.random((N, H, W, C1), dtype=np.float32),
        "conv1": rng.random((1, 1, C1, C2), dtype=np.float32),
        "conv2": rng.random((3, 3, C2, C2), dtype=np.float32),
        "conv3": rng.random((1, 1, C2, C1), dtype=np.float32),
    }


def conv2d(x, weights):
    size = weights.shape[0]
    height, width = x.shape[1] - size + 1, x.shape[2] - size + 1
    result = np.empty((x.shape[0], height, width, weights.shape[3]), dtype=np.float32)
    for i in range(height):
        for j in range(width):
            window = x[:, i : i + size, j : j + size, :, np.newaxis]
            result[:, i, j] = np.sum(window * weights, axis=(1, 2, 3))
    return result


def normalize(x, eps=1e-5):
    return (x - x.mean(axis=0)) / np.sqrt(x.std(axis=0) + eps)


def resnet(x, conv1, conv2, conv3):
    batch, height, width, _ = x.shape
    padded = np.zeros((batch, height + 2, width + 2, conv1.shape[3]))
    padded[:, 1:-1, 1:-1] = conv2d(x, conv1)
    y = np.maximum(normalize(padded), 0)
    y = np.maximum(normalize(conv2d(y, conv2)), 0)
    y = normalize(conv2d(y, conv3))
    return np.maximum(y + x, 0)
