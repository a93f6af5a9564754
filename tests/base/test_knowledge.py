"""The table of what functions do: its form, that it names what is there, and that functions do what it says."""

from __future__ import annotations

import collections
import contextlib
import copy
import io
import itertools
import pickle
import pkgutil
import random
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from soljit.base.knowledge import pure, table
from soljit.base.knowledge.table import Facts, owners, parse, rows
from soljit.runtime.variants.direct import SHORTCUTS
from soljit.support.list_pools import LOOK, OF_POOLS
from soljit.support.objects import HERE


def test_a_name_has_one_row() -> None:
    found = parse("m\n    one [changes=0 keeps takes=each] two three\n    [draws] four\nm.C\n    one")
    assert found == {
        "m": {
            "one": Facts(),
            "two": Facts(frozenset({"keeps"}), takes="each", changes="0"),
            "three": Facts(frozenset({"keeps"}), takes="each", changes="0"),
            "four": Facts(frozenset({"draws"})),
        },
        "m.C": {"one": Facts()},
    }
    assert found["m"]["one"].looks and not found["m"]["two"].looks and not found["m"]["four"].looks
    with pytest.raises(ValueError, match=r"m\.one has two rows"):
        parse("m\n    one [draws] one")
    for words in ("drawn", "takes=most", "takes=all takes=some"):
        with pytest.raises(ValueError, match="is no word of the table"):
            parse(f"m\n    [{words}] one")


def test_rows_name_what_is_there() -> None:
    missing = [name for name, facts in rows().items() if "elsewhere" not in facts and not _there(name)]
    assert not missing


def _there(name: str) -> bool:
    try:
        pkgutil.resolve_name(name)
    except (AttributeError, ImportError):
        return False
    return True


def test_no_function_has_two_rows_that_differ() -> None:
    """By whatever name: `heapq.heappop` is `_heapq.heappop`, and methods are inherited."""
    seen: dict[int, tuple[str, Facts, Any]] = {}
    for name, facts in rows().items():
        if not _there(name):
            continue
        found = pkgutil.resolve_name(name)
        function = getattr(found, "__func__", found)
        other, before, _ = seen.setdefault(id(function), (name, facts, function))
        assert before == facts or isinstance(function, type), (name, other)


def test_functions_are_known_by_every_name() -> None:
    for name in (
        "heapq.heappop",
        "_heapq.heappop",
        "collections.Counter.pop",
        "numpy.random.normal",
        "numpy.add.at",
    ):
        facts = pure.known_by_name(name)
        assert facts is not None and not facts.looks, name
    for name in ("numpy.add", "numpy.add.reduce", "collections.Counter.get", "numpy.float64.sum", "math.sin"):
        facts = pure.known_by_name(name)
        assert facts is not None and facts.looks and facts.tried, name
    assert pure.known_by_name("tests.base.test_knowledge.parse") is None


def test_what_was_put_in_the_place_of_a_function_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(np, "tile", lambda *args: None)
    assert pure.known_by_name("numpy.tile") is None


def test_rows_of_what_compiled_code_calls() -> None:
    assert f"{table.HERE}." == HERE


def test_shortcuts_of_the_dispatcher_have_rows() -> None:
    ours = {"soljit.support.numbers.fill", LOOK, *OF_POOLS}
    for name in SHORTCUTS:
        assert pure.known_by_name(name) is not None or name in ours, name


def test_soljit_is_imported_without_the_table() -> None:
    code = "import sys, soljit; soljit.jit(lambda a: a); assert not [m for m in sys.modules if 'knowledge' in m]"
    subprocess.run([sys.executable, "-c", code], check=True)


# --- do functions do what their rows say? -------------------------------------------------------------------------------


class Item:
    """An item that tells when it is compared, hashed, added or asked for its truth."""

    def __init__(self, value: int, seen: list[str]) -> None:
        self.value, self.seen = value, seen

    def _asked(self) -> None:
        self.seen.append("asked")

    def __eq__(self, other: object) -> bool:
        self._asked()
        return isinstance(other, Item) and self.value == other.value

    def __lt__(self, other: Item) -> bool:
        self._asked()
        return self.value < other.value

    def __hash__(self) -> int:
        self._asked()
        return hash(self.value)

    def __bool__(self) -> bool:
        self._asked()
        return bool(self.value)


def operands() -> list[Callable[[], Any]]:
    """Makers of operands of many classes."""
    return [
        lambda: 2,
        lambda: 1.5,
        lambda: "ab",
        lambda: b"ab",
        lambda: bytearray(b"ba"),
        lambda: [3, 1, 2],
        lambda: (0, 1),
        lambda: {1: 2, 0: 5},
        lambda: {3, 1},
        lambda: np.array([3.0, 1.0, 2.0]),
        lambda: np.array([[2.0, 1.0], [1.0, 3.0]]),
        lambda: np.array([2, 0, 1]),
        lambda: np.array([True, False, True]),
        lambda: np.float64(0.5),
        lambda: np.dtype(float),
        lambda: collections.deque([3, 1]),
        lambda: collections.Counter("aab"),
        lambda: collections.OrderedDict([(2, 1), (1, 1)]),
        lambda: np.ma.masked_array([3.0, 1.0, 2.0], [False, True, False]),
        lambda: random.Random(1),
        lambda: np.random.default_rng(1),
        lambda: np.random.RandomState(1),
    ]


def state(x: Any) -> Any:
    """What can be seen of an operand."""
    return (
        pickle.dumps(x) if isinstance(x, (random.Random, np.random.Generator, np.random.RandomState)) else _contents(x)
    )


def _contents(x: Any) -> Any:
    if isinstance(x, np.ma.MaskedArray):
        return (x.data.tobytes(), np.ma.getmaskarray(x).tobytes(), x.shape, x.hardmask)
    if isinstance(x, np.ndarray):
        return (x.tobytes(), x.shape, x.strides, x.dtype.str, x.flags.writeable)
    return (type(x), repr(x))


def looking() -> Iterator[str]:
    """The names of functions that only look at their arguments, and may be called on examples."""
    for name, facts in rows().items():
        if facts.looks and facts.tried and "into" not in facts and not name.startswith(HERE) and _there(name):
            if isinstance(pkgutil.resolve_name(name), (type, *_CALLABLE)) and "endless" not in facts:
                yield name


_CALLABLE = (type(len), type(np.sum), type(np.add), type(str.upper), type(parse), type(dict.fromkeys), type([].append))


def tried(name: str, args: list[Any]) -> None:
    """Call the function, if its operands are such that it may be tried."""
    with contextlib.suppress(Exception), contextlib.redirect_stdout(io.StringIO()):
        pure.attempt(pkgutil.resolve_name(name), args)


def test_functions_that_look_change_nothing() -> None:
    makers = operands()
    changed: dict[str, list[Any]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in looking():
            for makes in (*((m,) for m in makers), *itertools.product(makers[5:11], makers[:1] + makers[9:13])):
                args = [m() for m in makes]
                if name == "numpy.array_repr" and len(args) > 1:  # a width that is an array is counted down
                    continue
                before = [state(a) for a in args]
                tried(name, args)
                if [state(a) for a in args] != before:
                    changed.setdefault(name, []).append([type(a).__name__ for a in args])
    assert not changed


CHANGES: dict[str, Callable[[], list[Any]]] = {
    "builtins.list.append": lambda: [[1], 2],
    "builtins.list.clear": lambda: [[1]],
    "builtins.list.extend": lambda: [[1], [2]],
    "builtins.list.insert": lambda: [[1], 0, 2],
    "builtins.list.pop": lambda: [[1]],
    "builtins.list.remove": lambda: [[1], 1],
    "builtins.list.reverse": lambda: [[1, 2]],
    "builtins.list.sort": lambda: [[2, 1]],
    "builtins.dict.setdefault": lambda: [{}, 1, 2],
    "builtins.dict.update": lambda: [{}, {1: 2}],
    "builtins.set.add": lambda: [set(), 1],
    "operator.setitem": lambda: [[1], 0, 2],
    "operator.ior": lambda: [{1}, {2}],
    "operator.iand": lambda: [{1}, {2}],
    "operator.imul": lambda: [[1], 2],
    "heapq.heappush": lambda: [[2], 1],
    "bisect.insort": lambda: [[2], 1],
    "collections.deque.rotate": lambda: [collections.deque([1, 2])],
    "numpy.copyto": lambda: [np.zeros(2), np.ones(2)],
    "numpy.put": lambda: [np.zeros(2), 0, 1.0],
    "numpy.fill_diagonal": lambda: [np.zeros((2, 2)), 1.0],
    "numpy.add.at": lambda: [np.zeros(2), 0, 1.0],
    "numpy.ndarray.sort": lambda: [np.array([2, 1])],
    "numpy.ndarray.partition": lambda: [np.array([2, 1]), 0],
    "random.Random.random": lambda: [random.Random(1)],
    "numpy.random.Generator.normal": lambda: [np.random.default_rng(1)],
    "numpy.random.RandomState.normal": lambda: [np.random.RandomState(1)],
}


@pytest.mark.parametrize("name", CHANGES)
def test_functions_that_change_their_first_argument(name: str) -> None:
    args = CHANGES[name]()
    before = state(args[0])
    pkgutil.resolve_name(name)(*args)
    assert state(args[0]) != before
    facts = pure.known_by_name(name)
    assert facts is not None and (facts.changes == "0" or "draws" in facts)


def test_functions_that_run_no_code_of_items() -> None:
    """Those of containers, by their first argument."""
    for name, facts in rows().items():
        owner = name.rpartition(".")[0]
        if "blind" in facts and owner in ("builtins", "builtins.list", "builtins.dict"):
            seen: list[str] = []
            items: Any = [Item(k, seen) for k in (2, 1)]
            items = dict(enumerate(items)) if owner == "builtins.dict" else items
            arguments = {"append": [Item(3, seen)], "insert": [0, Item(3, seen)], "extend": [list(items)]}
            pkgutil.resolve_name(name)(items, *arguments.get(name.rpartition(".")[2], []))
            assert not seen, name


def steps(log: list[Any], values: Any) -> Iterator[Any]:
    for x in values:
        log.append(("item", x))
        yield x


class Number(int):
    """A number that tells when it is added, compared or hashed."""

    log: list[Any]

    def _told(name: str) -> Any:  # type: ignore[misc]
        def method(self: Number, *args: Any) -> Any:
            self.log.append((name, int(self)))
            return getattr(int, name)(self, *args)

        return method

    for _name in (
        "__add__",
        "__radd__",
        "__lt__",
        "__gt__",
        "__eq__",
        "__hash__",
        "__bool__",
        "__float__",
        "__mul__",
        "__rmul__",
    ):
        locals()[_name] = _told(_name)


ITERATED: dict[str, list[Any]] = {
    "operator.contains": [1],
    "operator.indexOf": [1],
    "operator.countOf": [1],
    "numpy.fromiter": [float],
    "math.sumprod": [[1, 2, 3]],
}
BEFORE: dict[str, list[Any]] = {"heapq.nlargest": [2], "heapq.nsmallest": [2], "functools.reduce": [lambda a, b: a + b]}
OWNERS: dict[str, Callable[[], Any]] = {
    "builtins.list": lambda: [9],
    "builtins.set": lambda: {9},
    "builtins.frozenset": lambda: frozenset([9]),
    "collections.deque": lambda: collections.deque([9]),
    "collections.Counter": lambda: collections.Counter([9]),
}


OF_PAIRS = ("builtins.dict", "builtins.dict.update", "collections.OrderedDict")


def taken(name: str) -> tuple[list[int], bool] | None:
    """Which items of an iterator a function takes while it is called, and whether it asks numbers something in between; None if it takes no iterator."""
    log: list[Any] = []
    values = [Number(k) for k in (3, 1, 2)]
    for v in values:
        v.log = log
    owner, _, short = name.rpartition(".")
    first = [OWNERS[owner]()] if owner in OWNERS else BEFORE.get(name, [])
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            pkgutil.resolve_name(name)(*copy.copy(first), steps(log, values), *ITERATED.get(name, []))
    except Exception:
        if not any(kind == "item" for kind, _ in log):
            return None
    got = [k for k, (kind, _) in enumerate(log) if kind == "item"]
    between = bool(got) and got != list(range(got[0], got[0] + len(got)))
    return [int(log[k][1]) for k in got], between


def test_functions_take_items_as_their_rows_say() -> None:
    wrong: dict[str, Any] = {}
    for name, facts in rows().items():
        owner = name.rpartition(".")[0]
        if not facts.takes or not facts.tried or not _there(name) or name in OF_PAIRS:
            continue
        if owner not in (
            "builtins",
            "itertools",
            "functools",
            "operator",
            "math",
            "statistics",
            "heapq",
            "collections",
            *OWNERS,
        ):
            continue
        found = taken(name)
        if found is None:
            continue
        items, between = found
        every = items == [3, 1, 2]
        fits = {
            "none": not items,
            "later": not items,
            "some": not every or between,
            "all": every and not between,
            "each": every or between,
        }[facts.takes]
        if not fits:
            wrong[name] = (facts.takes, items, between)
    assert not wrong


def test_results_are_of_the_class_that_rows_say() -> None:
    classes = {"text": str, "int": int, "float": float, "bool": bool, "complex": complex, "none": type(None)}
    makers = operands()
    for name, facts in rows().items():
        if not facts.gives or not facts.tried:
            continue
        for makes in ((), *((m,) for m in makers), *itertools.product(makers[:6], makers[:6])):
            with contextlib.suppress(Exception), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result = pure.attempt(pkgutil.resolve_name(name), [m() for m in makes])
                assert type(result) is classes[facts.gives], (name, type(result))


def test_words_are_used() -> None:
    assert all(table.named(word) for word in table._FLAGS)
    assert {facts.takes for facts in rows().values()} == {"", *table._CHOICES["takes"]}
    assert all(space for space in owners().values())
