"""The oracle: run a function undecorated and compiled on equal arguments and compare everything a user could observe.

`check(f, *args)` compares the result (values bit by bit unless a tolerance is given, Python types, dtypes, shapes,
memory order, writeability, identity with arguments, shared memory), what was done to the arguments and to the memory
around them, what was printed, the exception (exact type and message), and which attributes of the classes around the function
were assigned (they are put back after each call). Everything runs on copies
(`tests/arguments.py`), twice: on plain copies, and on copies inside guarded memory, which also reuses the variant
that the first call compiled. `also=[args, …]` are further calls of the same function.

`check_all(expressions, **arguments)` compiles many expressions as one function that returns a tuple; if that fails it
halves the list until it can report each one that fails alone.

ORACLE_IDENTITY=1 compares the undecorated function with itself: for testing tests. ORACLE_TARGET names a target other
than the default: "sequential", "interpreter", or "null": the interpreter, after the passes; "lowered" only lowers (`tests/kept_programs.py`). ORACLE_DEVICE names a device, "emulated" or
"cuda", which runs whatever it can; floats may then differ as `docs/cuda.md` says.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import itertools
import linecache
import os
import re
import sys
import tempfile
import types
import warnings
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.arguments import GUARD, Copies, leaves
from tests.compare import Tolerance, differences
from tests.kept_programs import LOWERED

TARGET = os.environ.get("ORACLE_TARGET", "")
DEVICE = os.environ.get("ORACLE_DEVICE", "")
if DEVICE:
    os.environ.setdefault("SOL_EMULATOR_SURVIVES", "1")  # a fault in one test is no fault in the next
ON_DEVICE = Tolerance(
    rtol=1e-10, atol=1e-10, ulps=16, of_largest=16
)  # sums are in another order, functions within CUDA's bounds
IDENTITY = os.environ.get("ORACLE_IDENTITY") == "1"
_compiled: weakref.WeakKeyDictionary[Any, dict[str, Any]] = weakref.WeakKeyDictionary()
_counter = itertools.count()
_folder = tempfile.TemporaryDirectory(prefix="soljit-oracle-")


class Mismatch(AssertionError):
    """Compiled and interpreted function differ. `kind`: "value", "exception", "message", "unsupported", "internal"; `found`: all differences."""

    def __init__(self, kind: str, text: str, found: Sequence[str] = ()) -> None:
        self.kind, self.found = kind, found
        super().__init__(text)


@dataclass
class Observation:
    """What one call did."""

    copies: Copies
    result: Any = None
    error: BaseException | None = None
    printed: str = ""
    warned: list[str] = field(default_factory=list)
    assigned: dict[str, Any] = field(default_factory=dict)  # attributes of classes


def check(
    f: Callable[..., Any],
    *args: Any,
    rtol: float = 0.0,
    atol: float = 0.0,
    ulps: int = 0,
    infinities: bool = True,
    message: str = "exact",
    raises: type[BaseException] | None = None,
    warns: bool = False,
    or_refused: bool = False,
    plainly: bool = False,
    also: Sequence[tuple[Any, ...]] = (),
    settings: Mapping[str, Any] | None = None,
    **kwargs: Any,
) -> Any:
    """Compare `f` and its compiled form on `args`, `kwargs` (and on each of `also`); returns the plain result.

    message:  "exact", "type" (only the exception's type counts), or a regular expression that both messages must match
    raises:   the undecorated function is expected to raise exactly this (guards against tests that test nothing)
    warns:    compare the warnings, too
    or_refused: strict mode may refuse the function, if it shows the place
    plainly:  calls may run again in plain Python, as they do where an int leaves 64 bits
    settings: keywords for `sol.jit`
    """
    tol = Tolerance(rtol, atol, ulps, infinities)
    if DEVICE:
        more = ON_DEVICE
        tol = Tolerance(max(rtol, more.rtol), max(atol, more.atol), max(ulps, more.ulps), False, more.of_largest)
    jitted = compiled(f, **dict(settings or {}))
    first: Any = None
    for number, call in enumerate([args, *also]):
        for guarded in (False, True):
            want = observe(f, call, kwargs, guarded)
            got = observe(jitted, call, kwargs, guarded)
            if or_refused and is_refusal(got.error):
                return want.result
            _internal_errors(f, call, kwargs, got.error)
            expected = type(want.error) if want.error else None
            if expected is not raises and (raises is not None or not isinstance(want.error, Exception)):
                assert expected is raises, f"the undecorated function raised {want.error!r}, the test expects {raises}"
            found = list(_compare(want, got, tol, message, warns))
            found += (
                []
                if plainly or TARGET == LOWERED
                else [w for w in got.warned if w.startswith("FallbackWarning") and w not in want.warned]
            )
            if found:
                kind = _kind(found)
                when = ["", f"in call {number + 1} "][number > 0] + ["", "(guarded memory)"][guarded]
                raise Mismatch(kind, _report(f, call, kwargs, found, when), found)
            if number == 0:
                first = want.result
    return first


def compiled(f: Callable[..., Any], **settings: Any) -> Callable[..., Any]:
    """The compiled form of `f`, one for each function and settings."""
    table = _compiled.setdefault(f, {})
    key = repr(sorted(settings.items()))
    if key not in table:
        table[key] = _jit(f, settings)
    return table[key]  # type: ignore[no-any-return]


def _jit(f: Callable[..., Any], settings: Mapping[str, Any]) -> Callable[..., Any]:
    if IDENTITY:
        twin = types.FunctionType(f.__code__, f.__globals__, f.__name__, f.__defaults__, f.__closure__)
        twin.__kwdefaults__ = f.__kwdefaults__
        return twin
    import soljit as sol  # here: the identity mode must not need it

    chosen: dict[str, Any] = {"strict": TARGET != LOWERED}
    chosen |= {"target": TARGET} if TARGET not in ("", LOWERED) else {}
    chosen |= {"device": DEVICE, "offload": "always"} if DEVICE else {}
    return sol.jit(**(chosen | dict(settings)))(f)  # type: ignore[no-any-return,attr-defined]


def observe(f: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any], guarded: bool) -> Observation:
    """Call `f` on copies and write down what happened."""
    copies = Copies((args, dict(kwargs)), guarded)
    seen = Observation(copies)
    out = io.StringIO()
    before = class_attributes(f)
    with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(out):
        warnings.simplefilter("always")
        try:
            a, k = copies.values
            seen.result = f(*a, **k)
        except Exception as e:
            seen.error = e.with_traceback(None)
    seen.printed = out.getvalue()
    seen.warned = sorted({f"{w.category.__name__}: {w.message}" for w in caught})
    seen.assigned = _put_back(before)
    return seen


def class_attributes(f: Callable[..., Any]) -> dict[type, dict[str, Any]]:
    """What the classes of the function's module say now of their instances."""
    names: dict[str, Any] = getattr(getattr(f, "python", f), "__globals__", {})
    mine = [c for c in names.values() if isinstance(c, type) and c.__module__ == names.get("__name__")]
    return {c: {k: v for k, v in vars(c).items() if not k.startswith("__")} for c in mine}


def _put_back(before: dict[type, dict[str, Any]]) -> dict[str, Any]:
    """Give the classes the attributes that they had before; returns those that they have got meanwhile."""
    assigned: dict[str, Any] = {}
    for cls, old in before.items():
        now = {k: v for k, v in vars(cls).items() if not k.startswith("__")}
        for name in now.keys() - old.keys():
            delattr(cls, name)
        for name, value in old.items():
            if name not in now or now[name] is not value:
                setattr(cls, name, value)
        assigned |= {f"{cls.__name__}.{k}": v for k, v in now.items() if k not in old or old[k] is not v}
        assigned |= {f"{cls.__name__}.{k}": "deleted" for k in old.keys() - now.keys()}
    return dict(sorted(assigned.items()))


def _compare(want: Observation, got: Observation, tol: Tolerance, message: str, warns: bool) -> Iterator[str]:
    yield from _compare_errors(want.error, got.error, message)
    if want.error is None and got.error is None:
        yield from differences("result", want.result, got.result, tol)
        yield from _compare_sharing(want, got)
    yield from differences("arguments after the call", want.copies.values, got.copies.values, tol)
    yield from differences("assigned attributes of classes", want.assigned, got.assigned, tol)
    if tol.exact and want.copies.memory() != got.copies.memory():
        if not _same_but_nan(want.copies, got.copies):
            yield "memory of the arguments, or around them, differs although the arguments are equal: a stray write"
    for block in got.copies.blocks if got.copies.guarded else []:
        if (block[:GUARD] != 0xA5).any() or (block[-GUARD:] != 0xA5).any():
            yield "a write outside of the arguments (guard bytes changed)"
    if want.printed != got.printed:
        yield f"printed {got.printed!r} instead of {want.printed!r}"
    if warns and want.warned != got.warned:
        yield f"warned {got.warned} instead of {want.warned}"


def _same_but_nan(want: Copies, got: Copies) -> bool:
    """NaNs may have other bits: do all differing bytes lie in argument arrays (which are compared as values)?"""
    for block_w, block_g in zip(want.blocks, got.blocks):
        inside = np.zeros(block_w.shape, bool)
        base = block_g.__array_interface__["data"][0]
        for a in leaves(got.values):
            if isinstance(a, np.ndarray) and a.size and a.dtype.kind in "fc":
                lo = a.__array_interface__["data"][0] - base
                if not 0 <= lo < len(inside):
                    continue
                steps = [np.arange(n) * s for n, s in zip(a.shape, a.strides)]
                places = lo + sum(np.ix_(*steps)) if steps else np.array(lo)
                inside[(np.asarray(places)[..., None] + np.arange(a.itemsize)).ravel()] = True
        if ((block_w != block_g) & ~inside).any():
            return False
    return True


def _compare_errors(want: BaseException | None, got: BaseException | None, message: str) -> Iterator[str]:
    if want is None and got is None:
        return
    if type(want) is not type(got):
        yield f"exception {got!r} instead of {want!r}" if want else f"exception {got!r} although Python raises none"
        return
    w, g = str(want).strip(), str(got).strip()
    if message == "exact":
        if w != g:
            yield f"message {g!r} instead of {w!r} ({type(want).__name__})"
    elif message != "type":
        assert re.search(message, w), f"the test expects {message!r}, Python says {w!r}"
        if not re.search(message, g):
            yield f"message {g!r} does not match {message!r} (Python: {w!r})"


def _compare_sharing(want: Observation, got: Observation) -> Iterator[str]:
    """Which results are arguments, share memory with them, or with each other."""
    pairs = []
    for o in (want, got):
        inputs = [x for x in leaves(o.copies.values) if isinstance(x, np.ndarray)]
        outputs = [x for x in leaves(o.result) if isinstance(x, np.ndarray)]
        pairs.append((inputs, outputs))
    (wi, wo), (gi, go) = pairs
    if len(wo) != len(go):
        return
    for k, (w, g) in enumerate(zip(wo, go)):
        others = [(f"argument array {n}", a, b) for n, (a, b) in enumerate(zip(wi, gi))]
        others += [(f"result array {n}", wo[n], go[n]) for n in range(k)]
        for name, a, b in others:
            if (w is a) != (g is b):
                yield f"result array {k} {'is not' if w is a else 'is'} {name}, unlike Python"
            elif np.may_share_memory(w, a) != np.may_share_memory(g, b) and np.shares_memory(w, a) != np.shares_memory(
                g, b
            ):
                does = "does not share" if np.shares_memory(w, a) else "shares"
                yield f"result array {k} {does} memory with {name}, unlike Python"


def _kind(found: list[str]) -> str:
    if all(x.startswith("message ") for x in found):
        return "message"
    return "exception" if any(x.startswith("exception ") for x in found) else "value"


def is_refusal(error: BaseException | None) -> bool:
    """An UnsupportedError that points at the user's line."""
    return type(error).__name__ == "UnsupportedError" and "^" in str(error) and ".py:" in str(error)


def _internal_errors(f: Callable[..., Any], args: Any, kwargs: Any, error: BaseException | None) -> None:
    names = [c.__name__ for c in type(error).__mro__]
    if "SoljitError" in names:
        kind = "unsupported" if "UnsupportedError" in names else "internal"
        raise Mismatch(kind, _report(f, args, kwargs, [f"{type(error).__name__}: {error}"], "")) from error


def _report(
    f: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any], found: list[str], when: str
) -> str:
    lines = [f"compiled code differs from Python {when}".rstrip() + ":"]
    lines += [f"  {d}" for d in found[:6]]
    with contextlib.suppress(OSError, TypeError):
        lines += ["", *("    " + s for s in inspect.getsource(f).rstrip().split("\n"))]
    names = [f"argument {k}" for k in range(len(args))] + list(kwargs)
    lines += ["", *(f"  {n} = {describe(v)}" for n, v in zip(names, [*args, *kwargs.values()]))]
    return "\n".join(lines)


def describe(x: Any) -> str:
    """A short picture of an argument."""
    if not isinstance(x, np.ndarray):
        return repr(x)
    layout = "" if x.flags.c_contiguous else f", strides {x.strides}"
    layout += "" if x.flags.writeable else ", read-only"
    text = np.array2string(x, threshold=30, separator=", ").replace("\n", " ")
    return f"{x.dtype}{list(x.shape)}{layout}: {text}"


# --- functions from text ----------------------------------------------------------------------------------------------


def function(source: str, name: str | None = None, **globals_: Any) -> Callable[..., Any]:
    """The function that `source` defines (the last one, or `name`), as from a file; `np` and `math` are its globals."""
    import math

    module = types.ModuleType(f"text_{os.getpid()}_{next(_counter)}")
    path = os.path.join(_folder.name, f"{module.__name__}.py")
    with open(path, "w", encoding="utf-8") as out:
        out.write(source)
    linecache.checkcache(path)
    names = vars(module)
    names.update({"np": np, "math": math, "__file__": path} | globals_)
    if "class " in source:
        sys.modules[module.__name__] = module
    exec(compile(source, path, "exec"), names)  # noqa: S102
    made = [v for v in names.values() if isinstance(v, types.FunctionType) and v.__code__.co_filename == path]
    return names[name] if name else made[-1]  # type: ignore[no-any-return]


def check_all(expressions: str | Sequence[str], *, globals_: Mapping[str, Any] | None = None, **options: Any) -> None:
    """Compare many expressions over the keyword arguments, one a line (`#`: left out).

    Options of `check` (rtol, atol, ulps, message, settings) are taken out of the keywords. No expression may raise.
    """
    lines = expressions.split("\n") if isinstance(expressions, str) else list(expressions)
    lines = [s.strip() for s in lines if s.strip() and not s.strip().startswith("#")]
    for s in lines:
        compile(s, "<expression>", "eval")
    how = {k: options.pop(k) for k in ("rtol", "atol", "ulps", "message", "settings", "warns") if k in options}
    try:
        _check_tuple(lines, dict(globals_ or {}), options, how)
    except Mismatch as whole:
        if len(lines) == 1:
            raise
        failed = _failing(lines, lambda some: _check_tuple(some, dict(globals_ or {}), options, how))
        if not failed:
            raise Mismatch(whole.kind, f"each expression is right, but not all together\n{whole}") from whole
        text = "\n".join(f"  {s}\n      {_first(e)}" for s, e in failed)
        given = "\n".join(f"  {n} = {describe(v)}" for n, v in options.items())
        kind = next(
            (k for k in ("value", "exception", "internal", "message") if any(e.kind == k for _, e in failed)),
            "unsupported",
        )
        raise Mismatch(kind, f"{len(failed)} of {len(lines)} expressions differ:\n{text}\n\n{given}") from None


def _check_tuple(lines: list[str], names: dict[str, Any], arguments: dict[str, Any], how: dict[str, Any]) -> None:
    body = ",\n        ".join(lines)
    f = function(f"def f({', '.join(arguments)}):\n    return (\n        {body},\n    )\n", "f", **names)
    check(f, *arguments.values(), **how)


def _failing(lines: list[str], test: Callable[[list[str]], None]) -> list[tuple[str, Mismatch]]:
    """The lines that fail, each with how it fails alone, found by halving a list that fails."""
    if len(lines) == 1:
        try:
            test(lines)
        except Mismatch as e:
            return [(lines[0], e)]
        return []
    out = []
    for half in (lines[: len(lines) // 2], lines[len(lines) // 2 :]):
        if len(half) > 1:
            try:
                test(half)
            except Mismatch:
                out += _failing(half, test)
        else:
            out += _failing(half, test)
    return out


def _first(e: Mismatch) -> str:
    lines = [s.strip() for s in str(e).split("\n")[1:] if s.strip()]
    return f"{e.kind}: " + " | ".join(lines[:4])
