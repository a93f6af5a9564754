"""Functions that containers hold, libraries call or callers are given; variables that nested functions share; recursion of every kind."""

# ruff: noqa (programs as users write them)

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tests.cases import case_tests
from tests.oracle import check, function
from types import SimpleNamespace
from typing import Any
import functools
import importlib.util
import itertools
import math
import numpy as np
import operator


def counts_its_calls(a):
    def g(x):
        g.n += 1
        g.seen.append(x.sum())
        return x * 2

    g.n = 0
    g.seen = []
    for i in range(len(a)):
        a = g(a)
    return a, g.n, g.seen, g.__name__


def remembers_in_itself(a):
    def g(x):
        if not hasattr(g, "cache"):
            g.cache = {}
        n = len(x)
        if n not in g.cache:
            g.cache[n] = x.sum()
        return g.cache[n]

    return g(a), g(a * 2), g(a[1:])


def attributes_of_nested_functions(a):
    def g(x):
        """what it does"""
        return x * 2

    before = hasattr(g, "n"), getattr(g, "n", 7)
    if not hasattr(g, "n"):
        g.n = 1
    g.n += 1
    setattr(g, "m", a)
    del g.n
    g.__name__ = "other"
    return before, hasattr(g, "n"), getattr(g, "m", 7) is a, g.m, g(a), g.__name__, g.__doc__, g.__dict__


def missing_in_nested_function(a):
    def g(x):
        return x * 2

    return g.n


def with_attributes(k):
    def h(x):
        return x * k

    h.k = k
    return h


def made_with_attributes(a):
    h1, h2 = with_attributes(2), with_attributes(3)
    fs = []
    for k in range(len(a)):

        def g(x, k=k):
            return x * k

        g.k = k
        fs.append(g)
    return h1(a) + h2(a), h1.k, h2.k, [f(2) for f in fs], [f.k for f in fs]


def use(f, x):
    return f(x)


def named(owner=None, name=None, function=None, args=None):
    return owner, name, function, args


def called_by_any_names(a, o):
    d = {"f": named}
    for i in range(len(a)):
        d[str(i)] = named
    return d["f"](function=1, args=a.sum()), o.named(owner=a.sum(), name="x", function=3)


def choose(n: Any) -> Any:
    if n > 0:
        f = lambda x: x + 1
    else:
        f = lambda x: x - 1
    return f(n)


def choose2(n: Any) -> Any:
    f = (lambda x: x + 1) if n > 0 else lambda x: x * 2.0
    return (f(n), use(f, 2))


def compose(n: Any) -> Any:

    def comp(f, g):
        return lambda x: f(g(x))

    inc = lambda x: x + 1
    dbl = lambda x: x * 2
    return (comp(inc, dbl)(n), comp(dbl, inc)(n))


def composeall(n: Any) -> Any:
    fs = [lambda x: x + 1, lambda x: x * 2, math.sqrt]
    r = n
    for f in fs:
        r = f(r)
    return r


def table(op: Any) -> Any:
    ops = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": operator.mul}
    return ops[op](3, 4)


def table2(toks: Any) -> Any:
    ops = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": operator.mul}
    r = 1
    for x in toks:
        if x in ops:
            r = ops[x](r, 3)
        else:
            r += int(x)
    return r


def accgen(n: Any) -> Any:
    total = 0

    def add(x):
        nonlocal total
        total += x
        return total

    fs = [add, add]
    for f in fs:
        f(n)
    xs = []
    xs.append(add)
    xs[0](2)
    return total


def fs_comp(n: Any) -> Any:
    fs = [lambda x, i=i: x * i for i in range(n)]
    return [f(2) for f in fs]


def memo(n: Any) -> Any:
    cache = {}

    def fib(k):
        if k in cache:
            return cache[k]
        r = k if k < 2 else fib(k - 1) + fib(k - 2)
        cache[k] = r
        return r

    return (fib(n), sorted(cache))


def memoize(n: Any) -> Any:

    def memo(f):
        cache = {}

        def inner(k):
            if k not in cache:
                cache[k] = f(k)
            return cache[k]

        return inner

    @memo
    def fib(k):
        return k if k < 2 else fib(k - 1) + fib(k - 2)

    return fib(n)


def bank(n: Any) -> Any:
    balance = n

    def dep(x):
        nonlocal balance
        balance += x
        return balance

    def wit(x):
        nonlocal balance
        if x > balance:
            raise ValueError(f"insufficient: {balance}")
        balance -= x
        return balance

    ops = {"d": dep, "w": wit}
    out = []
    for k in ["d", "w", "w", "d", "w"]:
        try:
            out.append(ops[k](5))
        except ValueError as e:
            out.append(str(e))
    return (out, balance)


def cb(n: Any) -> Any:
    calls = []

    def on(x):
        calls.append(x)

    hs = []
    hs.append(on)
    hs.append(lambda x: calls.append(-x))
    for i in range(n):
        for h in hs:
            h(i)
    return calls


def hanoi(n: Any) -> Any:
    moves = []
    count = 0

    def mv(k, a, b, c):
        nonlocal count
        if k == 0:
            return
        mv(k - 1, a, c, b)
        moves.append((a, c))
        count += 1
        mv(k - 1, b, a, c)

    mv(n, "A", "B", "C")
    return (count, moves)


def perm_rec(n: Any) -> Any:
    res = []
    best = None

    def go(path, used):
        nonlocal best
        if len(path) == n:
            res.append(path[:])
            if best is None or path > best:
                best = path[:]
            return
        for i in range(n):
            if i not in used:
                path.append(i)
                used.add(i)
                go(path, used)
                path.pop()
                used.remove(i)

    go([], set())
    return (len(res), best)


def queens(n: Any) -> Any:
    count = 0
    cols = set()
    d1 = set()
    d2 = set()

    def place(r):
        nonlocal count
        if r == n:
            count += 1
            return
        for c in range(n):
            if c in cols or r + c in d1 or r - c in d2:
                continue
            cols.add(c)
            d1.add(r + c)
            d2.add(r - c)
            place(r + 1)
            cols.remove(c)
            d1.remove(r + c)
            d2.remove(r - c)

    place(0)
    return count


def dfs_time(g: Any) -> Any:
    t = 0
    tin = {}
    tout = {}

    def go(u):
        nonlocal t
        tin[u] = t
        t += 1
        for v in g[u]:
            if v not in tin:
                go(v)
        tout[u] = t
        t += 1

    go(0)
    return (tin, tout, t)


def evenodd(n: Any) -> Any:

    def even(k):
        return True if k == 0 else odd(k - 1)

    def odd(k):
        return False if k == 0 else even(k - 1)

    fs = []
    fs.append(even)
    fs.append(odd)
    return (even(n), odd(n), fs[0](n), fs[1](n))


def takew(n: Any) -> Any:
    lim = n
    a = list(itertools.takewhile(lambda x: x < lim, [1, 3, 5, 7]))
    b = list(itertools.accumulate([1, 2, 3], lambda a, b: a * b + lim))
    c = list(itertools.filterfalse(lambda x: x % 2, range(n)))
    d = [(k, list(g)) for k, g in itertools.groupby(range(n), key=lambda x: x // 2)]
    return (a, b, c, d)


def ycomb(n: Any) -> Any:
    Y = lambda f: (lambda x: f(lambda v: x(x)(v)))(lambda x: f(lambda v: x(x)(v)))
    return Y(lambda g: lambda k: 1 if k == 0 else k * g(k - 1))(n)


def curry(n: Any) -> Any:
    add = lambda a: lambda b: lambda c: a + b + c
    return add(1)(2)(n)


def timer_like(n: Any) -> Any:
    state = {"k": 0}

    def tick():
        state["k"] += 1
        return state["k"]

    return ([tick() for _ in range(n)], state)


def sort_key_closure(n: Any) -> Any:
    w = {1: 3, 2: 1, 3: 2}
    return (sorted([1, 2, 3], key=lambda x: w[x]), max([1, 2, 3], key=lambda x: -w[x]))


def wrongframe(n: Any) -> Any:

    def mk(k):
        return lambda x: x + k

    k = 100
    f = mk(1)

    def rec(m):
        return 0 if m == 0 else f(m) + rec(m - 1) + 0 * k

    return rec(n)


def wrongframe2(n: Any) -> Any:

    def mk(k):
        return lambda x: x + k

    k = 100
    f = mk(n)

    def rec(m):
        return 0 if m == 0 else f(m) + rec(m - 1) + 0 * k

    return rec(n)


def rec_arg_fn(n: Any) -> Any:

    def apply(f, k):
        if k == 0:
            return 0
        return f(k) + apply(f, k - 1)

    a = 5
    return apply(lambda x: x * a, n)


def app(f, k):
    if k == 0:
        return 0
    return f(k) + app(f, k - 1)


def rec_arg_fn2(n: Any) -> Any:
    a = 5
    return app(lambda x: x * a, n)


def nonlocal_rec(n: Any) -> Any:
    count = 0

    def go(k):
        nonlocal count
        count += 1
        if k > 0:
            go(k - 1)
            go(k - 2)

    go(n)
    return count


def counter_closure(n: Any) -> Any:

    def make():
        c = 0

        def inc():
            nonlocal c
            c += 1
            return c

        return inc

    f = make()
    g = make()
    f()
    f()
    g()
    return (f(), g())


def rec_try(n: Any) -> Any:

    def fact(k):
        if k == 0:
            raise ValueError("zero")
        return k * fact(k - 1)

    try:
        return fact(n)
    except ValueError as e:
        return str(e)


@functools.lru_cache(maxsize=None)
def fibc(n):
    return n if n < 2 else fibc(n - 1) + fibc(n - 2)


def use_lru(n: Any) -> Any:
    return fibc(n)


def use_lru_in(n: Any) -> Any:

    @functools.lru_cache(None)
    def fib(k):
        return k if k < 2 else fib(k - 1) + fib(k - 2)

    return fib(n)


def use_cache_in(n: Any) -> Any:

    @functools.cache
    def fib(k):
        return k if k < 2 else fib(k - 1) + fib(k - 2)

    return fib(n)


def cache_grid(n: Any) -> Any:

    @functools.cache
    def go(i, j):
        if i == 0 or j == 0:
            return 1
        return go(i - 1, j) + go(i, j - 1)

    return go(n // 4, n // 4)


def fs_append(n: Any) -> Any:
    fs = []
    for i in range(n):
        fs.append(lambda x, i=i: x + i)
    return [f(10) for f in fs]


def fs_append_late(n: Any) -> Any:
    fs = []
    for i in range(n):
        fs.append(lambda x: x + i)
    return [f(10) for f in fs]


def op_get(n: Any) -> Any:
    xs = [(3, 1), (1, 2), (2, 0)]
    return (sorted(xs, key=operator.itemgetter(1)), operator.itemgetter(0, 1)(xs[0]))


P = namedtuple("P", "x y")


def op_attr(n: Any) -> Any:
    ps = [P(3, n), P(1, 2), P(2, 0)]
    return sorted(ps, key=operator.attrgetter("y"))


def cmp_(n: Any) -> Any:

    def cmp(a, b):
        return b - a

    return sorted([3, n, 1], key=functools.cmp_to_key(cmp))


def accum(n: Any) -> Any:
    return (
        list(itertools.accumulate(range(n))),
        list(itertools.accumulate([3, 1, 2], max)),
        list(itertools.accumulate([1, 2, 3], lambda a, b: a * b, initial=100)),
    )


def tw(xs: Any) -> Any:
    return (
        list(itertools.takewhile(lambda x: x < 5, xs)),
        list(itertools.dropwhile(lambda x: x < 5, xs)),
        list(itertools.starmap(pow, [(2, 3), (3, 2)])),
        list(itertools.zip_longest([1, 2, 3], [4])),
        list(itertools.repeat(7, 3)),
    )


G = 1


ARR = np.zeros(3)


LST = [1]


class Cfg:
    width = 3

    def __init__(self):
        self.x = 1


CFG = Cfg()


def deep():
    global G
    G += 1


def mid():
    deep()


@functools.lru_cache(None)
def opaque(k):
    mid()
    ARR[0] += 1
    LST.append(k)
    Cfg.width += 1
    CFG.x += 5
    return k


def stale(n: Any) -> Any:
    global G
    G = 1
    ARR[:] = 0
    LST.clear()
    Cfg.width = 3
    CFG.x = 1
    opaque.cache_clear()
    a = (G, ARR.sum(), len(LST), Cfg.width, CFG.x)
    opaque(n)
    return (a, G, ARR.sum(), len(LST), Cfg.width, CFG.x)


def setx():
    CFG.x = 50


def opq():
    setx()


def stale2(n: Any) -> Any:
    fs = [opq]
    fs.append(opq)
    a = CFG.x
    for f in fs:
        f()
    b = CFG.x
    return b


def cap_arr(a: Any) -> Any:
    fs = []
    fs.append(lambda k: a.__setitem__(k, 9.0))
    s0 = a.sum()
    fs[0](1)
    s1 = a.sum()
    a[2] = 7
    g = []
    g.append(lambda: a.sum())
    return (s0, s1, g[0]())


def cap_num(n: Any) -> Any:
    k = n
    fs = []
    fs.append(lambda: k)
    k += 1
    a = fs[0]()
    k = 10
    return (a, fs[0]())


@dataclass
class P:
    x: int


def cap_dc(n: Any) -> Any:
    p = P(n)
    fs = []
    fs.append(lambda: p.x)
    p.x = 8

    def inc():
        p.x += 1

    fs.append(inc)
    fs[1]()
    return (p.x, fs[0]())


def cap_list(n: Any) -> Any:
    xs = [1]
    d = {"a": 1}
    fs = []
    fs.append(lambda v: xs.append(v))
    fs.append(lambda v: d.update(a=v))
    fs[0](n)
    fs[1](n)
    xs.append(99)
    return (xs, d)


def cap_tuple(n: Any) -> Any:
    xs = ([1], 2)
    fs = []
    fs.append(lambda: xs[0])
    fs[0]().append(5)
    return xs


def defaults(n: Any) -> Any:
    xs = []

    def f(v, acc=xs, *, k=n):
        acc.append(v + k)
        return acc

    fs = []
    fs.append(f)
    fs[0](1)
    return (f(2), xs)


def same_fn(n: Any) -> Any:

    def f():
        return 1

    fs = []
    fs.append(f)
    fs.append(f)
    return (fs[0] is fs[1], fs[0] == fs[1], f in fs, fs.index(f))


def fn_dict(n: Any) -> Any:

    def f():
        return 1

    def g():
        return 2

    d = {f: "f", g: "g"}
    return (d[f], d[g])


def big(n: Any) -> Any:
    fs = []
    fs.append(lambda k: 2**k)
    return (fs[0](100), fs[0](10))


def nested_box(n: Any) -> Any:
    x = 0

    def outer():
        nonlocal x
        x += 1
        y = x

        def inner():
            nonlocal y, x
            y += 10
            x += 100
            return y

        return inner

    f = outer()
    g = outer()
    return (f(), g(), f(), x)


def box_param(n: Any) -> Any:

    def dec():
        nonlocal n
        n -= 1
        return n

    fs = []
    fs.append(dec)
    out = []
    while n > 0:
        out.append(fs[0]())
    return (out, n)


def box_types(n: Any) -> Any:
    best = None

    def upd(v):
        nonlocal best
        if best is None or v > best:
            best = v

    fs = []
    fs.append(upd)
    for v in (n, 1.5, 7):
        fs[0](v)
    return best


def box_array(n: Any) -> Any:
    a = np.zeros(n)

    def upd(k):
        nonlocal a
        a = a + k

    fs = []
    fs.append(upd)
    fs[0](2)
    b = a
    fs[0](1)
    a += 1
    return (a, b)


def two_of_one_name(a, x):
    def g(q):
        return a[::-1] + q

    r = g(x)

    def g(q):
        try:
            return 1 if q < 1 else q * g(q - 1)
        except ZeroDivisionError:
            return 3

    h = lambda q: q
    h = lambda q: 1 if q < 1 else q * h(q - 1)
    return r, g(x), sorted([3, 1], key=g), [h, g][0](4)


def nested_calls_of_several_types(a, x):
    def g(q):
        return 1 if q < 1 else q * g(q - 1)

    a[0] = g(x)
    return g(g(x - 1 + a[1]))


def partial_as_key(v, x):
    def distance(p, q, scale=1):
        return abs(p - q) * scale

    near = sorted(v.tolist(), key=functools.partial(distance, x, scale=2))
    return near, max([3, 1, 2], key=functools.partial(pow, 2)), list(map(functools.partial(pow, 2), [1, 2]))


def partials_in_lists(n):
    fs = []
    for k in range(n):
        fs.append(functools.partial(lambda a, b: a * 10 + b, k))
    ps = [functools.partial(pow, 2), functools.partial(pow, 3)]
    return [g(3) for g in fs], fs[0] is fs[0], fs[0] is fs[1], [ps[k % 2](k) for k in range(n)]


def parts_of_a_partial(v):
    p = functools.partial(np.sum, axis=0)
    q = functools.partial(p, keepdims=True)
    return p(v), q(v), p.func is np.sum, len(p.args)


def late_in_list(n: Any) -> Any:
    fs = [lambda x: x * 10 + i for i in range(n)]
    i = 100
    return [f(1) for f in fs], fs[0](2), i


def late_in_all_kinds(n: Any) -> Any:
    a = {(lambda: i) for i in range(n)}
    b = {(i, j): (lambda x: x * i + j) for i in range(n) if i % 2 for j in range(i)}
    c = [[lambda: (i, j) for j in range(n)] for i in range(n)]
    d = [lambda x, i=i: (x, i, n) for i in range(n)] + [lambda x: (x, i) for i in range(2 * n)]
    n = -1
    return (
        sorted(f() for f in a),
        [f(10) for f in b.values()],
        list(b),
        [[f() for f in r] for r in c],
        [f(1) for f in d],
    )


def late_in_conditions(n: Any) -> Any:
    k = 0
    if len([lambda: i for i in range(n)]) > 2:
        k = 1
    elif [lambda: i for i in range(n)]:
        k = 2
    while k < 5 and [lambda: k + i for i in range(n + 1)][0]() < 6:
        k += 1
    return k


def not_yet_late(n: Any) -> Any:
    now = list(map(lambda f: f(2), (lambda y: y + k for k in range(n))))
    total = sum(f() for f in (lambda: k for k in (1, 5)))
    for f in (lambda y: y + k for k in range(n)):
        now.append(f(2))
    return now, total, f(1)


CASES: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = [
    (two_of_one_name, [(np.arange(3.0), 2.0)]),
    (nested_calls_of_several_types, [(np.arange(3.0), 0.0)]),
    (partial_as_key, [(np.array([3.0, 1.0, 4.0]), 2.5)]),
    (partials_in_lists, [(3,)]),
    (parts_of_a_partial, [(np.ones((2, 3)),)]),
    (choose, [(5,), (-5,)]),
    (choose2, [(5,), (-5,)]),
    (compose, [(5,)]),
    (composeall, [(5,)]),
    (table, [("+",), ("*",), ("?",)]),
    (table2, [(["1", "+", "2", "3", "*"],)]),
    (accgen, [(4,)]),
    (fs_comp, [(4,)]),
    (memo, [(6,)]),
    (memoize, [(6,)]),
    (bank, [(6,)]),
    (cb, [(6,)]),
    (hanoi, [(3,)]),
    (perm_rec, [(4,)]),
    (queens, [(5,)]),
    (dfs_time, [({0: [1, 2], 1: [3], 2: [3], 3: []},)]),
    (evenodd, [(5,)]),
    (takew, [(5,)]),
    (ycomb, [(5,)]),
    (curry, [(5,)]),
    (timer_like, [(5,)]),
    (sort_key_closure, [(5,)]),
    (wrongframe, [(3,)]),
    (wrongframe2, [(3,)]),
    (rec_arg_fn, [(3,)]),
    (rec_arg_fn2, [(3,)]),
    (nonlocal_rec, [(5,)]),
    (counter_closure, [(5,)]),
    (rec_try, [(5,)]),
    (use_lru, [(30,)]),
    (use_lru_in, [(30,)]),
    (use_cache_in, [(30,)]),
    (cache_grid, [(30,)]),
    (fs_append, [(5,)]),
    (fs_append_late, [(5,)]),
    (op_get, [(1,)]),
    (op_attr, [(1,)]),
    (called_by_any_names, [(np.ones(3), SimpleNamespace(named=named))]),
    (counts_its_calls, [(np.ones(3),)]),
    (remembers_in_itself, [(np.ones(3),)]),
    (attributes_of_nested_functions, [(np.ones(3),)]),
    (missing_in_nested_function, [(np.ones(3),)]),
    (made_with_attributes, [(np.ones(3),)]),
    (cmp_, [(4,)]),
    (accum, [(4,)]),
    (tw, [([1, 2, 8, 1],)]),
    (stale, [(3,)]),
    (stale2, [(3,)]),
    (cap_arr, [(np.arange(4.0),)]),
    (cap_num, [(3,)]),
    (cap_dc, [(3,)]),
    (cap_list, [(3,)]),
    (cap_tuple, [(3,)]),
    (defaults, [(3,)]),
    (same_fn, [(3,)]),
    (fn_dict, [(3,)]),
    (big, [(3,)]),
    (nested_box, [(3,)]),
    (box_param, [(3,), (0,)]),
    (box_types, [(3,)]),
    (box_array, [(3,)]),
    (late_in_list, [(3,), (1,)]),
    (late_in_all_kinds, [(3,), (2,)]),
    (late_in_conditions, [(3,), (0,)]),
    (not_yet_late, [(3,), (2,)]),
]


test_interpreted, test_compiled = case_tests(
    CASES,
    compiled={
        "counter_closure",
        "counts_its_calls",
        "accgen",
        "bank",
        "hanoi",
        "memoize",
        "stale",
        "nested_box",
        "partials_in_lists",
        "late_in_list",
    },
)


def test_functions_have_the_code_that_their_file_gives_them(tmp_path: Path) -> None:
    body = "def scaled(k):\n    def by(x: float) -> float:\n        return x * k\n    return by\n"
    for name, head in ("with_future", "from __future__ import annotations\n"), ("without_future", ""):
        path = tmp_path / f"{name}.py"
        path.write_text(head + body)
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        check(module.scaled, 2, settings={"target": "interpreter"})


class Solver:
    def __init__(self) -> None:
        self.solve: Any = np.linalg.solve
        self.total: Any = np.sum
        self.add: Any = np.add


def test_functions_of_numpy_are_attributes_and_items() -> None:
    def held(a, b):
        s = Solver()
        return s.solve(a, b), s.total(a), s.add(b, 1)

    def listed(a, n):
        made = []
        for _ in range(n):
            made.append(np.linalg.inv)
        made.append(np.linalg.det)
        return [f(a) for f in made]

    a = np.array([[2.0, 0.0], [0.0, 4.0]])
    check(held, a, np.array([1.0, 2.0]))
    check(listed, a, 2)


def dispatched(x: Any) -> Any:
    @functools.singledispatch
    def f(v: Any) -> str:
        return "something"

    @f.register
    def _of_ints(v: int) -> str:
        return "int"

    @f.register
    def _of_arrays(v: np.ndarray) -> str:
        return "array"

    return f(x), f("s"), f(np.ones(1))


DISPATCHED = """
def dispatched(x):
    import functools
    T = dict

    @functools.singledispatch
    def f(v):
        return "something"

    @f.register
    def _(v: int) -> str:
        return "int"

    @f.register
    def _(v: T):
        return "dict"

    def g(v: T, *a: "text", k: T = None, **kw: list) -> tuple:
        def inner(z: T) -> T:
            return z

        return inner

    return f(x), f({}), f("s"), [g][0].__annotations__, [g][0](1).__annotations__, [g][0].__kwdefaults__
"""


def test_annotations_are_kept() -> None:
    check(dispatched, 3, also=[(2.5,)])
    check(function(DISPATCHED), 3)
