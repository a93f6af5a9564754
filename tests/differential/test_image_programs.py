"""Signals, images, games on grids and texts, as people write them."""

# ruff: noqa (programs as users write them)
from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

import numpy as np
import pytest

from tests.oracle import check, observe


def fft_filter(x, fs, lo, hi):
    X = np.fft.rfft(x)
    f = np.fft.rfftfreq(len(x), 1 / fs)
    X[(f < lo) | (f > hi)] = 0
    return (np.fft.irfft(X, n=len(x)), np.abs(X).argmax())


def my_fft(x):
    n = len(x)
    if n == 1:
        return x.astype(complex)
    if n & n - 1:
        raise ValueError(f"size {n} is not a power of 2")
    e = my_fft(x[::2])
    o = my_fft(x[1::2])
    w = np.exp(-2j * np.pi * np.arange(n // 2) / n) * o
    return np.concatenate([e + w, e - w])


def haar(x, levels):
    c = x.astype(float).copy()
    out = []
    for _ in range(levels):
        if len(c) % 2:
            c = np.append(c, c[-1])
        a = (c[::2] + c[1::2]) / np.sqrt(2)
        d = (c[::2] - c[1::2]) / np.sqrt(2)
        out.append(d)
        c = a
    out.append(c)
    rec = out[-1]
    for d in reversed(out[:-1]):
        r = np.empty(2 * len(d))
        r[::2] = (rec + d) / np.sqrt(2)
        r[1::2] = (rec - d) / np.sqrt(2)
        rec = r
    return (out, rec[: len(x)])


def sobel_canny(img, lo, hi):
    kx = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]])
    ky = kx.T
    H, W = img.shape
    gx = np.zeros((H, W))
    gy = np.zeros((H, W))
    for i in range(1, H - 1):
        for j in range(1, W - 1):
            w = img[i - 1 : i + 2, j - 1 : j + 2]
            gx[i, j] = (w * kx).sum()
            gy[i, j] = (w * ky).sum()
    mag = np.hypot(gx, gy)
    ang = np.rad2deg(np.arctan2(gy, gx)) % 180
    nms = np.zeros_like(mag)
    for i in range(1, H - 1):
        for j in range(1, W - 1):
            a = ang[i, j]
            if a < 22.5 or a >= 157.5:
                n1, n2 = (mag[i, j - 1], mag[i, j + 1])
            elif a < 67.5:
                n1, n2 = (mag[i - 1, j - 1], mag[i + 1, j + 1])
            elif a < 112.5:
                n1, n2 = (mag[i - 1, j], mag[i + 1, j])
            else:
                n1, n2 = (mag[i - 1, j + 1], mag[i + 1, j - 1])
            if mag[i, j] >= n1 and mag[i, j] >= n2:
                nms[i, j] = mag[i, j]
    strong = nms >= hi
    weak = (nms >= lo) & ~strong
    out = strong.copy()
    stack = list(zip(*np.nonzero(strong)))
    while stack:
        y, x = stack.pop()
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                a, b = (y + dy, x + dx)
                if 0 <= a < H and 0 <= b < W and weak[a, b] and (not out[a, b]):
                    out[a, b] = True
                    stack.append((a, b))
    return (out, int(out.sum()))


def hough(edges, nt):
    H, W = edges.shape
    diag = int(np.ceil(np.hypot(H, W)))
    th = np.deg2rad(np.linspace(-90, 90, nt, endpoint=False))
    acc = np.zeros((2 * diag, nt), dtype=np.uint64)
    ys, xs = np.nonzero(edges)
    for x, y in zip(xs, ys):
        for t in range(nt):
            r = int(round(x * np.cos(th[t]) + y * np.sin(th[t]))) + diag
            acc[r, t] += 1
    i = np.unravel_index(acc.argmax(), acc.shape)
    return (acc, i, np.rad2deg(th[i[1]]))


def marching(f, iso):
    H, W = f.shape
    segs = []

    def lerp(p, q, a, b):
        t = (iso - a) / (b - a)
        return (p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1]))

    for i in range(H - 1):
        for j in range(W - 1):
            c = [(i, j), (i, j + 1), (i + 1, j + 1), (i + 1, j)]
            v = [f[p] for p in c]
            pts = []
            for k in range(4):
                a, b = (v[k], v[(k + 1) % 4])
                if (a < iso) != (b < iso):
                    pts.append(lerp(c[k], c[(k + 1) % 4], a, b))
            for k in range(0, len(pts) - 1, 2):
                segs.append((pts[k], pts[k + 1]))
    return (len(segs), segs[:3])


def otsu(img):
    h = np.bincount(img.ravel(), minlength=256).astype(float)
    p = h / h.sum()
    w = np.cumsum(p)
    mu = np.cumsum(p * np.arange(256))
    mt = mu[-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        s = (mt * w - mu) ** 2 / (w * (1 - w))
    s[~np.isfinite(s)] = 0
    t = int(np.argmax(s))
    return (t, (img > t).astype(np.uint8) * 255)


def rule(num, w, n):
    t = [num >> i & 1 for i in range(8)]
    row = [0] * w
    row[w // 2] = 1
    out = []
    for _ in range(n):
        out.append("".join(("#" if c else "." for c in row)))
        row = [t[row[(i - 1) % w] * 4 + row[i] * 2 + row[(i + 1) % w]] for i in range(w)]
    print("\n".join(out))
    return row


def sandpile(n, grains):
    g = np.zeros((n, n), int)
    g[n // 2, n // 2] = grains
    top = 0
    while (g >= 4).any():
        for i, j in np.argwhere(g >= 4):
            k = g[i, j] // 4
            g[i, j] -= 4 * k
            top += k
            if i > 0:
                g[i - 1, j] += k
            if i < n - 1:
                g[i + 1, j] += k
            if j > 0:
                g[i, j - 1] += k
            if j < n - 1:
                g[i, j + 1] += k
    return (g, top)


def calc(expr):
    tok = re.findall("\\d+\\.?\\d*|[-+*/()^]", expr)
    pos = 0

    def peek():
        return tok[pos] if pos < len(tok) else None

    def take():
        nonlocal pos
        pos += 1
        return tok[pos - 1]

    def factor():
        t = take()
        if t == "(":
            v = add()
            take()
            return v
        if t == "-":
            return -factor()
        v = float(t)
        if peek() == "^":
            take()
            v = v ** factor()
        return v

    def mul():
        v = factor()
        while peek() in ("*", "/"):
            if take() == "*":
                v *= factor()
            else:
                v /= factor()
        return v

    def add():
        v = mul()
        while peek() in ("+", "-"):
            if take() == "+":
                v += mul()
            else:
                v -= mul()
        return v

    return add()


def codon(seq):
    tab = {"ATG": "M", "TTT": "F", "AAA": "K", "TAA": "*", "GGC": "G"}
    prot = []
    for i in range(0, len(seq) - 2, 3):
        aa = tab.get(seq[i : i + 3], "?")
        if aa == "*":
            break
        prot.append(aa)
    gc = (seq.count("G") + seq.count("C")) / len(seq) if seq else 0
    return ("".join(prot), gc, seq[::-1].translate(str.maketrans("ACGT", "TGCA")))


class State(Enum):
    IDLE = auto()
    RUN = auto()
    DONE = auto()


def machine(events):
    s = State.IDLE
    log = []
    for e in events:
        match (s, e):
            case [State.IDLE, "start"]:
                s = State.RUN
            case [State.RUN, "stop" | "halt"]:
                s = State.DONE
            case [State.DONE, _]:
                break
            case _:
                log.append(f"{s.name}:{e}")
    return (s, log)


@dataclass
class Account:
    owner: str
    balance: float = 0.0
    log: list = field(default_factory=list)

    def deposit(self, x):
        if x <= 0:
            raise ValueError("bad amount")
        self.balance += x
        self.log.append(("d", x))

    def withdraw(self, x):
        if x > self.balance:
            raise RuntimeError(f"{self.owner} has only {self.balance:.2f}")
        self.balance -= x
        self.log.append(("w", x))


def bank(ops):
    acc = {}
    errs = []
    for name, kind, x in ops:
        a = acc.setdefault(name, Account(name))
        try:
            (a.deposit if kind == "d" else a.withdraw)(x)
        except (ValueError, RuntimeError) as e:
            errs.append(f"{type(e).__name__}: {e}")
    return ({k: (v.balance, v.log) for k, v in sorted(acc.items())}, errs)


class Matrix:
    def __init__(self, rows):
        self.rows = [list(r) for r in rows]

    def __matmul__(self, o):
        return Matrix([[sum((a * b for a, b in zip(r, c))) for c in zip(*o.rows)] for r in self.rows])

    def __eq__(self, o):
        return self.rows == o.rows

    def __repr__(self):
        return f"Matrix({self.rows})"

    def __getitem__(self, ij):
        return self.rows[ij[0]][ij[1]]

    def T(self):
        return Matrix(zip(*self.rows))


def matpow(rows, n):
    M = Matrix(rows)
    R = Matrix([[int(i == j) for j in range(len(rows))] for i in range(len(rows))])
    while n:
        if n & 1:
            R = R @ M
        M = M @ M
        n >>= 1
    print(R, R == R.T())
    return (R.rows, R[0, 0])


def lru(n, seq):
    from collections import OrderedDict

    c = OrderedDict()
    hits = 0
    for k in seq:
        if k in c:
            hits += 1
            c.move_to_end(k)
        else:
            if len(c) >= n:
                c.popitem(last=False)
            c[k] = k * k
    return (hits, list(c.items()))


def monte_pi(n, seed):
    rng = np.random.default_rng(seed)
    hits = 0
    xs = []
    for i in range(1, n + 1):
        x, y = rng.random(2)
        hits += x * x + y * y <= 1
        if i % max(1, n // 4) == 0:
            xs.append(4 * hits / i)
    return (xs, hits)


def percolation(n, p, seed):
    rng = np.random.default_rng(seed)
    g = rng.random((n, n)) < p
    full = np.zeros_like(g)
    st = [(0, j) for j in range(n) if g[0, j]]
    while st:
        i, j = st.pop()
        if full[i, j]:
            continue
        full[i, j] = True
        for a, b in ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)):
            if 0 <= a < n and 0 <= b < n and g[a, b] and (not full[a, b]):
                st.append((a, b))
    return (bool(full[-1].any()), full.sum() / max(1, g.sum()))


R = np.random.default_rng(4)
img = (R.random((12, 14)) * 255).astype(np.uint8)

CALLS: list[Any] = [
    (fft_filter, [(np.sin(np.arange(64)), 64.0, 5, 20), (np.arange(9), 1, 0, 0.3)]),
    (my_fft, [(R.random(16),), (np.arange(8),), (np.ones(6),), (np.ones(1, np.float32),)]),
    (haar, [(np.arange(11), 2), (R.random(8), 3)]),
    (sobel_canny, [(img.astype(float), 100, 300), (np.zeros((3, 3)), 1, 2)]),
    (hough, [(img > 200, 18), (np.zeros((2, 2), bool), 4)]),
    (marching, [(R.random((6, 7)), 0.5), (np.arange(9).reshape(3, 3), 3.5)]),
    (otsu, [(img,), (np.zeros((2, 2), np.uint8),)]),
    (rule, [(30, 11, 5), (110, 1, 1)]),
    (sandpile, [(7, 60), (1, 4)]),
    (calc, [("2*(3+4)^2-5/2",), ("-3+2",), ("1/0",)]),
    (codon, [("ATGTTTAAAGGCTAAATG",), ("",)]),
    (machine, [(["stop", "start", "x", "halt", "y"],), ([],)]),
    (bank, [([("a", "d", 10.0), ("a", "w", 20.0), ("b", "d", -1.0), ("b", "d", 5.0), ("a", "w", 4)],), ([],)]),
    (matpow, [([[1, 1], [1, 0]], 10), ([[2.0]], 3)]),
    (lru, [(2, [1, 2, 1, 3, 2, 1]), (1, [])]),
    (monte_pi, [(100, 1), (2, 1)]),
    (percolation, [(10, 0.6, 1), (1, 0.5, 2)]),
]


@pytest.mark.parametrize("f, calls", CALLS, ids=lambda x: getattr(x, "__name__", ""))
def test_interpreted(f: Any, calls: list[tuple[Any, ...]]) -> None:
    for call in calls:
        error = observe(f, call, {}, False).error
        check(
            f, *call, rtol=1e-9, atol=1e-11, raises=type(error) if error else None, settings={"target": "interpreter"}
        )
