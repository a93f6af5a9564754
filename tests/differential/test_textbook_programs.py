"""Textbook algorithms on lists, dicts and text, sizes from a few to some hundred."""

# ruff: noqa: PERF402, C402, C416, C417, SIM
from __future__ import annotations

import bisect
import collections
import heapq
import math
from typing import Any

import numpy as np

from tests.oracle import check


def sieve(n: int) -> Any:
    prime = [True] * (n + 1)
    prime[0] = prime[1] = False
    i = 2
    while i * i <= n:
        if prime[i]:
            for j in range(i * i, n + 1, i):
                prime[j] = False
        i += 1
    return [k for k in range(n + 1) if prime[k]]


def common(a: Any, b: Any) -> Any:
    n, m = len(a), len(b)
    t = [[0] * (m + 1) for _ in range(n + 1)]
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            if a[i - 1] == b[j - 1]:
                t[i][j] = t[i - 1][j - 1] + 1
            else:
                t[i][j] = max(t[i - 1][j], t[i][j - 1])
    return t[n][m], t


def counts(n: int) -> Any:
    seen = {}
    for i in range(n):
        k = (i * 7919) % 101
        seen[k] = seen.get(k, 0) + 1
    return seen


def coins(n: int) -> Any:
    ways = [0] * (n + 1)
    ways[0] = 1
    for c in [1, 5, 10, 25, 50]:
        for x in range(c, n + 1):
            ways[x] += ways[x - c]
    return ways[n]


def shortest(n: int) -> Any:
    import heapq
    from math import inf

    adjacent = [[] for _ in range(n)]
    for i in range(n):
        adjacent[i].append(((i * 17 + 3) % n, (i * 13) % 7 + 1))
        adjacent[i].append(((i + 1) % n, 4))
    distance = [inf] * n
    distance[0] = 0
    heap = [(0, 0)]
    while heap:
        d, u = heapq.heappop(heap)
        if d > distance[u]:
            continue
        for v, w in adjacent[u]:
            if d + w < distance[v]:
                distance[v] = d + w
                heapq.heappush(heap, (d + w, v))
    return distance


def stack(n: int) -> Any:
    held, total = [], 0.0
    for i in range(n):
        held.append(i * 1.5)
        if len(held) > 3:
            total += held.pop()
    while held:
        total += held.pop()
    return total


def squares(n: int) -> Any:
    table = [i * i for i in range(500)]
    zeros = [0.0] * 300
    for k in range(n):
        zeros[k] += table[-k - 1] ** 0.5
    return zeros, table[n]


def test_lists_of_numbers() -> None:
    for n in (2, 30, 300):
        check(sieve, n)
        check(coins, n)
        check(shortest, n)
        check(counts, n)
    check(common, [1, 2, 3, 4, 1], [3, 4, 1, 2, 1, 3])
    check(common, list(range(40)), [k * 3 % 40 for k in range(35)])
    check(stack, 20)
    check(squares, 20)


def far(n: int) -> Any:
    xs = [0] * (n + 20)
    xs[n + 20] = 1
    return xs


def grows_past_64_bits(n: int) -> Any:
    xs = [1]
    for _ in range(n):
        xs.append(xs[-1] * 10)
    return xs


def held_items(n: int) -> Any:
    xs = [10**18] * (n + 20)
    xs.append(True)
    xs[1] = 2.5
    return xs[0], xs[1], xs[-1], len(xs)


def test_errors_and_types_of_items() -> None:
    check(far, 5)
    check(held_items, 3)
    check(grows_past_64_bits, 5)
    check(grows_past_64_bits, 25, plainly=True)


def caught(xs: list[Any], ks: np.ndarray) -> Any:
    found = []
    for k in ks:
        try:
            found.append(xs[k])
        except IndexError as e:
            found.append(str(e))
        except TypeError:
            found.append(None)
        else:
            found.append(math.pi)
    return found


def test_errors_of_items_are_caught() -> None:
    check(caught, [1, 2, 3], np.array([0, 5, -3, -4]))


def bubble(xs: Any) -> Any:
    xs = list(xs)
    for i in range(len(xs)):
        for j in range(len(xs) - 1 - i):
            if xs[j] > xs[j + 1]:
                xs[j], xs[j + 1] = (xs[j + 1], xs[j])
    return xs


def merge_sort(xs: Any) -> Any:
    if len(xs) <= 1:
        return xs
    m = len(xs) // 2
    a = merge_sort(xs[:m])
    b = merge_sort(xs[m:])
    out = []
    i = j = 0
    while i < len(a) and j < len(b):
        if a[i] <= b[j]:
            out.append(a[i])
            i += 1
        else:
            out.append(b[j])
            j += 1
    return out + a[i:] + b[j:]


def insertion(xs: Any) -> Any:
    for i in range(1, len(xs)):
        k = xs[i]
        j = i - 1
        while j >= 0 and xs[j] > k:
            xs[j + 1] = xs[j]
            j -= 1
        xs[j + 1] = k


def bsearch(xs: Any, t: Any) -> Any:
    lo, hi = (0, len(xs) - 1)
    while lo <= hi:
        mid = (lo + hi) // 2
        if xs[mid] == t:
            return mid
        if xs[mid] < t:
            lo = mid + 1
        else:
            hi = mid - 1
    return -1


def dfs(g: Any, s: Any) -> Any:
    seen = set()
    order = []
    st = [s]
    while st:
        u = st.pop()
        if u in seen:
            continue
        seen.add(u)
        order.append(u)
        for v in reversed(g[u]):
            st.append(v)
    return order


def bellman(n: Any, edges: Any) -> Any:
    d = [float("inf")] * n
    d[0] = 0
    for _ in range(n - 1):
        for u, v, w in edges:
            if d[u] + w < d[v]:
                d[v] = d[u] + w
    return d


def floyd(m: Any) -> Any:
    n = len(m)
    d = [[math.inf if x is None else x for x in r] for r in m]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i][k] + d[k][j] < d[i][j]:
                    d[i][j] = d[i][k] + d[k][j]
    return d


def unionfind(n: Any, edges: Any) -> Any:
    p = list(range(n))

    def find(x):
        while p[x] != x:
            p[x] = p[p[x]]
            x = p[x]
        return x

    for a, b in edges:
        ra, rb = (find(a), find(b))
        if ra != rb:
            p[ra] = rb
    return (len({find(i) for i in range(n)}), p)


def permutations(n: Any) -> Any:
    out = []

    def go(cur, left):
        if not left:
            out.append(cur[:])
            return
        for i in range(len(left)):
            go(cur + [left[i]], left[:i] + left[i + 1 :])

    go([], list(range(n)))
    return out


def subsets(xs: Any) -> Any:
    out = [[]]
    for x in xs:
        out += [s + [x] for s in out]
    return out


def matmul(a: Any, b: Any) -> Any:
    n, m, p = (len(a), len(b), len(b[0]))
    c = [[0] * p for _ in range(n)]
    for i in range(n):
        for j in range(p):
            for k in range(m):
                c[i][j] += a[i][k] * b[k][j]
    return c


def transpose(m: Any) -> Any:
    return ([list(r) for r in zip(*m)], [[r[i] for r in m] for i in range(len(m[0]))])


def pascal(n: Any) -> Any:
    rows = [[1]]
    for i in range(n):
        p = rows[-1]
        rows.append([1] + [p[k] + p[k + 1] for k in range(len(p) - 1)] + [1])
    return rows


def factor(n: Any) -> Any:
    fs = []
    d = 2
    while d * d <= n:
        while n % d == 0:
            fs.append(d)
            n //= d
        d += 1
    if n > 1:
        fs.append(n)
    return fs


def knap(W: Any, w: Any, v: Any) -> Any:
    dp = [[0] * (W + 1) for _ in range(len(w) + 1)]
    for i in range(1, len(w) + 1):
        for c in range(W + 1):
            dp[i][c] = dp[i - 1][c]
            if w[i - 1] <= c:
                dp[i][c] = max(dp[i][c], dp[i - 1][c - w[i - 1]] + v[i - 1])
    return dp[-1][-1]


def lis(xs: Any) -> Any:
    t = []
    for x in xs:
        k = bisect.bisect_left(t, x)
        if k == len(t):
            t.append(x)
        else:
            t[k] = x
    return (len(t), t)


def slidemax(xs: Any, k: Any) -> Any:
    q = collections.deque()
    out = []
    for i, x in enumerate(xs):
        while q and xs[q[-1]] <= x:
            q.pop()
        q.append(i)
        if q[0] <= i - k:
            q.popleft()
        if i >= k - 1:
            out.append(xs[q[0]])
    return out


def josephus(n: Any, k: Any) -> Any:
    xs = list(range(1, n + 1))
    i = 0
    out = []
    while xs:
        i = (i + k - 1) % len(xs)
        out.append(xs.pop(i))
    return out


def grid(rows: Any) -> Any:
    h = len(rows)
    w = len(rows[0])
    q = [(0, 0)]
    dist = {(0, 0): 0}
    for r, c in q:
        for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            a, b = (r + dr, c + dc)
            if 0 <= a < h and 0 <= b < w and (rows[a][b] != "#") and ((a, b) not in dist):
                dist[a, b] = dist[r, c] + 1
                q.append((a, b))
    return (dist.get((h - 1, w - 1)), q)


def life(n: Any, steps: Any) -> Any:
    cells = [0] * n
    cells[n // 2] = 1
    hist = [cells]
    for _ in range(steps):
        cells = [cells[i - 1] ^ cells[(i + 1) % n] for i in range(n)]
        hist.append(cells)
    return hist


def lcg(n: Any) -> Any:
    x = 12345
    hist = [0] * 10
    for _ in range(n):
        x = (1103515245 * x + 12345) % 2**31
        hist[x % 10] += 1
    return hist


def running(xs: Any) -> Any:
    out = []
    s = 0.0
    for i, x in enumerate(xs, 1):
        s += x
        out.append(s / i)
    return out


def medians(xs: Any) -> Any:
    lo = []
    hi = []
    out = []
    for x in xs:
        heapq.heappush(lo, -x)
        heapq.heappush(hi, -heapq.heappop(lo))
        if len(hi) > len(lo):
            heapq.heappush(lo, -heapq.heappop(hi))
        out.append(-lo[0] if len(lo) > len(hi) else (-lo[0] + hi[0]) / 2)
    return out


def dictwork(d: Any) -> Any:
    e = dict(d)
    e["c"] = 4
    x = e.pop("a")
    k = sorted(e)
    e.setdefault("z", []).append(1)
    return (e, x, k, "q" in e, e.get("q", 0), list(e.items()), {v: k for k, v in [("a", 1)]})


def toomany(n: Any) -> Any:
    xs = [1, 2]
    xs.append(n)
    a, b = xs
    return a


def delmid(n: Any) -> Any:
    xs = list(range(n))
    del xs[1]
    xs.remove(3)
    xs.insert(1, 99)
    xs.reverse()
    i = xs.index(99)
    xs.extend((1, 2))
    xs.sort(reverse=True)
    return (xs, i, xs.count(1), xs.copy() is xs)


def rm(n: Any) -> Any:
    xs = list(range(n))
    xs.remove(42)


def keyerr(n: Any) -> Any:
    d = {}
    for i in range(n):
        d[i] = i * i
    return d[n]


def poperr(n: Any) -> Any:
    xs = []
    for i in range(n):
        xs.append(i)
    for i in range(n + 1):
        xs.pop()


def chgdict(n: Any) -> Any:
    d = {}
    for i in range(n):
        d[i] = i
    for k in d:
        d[k + 10] = 1


def badtype(n: Any) -> Any:
    xs = []
    for i in range(n):
        xs.append(i)
    return xs + "a"


def badidx(n: Any) -> Any:
    xs = []
    for i in range(n):
        xs.append(i)
    return xs[1.0]


def unhash(n: Any) -> Any:
    d = {}
    for i in range(n):
        d[[i]] = 1


def mixedlist(n: Any) -> Any:
    xs = []
    for i in range(n):
        xs.append(i if i % 2 else i * 0.5)
    s = 0
    for x in xs:
        s += x
    return (xs, s, [type(x).__name__ for x in xs], sum(xs), max(xs))


def boolint(n: Any) -> Any:
    xs = [False] * n
    for i in range(n):
        xs[i] = i
    xs.append(True)
    return (xs, sum(xs), xs[-1] + 1)


def nplist(n: Any) -> Any:
    a = np.arange(n) * 1.5
    xs = []
    for v in a:
        xs.append(v)
    xs.append(2.0)
    return (xs, [type(v).__name__ for v in xs], np.array(xs), np.mean(xs), sum(xs))


def arrlist(n: Any) -> Any:
    xs = []
    for i in range(n):
        xs.append(np.full(2, i))
    xs[0][1] = 7
    return (np.array(xs), np.stack(xs), xs, sum(xs), np.concatenate(xs))


def csv(text: Any) -> Any:
    rows = []
    errs = []
    for i, line in enumerate(text.split("\n")):
        try:
            k, v = line.split(",")
            rows.append((k, int(v)))
        except ValueError as e:
            errs.append((i, str(e)))
    return (rows, errs)


def tryfin(n: Any) -> Any:
    log = []
    for i in range(n):
        try:
            if i == 1:
                continue
            if i == 3:
                break
            log.append(10 // (i - 2))
        except ZeroDivisionError:
            log.append("z")
        finally:
            log.append(i)
    return log


def reraise(n: Any) -> Any:
    try:
        try:
            return 1 // n
        except ZeroDivisionError as e:
            raise ValueError("bad " + str(e)) from e
    except ValueError as e:
        return str(e)


def fibm(n: Any) -> Any:
    memo = {}

    def f(k):
        if k in memo:
            return memo[k]
        if k < 2:
            return k
        memo[k] = f(k - 1) + f(k - 2)
        return memo[k]

    return f(n)


def argmut(xs: Any) -> Any:
    xs.append(4)
    xs[0] = 9
    xs.sort()
    return (xs is xs, len(xs))


def flatten(xs: Any) -> Any:
    out = []
    for x in xs:
        out.extend(x)
    return (out, [y for x in xs for y in x], sum(xs, []), sum(len(x) for x in xs))


def tupwork(t: Any) -> Any:
    return (
        t + (4,),
        t[::-1],
        t * 2,
        2 in t,
        t.index(3),
        sorted(t, reverse=True),
        (*t, 0),
        dict(enumerate(t)),
        max(t),
        t < (1, 3),
    )


def collatz(n: Any) -> Any:
    seq = [n]
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        seq.append(n)
    return (seq, len(seq), max(seq))


def gcds(a: Any, b: Any) -> Any:
    x, y = (a, b)
    while b:
        a, b = (b, a % b)
    return (a, x * y // a, math.gcd(x, y), math.lcm(x, y))


def powmod(b: Any, e: Any, m: Any) -> Any:
    r = 1
    while e:
        if e & 1:
            r = r * b % m
        b = b * b % m
        e >>= 1
    return (r, pow(2, 10, 1000))


def kmp(p: Any) -> Any:
    f = [0] * len(p)
    k = 0
    for i in range(1, len(p)):
        while k and p[i] != p[k]:
            k = f[k - 1]
        if p[i] == p[k]:
            k += 1
        f[i] = k
    return f


def huff(s: Any) -> Any:
    h = [[w, [c, ""]] for c, w in sorted(collections.Counter(s).items())]
    heapq.heapify(h)
    while len(h) > 1:
        lo = heapq.heappop(h)
        hi = heapq.heappop(h)
        for p in lo[1:]:
            p[1] = "0" + p[1]
        for p in hi[1:]:
            p[1] = "1" + p[1]
        heapq.heappush(h, [lo[0] + hi[0]] + lo[1:] + hi[1:])
    return sorted(h[0][1:]) if h else []


def test_algorithms() -> None:
    check(bubble, *([5, 2, 9, 1],), also=[([],), ([1.5, -2.0],)])
    check(merge_sort, *([5, 2, 9, 1],), also=[([],)])
    check(insertion, *([5, 2, 9, 1],))
    check(bsearch, *([1, 3, 5, 7], 5), also=[([1, 3, 5, 7], 4), ([], 1)])
    check(dfs, *({0: [1, 2], 1: [3], 2: [3], 3: []}, 0))
    check(bellman, *(4, [(0, 1, 3), (1, 2, -1), (0, 2, 5), (2, 3, 2)]))
    check(floyd, *([[0, 3, None], [None, 0, 1], [2, None, 0]],))
    check(unionfind, *(5, [(0, 1), (1, 2), (3, 4)]))
    check(permutations, *(4,))
    check(subsets, *([1, 2, 3],))
    check(matmul, *([[1, 2], [3, 4]], [[5, 6], [7, 8]]))
    check(transpose, *([[1, 2, 3], [4, 5, 6]],))
    check(pascal, *(5,))
    check(factor, *(60,), also=[(97,), (1,)])
    check(knap, *(10, [2, 3, 5], [1, 4, 6]))
    check(lis, *([10, 9, 2, 5, 3, 7],))
    check(slidemax, *([3, 1, 4, 1, 5, 9, 2, 6], 3))
    check(josephus, *(10, 3))
    check(grid, *(["..#", "#..", "..."],))
    check(life, *(20, 5))
    check(lcg, *(1000,))
    check(running, *([1, 2, 3, 4, 5],))
    check(medians, *([5, 3, 8, 1, 9, 2],))
    check(dictwork, *({"a": 1, "b": [2, 3]},))
    check(toomany, *(3,))
    check(delmid, *(5,))
    check(rm, *(5,))
    check(keyerr, *(5,))
    check(poperr, *(5,))
    check(chgdict, *(5,))
    check(badtype, *(2,))
    check(badidx, *(2,))
    check(unhash, *(2,))
    check(mixedlist, *(3,))
    check(boolint, *(3,))
    check(nplist, *(3,))
    check(arrlist, *(3,))
    check(csv, *("x,1\ny,2\nbad\nz,x",))
    check(tryfin, *(5,))
    check(reraise, *(1,), also=[(0,)])
    check(fibm, *(30,))
    check(argmut, *([3, 1, 2],))
    check(flatten, *([[1, 2], [3]],))
    check(tupwork, *((1, 2, 3),))
    check(collatz, *(7,))
    check(gcds, *(12, 18))
    check(powmod, *(2, 10, 1000))
    check(kmp, *("abcab",))
    check(huff, *("hello",), also=[("",)])


def supported(baskets: Any, least: int) -> Any:
    sets = [list(basket) for basket in baskets]
    rounds = 0
    found = []
    while sets and rounds < 2:
        counts = [0] * len(sets)
        for basket in baskets:
            for j, one in enumerate(sets):
                if all(item in basket for item in one):
                    counts[j] += 1
        sets = [one for j, one in enumerate(sets) if counts[j] >= least]
        for j, one in enumerate(sets):
            found.append((sorted(one), counts[j]))
        rounds += 1
    return found


def members(sets: Any, more: str) -> Any:
    sets.append(["A"])
    total = 0
    for _ in range(2):
        known = ["A", "B", None]
        for one in sets:
            for item in one:
                total += item in known
                total += 10 * (item in ("A", 3)) + 100 * ("A" in [item, "C"])
    return total, more + "x" in ["ax", None, 2], None in [more + "x", 1]


RANKS = {"low": 1, "high": 2}


def ranked(names: Any) -> Any:
    text = ""
    for name in names:
        if name not in RANKS:
            raise ValueError(f"{name} has no rank")
        text = text + str(RANKS[name])
    return text


def powers(n: int) -> Any:
    def product(a, b):
        rows = []
        for i in range(len(a)):
            rows.append([sum(a[i][k] * b[k][j] for k in range(len(b))) for j in range(len(b))])
        return rows

    result = [[int(row == column) for column in range(2)] for row in range(2)]
    base = [[1, 1], [1, 0]]
    while n > 0:
        if n % 2 == 1:
            result = product(result, base)
        base = product(base, base)
        n = n // 2
    return result


def test_what_lists_hold() -> None:
    baskets = [["A", "B", "C"], ["A", "B"], ["A", "C"], ["A", "D"], ["B", "C"]]
    check(supported, baskets, 2, also=[(baskets[:1], 1), ([], 1)])
    check(members, [["A", "C"], ["B"]], "a", also=[([], "b")])
    for target in (None, "interpreter"):
        settings = {"target": target} if target else {}
        check(ranked, ["low", "high"], also=[(["none"],)], settings=settings)
    check(powers, 9, also=[(0,), (1,)])
