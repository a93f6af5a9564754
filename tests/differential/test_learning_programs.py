"""Estimation and learning as people write them: filters, mixtures, trees, networks, searches by chance."""

# ruff: noqa (programs as users write them)
from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.oracle import check, observe


def bfgs(f_kind, x0, maxit=100):
    if f_kind == "rosen":
        f = lambda x: 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2
        g = lambda x: np.array([-400 * x[0] * (x[1] - x[0] ** 2) - 2 * (1 - x[0]), 200 * (x[1] - x[0] ** 2)])
    else:
        f = lambda x: np.sum(x**2)
        g = lambda x: 2 * x
    x = np.asarray(x0, dtype=float)
    n = len(x)
    H = np.eye(n)
    gr = g(x)
    path = [x]
    for k in range(maxit):
        if np.linalg.norm(gr) < 1e-06:
            break
        p = -H @ gr
        t = 1.0
        while f(x + t * p) > f(x) + 0.0001 * t * gr @ p:
            t *= 0.5
        s = t * p
        xn = x + s
        gn = g(xn)
        y = gn - gr
        rho = y @ s
        if rho > 1e-10:
            I = np.eye(n)
            H = (I - np.outer(s, y) / rho) @ H @ (I - np.outer(y, s) / rho) + np.outer(s, s) / rho
        x, gr = (xn, gn)
        path.append(x)
    return (x, k, np.array(path))


def levmar(x, y, p0):
    p = np.array(p0, float)
    lam = 0.001
    model = lambda p: p[0] * np.exp(-p[1] * x) + p[2]
    r = y - model(p)
    cost = r @ r
    for it in range(50):
        J = np.column_stack([np.exp(-p[1] * x), -p[0] * x * np.exp(-p[1] * x), np.ones_like(x)])
        A = J.T @ J
        g = J.T @ r
        d = np.linalg.solve(A + lam * np.diag(np.diag(A)), g)
        rn = y - model(p + d)
        cn = rn @ rn
        if cn < cost:
            p = p + d
            r = rn
            lam /= 10
            if cost - cn < 1e-12 * cost:
                cost = cn
                break
            cost = cn
        else:
            lam *= 10
    return (p, cost, it)


def simplex(A, b, c):
    m, n = A.shape
    T = np.zeros((m + 1, n + m + 1))
    T[:m, :n] = A
    T[:m, n : n + m] = np.eye(m)
    T[:m, -1] = b
    T[-1, :n] = -c
    basis = list(range(n, n + m))
    it = 0
    while True:
        j = int(np.argmin(T[-1, :-1]))
        if T[-1, j] >= -1e-09:
            break
        col = T[:m, j]
        if np.all(col <= 1e-09):
            raise ValueError("unbounded")
        ratios = np.where(col > 1e-09, T[:m, -1] / np.where(col > 1e-09, col, 1), np.inf)
        i = int(np.argmin(ratios))
        T[i] /= T[i, j]
        for k in range(m + 1):
            if k != i:
                T[k] -= T[k, j] * T[i]
        basis[i] = j
        it += 1
    x = np.zeros(n + m)
    for i, bi in enumerate(basis):
        x[bi] = T[i, -1]
    return (x[:n], T[-1, -1], basis, it)


def bootstrap(x, n, seed):
    rng = np.random.default_rng(seed)
    out = np.empty(n)
    for i in range(n):
        out[i] = np.median(rng.choice(x, len(x)))
    lo, hi = np.percentile(out, [2.5, 97.5])
    return {"mean": out.mean(), "ci": (lo, hi), "se": out.std(ddof=1)}


def hmm(obs, A, B, pi):
    T = len(obs)
    N = len(pi)
    al = np.zeros((T, N))
    sc = np.zeros(T)
    al[0] = pi * B[:, obs[0]]
    sc[0] = al[0].sum()
    al[0] /= sc[0]
    for t in range(1, T):
        al[t] = al[t - 1] @ A * B[:, obs[t]]
        sc[t] = al[t].sum()
        al[t] /= sc[t]
    d = np.log(pi) + np.log(B[:, obs[0]])
    psi = np.zeros((T, N), int)
    for t in range(1, T):
        s = d[:, None] + np.log(A)
        psi[t] = s.argmax(0)
        d = s.max(0) + np.log(B[:, obs[t]])
    path = [int(d.argmax())]
    for t in range(T - 1, 0, -1):
        path.insert(0, int(psi[t, path[0]]))
    return (np.log(sc).sum(), path)


def kalman(z, F, H, Q, R, x, P):
    xs = []
    for k in range(len(z)):
        x = F @ x
        P = F @ P @ F.T + Q
        if not np.isnan(z[k]):
            y = z[k] - H @ x
            S = H @ P @ H.T + R
            K = P @ H.T @ np.linalg.inv(S)
            x = x + K @ y
            P = (np.eye(len(x)) - K @ H) @ P
        xs.append(x)
    return (np.array(xs), P)


def gmm(X, k, iters, seed):
    rng = np.random.default_rng(seed)
    n, d = X.shape
    mu = X[rng.permutation(n)[:k]]
    S = [np.cov(X.T) + 1e-06 * np.eye(d) for _ in range(k)]
    w = np.ones(k) / k
    ll = []
    for _ in range(iters):
        p = np.zeros((n, k))
        for j in range(k):
            df = X - mu[j]
            iv = np.linalg.inv(S[j])
            p[:, j] = (
                w[j] * np.exp(-0.5 * np.sum(df @ iv * df, axis=1)) / np.sqrt((2 * np.pi) ** d * np.linalg.det(S[j]))
            )
        tot = p.sum(1, keepdims=True)
        r = p / tot
        ll.append(np.log(tot).sum())
        nk = r.sum(0)
        mu = r.T @ X / nk[:, None]
        w = nk / n
        for j in range(k):
            df = X - mu[j]
            S[j] = (r[:, j, None] * df).T @ df / nk[j] + 1e-06 * np.eye(d)
    return (mu, w, ll)


def knn(Xt, yt, X, k):
    out = []
    for x in X:
        d = np.linalg.norm(Xt - x, axis=1)
        i = np.argsort(d, kind="stable")[:k]
        v, c = np.unique(yt[i], return_counts=True)
        out.append(v[c.argmax()])
    return np.array(out)


class Tree:
    def __init__(self, depth):
        self.depth = depth
        self.root = None

    def gini(self, y):
        if len(y) == 0:
            return 0.0
        p = np.bincount(y) / len(y)
        return 1 - np.sum(p**2)

    def split(self, X, y):
        best = (None, None, self.gini(y))
        for f in range(X.shape[1]):
            for t in np.unique(X[:, f]):
                m = X[:, f] <= t
                if m.all():
                    continue
                g = (m.sum() * self.gini(y[m]) + (~m).sum() * self.gini(y[~m])) / len(y)
                if g < best[2] - 1e-12:
                    best = (f, t, g)
        return best

    def grow(self, X, y, d):
        f, t, g = self.split(X, y)
        if f is None or d == 0:
            return {"leaf": int(np.bincount(y).argmax())}
        m = X[:, f] <= t
        return {"f": f, "t": float(t), "l": self.grow(X[m], y[m], d - 1), "r": self.grow(X[~m], y[~m], d - 1)}

    def fit(self, X, y):
        self.root = self.grow(X, y, self.depth)
        return self

    def predict1(self, x):
        n = self.root
        while "leaf" not in n:
            n = n["l"] if x[n["f"]] <= n["t"] else n["r"]
        return n["leaf"]


def tree(X, y, depth):
    t = Tree(depth).fit(X, y)
    return (np.array([t.predict1(x) for x in X]), t.root)


def naive_bayes(X, y, Z):
    cls = np.unique(y)
    st = {}
    for c in cls:
        Xc = X[y == c]
        st[int(c)] = (Xc.mean(0), Xc.var(0) + 1e-09, len(Xc) / len(X))
    out = []
    for z in Z:
        best = -np.inf
        lab = None
        for c, (m, v, p) in st.items():
            s = math.log(p) - 0.5 * np.sum(np.log(2 * np.pi * v) + (z - m) ** 2 / v)
            if s > best:
                best = s
                lab = c
        out.append(lab)
    return out


def adam_reg(X, y, n):
    p = {"w": np.zeros(X.shape[1]), "b": np.zeros(1)}
    m = {k: np.zeros_like(v) for k, v in p.items()}
    v = {k: np.zeros_like(x) for k, x in p.items()}
    for t in range(1, n + 1):
        e = X @ p["w"] + p["b"] - y
        g = {"w": X.T @ e / len(y), "b": np.array([e.mean()])}
        for k in p:
            m[k] = 0.9 * m[k] + 0.1 * g[k]
            v[k] = 0.999 * v[k] + 0.001 * g[k] ** 2
            p[k] -= 0.05 * (m[k] / (1 - 0.9**t)) / (np.sqrt(v[k] / (1 - 0.999**t)) + 1e-08)
    return p


def attention(x, Wq, Wk, Wv, heads):
    T, D = x.shape
    d = D // heads
    q, k, v = [(x @ W).reshape(T, heads, d).transpose(1, 0, 2) for W in (Wq, Wk, Wv)]
    s = q @ k.transpose(0, 2, 1) / np.sqrt(d)
    s = np.where(np.tril(np.ones((T, T), bool)), s, -np.inf)
    s -= s.max(-1, keepdims=True)
    e = np.exp(s)
    a = e / e.sum(-1, keepdims=True)
    return ((a @ v).transpose(1, 0, 2).reshape(T, D), a)


def logreg(X, y, lam, iters):
    w = np.zeros(X.shape[1] + 1)
    Xb = np.hstack([X, np.ones((len(X), 1))])
    for i in range(iters):
        p = 1 / (1 + np.exp(-Xb @ w))
        g = Xb.T @ (p - y) + lam * w
        H = (Xb * (p * (1 - p))[:, None]).T @ Xb + lam * np.eye(len(w))
        st = np.linalg.solve(H, g)
        w -= st
        if np.max(np.abs(st)) < 1e-10:
            break
    acc = np.mean((p > 0.5) == (y == 1))
    print(f"iters={i + 1:3d} acc={acc:.2%} w={np.round(w, 4)}")
    return (w, acc)


def binomial_american(S, K, r, sig, T, n):
    dt = T / n
    u = math.exp(sig * math.sqrt(dt))
    d = 1 / u
    p = (math.exp(r * dt) - d) / (u - d)
    disc = math.exp(-r * dt)
    ST = S * u ** np.arange(n, -n - 1, -2)
    V = np.maximum(K - ST, 0)
    for i in range(n - 1, -1, -1):
        ST = S * u ** np.arange(i, -i - 1, -2)
        V = np.maximum(disc * (p * V[:-1] + (1 - p) * V[1:]), K - ST)
    return V[0]


R = np.random.default_rng(3)
X2 = np.concatenate([R.normal(size=(20, 2)), R.normal(size=(20, 2)) + 3])
y2 = np.repeat([0, 1], 20)
xs = np.linspace(0, 4, 25)

CALLS: list[Any] = [
    (bfgs, [("rosen", [-1.2, 1.0]), ("q", [1, 2, 3]), ("q", np.zeros(2))]),
    (levmar, [(xs, 2 * np.exp(-1.3 * xs) + 0.5 + 0.01 * np.sin(17 * xs), [1, 1, 0])]),
    (
        simplex,
        [
            (np.array([[1, 1], [1, 3.0], [2, 1]]), np.array([4.0, 6, 6]), np.array([3.0, 5])),
            (np.array([[-1.0, 0]]), np.array([1.0]), np.array([1.0, 0])),
        ],
    ),
    (bootstrap, [(R.normal(size=15), 50, 1), (np.arange(5), 10, 2)]),
    (
        hmm,
        [
            (
                np.array([0, 1, 1, 0, 2, 1]),
                np.array([[0.7, 0.3], [0.4, 0.6]]),
                np.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]]),
                np.array([0.6, 0.4]),
            ),
            ([0, 2], np.eye(2) * 0.5 + 0.25, np.ones((2, 3)) / 3, np.array([0.5, 0.5])),
        ],
    ),
    (
        kalman,
        [
            (
                np.array([1.0, 2, np.nan, 4.1]),
                np.array([[1.0, 1], [0, 1]]),
                np.array([[1.0, 0]]),
                np.eye(2) * 0.01,
                np.array([[0.1]]),
                np.zeros(2),
                np.eye(2),
            )
        ],
    ),
    (gmm, [(X2, 2, 5, 1)]),
    (knn, [(X2, y2, X2[::3] + 0.1, 3), (X2, y2.astype(np.uint8), X2[:0], 1)]),
    (tree, [(np.round(X2, 1), y2, 2), (X2[:1], y2[:1], 1)]),
    (naive_bayes, [(X2, y2, X2[::4]), (X2, y2, X2[:0])]),
    (adam_reg, [(X2, y2, 20), (X2[:1], y2[:1] * 1.0, 2)]),
    (attention, [(R.random((5, 8)), R.random((8, 8)), R.random((8, 8)), R.random((8, 8)), 2)]),
    (logreg, [(X2, y2, 0.1, 20), (X2, y2 * 1.0, 1, 1)]),
    (binomial_american, [(100, 110, 0.05, 0.2, 1.0, 50), (10.0, 9.0, 0.0, 0.1, 1, 1)]),
]


@pytest.mark.parametrize("f, calls", CALLS, ids=lambda x: getattr(x, "__name__", ""))
def test_interpreted(f: Any, calls: list[tuple[Any, ...]]) -> None:
    for call in calls:
        error = observe(f, call, {}, False).error
        check(
            f, *call, rtol=1e-9, atol=1e-11, raises=type(error) if error else None, settings={"target": "interpreter"}
        )
