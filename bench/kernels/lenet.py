"""LeNet-5, inference of a batch of images (NHWC)."""

import numpy as np

PRESETS = {
    "tiny": {"N": 2, "H": 16, "W": 16},
    "S": {"N": 4, "H": 28, "W": 28},
    "M": {"N": 8, "H": 56, "W": 56},
    "L": {"N": 8, "H": 176, "W": 176},
    "paper": {"N": 16, "H": 256, "W": 256},
}
CHANGES = ()
TOLERANCE = 1e-5


def initialize(N, H, W):
    rng = np.random.default_rng(7)
    features = 16 * (((H - 4) // 2 - 4) // 2) * (((W - 4) // 2 - 4) // 2)
    shapes = {
        "images": (N, H, W, 1),
        "conv1": (5, 5, 1, 6),
        "bias1": (6,),
        "conv2": (5, 5, 6, 16),
        "bias2": (16,),
        "dense1": (features, 120),
        "shift1": (120,),
        "dense2": (120, 84),
        "shift2": (84,),
        "dense3": (84, 10),
        "shift3": (10,),
    }
    arrays = {name: rng.random(shape, dtype=np.float32) for name, shape in shapes.items()}
    return arrays | {"features": features}


def relu(x):
    return np.maximum(x, 0)


def conv2d(x, weights):
    size = weights.shape[0]
    height, width = x.shape[1] - size + 1, x.shape[2] - size + 1
    result = np.empty((x.shape[0], height, width, weights.shape[3]), dtype=x.dtype)
    for i in range(height):
        for j in range(width):
            window = x[:, i : i + size, j : j + size, :, np.newaxis]
            result[:, i, j] = (window * weights).sum(axis=(1, 2, 3))
    return result


def maxpool(x):
    rows = np.maximum(x[:, 0::2], x[:, 1::2])
    return np.maximum(rows[:, :, 0::2], rows[:, :, 1::2])


def lenet(images, conv1, bias1, conv2, bias2, dense1, shift1, dense2, shift2, dense3, shift3, N, features):
    x = maxpool(relu(conv2d(images, conv1) + bias1))
    x = maxpool(relu(conv2d(x, conv2) + bias2))
    x = x.reshape(N, features)
    x = relu(x @ dense1 + shift1)
    x = relu(x @ dense2 + shift2)
    return x @ dense3 + shift3
