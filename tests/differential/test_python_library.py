"""Python's library: random, statistics, collections, re, datetime and their like."""

# ruff: noqa (programs as users write them)

from __future__ import annotations

import bisect
import calendar
import cmath
import copy
import datetime
import decimal
import enum
import fractions
import hashlib
import heapq
import itertools
import json
import math
import random
import re
import statistics
import string
import struct
from collections import ChainMap, Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any


from tests.cases import case_tests


def rnd(n: Any) -> Any:
    random.seed(n)
    return (
        random.random(),
        random.randint(1, 6),
        random.uniform(0, 1),
        random.choice([1, 2, 3]),
        random.gauss(0, 1),
        random.randrange(10),
    )


def rnd2(n: Any) -> Any:
    r = random.Random(n)
    xs = list(range(10))
    r.shuffle(xs)
    return (xs, r.sample(xs, 3), r.random(), r.choices([1, 2, 3], k=4))


def montepi(n: Any) -> Any:
    random.seed(1)
    c = 0
    for _ in range(n):
        x = random.random()
        y = random.random()
        if x * x + y * y < 1:
            c += 1
    return 4 * c / n


def walk(n: Any) -> Any:
    random.seed(n)
    x = y = 0
    for _ in range(n):
        dx, dy = random.choice([(0, 1), (0, -1), (1, 0), (-1, 0)])
        x += dx
        y += dy
    return (x, y)


def stats(xs: Any) -> Any:
    return (
        statistics.mean(xs),
        statistics.median(xs),
        statistics.stdev(xs),
        statistics.pstdev(xs),
        statistics.mode(xs),
        statistics.variance(xs),
        statistics.quantiles(xs),
    )


def stats_err(xs: Any) -> Any:
    return statistics.mean(xs)


def words(s: Any) -> Any:
    c = Counter(s.split())
    return (c.most_common(1), c["the"], c["zzz"], sorted(c.items()), sum(c.values()), dict(c))


def letters(s: Any) -> Any:
    c = Counter(s)
    d = Counter("abc")
    return (c - d, c + d, c & d, c | d, c.most_common(2), sorted(c.elements()))


def dq(n: Any) -> Any:
    d = deque(maxlen=3)
    for i in range(n):
        d.append(i)
    d.appendleft(-1)
    d.rotate(1)
    return (list(d), d[0], len(d), d.maxlen, d.popleft(), d.pop(), 3 in d)


def dd(n: Any) -> Any:
    d = defaultdict(list)
    for i in range(n):
        d[i % 2].append(i)
    e = defaultdict(lambda: 7)
    e["a"] += 1
    f = defaultdict(int)
    for ch in "hello":
        f[ch] += 1
    g = defaultdict(lambda: defaultdict(int))
    g["x"]["y"] += 2
    return (dict(d), dict(e), e["q"], dict(f), {k: dict(v) for k, v in g.items()})


def od(n: Any) -> Any:
    d = OrderedDict()
    for i in range(n):
        d[i] = i * i
    d.move_to_end(0)
    d.popitem(last=False)
    return (list(d.items()), next(iter(d)))


def chainmap(n: Any) -> Any:
    c = ChainMap({"a": n}, {"a": 1, "b": 2})
    return (c["a"], c["b"])


def regex(s: Any) -> Any:
    return (
        re.findall("\\d+", s),
        re.sub("[a-z]", "-", s),
        [m.group() for m in re.finditer("[a-z]", s)],
        bool(re.match("a\\d", s)),
        re.split("\\d", s),
    )


def regex2(s: Any) -> Any:
    d = {}
    for m in re.finditer("(\\w)=(\\d+)", s):
        d[m.group(1)] = int(m.group(2))
    p = re.compile("y=(\\d+)")
    m = p.search(s)
    return (d, m.group(1) if m else None, m.span())


def js(d: Any) -> Any:
    return (json.dumps(d), json.loads('{"x": [1, 2.5, null]}'))


def cp(x: Any) -> Any:
    a = copy.copy(x)
    b = copy.deepcopy(x)
    x[0].append(9)
    return (a, b)


def frac(n: Any) -> Any:
    f = fractions.Fraction(1, n) + fractions.Fraction(1, 6)
    return (f, f.numerator, float(f), str(f))


def deci(n: Any) -> Any:
    return decimal.Decimal("1.1") * n


def dates(n: Any) -> Any:
    d = datetime.date(2024, 1, 31) + datetime.timedelta(days=n)
    return (d, d.isoformat(), d.weekday(), (d - datetime.date(2024, 1, 1)).days)


def cm(n: Any) -> Any:
    z = complex(n, 4)
    return (
        cmath.sqrt(-1),
        cmath.phase(z),
        cmath.polar(z),
        cmath.exp(1j * math.pi),
        abs(z),
        z.conjugate(),
        cmath.isclose(z, z),
        cmath.log(z),
    )


def maths(n: Any) -> Any:
    return (
        math.comb(10, n),
        math.perm(5, n),
        math.gcd(12, 18, n),
        math.lcm(4, n),
        math.isqrt(n * 10),
        math.prod([1, 2, n]),
        math.dist([0, 0], [3, 4]),
        math.hypot(3, 4, n),
        math.fsum([0.1] * 10),
        math.copysign(1, -n),
        math.modf(n + 0.5),
        math.frexp(n),
        math.ldexp(0.5, n),
        math.gamma(n),
        math.erf(n),
        math.degrees(n),
        math.nextafter(n, 9),
        math.ulp(n),
        math.cbrt(n),
        math.factorial(n),
        math.trunc(n + 0.7),
        math.floor(-0.5),
        math.ceil(n + 0.1),
        math.log(8, 2),
        math.log2(n),
        math.log1p(n),
        math.expm1(n),
        math.remainder(n, 2),
        math.fmod(n, 2),
        math.isclose(n, n + 1e-12),
        math.isfinite(n),
        math.tau,
        math.inf,
        math.e,
    )


def strs(s: Any) -> Any:
    return (
        s.title(),
        s.upper(),
        s.find("o"),
        s.count("l"),
        s.replace("l", "L"),
        s[::-1],
        s.split(),
        s.partition(" "),
        s.center(20, "*"),
        s.zfill(15),
        s.startswith("he"),
        s.isalpha(),
        "".join(sorted(s)),
        s.translate(str.maketrans("lo", "01")),
        s.encode(),
        s.index("w"),
        s.swapcase(),
        s.ljust(13) + "|",
        s.rjust(13),
        s.expandtabs(),
        s.casefold(),
        s.strip("hd"),
        s.splitlines(),
        s.rfind("o"),
        s.capitalize(),
    )


def caesar(s: Any) -> Any:
    out = []
    for ch in s:
        if ch.isalpha():
            b = ord("a") if ch.islower() else ord("A")
            out.append(chr((ord(ch) - b + 3) % 26 + b))
        else:
            out.append(ch)
    return ("".join(out), string.ascii_lowercase[:3], string.digits)


def fmt(n: Any) -> Any:
    x = 3.14159
    return (
        f"{n:x} {n:#b} {n:08d} {n:,} {x:.2f} {x:10.3e} {x!r:>10} {n:+d} {x:%} {'s':<5}| {'s':^5}| n={n!r} {x:g} {n:o} {n:c}",
        "%d %s %.2f %5s %x" % (n, "a", x, "b", n),
        "{} {1} {0}".format if False else "{0} {1} {0} {a:>5}".format(n, x, a="q"),
    )


def heap(n: Any) -> Any:
    h = []
    for x in [5, 1, 4, 2, 3][:n]:
        heapq.heappush(h, (x, str(x)))
    out = []
    while h:
        out.append(heapq.heappop(h))
    return (
        out,
        heapq.nlargest(2, [1, 5, 3]),
        heapq.nsmallest(2, [1, 5, 3], key=lambda x: -x),
        list(heapq.merge([1, 4], [2, 3])),
    )


def bis(n: Any) -> Any:
    xs = [1, 3, 5, 7]
    bisect.insort(xs, n)
    return (xs, bisect.bisect(xs, 5), bisect.bisect_left(xs, 5), bisect.bisect_right(xs, 5, 0, 2))


class Color(enum.Enum):
    RED = 1
    GREEN = 2


def enums(n: Any) -> Any:
    c = Color(n)
    return (c, c.name, c.value, c is Color.RED, [x.name for x in Color], Color["GREEN"])


def bytesy(n: Any) -> Any:
    b = bytes([1, 2, n])
    ba = bytearray(b)
    ba[0] = 9
    ba.append(7)
    return (b, ba, b.hex(), int.from_bytes(b, "big"), (1000).to_bytes(2, "little"), struct.pack("<i", n), b[1], list(b))


def hashing(n: Any) -> Any:
    return hashlib.md5(b"abc").hexdigest()


def cal(n: Any) -> Any:
    return (calendar.isleap(2024), calendar.monthrange(2024, 2))


def mk(s: Any) -> Any:
    return s.translate(str.maketrans("lo", "01"))


def mk2(s: Any) -> Any:
    t = str.maketrans({"l": "1", "o": None})
    return s.translate(t)


def dtm(n: Any) -> Any:
    d = datetime.datetime.fromisoformat("2024-01-02T03:04:05")
    return (d.year + n, d + datetime.timedelta(hours=n), datetime.date.today() > datetime.date(2020, 1, 1))


def singled(n: Any) -> Any:
    return (list(itertools.chain.from_iterable([[1], [2, n]])), dict.fromkeys([1, 2], n))


CASES: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = [
    (rnd, [(3,)]),
    (rnd2, [(3,)]),
    (montepi, [(300,)]),
    (walk, [(10,)]),
    (stats, [([1, 2, 3, 4, 10],)]),
    (stats_err, [([],)]),
    (words, [("the cat the dog",)]),
    (letters, [("abracadabra",)]),
    (dq, [(5,)]),
    (dd, [(5,)]),
    (od, [(5,)]),
    (chainmap, [(5,)]),
    (regex, [("a1b22c333",)]),
    (regex2, [("x=1, y=22",)]),
    (js, [({"a": [1, 2]},)]),
    (cp, [([[1], [2]],)]),
    (frac, [(3,)]),
    (deci, [(3,)]),
    (dates, [(3,)]),
    (cm, [(3,)]),
    (maths, [(3,)]),
    (strs, [("hello world",)]),
    (caesar, [("hello",)]),
    (fmt, [(255,)]),
    (heap, [(5,)]),
    (bis, [(5,)]),
    (enums, [(1,), (5,)]),
    (bytesy, [(3,)]),
    (hashing, [(3,)]),
    (cal, [(3,)]),
    (mk, [("hello world",)]),
    (mk2, [("hello world",)]),
    (dtm, [(1,)]),
    (singled, [(5,)]),
]


test_interpreted, test_compiled = case_tests(CASES, compiled={"montepi", "dd", "words", "heap"})
