"""Signal processing: a cascade of second-order filters, sample by sample."""

import numpy as np

PRESETS = {"tiny": {"n": 50}, "S": {"n": 5_000}, "M": {"n": 100_000}}
CHANGES = ()


def initialize(n):
    t = np.arange(n) / 44100
    noise = np.random.default_rng(4).standard_normal(n)
    bands = [(100.0, 6.0, 0.7), (1000.0, -3.0, 1.0), (5000.0, 4.0, 1.4)]
    return {"signal": np.sin(2 * np.pi * 440 * t) + 0.1 * noise, "bands": bands, "rate": 44100.0}


def peaking(frequency, gain, q, rate):
    a = 10 ** (gain / 40)
    w = 2 * np.pi * frequency / rate
    alpha = np.sin(w) / (2 * q)
    b0, b1, b2 = 1 + alpha * a, -2 * np.cos(w), 1 - alpha * a
    a0, a1, a2 = 1 + alpha / a, -2 * np.cos(w), 1 - alpha / a
    return b0 / a0, b1 / a0, b2 / a0, a1 / a0, a2 / a0


def biquad(x, coefficients):
    b0, b1, b2, a1, a2 = coefficients
    y = np.empty_like(x)
    x1 = x2 = y1 = y2 = 0.0
    for n in range(len(x)):
        y[n] = b0 * x[n] + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2
        x2, x1 = x1, x[n]
        y2, y1 = y1, y[n]
    return y


def biquad_equalizer(signal, bands, rate):
    for frequency, gain, q in bands:
        signal = biquad(signal, peaking(frequency, gain, q, rate))
    peak = np.max(np.abs(signal))
    return signal / peak if peak > 1 else signal
