"""The Fourier transform as a recursion over lists, for a short list and for a long one."""

import cmath
from typing import Any

TARGET = 3.0


def fft(x):  # type: ignore[no-untyped-def]
    n = len(x)
    if n == 1:
        return x
    e = fft(x[0::2])
    o = fft(x[1::2])
    t = [cmath.exp(-2j * cmath.pi * k / n) * o[k] for k in range(n // 2)]
    return [e[k] + t[k] for k in range(n // 2)] + [e[k] - t[k] for k in range(n // 2)]


f = fft


def arguments() -> list[tuple[Any, ...]]:
    """The calls."""
    return [([float(i % 7) for i in range(64)],)]
