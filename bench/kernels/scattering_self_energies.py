"""Self-energies of electron-phonon scattering: small complex products gathered over neighbours."""

import numpy as np

PRESETS = {
    "tiny": {"Nkz": 2, "NE": 3, "Nqz": 2, "Nw": 2, "N3D": 2, "NA": 4, "NB": 2, "Norb": 3},
    "S": {"Nkz": 2, "NE": 4, "Nqz": 2, "Nw": 2, "N3D": 2, "NA": 6, "NB": 2, "Norb": 3},
    "M": {"Nkz": 3, "NE": 5, "Nqz": 3, "Nw": 2, "N3D": 2, "NA": 10, "NB": 3, "Norb": 4},
    "L": {"Nkz": 3, "NE": 10, "Nqz": 3, "Nw": 3, "N3D": 3, "NA": 12, "NB": 4, "Norb": 4},
    "paper": {"Nkz": 4, "NE": 10, "Nqz": 4, "Nw": 3, "N3D": 3, "NA": 20, "NB": 4, "Norb": 4},
}
CHANGES = ("Sigma",)


def initialize(Nkz, NE, Nqz, Nw, N3D, NA, NB, Norb):
    rng = np.random.default_rng(7)

    def random(*shape):
        return rng.random(shape) + 1j * rng.random(shape)

    return {
        "neigh_idx": rng.integers(0, NA, (NA, NB), dtype=np.int32),
        "dH": random(NA, NB, N3D, Norb, Norb),
        "G": random(Nkz, NE, NA, Norb, Norb),
        "D": random(Nqz, Nw, NA, NB, N3D, N3D),
        "Sigma": np.zeros((Nkz, NE, NA, Norb, Norb), dtype=np.complex128),
    }


def scattering_self_energies(neigh_idx, dH, G, D, Sigma):
    Nkz, NE = G.shape[:2]
    Nqz, Nw, NA, NB, N3D, _ = D.shape
    for k in range(Nkz):
        for E in range(NE):
            for q in range(Nqz):
                for w in range(min(Nw, E + 1)):
                    for a in range(NA):
                        for b in range(NB):
                            green = G[k, E - w, neigh_idx[a, b]]
                            for i in range(N3D):
                                for j in range(N3D):
                                    Sigma[k, E, a] += green @ dH[a, b, i] @ (dH[a, b, j] * D[q, w, a, b, i, j])
