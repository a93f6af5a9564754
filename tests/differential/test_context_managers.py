"""with statements: the user's classes, contextlib, the library's managers; every way out of the body."""

# ruff: noqa (programs as users write them)

from __future__ import annotations

import contextlib
import decimal
import functools
import io
import threading
import time
import warnings
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.cases import case_tests
from tests.oracle import check


class Log:
    def __init__(self, name):
        self.name = name

    def __enter__(self):
        print("enter", self.name)
        return self

    def __exit__(self, kind, value, tb):
        print("exit", self.name, None if kind is None else kind.__name__, value)
        return self.name == "swallow"


def ret(n: Any) -> Any:
    with Log("a") as l:
        if n:
            return l.name
        print("body")
    return "end"


def loop(n: Any) -> Any:
    out = []
    for i in range(5):
        with Log(f"x{i}"):
            if i == n:
                break
            if i == 1:
                continue
            out.append(i)
    return out


def swallow(n: Any) -> Any:
    x = 1
    with Log("swallow"):
        x = 10 // n
    return x


def passes(n: Any) -> Any:
    x = 1
    try:
        with Log("p"):
            x = 10 // n
            x += 1
    except ZeroDivisionError as e:
        return (x, str(e))
    return x


def nested(n: Any) -> Any:
    with Log("a") as a, Log("swallow") as b:
        x = 1 // n
        return (x, a.name, b.name)
    return -1


def nested2(n: Any) -> Any:
    r = 0
    with Log("swallow"):
        with Log("in"):
            r = 1
            r = [1, 2][n]
    return r


def noctx(n: Any) -> Any:
    with n as k:
        return k


class OnlyEnter:
    def __enter__(self):
        return 1


def noexit(n: Any) -> Any:
    with OnlyEnter() as k:
        return k


def warn(n: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return n + 1


@contextlib.contextmanager
def temp(d, k, v):
    old = d.get(k)
    d[k] = v
    try:
        yield d
    finally:
        d[k] = old


def tempset(n: Any) -> Any:
    d = {"a": 1}
    with temp(d, "a", n) as e:
        s = e["a"] + d["a"]
    return (s, d)


def localcm(n: Any) -> Any:
    log = []

    @contextlib.contextmanager
    def tag(name):
        log.append("<" + name)
        yield name.upper()
        log.append(">" + name)

    with tag("p") as p:
        log.append(p * n)
    return log


def cmerr(n: Any) -> Any:

    @contextlib.contextmanager
    def tag():
        try:
            yield
        except ZeroDivisionError:
            print("caught")

    x = 5
    with tag():
        x = 1 // n
    return x


def nullc(n: Any) -> Any:
    with contextlib.nullcontext(n) as k:
        return k + 1


def redir(n: Any) -> Any:
    buf = io.StringIO()
    with contextlib.redirect_stdout(buf):
        print("hello", n)
    return buf.getvalue()


def dec(n: Any) -> Any:
    with decimal.localcontext() as ctx:
        ctx.prec = 5
        return str(decimal.Decimal(1) / decimal.Decimal(n))


def lock(n: Any) -> Any:
    l = threading.Lock()
    with l:
        n += 1
    return (n, l.locked())


def withexitstack(n: Any) -> Any:
    with contextlib.ExitStack() as st:
        st.callback(print, "bye")
        return n


def timing(n: Any) -> Any:
    t0 = time.perf_counter()
    s = sum(range(n))
    dt = time.perf_counter() - t0
    return (s, dt >= 0, time.time() > 1000000000.0)


class Timer:
    def __enter__(self):
        self.start = time.perf_counter()
        return self

    def __exit__(self, *args):
        self.elapsed = time.perf_counter() - self.start


def timed(n: Any) -> Any:
    with Timer() as t:
        a = np.arange(n) ** 2
        s = a.sum()
    return (s, t.elapsed >= 0)


def witharr(a: Any) -> Any:
    with Log("a"):
        a[1:] += a[:-1]
        b = a * 2
    return b.sum()


def errst(a: Any) -> Any:
    with np.errstate(divide="ignore", invalid="ignore"):
        b = 1 / a
    return b


class Guard:
    def __init__(self, n):
        self.n = n

    def __enter__(self):
        return self.n

    def __exit__(self, kind, value, tb):
        return kind is not None and issubclass(kind, ValueError)


@contextlib.contextmanager
def doubled(x):
    print("enter")
    try:
        yield (2 * x)
    finally:
        print("leave")


def with_guard(n: Any) -> Any:
    r = 0
    with Guard(n) as k:
        r = 1
        if k < 0:
            raise ValueError("neg")
        r = 2
    return r


def with_guard2(n: Any) -> Any:
    r = 0
    with Guard(n) as k:
        r = 1
        if k < 0:
            raise KeyError("neg")
        r = 2
    return r


def with_cm(n: Any) -> Any:
    with doubled(n) as k:
        s = k + 1
    return s


@functools.cache
def fibc(n):
    return n if n < 2 else fibc(n - 1) + fibc(n - 2)


P = namedtuple("P", "x y")


def made_inside(a: np.ndarray, x: float) -> Any:
    with np.errstate(divide="ignore"):
        found = {"ratio": a / x, "x": x}
        sizes = [len(a), 1]
    found["n"] = len(sizes)
    return found, sizes


CASES: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = [
    (ret, [(3,), (0,)]),
    (loop, [(3,), (0,)]),
    (swallow, [(3,), (0,)]),
    (passes, [(3,), (0,)]),
    (nested, [(3,), (0,)]),
    (nested2, [(3,), (0,)]),
    (noctx, [(3,), (0,)]),
    (noexit, [(3,)]),
    (warn, [(3,), (0,)]),
    (tempset, [(3,), (0,)]),
    (localcm, [(3,), (0,)]),
    (cmerr, [(3,), (0,)]),
    (nullc, [(3,), (0,)]),
    (redir, [(3,)]),
    (dec, [(3,)]),
    (lock, [(3,)]),
    (withexitstack, [(3,)]),
    (timing, [(3,)]),
    (timed, [(100,)]),
    (witharr, [(np.arange(4.0),)]),
    (errst, [(np.arange(4.0),), (np.zeros(3),)]),
    (with_guard, [(3,), (-1,)]),
    (with_guard2, [(3,), (-1,)]),
    (made_inside, [(np.arange(4.0), 2.0), (np.arange(3), 0.0)]),
    (with_cm, [(3,)]),
]


test_interpreted, test_compiled = case_tests(CASES, compiled={"ret", "swallow", "loop", "nested", "tempset", "witharr"})


def of_either(n: Any, x: float) -> Any:
    manager = Log("a")
    other = x if n else manager
    with other as l:
        return l.name


def test_a_value_of_several_types_is_refused_or_right() -> None:
    check(of_either, 0, 2.0, also=[(1, 2.0)], or_refused=True)
    check(of_either, 0, 2.0, also=[(1, 2.0)], settings={"strict": False}, plainly=True)
