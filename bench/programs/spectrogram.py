"""Signal processing: windowed spectra in decibels, and the ridge of the strongest frequency."""

import numpy as np

PRESETS = {"tiny": {"n": 256}, "S": {"n": 16_384}, "M": {"n": 500_000}}
CHANGES = ()


def initialize(n):
    t = np.arange(n) / 8000
    chirp = np.sin(2 * np.pi * (200 * t + 300 * t**2))
    return {"signal": chirp + 0.2 * np.random.default_rng(5).standard_normal(n), "width": 128, "hop": 64}


def spectrogram(signal, width, hop):
    count = (len(signal) - width) // hop + 1
    window = np.hanning(width)
    out = np.empty((count, width // 2 + 1))
    for k in range(count):
        frame = signal[k * hop : k * hop + width] * window
        out[k] = np.abs(np.fft.rfft(frame)) ** 2
    decibels = 10 * np.log10(out + 1e-12)
    decibels -= decibels.max()
    ridge = np.argmax(decibels[:, 1:], axis=1) + 1
    return np.clip(decibels, -80, 0), ridge
