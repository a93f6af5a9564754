"""Programs as scientists write them: helpers, parameters in classes, lists of arrays, sizes from several arguments."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracle import check


def block_means(a: Any, b: Any) -> Any:
    h, w = a.shape
    if h % b or w % b:
        raise ValueError("shape not divisible")
    blocks = a.reshape(h // b, b, w // b, b).swapaxes(1, 2)
    return blocks.mean(axis=(2, 3)), blocks.reshape(-1, b * b).argmin(axis=1)


def test_lengths_from_numpy_integers() -> None:
    a = np.arange(24.0).reshape(4, 6)[::-1]
    for number in (int, np.int64, np.int32):
        check(block_means, a, number(2), also=[(a, number(3)), (a, number(1)), (a[:2, :2], number(2))], rtol=1e-12)
    check(block_means, a, np.int64(-2), raises=ValueError)


def windows(a: Any, size: int) -> Any:
    half = size // 2
    p = np.pad(a, half, mode="reflect")
    out = np.empty_like(a)
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            out[i, j] = np.median(p[i : i + size, j : j + size])
    return out


def test_medians_of_windows() -> None:
    check(windows, np.arange(12.0).reshape(3, 4) % 5, 3, also=[(np.ones((2, 3)), 1)])
    check(windows, np.ones((2, 2)), 0, warns=True)


def frames(q: Any, links: Any) -> Any:
    t = np.eye(4)
    held = [t]
    for angle, (a, d) in zip(q, links):
        step = np.array([[np.cos(angle), 0, 0, a], [0, 1, 0, d], [0, 0, 1.0, 0], [0, 0, 0, 1]])
        t = t @ step
        held.append(t)
    jacobian = np.zeros((6, len(q)))
    for i in range(len(q)):
        jacobian[:3, i] = np.cross(held[i][:3, 2], t[:3, 3] - held[i][:3, 3])
        jacobian[3:, i] = held[i][:3, 2]
    return t, jacobian


def test_list_of_matrices() -> None:
    check(frames, np.array([0.1, 0.2, 0.3]), [(0.5, 1.5), (0.3, 0.0), (0.2, -0.5)], rtol=1e-12)


class Controller:
    """Proportional, with a part of the difference to the last error."""

    def __init__(self, gain: float, limits: Any) -> None:
        self.gain = gain
        self.low, self.high = limits
        self.last = None

    def step(self, error: float, dt: float) -> float:
        change = 0.0 if self.last is None else (error - self.last) / dt
        self.last = error
        return min(max(self.gain * error + 0.1 * change, self.low), self.high)


def controlled(gain: float, n: int, limits: Any) -> Any:
    c = Controller(gain, limits)
    x = v = 0.0
    out = np.empty((n, 2))
    for k in range(n):
        u = c.step(1.0 - x, 0.1)
        v += (u - 0.5 * v) * 0.1
        x += v * 0.1
        out[k, :] = x, u
    return out


def test_attribute_that_is_none_at_first() -> None:
    check(controlled, 2.0, 6, (-5, 5), also=[(9.0, 4, (-0.5, 0.25)), (1.0, 0, (-1, 1))])


def clusters(x: Any, k: int) -> Any:
    c = x[:k]
    for _ in range(3):
        nearest = np.abs(x[:, None] - c[None]).sum(axis=2).argmin(axis=1)
        new = np.array([x[nearest == j].mean(axis=0) if np.any(nearest == j) else c[j] for j in range(k)])
        if np.allclose(new, c):
            break
        c = new
    return c, nearest


def test_integers_that_become_means() -> None:
    check(clusters, np.arange(10).reshape(5, 2), 2, also=[(np.arange(10.0).reshape(5, 2) % 7, 3)])


def by_parts(a: Any, parts: Any) -> Any:
    total = 0.0
    for part in parts.values():
        total += a[part].sum()
        a[part] = 1
    return total, a


def by_tuple(a: Any, n: int) -> Any:
    at = []
    for k in range(n):
        at.append(k)
    taken = a[tuple(at)], a[at]
    a[tuple(at)] = 7
    return taken, a, a[tuple([1] * n)]


def test_indices_of_any_type() -> None:
    a = np.arange(24.0).reshape(2, 3, 4)
    check(by_parts, a, {"a": 1, "b": slice(0, 1), "c": np.array([True, False]), "d": [0, 1], "e": None, "f": (1, 2)})
    check(by_parts, a, {"a": True, "b": 1.5}, raises=IndexError)
    check(by_tuple, a, 2, also=[(a, 1), (a, 0)])
    check(by_tuple, a, 3, raises=IndexError)


def labelled(known: Any, value: Any) -> Any:
    t = value if known else 3
    print(t, known)
    return f"{t} ohm" + str(t), "%s" % t, "{}".format(t), repr(None if known else t)  # noqa: UP031, UP032


def test_text_of_values_of_several_types() -> None:
    check(labelled, 1, 2.5, also=[(0, 2.5), (1, np.float32(2))])


def hull(points: Any) -> Any:
    order = points[np.lexsort((points[:, 1], points[:, 0]))]

    def half(some: Any) -> Any:
        h = []
        for q in some:
            while len(h) >= 2:
                a, b = h[-2], h[-1]
                if (b[0] - a[0]) * (q[1] - a[1]) - (b[1] - a[1]) * (q[0] - a[0]) > 0:
                    break
                h.pop()
            h.append(q)
        return h

    lower, upper = half(order), half(order[::-1])
    return np.array(lower[:-1] + upper[:-1])


def held_views(a: Any, n: int) -> Any:
    held = []
    for k in range(n):
        held.append(a[k])
        held.append(a[:, k])
        held.append(a[::-2, k % a.shape[1]])
    held.append(a.real[0])
    total = 0.0
    for k in range(len(held)):
        v = held[k]
        v[:1] += 1
        total += v.sum() * k
    return total, held[1], a


def test_views_in_lists() -> None:
    points = np.array([[0.0, 0], [2, 0], [1, 1], [2, 2], [0, 2], [1, 0.5], [0.5, 1.5]])
    check(hull, points, also=[(np.asfortranarray(points),), (points[::2],), (points[:, ::-1],)])
    for t in (np.float64, np.complex128, np.float32, np.int16):
        a = np.arange(16).reshape(4, 4).astype(t)
        check(held_views, a, 3, also=[(a.T, 2), (a[::2, ::-1], 2)])
