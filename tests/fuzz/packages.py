"""Random programs in the manner of packages: members of enumerations, flags and modes as arguments, defaults that are None, early returns
of several types, helpers that hand these on, and (`decorated`) classes whose methods are themselves decorated.
"""

from __future__ import annotations

import contextlib
import enum
import random

from tests.fuzz.growth import Growth, NoName, ending

PRELUDE = """import enum


class Mode(enum.Enum):
    FULL = "full"
    SAME = "same"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 3


class Opt(enum.IntFlag):
    NONE = 0
    ABS = 1
    NEG = 2
    BOTH = 3


FULL, SAME = Mode.FULL, Mode.SAME
LOW, HIGH = Level.LOW, Level.HIGH
ABS, NEG = Opt.ABS, Opt.NEG
DEFAULTS = {"mode": "same", "scale": 2.0, "opt": Opt.ABS}


def padded(q, mode="same", level=None, opt=Opt.NONE):
    if level is None:
        level = LOW
    if mode == "full" or mode is FULL:
        return q * level
    if opt & Opt.ABS:
        q = abs(q)
    if opt & NEG:
        q = -q
    return q + level.value if isinstance(level, Level) else q


def checked(q, axis=None, out=None, keep=False):
    if axis is not None and axis not in (0, -1):
        raise ValueError(f"bad axis {axis!r}")
    if np.ndim(q) == 0:
        return q if keep else None
    s = np.sum(q, axis=axis)
    if out is not None:
        out[0] = s
        return out
    return (s, axis) if keep else s


def chosen(q, kind):
    if kind == 0:
        return None
    if kind is True:
        return "yes"
    if kind == "pair":
        return q, kind
    if isinstance(kind, Mode):
        return kind.name
    return q


def handed_on(q, *args, mode=None, **options):
    if mode is not None:
        options["mode"] = mode
    return padded(q, *args, **options)


def parsed(mode):
    if isinstance(mode, str):
        return Mode(mode)
    return mode or SAME


def by_level(level):
    return {LOW: "low", HIGH: "high"}.get(level, level)
"""
JITTED = """import soljit as sol

jitted = sol.jit(target="interpreter")


class Scaled:
    @jitted
    def __init__(self, k, bias=None):
        self.k = k
        self.bias = 0.0 if bias is None else bias

    @jitted
    def __call__(self, q):
        return q * self.k + self.bias

    @jitted
    def __add__(self, other):
        return Scaled(self.k + (other.k if isinstance(other, Scaled) else other), self.bias)

    @jitted
    def __radd__(self, other):
        return Scaled(other + self.k, self.bias)

    @jitted
    def __len__(self):
        return 3

    @jitted
    def __bool__(self):
        return bool(self.k > 0)

    @jitted
    def __eq__(self, other):
        return isinstance(other, Scaled) and bool(self.k == other.k)

    @jitted
    def __getitem__(self, i):
        return self.k * i

    @jitted
    def __enter__(self):
        self.bias += 1
        return self

    @jitted
    def __exit__(self, *error):
        self.bias -= 1

    @jitted
    def apply(self, q, mode="same", level=None):
        return self(padded(q, mode, level))

    @property
    @jitted
    def total(self):
        return self.k + self.bias

    @staticmethod
    @jitted
    def half(q):
        return q / 2
"""
MODES = ('"same"', '"full"', "SAME", "FULL", "Mode.FULL", "Mode.SAME", "None", '"odd"')
LEVELS = ("LOW", "HIGH", "Level.LOW", "Level.HIGH", "None", "2", "Level(1)", "Level['HIGH']")
OPTIONS = ("ABS", "NEG", "Opt.ABS | Opt.NEG", "ABS | NEG", "Opt.BOTH", "Opt.NONE", "Opt(2)", "1", "~ABS")
KINDS = ("0", "1", "True", "False", "'pair'", "None", "FULL", "n", "n > 1", "LOW", "x")
TEMPLATES = (
    "<N> = padded(<Q>, <M>)", "<N> = padded(<Q>, <M>, <L>)", "<N> = padded(<Q>, <M>, <L>, <O>)", "<N> = padded(<Q>, level=<L>, opt=<O>)",
    "<N> = padded(<Q>, opt=<O>)", "<N> = padded(<Q>, **DEFAULTS) if <C> else <S>", "<N> = handed_on(<Q>, mode=<M>, opt=<O>)",
    "<N> = handed_on(<Q>, <M>, <L>)", "<N> = handed_on(<Q>, level=<L>)", "<N> = checked(<Q>)", "<N> = checked(<Q>, <X>)",
    "<N> = checked(<Q>, keep=<K>)", "<N> = checked(<Q>, axis=<X>, keep=True)", "<N> = checked(<A>, out=<A>)", "<N> = chosen(<Q>, <K>)",
    "<N> = [chosen(<S>, k) for k in (0, True, 'pair', FULL, 2)]", "<N> = chosen(<Q>, <K>) or <S>", "<N> = chosen(<S>, <K>) is None",
    "<N> = parsed(<M>)", "<N> = parsed(<M>).value", "<N> = parsed(<M>) is FULL", "<N> = parsed(<M>) == SAME", "<N> = by_level(<L>)", "<N> = <L>",
    "<N> = <O>", "<N> = <M>", "<N> = <O> & <O>", "<N> = <O> | <O>", "<N> = bool(<O> & ABS)", "<N> = <L> == <S>", "<N> = <O> == <S>",
    "<N> = HIGH + <S>", "<N> = LOW * <A>", "<N> = <A>[LOW - 1]", "<N> = HIGH.name, LOW.value", "<N> = <E>.name", "<N> = <E>.value", "<N> = <E> is <E>",
    "<N> = <E> == <E>", "<N> = <E> in (LOW, FULL, ABS)", "<N> = {<E>: <S>}", "<N> = {FULL: 1, SAME: 2}[<F>]", "<N> = [m.value for m in Mode]",
    "<N> = [m for m in Level]", "<N> = max(Level)", "<N> = sorted([HIGH, LOW, 2])", "<N> = LOW < <S>", "<N> = f'{FULL} {LOW} {ABS}'", "<N> = str(<E>)",
    "<N> = len(Mode)", "<N> = isinstance(<E>, int)", "<N> = type(<E>)", "<N> = int(LOW) + int(ABS)", "<N> = FULL if <C> else SAME", "<N> = <E>",
    "<N> = LOW if <C> else <S>", "<N> = None if <C> else <A>", "<N> = ABS if <C> else ABS | NEG", "<N> = hash(LOW) == hash(1)",
    "if <F> is FULL:\n    <B>", "if <F> == SAME:\n    <B>\nelse:\n    <B>", "if <V> is None:\n    <B>\nelse:\n    <B>", "if <V> is not None:\n    <N> = <V>",
    "match <F>:\n    case Mode.FULL:\n        <B>\n    case _:\n        <B>", "for m in Mode:\n    print(m, chosen(<S>, m))", "for l in (LOW, HIGH, None):\n    a[0] += 1 if l is None else l",
    "try:\n    <N> = checked(<Q>, <X>)\nexcept ValueError as e:\n    print(e)", "try:\n    <N> = Mode(<M>)\nexcept ValueError as e:\n    print(e)", "if <C>:\n    return <V>",
    "if <O> & ABS:\n    return chosen(<S>, <K>)", "a[:] = padded(<A>, <M>)", "a[0] = padded(<S>, <M>, <L>, <O>)", "<N> = <A> + HIGH", "<N> = np.full(LOW, <S>)",
    "def <N>(q, mode=<M>, w=None):\n    if w is None:\n        return padded(q, mode)\n    return w", "<N> = <G>(<S>)", "<N> = <G>(<S>, <M>)", "<N> = <G>(<S>, w=<V>)",
    "print(<E>, <V>)", "<N> = <V>", "<N> = (<V>, <E>)", "if <C>:\n    <B>\nelse:\n    <B>", "for i in range(n):\n    <B>",
)  # fmt: skip
OF_CLASSES = (
    "<N> = Scaled(<S>)", "<N> = Scaled(<S>, <S>)", "<N> = <P>(<Q>)", "<N> = <P> + <S>", "<N> = <S> + <P>", "<N> = <P> + <P>", "<N> = len(<P>)",
    "<N> = bool(<P>)", "if <P>:\n    <B>\nelse:\n    <B>", "<N> = <P> == <P>", "<N> = <P> == <S>", "<N> = <P>[<I>]", "with <P> as p:\n    a[0] = p(<S>)",
    "<N> = <P>.apply(<Q>, <M>)", "<N> = <P>.apply(<Q>, level=<L>)", "<N> = <P>.total", "<N> = Scaled.half(<Q>)", "<N> = <P>.half(<S>)", "<P>.k = <S>",
    "<N> = [<P>(i) for i in range(3)]", "<N> = sum([<P>, <P>], 0).k", "<N> = not <P>", "<N> = <P> and <S>", "<N> = list(map(<P>, [<S>, <S>]))",
)  # fmt: skip


def program(seed: int, size: int = 10) -> str:
    """The source of one program (with `f` and `calls`)."""
    return ending(lambda r: _write(r, size, False), f"packages {seed}")


def decorated(seed: int, size: int = 10) -> str:
    """One in which a class's methods are decorated."""
    return ending(lambda r: _write(r, size, True), f"decorated {seed}")


def _write(r: random.Random, size: int, classes: bool) -> str:
    grown = Growth(r, PRELUDE + ("\n\n" + JITTED if classes else ""), TEMPLATES + 3 * OF_CLASSES * classes)
    grown.places |= {
        "M": lambda: r.choice(MODES),
        "L": lambda: r.choice(LEVELS),
        "O": lambda: r.choice(OPTIONS),
        "K": lambda: r.choice(KINDS),
        "X": lambda: r.choice(("None", "0", "-1", "1", "n - 1")),
        "Q": lambda: r.choice(("<A>", "<A>", "<S>", "<S>", "<I>")),
        "E": lambda: grown.name(lambda v: isinstance(v, enum.Enum)),
        "F": lambda: grown.name(lambda v: type(v).__name__ == "Mode"),
        "V": lambda: grown.name(lambda v: v is None or isinstance(v, (str, int, float, tuple, enum.Enum))),
        "G": lambda: grown.name(callable),
        "P": lambda: grown.name(lambda v: type(v).__name__ == "Scaled"),
    }
    for text in ("f = FULL if n > 1 else SAME", "e = LOW", "o = ABS", "w = None", *["p = Scaled(<S>)"] * classes):
        with contextlib.suppress(NoName):
            grown.add(grown.fill(text))
    grown.grow(r.randint(4, 4 + size))
    return grown.finished()
