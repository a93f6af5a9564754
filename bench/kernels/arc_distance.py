"""Great-circle distance between pairs of points on the unit sphere, by the haversine formula."""

import numpy as np

PRESETS = {
    "tiny": {"N": 37},
    "S": {"N": 100000},
    "M": {"N": 1000000},
    "L": {"N": 10000000},
    "paper": {"N": 10000000},
}
CHANGES = ()


def initialize(N):
    rng = np.random.default_rng(7)
    return {name: rng.random(N) for name in ("theta_1", "phi_1", "theta_2", "phi_2")}


def arc_distance(theta_1, phi_1, theta_2, phi_2):
    across = np.sin((phi_2 - phi_1) / 2) ** 2
    haversine = np.sin((theta_2 - theta_1) / 2) ** 2 + np.cos(theta_1) * np.cos(theta_2) * across
    return 2 * np.arctan2(np.sqrt(haversine), np.sqrt(1 - haversine))
