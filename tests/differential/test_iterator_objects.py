"""Iterators as Python has them: taken up again, sent to, kept in containers, given to other functions."""

# ruff: noqa (programs as users write them)

from __future__ import annotations

from collections.abc import Callable
from tests.cases import case_tests
from typing import Any
import itertools


def gen(n):
    for i in range(n):
        yield (i * i)


def fibs():
    a, b = (0, 1)
    while True:
        yield a
        a, b = (b, a + b)


def several_next(n: Any) -> Any:
    g = gen(n)
    a = next(g)
    b = next(g)
    c = next(g, -1)
    return (a, b, c)


def stopit(n: Any) -> Any:
    g = gen(n)
    next(g)
    next(g)
    return next(g)


def islice_gen(n: Any) -> Any:
    return (list(itertools.islice(fibs(), n)), list(itertools.takewhile(lambda x: x < 20, fibs())))


def next_loop(n: Any) -> Any:
    g = gen(n)
    s = 0
    while True:
        try:
            s += next(g)
        except StopIteration:
            break
    return s


def gen_rest(n: Any) -> Any:
    g = gen(n)
    first = next(g)
    return (first, list(g))


def cycle_(n: Any) -> Any:
    c = itertools.cycle([1, 2, 3])
    return [next(c) for _ in range(n)]


def parser(s: Any) -> Any:
    it = iter(s)
    cur = [next(it, "")]

    def adv():
        cur[0] = next(it, "")

    def expr():
        v = term()
        while cur[0] == "+":
            adv()
            v += term()
        return v

    def term():
        v = factor()
        while cur[0] == "*":
            adv()
            v *= factor()
        return v

    def factor():
        if cur[0] == "(":
            adv()
            v = expr()
            adv()
            return v
        v = int(cur[0])
        adv()
        return v

    return expr()


def send(n: Any) -> Any:

    def avg():
        total = 0.0
        k = 0
        a = None
        while True:
            x = yield a
            total += x
            k += 1
            a = total / k

    g = avg()
    next(g)
    out = [g.send(i) for i in range(n)]
    g.close()
    return out


def tree(n: Any) -> Any:

    def ins(t, v):
        if t is None:
            return [None, v, None]
        if v < t[1]:
            t[0] = ins(t[0], v)
        else:
            t[2] = ins(t[2], v)
        return t

    def walk(t):
        if t:
            yield from walk(t[0])
            yield t[1]
            yield from walk(t[2])

    r = None
    for v in [n, 2, 7, 1, 3]:
        r = ins(r, v)
    return list(walk(r))


def flatten(x: Any) -> Any:

    def fl(x):
        for y in x:
            if isinstance(y, list):
                yield from fl(y)
            else:
                yield y

    return list(fl(x))


def chunks(xs: Any) -> Any:
    it = iter(xs)
    return list(zip(it, it))


def chunks2(xs: Any) -> Any:
    it = iter(xs)
    out = []
    while chunk := list(itertools.islice(it, 2)):
        out.append(chunk)
    return out


def zipped(xs: Any) -> Any:
    z = zip(xs, "abc")
    a = next(z)
    return (a, list(z), list(z))


def gexp(xs: Any) -> Any:
    g = (x * x for x in xs)
    a = next(g)
    return (a, sum(g), list(g))


def enum2(xs: Any) -> Any:
    e = enumerate(xs, 1)
    _, a = next(e)
    for i, x in e:
        a += i * x
    return a


def primes(n: Any) -> Any:

    def sieve():
        found = []
        k = 2
        while True:
            if all((k % p for p in found)):
                found.append(k)
                yield k
            k += 1

    g = sieve()
    out = []
    p = next(g)
    while p < n:
        out.append(p)
        p = next(g)
    return out


def pipeline(n: Any) -> Any:

    def src():
        for i in range(n):
            yield i

    def ev(it):
        for x in it:
            if x % 2 == 0:
                yield x

    def sq(it):
        for x in it:
            yield (x * x)

    return (sum(sq(ev(src()))), list(sq(ev(src()))))


def tokens(s: Any) -> Any:
    toks = iter(s.split())
    out = []
    for tk in toks:
        if tk == "b":
            out.append(next(toks))
        else:
            out.append(tk)
    return out


def gen_list(n: Any) -> Any:
    gs = [gen(k) for k in range(n)]
    return [list(g) for g in gs]


def gen_return(n: Any) -> Any:

    def g():
        yield 1
        return 5

    def h():
        r = yield from g()
        yield r

    return list(h())


def roundrobin(n: Any) -> Any:
    its = [iter("ab"), iter([1, 2, 3])]
    out = []
    while its:
        for it in list(its):
            try:
                out.append(next(it))
            except StopIteration:
                its.remove(it)
    return out


def tee(n: Any) -> Any:
    a, b = itertools.tee([1, 2, n])
    next(b)
    return list(zip(a, b))


def gexp2(xs: Any) -> Any:
    g = (x * x for x in xs)
    return (sum(g), list(g))


def gexp3(xs: Any) -> Any:
    g = (x for x in (1, 2, 3))
    out = []
    for x in g:
        out.append(x)
        if x == 2:
            break
    for x in g:
        out.append(-x)
    return out


def gexp4(xs: Any) -> Any:
    return (
        sum((x for x in xs)),
        max((x for x in xs)),
        sorted((x for x in xs)),
        ",".join((str(x) for x in xs)),
        tuple((x for x in xs)),
        {x for x in xs},
        any((x > 2 for x in xs)),
        list((x for x in xs)),
    )


def gexp5(xs: Any) -> Any:
    a, b, c = (x + 1 for x in xs)
    return (a, b, c, len(list((x for x in xs))), 2 in (x for x in xs))


def gexp6(xs: Any) -> Any:
    return len((x for x in xs))


def gexp8(xs: Any) -> Any:
    g = (x for x in xs)
    return (bool(g), isinstance(g, tuple), type(g).__name__)


def oneshots(xs: Any) -> Any:
    z = zip((1, 2), (3, 4))
    e = []
    try:
        e.append(len(z))
    except TypeError as x:
        e.append(str(x))
    m = map(abs, (1, -2))
    try:
        e.append(m[0])
    except TypeError as x:
        e.append(str(x))
    r = reversed((1, 2))
    try:
        e.append(r + (1,))
    except TypeError as x:
        e.append(str(x))
    return (e, bool(zip((), ())), zip((), ()) == ())


def oneshots2(xs: Any) -> Any:
    ys = []
    ys.append(zip((1, 2), (3, 4)))
    return (list(ys[0]), list(ys[0]))


def oneshots3(xs: Any) -> Any:
    d = dict(zip("abc", xs))
    a, b = zip(*[(1, 2), (3, 4)])
    return (
        d,
        a,
        b,
        list(zip(xs, xs[1:])),
        sum(map(int, "123")),
        list(map(str, xs)),
        max(zip(xs, "abc")),
        sorted(zip(xs, "abc")),
        list(reversed(xs)),
        tuple(enumerate(xs)),
        (1, 3) in zip((1, 2), (3, 4)),
        [*map(abs, (1, -2))],
        {*zip((1,), (2,))},
        ",".join(map(str, xs)),
    )


CASES: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = [
    (several_next, [(5,), (2,)]),
    (stopit, [(2,)]),
    (islice_gen, [(5,)]),
    (next_loop, [(5,)]),
    (gen_rest, [(5,)]),
    (cycle_, [(5,)]),
    (parser, [("1+2*3",), ("2*(3+4)",)]),
    (send, [(5,)]),
    (tree, [(4,)]),
    (flatten, [([1, [2, [3, [4]]], 5],)]),
    (chunks, [([1, 2, 3, 4, 5],)]),
    (chunks2, [([1, 2, 3, 4, 5],)]),
    (zipped, [([3, 1, 2],)]),
    (gexp, [([3, 1, 2],)]),
    (enum2, [([3, 1, 2],)]),
    (primes, [(30,)]),
    (pipeline, [(6,)]),
    (tokens, [("a b c",)]),
    (gen_list, [(4,)]),
    (gen_return, [(4,)]),
    (roundrobin, [(4,)]),
    (tee, [(4,)]),
    (gexp2, [([3, 1, 2],), ((1, 2),)]),
    (gexp3, [([3, 1, 2],), ((1, 2),)]),
    (gexp4, [([3, 1, 2],), ((1, 2),)]),
    (gexp5, [([3, 1, 2],)]),
    (gexp6, [([3, 1, 2],)]),
    (gexp8, [([3, 1, 2],)]),
    (oneshots, [([3, 1, 2],)]),
    (oneshots2, [([3, 1, 2],)]),
    (oneshots3, [([3, 1, 2],)]),
]


test_interpreted, test_compiled = case_tests(CASES, compiled={"parser", "primes", "tree", "send"})
