"""Characters of texts and bytes that loops read by their codes: whatever the text is, and whatever is asked of a character."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.runtime.calls import dispatchers
from tests.oracle import check

TEXTS = [
    "the quick brown fox 12 jumps",
    "",
    "x",
    "na\xefve \xe9t\xe9 \xb2\xb5\xdf\xff\xaa ",  # Latin-1
    "\u0391\u03b8 \u20ac \u0663\u2167 \u4e2d\u1d2c",  # two bytes a character
    "a\U0001f600b\U00010400 \U0001d7d8",  # beyond the basic plane
    "a\ud800b\udfff",  # lone surrogates
    "a\x00b\x7f",
    "abc" * 30,
]
BYTES = [b"the quick brown fox", b"", b"x", b"\xff\x00\x80a", bytes(range(256))]


def counted(s):
    n = 0
    for i in range(len(s)):
        if s[i] == "a":
            n += 1
        elif s[i] != " " and s[i] > "m":
            n += 100
    return n


def ranges(s):
    lower = digits = other = letters = 0
    for c in s:
        if "a" <= c <= "z":
            lower += 1
        elif not c < "0" and c <= "9":
            digits += 1
        else:
            other += 1
        if "\xe0" <= c or c == "\u20ac" or "\U00010400" == c:
            letters += 1
    return lower, digits, other, letters


def long_constants(s):
    found = []
    for c in s:
        found.append(
            (
                c == "ab",
                c != "ab",
                c < "ab",
                c <= "ab",
                c > "ab",
                c >= "ab",
                "ab" < c,
                "" < c,
                c == "",
                c <= "" or c > "",
            )
        )
    return found


def asked(s):
    n = [0] * 10
    for c in s:
        n[0] += c.isdigit()
        n[1] += c.isalpha()
        n[2] += c.isalnum()
        n[3] += c.isspace()
        n[4] += c.isupper()
        n[5] += c.islower()
        n[6] += c.isdecimal()
        n[7] += c.isnumeric()
        n[8] += c.isprintable()
        n[9] += c.isidentifier()
    return n, [c.isascii() for c in s]


def cases(s):
    return [c.upper() + c.lower() + c.title() for c in s], "".join(c.swapcase() for c in s)


def ordinals(s):
    total = 0
    out = []
    for i in range(len(s)):
        k = ord(s[i])
        total = total * 31 % 65521 + k
        out.append(chr(k ^ 1))
    return total, "".join(out)


def among(s):
    v = w = x = y = z = 0
    for c in s:
        if c in "aeiou":
            v += 1
        if c not in "\xe9\u20ac\U0001f600bcdx":
            w += 1
        if c in ("a", "ab", ""):
            x += 1
        if c in {"a", "b", "\u4e2d"}:
            y += 1
        if c in ["x", "y"]:
            z += 1
    return v, w, x, y, z


def table(s):
    values = {"a": 1, "b": 2, "\xe9": 3, "\U0001f600": 4}
    counts = {}
    total = 0
    for c in s:
        total += values.get(c, 0)
        counts[c] = counts.get(c, 0) + 1
    return total, counts, sorted(counts), {c for c in s}  # noqa: C416


def enumerated(s):
    total = 0
    last = None
    for i, c in enumerate(s):
        if c == "b":
            total += i
        last = c
    for i, c in enumerate(s, 5):
        total += i * (c != " ")
    return total, last


def reversals(s):
    n = 0
    for c in reversed(s):
        n = n * 2 % 1009 + (c < "c")
    return n, s[::-1], [c for c in s[1:-1]]  # noqa: C416


def pairs(s):
    n = 0
    for x, y in zip(s, s[1:]):
        n += x == y
        n += 3 * (x < y)
    for x, y in zip(s, range(4)):
        n += y * (x > "a")
    return n


def comprehensions(s):
    return [c for c in s if c != " "], [ord(c) for c in s], {c: i for i, c in enumerate(s)}, sum(c == "a" for c in s)


def all_any(s):
    return (
        all(c.isalpha() for c in s),
        any(c == "x" for c in s),
        sum(1 for c in s if c in "ab"),
        max((c for c in s), default="none"),
    )


def runs(s):
    out = []
    before = ""
    n = 0
    for c in s:
        if c == before:
            n += 1
        else:
            if n:
                out.append((before, n))
            before = c
            n = 1
    return out, before, n


def before_none(s):
    before = None
    n = 0
    for c in s:
        if before is not None and before == c:
            n += 1
        before = c
    return n, before


def either(s):
    c = "start"
    n = 0
    for i in range(len(s)):
        if i % 2:
            c = s[i]
        n += c == "start"
        if c:
            n += 10
    return n, c, c == "x"


def or_nothing(s):
    n = 0
    for i in range(len(s) + 2):
        c = s[i] if i < len(s) else ""
        if not c:
            n += 1000
        n += len(c) + (c == "") + 2 * (c in "abc") + 4 * (c < "b") + 8 * c.isalpha()
    return n


def backwards(s):
    n = 0
    for i in range(1, len(s) + 1):
        n += i * (s[-i] == "a")
    return n


def palindrome(s):
    i, j = 0, len(s) - 1
    while i < j:
        if s[i] != s[j]:
            return False, i, s[i], s[j]
        i += 1
        j -= 1
    return True, i, None, None


def token(s):
    i = 0
    found = []
    while i < len(s):
        if s[i].isalpha():
            j = i
            while j < len(s) and s[j].isalnum():
                j += 1
            found.append(s[i:j])
            i = j
        else:
            i += 1
    return found


def slices(s):
    n = 0
    part = s[1:6]
    for i in range(len(part)):
        n += part[i] == s[i + 1]
        n += (s[i:] == s) + (s[i : i + 1] == s[i])
    return n, part


def joined(s):
    out = ""
    for c in s:
        if c != "a":
            out += c
    return out, out[:1] == "t", s + out, s * 2


def places(s):
    return [s.find(c) for c in s], [s.count(c) for c in s], [s.index(s[i]) for i in range(len(s))]


def characters_kept(s):
    kept = []
    for i in range(len(s)):
        kept.append(s[i])
    return kept, [type(c) for c in kept], tuple(kept), kept[:1] == ["t"]


def helper(s, i):
    return s[i] == "a" or s[i].isdigit()


def helper_character(c):
    if c == "a":
        return 1
    return ord(c) % 7


def helpers(s):
    n = 0
    for i in range(len(s)):
        n += helper(s, i)
        n += helper_character(s[i])
    for c in s:
        n += 2 * helper_character(c)
    return n


def counting(s, c):
    n = 0
    for x in s:
        n += x == c
    return n


def nested(s):
    return counting(s, "a") + counting(s[1:], "b") + counting("constant", "n")


def rebound(s):
    n = 0
    for c in s:
        s = "other"
        n += c == s[0]
    return n, s


def given_back(s):
    for c in s:
        if c > "b":
            return c, s
    return s


def as_numbers(s):
    total = 0
    for c in s:
        if "0" <= c <= "9":
            total = total * 10 + int(c)
    return total


def formatted(s):
    return [f"{c}{ord(c):x}{c!r}" for c in s], [repr(c) for c in s]


def one_of_two(s):
    t = "abc" if len(s) % 2 else s
    n = 0
    for i in range(len(t)):
        n += t[i] == "a"
    return n


def without_loop(s):
    if not s:
        return s
    return s[0], s[-1], s[0] == "t", ord(s[0]), s[0].isalpha(), s[0] in "abc"


def compared_texts(s):
    return s == "x", s < "b", s != "", s is s, [c is c for c in s], "a" in s, s in "the quick brown fox 12 jumps over"


def printed(s):
    for c in s:
        if c.isalpha():
            print(ascii(c), end="")


def in_arrays(s):
    a = np.zeros(len(s), np.int64)
    for i in range(len(s)):
        a[i] = ord(s[i])
    return a, np.array([c == "a" for c in s])


def matched(s):
    n = 0
    for c in s:
        match c:
            case "a" | "b":
                n += 1
            case " ":
                n += 10
            case x if x > "m":
                n += 100
    return n


def unpacked(s):
    first, *rest = s or "zz"
    return first, rest, [*s], max(s or "a"), min(s or "a"), sorted(s), set(s) == {*s}, list(s), tuple(s)


def until_found(s):
    for i, c in enumerate(s):
        if c == "b":
            break
    else:
        i = -1
    return i


OF_TEXTS = [
    counted,
    ranges,
    long_constants,
    asked,
    cases,
    ordinals,
    among,
    table,
    enumerated,
    reversals,
    pairs,
    comprehensions,
    all_any,
    runs,
    before_none,
    either,
    or_nothing,
    backwards,
    palindrome,
    token,
    slices,
    joined,
    places,
    characters_kept,
    helpers,
    nested,
    rebound,
    given_back,
    as_numbers,
    formatted,
    one_of_two,
    without_loop,
    compared_texts,
    printed,
    in_arrays,
    matched,
    unpacked,
    until_found,
]


@pytest.mark.share(0.3)
@pytest.mark.parametrize("target", ["interpreter", ""])
@pytest.mark.parametrize("f", OF_TEXTS, ids=lambda f: f.__name__)
def test_all_texts(f: Any, target: str) -> None:
    how = {"target": target} if target else {}
    check(f, TEXTS[0], also=[(s,) for s in TEXTS[1:]], settings=how)


# --- bytes ----------------------------------------------------------------------------------------------------------------


def checksum(b):
    h = 5381
    for i in range(len(b)):
        h = (h * 33 + b[i]) & 0xFFFFFFFF
    for x in b:
        h ^= x
    return h


def kinds_of_bytes(b):
    n = 0
    for i, x in enumerate(b):
        n += i * (x == 97) + (48 <= x <= 57) + (x in b"aeiou") + (x in (1, 2, 97))
    for x, y in zip(b, b[1:]):
        n += x < y
    return (
        n,
        [x for x in b],  # noqa: C416
        [chr(x) for x in b],
        sum(b),
        max(b, default=-1),
        b[:1] == b"t",
        [b[i : i + 1] for i in range(len(b))],
    )


def types_of_items(b):
    last = None
    for x in b:
        last = x
    return type(last), last, [type(b[i]) for i in range(len(b))], [b[i] / 2 for i in range(len(b))]


def histogram(b):
    counts = [0] * 256
    table = {}
    for x in b:
        counts[x] += 1
        table[x] = table.get(x, 0) + 1
    return counts, table, bytes(x ^ 255 for x in b), bytearray(b)


def arithmetic(b):
    n = 0
    for i in range(len(b)):
        n += b[i] - b[-1 - i] << 3
        n -= ~b[i]
    return n, [x == "a" for x in b]


def items_of_either(b):
    """Of texts, of bytes and of lists."""
    n = 0
    for i in range(len(b)):
        if b[i] == "a" or b[i] == 97:
            n += 1
    return n


@pytest.mark.parametrize(
    "f", [checksum, kinds_of_bytes, types_of_items, histogram, arithmetic], ids=lambda f: f.__name__
)
def test_all_bytes(f: Any) -> None:
    calls = [*BYTES, *map(bytearray, BYTES)]
    check(f, calls[0], also=[(b,) for b in calls[1:]])


def test_of_either_class() -> None:
    calls = [TEXTS[0], BYTES[0], *TEXTS[1:], *BYTES[1:], ["a", 97, "b"], ("a", 97), np.arange(90, 100), list(TEXTS[0])]
    check(items_of_either, calls[0], also=[(x,) for x in calls[1:]])


# --- several texts ----------------------------------------------------------------------------------------------------------


def distance(s, t):
    row = list(range(len(t) + 1))
    for i in range(len(s)):
        above = row[0]
        row[0] = i + 1
        for j in range(len(t)):
            cost = above if s[i] == t[j] else above + 1
            above = row[j + 1]
            row[j + 1] = min(cost, row[j] + 1, above + 1)
    return row[len(t)]


def less(s, t):
    for x, y in zip(s, t):
        if x != y:
            return x < y, x, y
    return len(s) < len(t)


def common(s, t):
    n = 0
    for i, x in enumerate(s):
        if i < len(t) and (x == t[i] or t[i] > x):
            n += 1
        if x in t or t in x:
            n += 100
    return n


def written_into(s, words):
    for i in range(len(s)):
        words.append(s[i])
        words[0] = s[-1]
    return len(words)


@pytest.mark.parametrize("f", [distance, less, common], ids=lambda f: f.__name__)
def test_two_texts(f: Any) -> None:
    calls = [(s, t) for s in TEXTS for t in (TEXTS[0], TEXTS[1], TEXTS[3], TEXTS[4], TEXTS[5], s)]
    check(f, *calls[0], also=calls[1:])


def test_text_and_bytes() -> None:
    calls = [("abc", b"abc"), (b"abc", b"abd"), (b"abc" * 20, "abc" * 20), ("abc" * 20, "abc" * 21)]
    check(less, *calls[1], also=[calls[3]])
    for call in calls:
        check(distance, *call)


def test_text_and_lists() -> None:
    check(written_into, "abc" * 20, [], also=[("ab\xe9" * 20, ["x"]), ("\u20acb" * 40, [1]), ("", [])])


# --- indices ------------------------------------------------------------------------------------------------------------------


def item_in_a_loop(s, i):
    found = None
    for k in range(2):
        found = s[i + k]
    return found


def caught(s, n):
    found = []
    for i in range(-n, n):
        try:
            found.append(s[i])
        except IndexError as e:
            found.append(str(e))
    return found


def count_until_the_end(s):
    i = 0
    n = 0
    try:
        while True:
            if s[i] == "a":
                n += 1
            i += 1
    except IndexError:
        pass
    finally:
        n += 1000
    return n, i


def order_of_effects(s, i, a):
    for k in range(3):
        a[k] = k
        if s[i] == "a":
            a[k] = -1
        i += 1
    return i


def by_flags(s, flags):
    return [s[f] for f in flags], [s[x > 0] for x in (-1, 0, 1)]


@pytest.mark.parametrize(
    "s", [TEXTS[0], TEXTS[3], TEXTS[4], TEXTS[5], "ab", "", b"ab", BYTES[0], bytearray(b"ab")], ids=ascii
)
def test_indices(s: Any) -> None:
    indices = [0, 1, -1, -2, len(s), -len(s), -len(s) - 1, len(s) - 2, 2**62, -(2**62), True, np.int64(1), np.uint8(0)]
    check(item_in_a_loop, s, 0, also=[(s, i) for i in indices])
    check(caught, s, 3, also=[(s, 40)])
    check(order_of_effects, s, 0, np.zeros(3), also=[(s, len(s) - 2, np.zeros(3)), (s, -len(s) - 1, np.zeros(3))])
    check(by_flags, "ab" * 30, [True, False])
    check(count_until_the_end, s, also=[("a" * 100,), ("\u20aca" * 50,)])


@pytest.mark.parametrize("i", [1.0, "a", None, 2**62, np.float64(1), slice(0, 3), (0,), 1j], ids=repr)
def test_other_indices(i: Any) -> None:
    def f(s, i):
        found = ""
        for k in range(2):
            found = s[i]
        return found, k

    for s in (TEXTS[0] * 2, TEXTS[4] * 20, BYTES[0] * 3):
        check(f, s, i)


def test_assignment_to_items() -> None:
    def f(s):
        for i in range(len(s)):
            s[i] = s[0]

    for s in (TEXTS[0] * 2, BYTES[0] * 3, bytearray(b"abc" * 20)):
        check(f, s)


def test_calls_that_raise() -> None:
    def of_no_character(s):
        for c in s:
            ord(c + c)

    def of_numbers(ks):
        return "".join([chr(k) for k in ks])

    def int_of(s):
        n = 0
        for c in s:
            n += int(c)
        return n

    def plus_number(s):
        for c in s:
            c + 1

    def less_than_number(s):
        for c in s:
            if c < 1:
                return 1

    def in_number(s):
        for c in s:
            if c in 5:
                return 1

    for f in (of_no_character, plus_number, less_than_number, in_number):
        check(f, TEXTS[0] * 2, raises=TypeError)
        check(f, TEXTS[4] * 20, raises=TypeError)
    check(of_numbers, [97, 0xE9, 0x20AC, 0x10FFFF, 0xD800], also=[([1, -1],), ([0x110000],), ([2**40],), ([],)])
    check(int_of, "123" * 20, also=[("12x" * 20,), ("\u0663\u06631" * 20,), ("\xb2" * 40,)])


# --- other classes, and no text at all --------------------------------------------------------------------------------------------


class Shouting(str):
    """Its items are not its characters."""

    def __getitem__(self, k):
        return "!" if k == 0 else str.__getitem__(self, k).upper()

    def __len__(self):
        return str.__len__(self) - 1

    def __iter__(self):
        return iter("own")


class Plain(str):
    """Nothing of its own, but for its class."""


class Masked(bytes):
    def __getitem__(self, k):
        return 7


@pytest.mark.parametrize(
    "f", [counted, ranges, among, enumerated, pairs, helpers, without_loop], ids=lambda f: f.__name__
)
def test_own_classes(f: Any) -> None:
    calls = [Shouting(TEXTS[0]), Plain(TEXTS[0]), TEXTS[0], Shouting(TEXTS[4]), TEXTS[4]]
    check(f, TEXTS[0], also=[(s,) for s in calls], or_refused=True)
    check(f, calls[0], also=[(s,) for s in calls[1:]], or_refused=True)
    jitted = sol.jit(f)  # type: ignore[attr-defined]
    for s in calls * 3:
        assert repr(jitted(s)) == repr(f(s))


def test_own_bytes() -> None:
    check(
        checksum,
        Masked(b"abc"),
        also=[(b"abc" * 20,), (Masked(b"abc" * 20),), (np.bytes_(b"abc" * 20),)],
        or_refused=True,
    )
    check(counted, np.str_("abc" * 20), also=[("abc" * 20,), (np.str_("\u20ac" * 40),)])


def test_characters_of_own_classes() -> None:
    class Same(str):
        __hash__ = str.__hash__

        def __eq__(self, other):
            return True

    def f(s, x):
        n = 0
        for c in s:
            n += c == x
            n += 10 * (c in (x, "b"))
            n += 100 * (c in [x])
        return n

    check(f, "abc" * 20, Same("no"), also=[("abc" * 20, "a"), ("abc" * 20, "\u20ac"), ("abc" * 20, 97)])


EQUAL = type("Equal", (str,), {"__eq__": lambda self, other: True, "__hash__": str.__hash__})("no")
LETTERS = frozenset("aeiou\u20ac")
WORDS = ("a", "an", "the", 3, None)


def test_constants_of_the_module() -> None:
    def f(s):
        n = 0
        for c in s:
            n += c in LETTERS
            n += 10 * (c in WORDS)
            n += 100 * (c == EQUAL)
            n += 1000 * (c in ("x", EQUAL))
        return n

    check(f, TEXTS[0], also=[(s,) for s in TEXTS])


def test_none_sometimes() -> None:
    def f(s, t=None):
        n = 0
        if s is None:
            return -1
        for i in range(len(s)):
            if t is not None and t[i % len(t)] == s[i]:
                n += 1
        return n

    calls = [
        ("abc" * 20, None),
        (None, "abc" * 20),
        ("abc" * 20, "cba" * 20),
        ("\u20acbc" * 20, "abc" * 20),
        (None, None),
    ]
    check(f, *calls[0], also=calls[1:])
    check(f, "abc" * 20)


def test_texts_in_containers() -> None:
    def f(lines):
        n = 0
        counts = {}
        for line in lines:
            for c in line:
                if c == " " or c.isdigit():
                    n += 1
                counts[c] = counts.get(c, 0) + 1
            for i in range(len(line)):
                n += line[i] == line[-1]
        return n, counts

    check(
        f,
        TEXTS,
        also=[(BYTES,), (tuple(TEXTS),), ([TEXTS[0], BYTES[0]],), ([],), (["abc", ["d", "e"]],)],
        or_refused=True,
    )
    check(f, TEXTS[:6])
    check(lambda text: [sum(c == " " for c in line) for line in text.split("\n")], "a b c\n\u20ac \xe9\n" * 10)


def test_attributes() -> None:
    class Reader:
        def __init__(self, text):
            self.text, self.at = text, 0

        def word(self):
            start = self.at
            while self.at < len(self.text) and self.text[self.at] != " ":
                self.at += 1
            found = self.text[start : self.at]
            self.at += 1
            return found

    def f(reader):
        found = []
        while reader.at < len(reader.text):
            found.append(reader.word())
        return found

    def inside(text):
        return f(Reader(text))

    check(f, Reader(TEXTS[0]), also=[(Reader(s * 3),) for s in TEXTS])
    check(inside, TEXTS[0] * 3, also=[(s * 3,) for s in TEXTS])


def test_captured_texts() -> None:
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    wide = "\u03b1\u03b2\u03b3\u03b4" * 10
    data = bytes(range(200))

    def f(n):
        out = ""
        k = 0
        for i in range(n):
            out += alphabet[i % 26] + wide[-i]
            k += (wide[i] == "\u03b2") + (alphabet[i] < "f") + data[i] * 3
        for c in wide:
            k += c == "\u03b1"
        return out, k

    check(f, 20, also=[(26,), (27,), (0,)])


# --- other ways to call -----------------------------------------------------------------------------------------------------------


def test_default_mode() -> None:
    for f in (counted, among, runs, either, asked):
        jitted = sol.jit(f)  # type: ignore[attr-defined]
        for s in TEXTS * 3:
            assert repr(jitted(s)) == repr(f(s))


def test_portable_dispatcher(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatchers, "native", lambda *args: None)
    for f in (counted, among, runs, pairs, or_nothing, checksum):
        calls: list[Any] = BYTES if f is checksum else TEXTS
        check(f, calls[0], also=[(s,) for s in calls[1:]])


def test_nothing_of_python_is_called() -> None:
    """Between the head of the function, where the codes are fetched, and its end."""
    for f, call in ((distance, ("abc" * 20, "abd" * 20)), (checksum, (b"abc" * 20,)), (counted, ("abc" * 20,))):
        jitted = sol.jit(strict=True)(f)  # type: ignore[attr-defined]
        jitted(*call)
        assert "Python" not in jitted.explain().replace("Python would raise", "").replace("without Python objects", "")


# --- what is kept, and what is one object -----------------------------------------------------------------------------------------


def kept_iterators(s):
    it = zip(s, s[1:])
    found = [next(it, None)]
    pairs = enumerate(s)
    for k, c in pairs:
        if k == 2:
            break
    found += [x for x in pairs]  # noqa: C416
    letters = (c for c in s)
    first = next(letters, "none")
    back = reversed(s)
    return (
        found,
        first,
        next(back, ""),
        list(letters),
        dict(zip(s, range(3))),
        list(enumerate(s))[:2],
        sorted(zip(s, s))[:2],
    )


def same_objects(s):
    before = c = None
    n = 0
    for c in s:
        n += (c is before) + 10 * (c is None) + 100 * (before is not None)
        before = c
    return n, before is c, [before, c], [before is x for x in (before, c)]


def nested_loops(s):
    n = 0
    for x in s:
        for i, y in enumerate(s):
            if x == y:
                n += i
                break
        for y, z in zip(reversed(s), enumerate(s)):
            n += y == z[1]
    return n, [(x, y) for x in s[:3] for y in s[:2] if x != y], {x + y for x in s[:2] for y in s[:2]}


def depth(s, i, c):
    if i >= len(s):
        return 0
    return (s[i] == c) + depth(s, i + 1, s[i])


def recursive(s):
    return depth(s, 0, "a")


def chosen(s):
    found = ""
    for c in s:
        found = c if c > found else found
        c = "z" if c == "a" else "\u20ac" if c == "b" else c
        if c == "z" and not found < c:
            found = "\xe9"
    return found, max(found, "b")


def letters_of(s):
    for c in s:
        if c != " ":
            yield c


def from_generators(s):
    n = 0
    for c in letters_of(s):
        n += c == "a"
    return n, [c for c in letters_of(s)], "".join(letters_of(s))  # noqa: C416


def in_a_lambda(s):
    asks = lambda c: c == "a"  # noqa: E731
    return sum(map(asks, s)), list(filter(asks, s)), sum(map(lambda x, y: x == y, s, s[1:])), [*map(ord, s)]


def while_else(s):
    i = 0
    while i < len(s):
        c = s[i]
        if c in {"x", "\u20ac"}:
            found = c
            break
        i += 1
    else:
        found = None
    return found, i


def with_defaults(s):
    n = 0
    for i, c in enumerate(s):
        try:
            n += int(c)
        except ValueError as e:
            n += len(str(e)) % 10
        finally:
            if c == "a":
                n += i
    return n


@pytest.mark.share(0.3)
@pytest.mark.parametrize("target", ["interpreter", ""])
@pytest.mark.parametrize(
    "f",
    [
        kept_iterators,
        same_objects,
        nested_loops,
        recursive,
        chosen,
        from_generators,
        in_a_lambda,
        while_else,
        with_defaults,
    ],
    ids=lambda f: f.__name__,
)
def test_what_is_kept(f: Any, target: str) -> None:
    check(f, TEXTS[0], also=[(s,) for s in TEXTS[1:]], settings={"target": target} if target else {})


def test_widths_one_after_another() -> None:
    """Whatever comes first, and whatever later."""
    texts = ["abc" * 20, "\xe9bc" * 20, "\u20acbc" * 20, "\U0001f600bc" * 20]
    for first in texts:

        def f(s, t):
            n = 0
            for i in range(len(s)):
                n += (s[i] == "b") + 2 * (s[i] == t[i]) + 4 * (s[i] > "\xe8")
            return n

        check(f, first, first, also=[(s, t) for s in texts for t in texts])


def test_numbers_among_constants() -> None:
    def f(x):
        found = [x in {1, 2.5, 3, "a"}, x not in {1, None}, 0 < x in {2, 7}, x in {1}]
        for k in range(5):
            if k in {1, 3}:
                found.append(k)
        return found

    check(f, 1, also=[(x,) for x in (2, 2.5, np.float32(2.5), np.int8(7), True, np.nan, np.uint64(3), 1 + 0j and 4)])


@pytest.mark.parametrize("own", [Shouting("abc"), Plain("ab\u20ac"), np.str_("abca")], ids=lambda s: type(s).__name__)
def test_own_classes_from_elsewhere(own: str) -> None:
    """In lists, from functions that Python calls, and as what a name stands for sometimes."""
    given = {"a": own, "b": "abc"}

    def of_lists(lines):
        n = 0
        for line in lines:
            for c in line:
                n += c == "a"
            for i, c in enumerate(line):
                n += i * (c != "a")
        return n

    def of_dicts(key, s):
        t = given[key]
        n = 0
        for x, y in zip(t, s):
            n += x == y
        return n, [c for c in t], [c == "a" for c in given.get(key, s)]  # noqa: C416

    def of_methods(s, which):
        t = s.strip() if which else own
        return sum(c == "a" for c in t), "".join(c for c in t)

    check(of_lists, ["abc", "abd"] * 5, also=[(["abc", own],), ([own],), ([own, "abc"] * 20,)], or_refused=True)
    check(of_dicts, "b", "abc" * 20, also=[("a", "abc" * 20), ("b", own), ("a", own)], or_refused=True)
    check(of_methods, " abc " * 10, True, also=[("abc" * 20, False), (own, True)], or_refused=True)
    for f, calls in ((of_lists, [(["abc"],), ([own],)]), (of_dicts, [("b", "abc"), ("a", "abc"), ("a", own)])):
        jitted = sol.jit(f)  # type: ignore[attr-defined]
        for call in calls * 3:
            assert repr(jitted(*call)) == repr(f(*call))


def test_known_texts_beside_others() -> None:
    """The codes of a text that is known while compiling are of one type, whatever came for others."""

    def f(s, t):
        n = 0
        for i in range(len(s)):
            n += (t[i % len(t)] == s[i]) + 2 * (s[i] < "\u03b1\u03b2\u03b3"[i % 3])
        for x, y in zip(s, reversed(t)):
            n += 4 * (x != y)
        return n

    texts = ["abc" * 20, "\u20acbc" * 20, "\U0001f600bc" * 20, "ab", "\u20acb", "b\U0001f600"]
    check(f, "abc" * 20, "ab", also=[(s, t) for s in texts for t in texts])
