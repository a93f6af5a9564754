"""Control: a Kalman filter that follows a moving target in the plane."""

import numpy as np

PRESETS = {"tiny": {"n": 10}, "S": {"n": 300}, "M": {"n": 5_000}}
CHANGES = ()


def initialize(n):
    rng = np.random.default_rng(6)
    path = np.cumsum(rng.standard_normal((n, 2)) * 0.1 + 0.5, axis=0)
    return {"measured": path + rng.standard_normal((n, 2)), "dt": 1.0}


def kalman_tracking(measured, dt):
    F = np.eye(4)
    F[0, 2] = F[1, 3] = dt
    H = np.zeros((2, 4))
    H[0, 0] = H[1, 1] = 1
    Q, R = 0.01 * np.eye(4), np.eye(2)
    x, P = np.zeros(4), 10 * np.eye(4)
    track = np.zeros((len(measured), 4))
    for k, z in enumerate(measured):
        x = F @ x
        P = F @ P @ F.T + Q
        S = H @ P @ H.T + R
        K = P @ H.T @ np.linalg.inv(S)
        x = x + K @ (z - H @ x)
        P = (np.eye(4) - K @ H) @ P
        track[k] = x
    return track
