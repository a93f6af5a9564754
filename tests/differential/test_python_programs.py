"""Programs (PYTEST_DONT_REWRITE) as people write them in plain Python: parsers, graphs, classes, recursion; errors and their texts."""

# ruff: noqa (programs as users write them)

from __future__ import annotations

from collections import Counter
from collections import defaultdict
from collections import deque
from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import field
from tests.cases import case_tests
from typing import Any
import abc
import functools
import heapq
import math
import re


def sub(lines: Any) -> Any:
    x = d = aim = 0
    for l in lines:
        cmd, v = l.split()
        v = int(v)
        match cmd:
            case "forward":
                x += v
                d += aim * v
            case "down":
                aim += v
            case "up":
                aim -= v
            case _:
                raise ValueError(cmd)
    return x * d


def life(rows: Any) -> Any:
    g = {(r, c) for r, row in enumerate(rows) for c, ch in enumerate(row) if ch == "#"}

    def step(g):
        cnt = Counter(((r + dr, c + dc) for r, c in g for dr in (-1, 0, 1) for dc in (-1, 0, 1) if dr or dc))
        return {p for p, k in cnt.items() if k == 3 or (k == 2 and p in g)}

    for _ in range(2):
        g = step(g)
    return sorted(g)


def bfs(grid: Any) -> Any:
    start = end = None
    for r, row in enumerate(grid):
        for c, ch in enumerate(row):
            if ch == "S":
                start = (r, c)
            elif ch == "E":
                end = (r, c)
    q = deque([(start, 0)])
    seen = {start}
    while q:
        (r, c), d = q.popleft()
        if (r, c) == end:
            return d
        for dr, dc in ((1, 0), (0, 1), (-1, 0), (0, -1)):
            nr, nc = (r + dr, c + dc)
            if 0 <= nr < len(grid) and 0 <= nc < len(grid[0]) and (grid[nr][nc] != "#") and ((nr, nc) not in seen):
                seen.add((nr, nc))
                q.append(((nr, nc), d + 1))
    return -1


def dijkstra(g: Any) -> Any:
    dist = {v: math.inf for v in g}
    dist["a"] = 0
    prev = {}
    pq = [(0, "a")]
    while pq:
        d, u = heapq.heappop(pq)
        if d > dist[u]:
            continue
        for v, w in g[u].items():
            nd = d + w
            if nd < dist[v]:
                dist[v] = nd
                prev[v] = u
                heapq.heappush(pq, (nd, v))
    path = ["d"]
    while path[-1] in prev:
        path.append(prev[path[-1]])
    return (dist, path[::-1])


def calc(s: Any) -> Any:
    toks = re.findall("\\d+|[-+*/()]", s)
    pos = 0

    def peek():
        return toks[pos] if pos < len(toks) else None

    def take():
        nonlocal pos
        tk = peek()
        pos += 1
        return tk

    def expr():
        v = term()
        while peek() in ("+", "-"):
            v = v + term() if take() == "+" else v - term()
        return v

    def term():
        v = atom()
        while peek() in ("*", "/"):
            v = v * atom() if take() == "*" else v / atom()
        return v

    def atom():
        tk = take()
        if tk == "(":
            v = expr()
            take()
            return v
        if tk is None:
            raise SyntaxError("unexpected end")
        return int(tk)

    return expr()


def vm(prog: Any) -> Any:
    regs = {"a": 0, "b": 0}
    ip = 0
    steps = 0
    while 0 <= ip < len(prog):
        op, *args = prog[ip].replace(",", "").split()
        steps += 1
        if op == "inc":
            regs[args[0]] += 1
        elif op == "tpl":
            regs[args[0]] *= 3
        elif op == "jmp":
            ip += int(args[0])
            continue
        ip += 1
    return (regs, steps)


def sorts(xs: Any) -> Any:

    def quick(a):
        if len(a) <= 1:
            return a
        p = a[len(a) // 2]
        return quick([x for x in a if x < p]) + [x for x in a if x == p] + quick([x for x in a if x > p])

    def merge(a):
        if len(a) <= 1:
            return a
        m = len(a) // 2
        l, r = (merge(a[:m]), merge(a[m:]))
        out = []
        i = j = 0
        while i < len(l) and j < len(r):
            if l[i] <= r[j]:
                out.append(l[i])
                i += 1
            else:
                out.append(r[j])
                j += 1
        return out + l[i:] + r[j:]

    def bubble(a):
        a = a[:]
        for i in range(len(a)):
            for j in range(len(a) - 1 - i):
                if a[j] > a[j + 1]:
                    a[j], a[j + 1] = (a[j + 1], a[j])
        return a

    return (quick(xs), merge(xs), bubble(xs), xs)


@dataclass
class Node:
    key: int
    left: "Node | None" = None
    right: "Node | None" = None


def bst(keys: Any) -> Any:

    def insert(root, k):
        if root is None:
            return Node(k)
        if k < root.key:
            root.left = insert(root.left, k)
        else:
            root.right = insert(root.right, k)
        return root

    def inorder(n):
        return inorder(n.left) + [n.key] + inorder(n.right) if n else []

    def height(n):
        return 0 if n is None else 1 + max(height(n.left), height(n.right))

    root = None
    for k in keys:
        root = insert(root, k)
    return (inorder(root), height(root), root.left.key)


class LinkedList:
    class Item:
        def __init__(self, v, nxt):
            self.v, self.nxt = (v, nxt)

    def __init__(self):
        self.head = None
        self.n = 0

    def push(self, v):
        self.head = LinkedList.Item(v, self.head)
        self.n += 1

    def __iter__(self):
        cur = self.head
        while cur is not None:
            yield cur.v
            cur = cur.nxt

    def __len__(self):
        return self.n

    def reverse(self):
        prev, cur = (None, self.head)
        while cur:
            cur.nxt, prev, cur = (prev, cur, cur.nxt)
        self.head = prev


def linked(n: Any) -> Any:
    l = LinkedList()
    for i in range(n):
        l.push(i * i)
    a = list(l)
    l.reverse()
    return (a, list(l), len(l), sum(l), 9 in l)


class Matrix:
    def __init__(self, rows):
        self.rows = [list(r) for r in rows]

    def __matmul__(self, o):
        return Matrix([[sum((a * b for a, b in zip(r, c))) for c in zip(*o.rows)] for r in self.rows])

    def __eq__(self, o):
        return self.rows == o.rows

    def __getitem__(self, ij):
        return self.rows[ij[0]][ij[1]]

    def __setitem__(self, ij, v):
        self.rows[ij[0]][ij[1]] = v

    def __repr__(self):
        return f"Matrix({self.rows})"

    @property
    def T(self):
        return Matrix(zip(*self.rows))

    @classmethod
    def eye(cls, n):
        return cls([[int(i == j) for j in range(n)] for i in range(n)])


def matrices(n: Any) -> Any:
    a = Matrix([[1, 2], [3, n]])
    b = a @ a.T
    a[0, 0] = 9
    return (repr(b), a[0, 0], Matrix.eye(2) == Matrix([[1, 0], [0, 1]]), repr(a.T))


class Account:
    rate = 0.05
    count = 0

    def __init__(self, owner, balance=0.0):
        self.owner, self.balance, self.log = (owner, balance, [])
        Account.count += 1

    def deposit(self, x):
        if x <= 0:
            raise ValueError("amount must be positive")
        self.balance += x
        self.log.append(("d", x))
        return self

    def withdraw(self, x):
        if x > self.balance:
            raise RuntimeError(f"{self.owner}: insufficient funds ({self.balance:.2f} < {x})")
        self.balance -= x
        self.log.append(("w", x))

    def interest(self):
        return self.balance * self.rate


class Savings(Account):
    rate = 0.1

    def interest(self):
        return super().interest() + 1


def accounts(n: Any) -> Any:
    a = Savings("ann", n)
    b = Account("bob")
    a.deposit(50).deposit(25)
    errs = []
    try:
        b.withdraw(10)
    except RuntimeError as e:
        errs.append(str(e))
    try:
        a.deposit(-1)
    except ValueError as e:
        errs.append(e.args[0])
    return (a.balance, a.interest(), b.interest(), errs, a.log, isinstance(a, Account))


def collatz(n: Any) -> Any:
    seq = [n]
    while seq[-1] != 1:
        k = seq[-1]
        seq.append(k // 2 if k % 2 == 0 else 3 * k + 1)
    return (len(seq), max(seq))


def pascal(n: Any) -> Any:
    tri = [[1]]
    for _ in range(n):
        last = tri[-1]
        tri.append([1] + [a + b for a, b in zip(last, last[1:])] + [1])
    return (tri[5], sum(tri[-1]))


def roman(n: Any) -> Any:
    out = ""
    for v, s in (
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ):
        k, n = divmod(n, v)
        out += s * k
    return out


def lev(a: Any, b: Any) -> Any:
    d = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a) + 1):
        d[i][0] = i
    for j in range(len(b) + 1):
        d[0][j] = j
    for i, x in enumerate(a, 1):
        for j, y in enumerate(b, 1):
            d[i][j] = min(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (x != y))
    return d[-1][-1]


def knap(v: Any, w: Any, cap: Any) -> Any:

    @functools.lru_cache(maxsize=None)
    def go(i, c):
        if i == len(v):
            return 0
        best = go(i + 1, c)
        if w[i] <= c:
            best = max(best, v[i] + go(i + 1, c - w[i]))
        return best

    return (go(0, cap), go.cache_info().currsize)


def balanced(s: Any) -> Any:
    st = []
    pairs = {")": "(", "]": "[", "}": "{"}
    for ch in s:
        if ch in pairs.values():
            st.append(ch)
        elif not st or st.pop() != pairs[ch]:
            return False
    return not st


def topo(g: Any) -> Any:
    state = {}
    order = []

    def visit(u):
        if state.get(u) == 1:
            raise ValueError(f"cycle at {u}")
        if u in state:
            return
        state[u] = 1
        for v in g[u]:
            visit(v)
        state[u] = 2
        order.append(u)

    for u in g:
        visit(u)
    return order[::-1]


def gray(n: Any) -> Any:
    return [format(i ^ i >> 1, "03b") for i in range(n)]


def wc(s: Any) -> Any:
    f = {}
    for w in s.split():
        f[w] = f.get(w, 0) + 1
    return sorted(f.items(), key=lambda kv: (-kv[1], kv[0]))


def fizz(n: Any) -> Any:
    return ["FizzBuzz" if i % 15 == 0 else "Fizz" if i % 3 == 0 else "Buzz" if i % 5 == 0 else i for i in range(1, n)]


def spiral(n: Any) -> Any:
    m = [[0] * n for _ in range(n)]
    r = c = 0
    dr, dc = (0, 1)
    for k in range(n * n):
        m[r][c] = k
        if not (0 <= r + dr < n and 0 <= c + dc < n) or m[r + dr][c + dc]:
            dr, dc = (dc, -dr)
        r += dr
        c += dc
    return m


def rot(m: Any) -> Any:
    return ([list(r) for r in zip(*m[::-1])], [[r[i] for r in m] for i in range(2)])


def anagrams(ws: Any) -> Any:
    d = defaultdict(list)
    for w in ws:
        d["".join(sorted(w))].append(w)
    return (sorted(d.values()), {k: len(v) for k, v in d.items()})


def euler4(n: Any) -> Any:
    best = 0
    for i in range(n, 10, -1):
        for j in range(i, 10, -1):
            p = i * j
            if p > best and str(p) == str(p)[::-1]:
                best = p
    return best


@dataclass(frozen=True, order=True)
class V:
    x: int
    y: int = 0

    def __add__(self, o):
        return V(self.x + o.x, self.y + o.y)

    @property
    def norm(self):
        return math.sqrt(self.x**2 + self.y**2)

    @classmethod
    def unit(cls):
        return cls(1, 1)

    @staticmethod
    def zero():
        return V(0, 0)


def dc1(n: Any) -> Any:
    a, b = (V(n, 1), V(3))
    return (a + b, a < b, a == V(n, 1), a.norm, V.unit(), V.zero(), hash(a) == hash(V(n, 1)))


def dc_frozen(n: Any) -> Any:
    a = V(n)
    a.x = 3
    return a


@dataclass
class Acc:
    total: float = 0.0
    items: list = field(default_factory=list)

    def add(self, v):
        self.total += v
        self.items.append(v)
        return self

    def __post_init__(self):
        self.count = len(self.items)


def dc2(n: Any) -> Any:
    a = Acc()
    for i in range(n):
        a.add(i * 0.5)
    return (a.total, a.items, a.count)


def dc3(n: Any) -> Any:
    a = Acc()
    a.add(1).add(2.5)
    return a


class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self): ...

    def describe(self):
        return f"{type(self).__name__} {self.area():.2f}"


class Sq(Shape):
    def __init__(self, a):
        self.a = a

    def area(self):
        return self.a**2


class Ci(Shape):
    def __init__(self, r):
        self.r = r

    def area(self):
        return math.pi * self.r**2


def shapes(n: Any) -> Any:
    ss = [Sq(n), Ci(1.5), Sq(2)]
    return (sum((s.area() for s in ss)), [s.describe() for s in ss])


def abst(n: Any) -> Any:
    return Shape()


class Stack:
    def __init__(self):
        self._d = []

    def push(self, x):
        self._d.append(x)

    def pop(self):
        if not self._d:
            raise IndexError("empty stack")
        return self._d.pop()

    def __len__(self):
        return len(self._d)

    def __bool__(self):
        return bool(self._d)

    def __iter__(self):
        return iter(self._d)

    def __getitem__(self, i):
        return self._d[i]

    def __contains__(self, x):
        return x in self._d

    def __repr__(self):
        return f"Stack({self._d})"


def stack(n: Any) -> Any:
    s = Stack()
    for i in range(n):
        s.push(i)
    out = []
    while s:
        out.append(s.pop())
    return (out, len(s), repr(s))


def stack2(n: Any) -> Any:
    s = Stack()
    for i in range(n):
        s.push(i)
    return (s[0], list(s), 2 in s, [x for x in s])


class Count:
    def __init__(self, n):
        self.n, self.i = (n, 0)

    def __iter__(self):
        return self

    def __next__(self):
        if self.i >= self.n:
            raise StopIteration
        self.i += 1
        return self.i


def it_class(n: Any) -> Any:
    return (sum(Count(n)), list(Count(n)), [x * 2 for x in Count(n)])


def it_class2(n: Any) -> Any:
    s = 0
    for x in Count(n):
        s += x
    c = Count(n)
    a = next(c, None)
    return (s, a)


class Poly:
    def __init__(self, *c):
        self.c = c

    def __call__(self, x):
        r = 0
        for a in self.c:
            r = r * x + a
        return r


def callable_(n: Any) -> Any:
    p = Poly(1, 2, n)
    return (p(3), p(0.5))


def logged(f):

    @functools.wraps(f)
    def inner(*a, **k):
        print("call", f.__name__, a, k)
        return f(*a, **k)

    return inner


@logged
def helper(x, y=2):
    return x * y


def deco(n: Any) -> Any:
    return helper(n) + helper(n, y=5)


def plain(f):

    def inner(x):
        return f(x) + 1

    return inner


@plain
def helper2(x):
    return x * 2


def deco2(n: Any) -> Any:
    return helper2(n)


G = 0


def glob(n: Any) -> Any:
    global G
    G = n
    G += 1
    return G


def chained(n: Any) -> Any:
    a = b = [n]
    a.append(2)
    c = d = n
    c += 1
    return (a, b, c, d, a is b)


def dels(n: Any) -> Any:
    a = [1, 2, n]
    del a[0]
    d = {"x": 1, "y": 2}
    del d["x"]
    x = 5
    del x
    return (a, d)


def dels2(n: Any) -> Any:
    x = 5
    del x
    return x


def star(xs: Any) -> Any:
    a, *b, c = xs
    return (a, b, c)


def nested(n: Any) -> Any:
    return (
        [[i * j for j in range(i)] for i in range(n)],
        {i: [j for j in range(i)] for i in range(n)},
        {(i, j) for i in range(n) for j in range(i)},
    )


def asserts(n: Any) -> Any:
    assert n > 0, f"n must be positive, got {n}"
    assert n, "zero"
    return n


class MyErr(Exception):
    def __init__(self, msg, code):
        super().__init__(msg)
        self.code = code


def cust(n: Any) -> Any:
    try:
        if n < 0:
            raise MyErr("bad", n)
    except MyErr as e:
        return (e.code, str(e), e.args)
    return 0


def cust2(n: Any) -> Any:
    if n < 0:
        raise MyErr("bad", n)
    return 0


def raise_from(n: Any) -> Any:
    try:
        return 1 // n
    except ZeroDivisionError as e:
        raise ValueError("wrapped") from e


def raise_from2(n: Any) -> Any:
    try:
        try:
            return 1 // n
        except ZeroDivisionError as e:
            raise ValueError("wrapped") from e
    except ValueError as v:
        return (repr(v.__cause__), type(v.__cause__).__name__)


def exgroup(n: Any) -> Any:
    raise ExceptionGroup("many", [ValueError("a"), KeyError("b")])


def fin_ret(n: Any) -> Any:
    try:
        return 1 // n
    finally:
        print("done")


def fin_ret2(n: Any) -> Any:
    try:
        return 1 // n
    except ZeroDivisionError:
        return -1
    finally:
        print("done")


def fin_over(n: Any) -> Any:
    try:
        return 1 // n
    finally:
        return 99


def fin_break(n: Any) -> Any:
    out = []
    for i in range(5):
        try:
            if i == n:
                break
            if i == 1:
                continue
            out.append(i)
        finally:
            out.append(-i)
    return out


def xs_append(n: Any) -> Any:
    xs = [1]
    for i in range(n):
        xs = xs.append(i)
    return xs


def multi_exc(n: Any) -> Any:
    try:
        x = [1, 2][n]
        return {1: 2}[x]
    except (IndexError, KeyError) as e:
        return (type(e).__name__, e.args, str(e))


def err_texts(n: Any) -> Any:
    out = []
    for k in range(8):
        try:
            if k == 0:
                int("x1")
            elif k == 1:
                float("abc")
            elif k == 2:
                [][0]
            elif k == 3:
                {}["k"]
            elif k == 4:
                (1, 2).index(5)
            elif k == 5:
                [1].remove(3)
            elif k == 6:
                math.sqrt(-1)
            elif k == 7:
                "abc".index("z")
        except Exception as e:
            out.append(f"{type(e).__name__}: {e}")
    return out


def err2(n: Any) -> Any:
    return n + "a"


def err3(n: Any) -> Any:
    return len(n)


def err4(n: Any) -> Any:
    return n[0]


def err5(n: Any) -> Any:
    return n.foo


def err6(n: Any) -> Any:
    return [1, 2] + (3,)


def err7(n: Any) -> Any:
    a, b = (1, 2, n)
    return a


def err8(n: Any) -> Any:
    for x in n:
        pass


def err9(n: Any) -> Any:
    if n == 3:
        y = 1
    else:
        z = 1
    return z


def err10(n: Any) -> Any:
    return max([])


def err11(n: Any) -> Any:

    def f(a, b):
        return a

    return f(n)


def err12(n: Any) -> Any:
    return sorted([1, "a"])


def err13(n: Any) -> Any:
    return chr(-1)


@functools.lru_cache(maxsize=None)
def fibc(n):
    return n if n < 2 else fibc(n - 1) + fibc(n - 2)


def slice_ind(n: Any) -> Any:
    s = slice(1, None, 2)
    a, b, c = s.indices(n)
    return (a, b, c, s.start, s.stop, s.step)


P = namedtuple("P", "x y")


def hier0(n: Any) -> Any:
    try:
        if n:
            raise Sub("a", n)
        raise Base
    except Base as e:
        return ("base", e.args)


def hier1(n: Any) -> Any:
    try:
        raise Base
    except Base as e:
        return e.args


def hier2(n: Any) -> Any:
    try:
        if n == 5:
            raise Base
        raise Base("q")
    except Base as e:
        return e.args


def hier3(n: Any) -> Any:
    try:
        if n:
            raise Sub("a", n)
        raise Base
    except Sub as e:
        return ("sub", e.args)
    except Base as e:
        return ("base", e.args)


def fin1(n: Any) -> Any:
    for i in range(3):
        try:
            if i == n:
                return "ret"
            x = 1 // (i - n if n else 1)
        except ZeroDivisionError:
            return "zde"
        finally:
            print("f", i)
    else:
        return "else"


def fin2(n: Any) -> Any:

    def f():
        try:
            return 1
        finally:
            print("x")

    try:
        raise KeyError(n)
    except KeyError as e:
        return (f(), e.args, repr(e), str(e))


def reraise(n: Any) -> Any:
    try:
        try:
            return [1, 2][n]
        except IndexError as e:
            print("inner", e)
            raise
    except LookupError as e:
        return f"outer {e}"


class Base(Exception):
    pass


class Sub(Base):
    def __str__(self):
        return "sub!" + super().__str__()


def els(n: Any) -> Any:
    out = []
    try:
        out.append(1 // n)
    except ZeroDivisionError:
        out.append("z")
    else:
        out.append("e")
    finally:
        out.append("f")
    return out


def notes(n: Any) -> Any:
    try:
        raise ValueError("a")
    except ValueError as e:
        return (isinstance(e, Exception), type(e) is ValueError, e.__class__.__name__, e.__cause__ is None)


def stack_un(n: Any) -> Any:
    try:
        raise RuntimeError("x") from None
    except RuntimeError as e:
        return (e.__suppress_context__, str(e))


def err_in_lambda(n: Any) -> Any:
    f = lambda x: 1 / x
    xs = list(map(f, [1, 2]))
    try:
        list(map(f, [1, 0]))
    except ZeroDivisionError as e:
        xs.append(str(e))
    return xs


def err_in_sort(n: Any) -> Any:
    try:
        return sorted([3, "a", n])
    except TypeError as e:
        return str(e)


def lexer(s: Any) -> Any:
    toks = []
    i = 0
    while i < len(s):
        c = s[i]
        if c.isspace():
            i += 1
            continue
        if c == "#":
            break
        if c.isdigit():
            j = i
            while j < len(s) and s[j].isdigit():
                j += 1
            toks.append(("num", int(s[i:j])))
            i = j
        elif c.isalpha():
            j = i
            while j < len(s) and s[j].isalnum():
                j += 1
            toks.append(("id", s[i:j]))
            i = j
        elif c in "=+;":
            toks.append(("op", c))
            i += 1
        else:
            raise SyntaxError(f"bad {c!r} at {i}")
    return toks


CASES: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = [
    (sub, [(["forward 5", "down 5", "up 3"],)]),
    (life, [(["..#", "#.#", ".#."],)]),
    (bfs, [(["S.#", "..#", "#.E"],)]),
    (dijkstra, [({"a": {"b": 7, "c": 3}, "b": {"d": 2}, "c": {"b": 1, "d": 8}, "d": {}},)]),
    (calc, [("3 + 4 * (2 - 1)",), ("2 * (3 + (4 - 1)) / 3",), ("1 +",)]),
    (vm, [(["b", "inc a", "jmp +2", "tpl a"],), (["inc a", "inc a", "tpl a"],)]),
    (sorts, [([4, 2, 7, 1],)]),
    (bst, [([5, 2, 8, 1, 9],)]),
    (linked, [(4,)]),
    (matrices, [(3,)]),
    (accounts, [(100,)]),
    (collatz, [(27,)]),
    (pascal, [(20,)]),
    (roman, [(1994,), (4,), (9,)]),
    (lev, [("kitten", "sitting")]),
    (knap, [([60, 100, 120], [10, 20, 30], 50)]),
    (balanced, [("((()))",), ("([)]",), ("{[]}",)]),
    (topo, [({"a": ["b"], "b": ["c"], "c": [], "d": ["a"]},), ({"a": ["b"], "b": ["a"]},)]),
    (gray, [(8,)]),
    (wc, [("hello world hello",)]),
    (fizz, [(30,)]),
    (spiral, [(4,)]),
    (rot, [([[1, 2], [3, 4]],)]),
    (anagrams, [(["ab", "ba", "c"],)]),
    (euler4, [(100,)]),
    (dc1, [(2,)]),
    (dc_frozen, [(2,)]),
    (dc2, [(4,)]),
    (dc3, [(4,)]),
    (shapes, [(4,)]),
    (abst, [(4,)]),
    (stack, [(4,), (0,)]),
    (stack2, [(4,), (0,)]),
    (it_class, [(4,), (0,)]),
    (it_class2, [(4,), (0,)]),
    (callable_, [(4,), (0,)]),
    (deco, [(4,)]),
    (deco2, [(4,)]),
    (glob, [(4,)]),
    (chained, [(4,)]),
    (dels, [(4,)]),
    (dels2, [(4,)]),
    (star, [([1, 2, 3, 4],), ([1, 2],), ([1],)]),
    (nested, [(3,)]),
    (asserts, [(3,), (-3,)]),
    (cust, [(3,), (-3,)]),
    (cust2, [(3,), (-3,)]),
    (raise_from, [(3,), (0,)]),
    (raise_from2, [(3,), (0,)]),
    (exgroup, [(3,)]),
    (fin_ret, [(3,), (0,)]),
    (fin_ret2, [(3,), (0,)]),
    (fin_over, [(3,), (0,)]),
    (fin_break, [(3,), (0,)]),
    (xs_append, [(3,)]),
    (multi_exc, [(3,), (0,)]),
    (err_texts, [(3,), (0,), ("a",), ([],), ({},)]),
    (err2, [(3,)]),
    (err3, [(3,)]),
    (err4, [(3,)]),
    (err5, [(3,)]),
    (err6, [(3,)]),
    (err7, [(3,)]),
    (err8, [(3,)]),
    (err9, [(3,)]),
    (err10, [(3,)]),
    (err11, [(3,)]),
    (err12, [(3,)]),
    (err13, [(300,)]),
    (slice_ind, [(10,), (3,)]),
    (hier0, [(0,)]),
    (hier1, [(0,)]),
    (hier2, [(0,)]),
    (hier3, [(0,), (1,)]),
    (fin1, [(3,), (0,)]),
    (fin2, [(3,), (0,)]),
    (reraise, [(3,), (0,)]),
    (els, [(3,), (0,)]),
    (notes, [(3,), (0,)]),
    (stack_un, [(3,), (0,)]),
    (err_in_lambda, [(3,)]),
    (err_in_sort, [(3,)]),
    (lexer, [("x = 3; y = x + 4 # c",)]),
]


test_interpreted, test_compiled = case_tests(CASES, compiled={"calc", "bst", "topo", "knap", "matrices", "hier3"})
