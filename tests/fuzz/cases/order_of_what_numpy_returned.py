import numpy as np


def f(a, m, t):
    a[0] = 1  # from here on no call of NumPy is made twice
    v = np.isclose(a, m)
    w = np.round(v), np.round(m + 1), np.round(t), np.nan_to_num(t.transpose(2, 0, 1)), np.nan_to_num(m.T > 1)
    return *w, w[2] * 2, w[3] + 1, w[0].T


def calls():
    m, t = np.arange(16.0).reshape(4, 4), np.arange(24.0).reshape(2, 4, 3) + 0.5
    return [
        (np.arange(4), m, t),
        (np.arange(4), np.asfortranarray(m), t),
        (np.arange(4), m.T[::-1], t.transpose(1, 2, 0)),
        (np.arange(4), m[:, ::2][:, :1], np.asfortranarray(t)),
    ]
