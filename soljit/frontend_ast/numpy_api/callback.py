"""Calls that go back into NumPy from inside the compiled function.

What has no handler of its own is called back: the result's types are found by calling the function once, while compiling, on small
arrays of the operands' types. The compiled code checks that the real result has the types found and raises if not.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from soljit.frontend_ast.elementwise import copy_array, materialize
from soljit.frontend_ast.frames import new_ref
from soljit.frontend_ast.lowering import Lowering
from soljit.frontend_ast.operators import describe
from soljit.frontend_ast.python_numbers import constant
from soljit.frontend_ast.values import NONE, Arr, Dict, Lazy, Num, Opaque, SliceVal, Static, Tup, Value, full_view
from soljit.ir import nodes
from soljit.ir.expr import Const, Expr, Extent, Memlet, Sym
from soljit.ir.types import b1, c128, f64, from_numpy, i64

_WRITES = {"copyto", "put", "place", "putmask", "fill_diagonal", "shuffle", "put_along_axis", "at", "sort", "partition"}


def is_numpy(obj: Any) -> bool:
    """Is this one of NumPy's functions (or of math), so that calling it back means what NumPy means?"""
    module = getattr(obj, "__module__", None) or getattr(getattr(obj, "__self__", None), "__module__", None) or ""
    if isinstance(obj, np.ufunc) or isinstance(getattr(obj, "__self__", None), np.ufunc):
        return True
    return callable(obj) and not isinstance(obj, type) and (module == "numpy" or module.startswith("numpy."))


def dotted_name(obj: Any) -> str | None:
    """A name by which the function is found again."""
    name = getattr(obj, "__name__", None)
    owner = getattr(obj, "__self__", None)
    if isinstance(owner, np.ufunc):
        return f"numpy.{owner.__name__}.{name}"
    if isinstance(obj, np.ufunc):
        return f"numpy.{name}"
    module = getattr(obj, "__module__", "numpy") or "numpy"
    for m in (module, "numpy", "numpy.linalg", "numpy.fft", "numpy.random"):
        try:
            found: Any = __import__(m, fromlist=["_"])
        except ImportError:
            continue
        if getattr(found, str(name), None) is obj:
            return f"{m}.{name}"
    if isinstance(owner, np.random.RandomState):
        return f"numpy.random.{name}"
    return None


class _Template:
    """Collects operands and builds the JSON template and the sample arguments."""

    def __init__(self, cx: Lowering) -> None:
        self.cx = cx
        self.ins: list[Memlet | Expr] = []
        self.arrays: list[Arr] = []

    def of(self, v: Value) -> tuple[Any, Callable[[int], Any]]:
        """(template, sample of size n)."""
        cx = self.cx
        match v:
            case Num():
                if isinstance(v.expr, Const) and v.weak:
                    value = v.expr.value
                    return (
                        {"complex": [value.real, value.imag]} if isinstance(value, complex) else value
                    ), lambda n: value
                self.ins.append(cx.let(v.expr))
                here = {"$": len(self.ins) - 1} | ({"weak": True} if v.weak else {})
                kind = {b1: bool, i64: int, f64: float, c128: complex}[v.dtype] if v.weak else v.dtype.numpy.type
                return here, lambda n: kind(n)
            case Arr() | Lazy():
                a = materialize(cx, v)
                window = a.window()
                if window is None:
                    a = copy_array(cx, a)
                    window = a.window()
                    assert window is not None
                self.ins.append(window)
                self.arrays.append(a)
                return {"$": len(self.ins) - 1}, lambda n: _sample(a, n)
            case Tup():
                parts = [self.of(x) for x in v.items]
                if v.cls is not None:
                    raise cx.unsupported(f"passing {describe(v)} to NumPy")
                template = [p[0] for p in parts]
                if v.mutable:
                    return template, lambda n: [p[1](n) for p in parts]
                return {"tuple": template}, lambda n: tuple(p[1](n) for p in parts)
            case Static():
                return self._static(v.obj)
            case SliceVal():
                parts = [self.of(x) if x is not None else (None, lambda n: None) for x in (v.start, v.stop, v.step)]
                return {"slice": [p[0] for p in parts]}, lambda n: slice(*[p[1](n) for p in parts])
        raise cx.unsupported(f"passing {describe(v)} to NumPy")

    def _static(self, obj: Any) -> tuple[Any, Callable[[int], Any]]:
        if obj is None or isinstance(obj, (str, bool, int, float)):
            return obj, lambda n: obj
        if obj is Ellipsis:
            return {"ellipsis": True}, lambda n: ...
        try:
            dtype = from_numpy(obj)
        except TypeError:
            dtype = None
        if dtype is not None:
            return {"dtype": dtype.name}, lambda n: obj
        raise self.cx.unsupported(f"passing {obj!r} to NumPy")


def _sample(a: Arr, n: int) -> Any:
    """A small array of the same type: well conditioned, positive, distinct values; equal symbolic sizes stay equal."""
    shape = tuple(int(s.value.real) if isinstance(s, Const) else n for s in a.shape)
    count = int(np.prod(shape))
    if a.dtype is b1:
        return np.arange(count).reshape(shape) % 2 == 0
    x: Any = np.arange(1, count + 1).reshape(shape)
    if a.dtype.kind in "fc":
        x = x / (count + 1.0)
        if len(shape) >= 2 and shape[-1] == shape[-2]:
            m = x.reshape(-1, shape[-2], shape[-1])
            x = (m + m.swapaxes(1, 2) + 10 * np.eye(shape[-1])).reshape(shape)
    out = x.astype(a.dtype.numpy)
    return np.asfortranarray(out) if len(shape) > 1 and a.rank == tuple(range(len(shape)))[::-1] else out


def call(cx: Lowering, function: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """Emit a call back to `function`; its result types are those of a call on samples."""
    target = dotted_name(function)
    if target is None:
        raise cx.unsupported(f"calling {getattr(function, '__name__', function)!r}")
    return _emit(cx, function, target, args, kwargs, getattr(function, "__name__", "") in _WRITES)


def _emit(cx: Lowering, function: Any, target: str, args: list[Value], kwargs: dict[str, Value], writes: bool) -> Value:
    name = target.removeprefix("numpy.")
    t = _Template(cx)
    parts = [t.of(a) for a in args]
    named = {k: t.of(v) for k, v in kwargs.items()}
    if "out" in kwargs or writes:
        if any(not a.writable for a in t.arrays[:1]):
            raise cx.unsupported(f"np.{name} on a read-only array")
    sample, given, error = None, [], ""
    state = np.random.get_state() if target.startswith("numpy.random") else None
    found = False
    for n in (3, 2, 4, 1):
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                given = [p[1](n) for p in (*parts, *named.values())]
                sample = function(*given[: len(parts)], **dict(zip(named, given[len(parts) :])))
            found = True
            break
        except Exception as e:
            error = f"{type(e).__name__}: {e}"
    if state is not None:
        np.random.set_state(state)
    if not found:
        raise cx.unsupported(f"np.{name} with arguments of types {', '.join(describe(a) for a in args)} ({error})")
    if "out" not in kwargs and any(np.shares_memory(x, y) for x in _arrays(sample) for y in _arrays(given)):
        raise cx.unsupported(f"np.{name} in this form, which may give a view of its argument")
    cx.note(f"np.{name} is called back")
    outs: list[str] = []
    effects = {w.data for w in t.ins if isinstance(w, Memlet)} if writes or "out" in kwargs else set()
    value = _declare(cx, sample, outs, name)
    cx.emit(
        nodes.Callback(
            target,
            tuple(outs),
            tuple(t.ins),
            tuple(p[0] for p in parts),
            {k: p[0] for k, p in named.items()},
            tuple(sorted(effects)),
        )
    )
    if "out" in kwargs and isinstance(kwargs["out"], Arr):
        return kwargs["out"]
    return _read(cx, value)


def _arrays(x: Any) -> list[Any]:
    """All arrays in a nested tuple or list."""
    if isinstance(x, np.ndarray):
        return [x]
    return [a for y in x for a in _arrays(y)] if isinstance(x, (tuple, list)) else []


def call_opaque(cx: Lowering, owner: Opaque, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """A method of an object argument (a random generator, say)."""
    if not issubclass(owner.type, (np.random.Generator, np.random.RandomState)):
        raise cx.unsupported(
            f"calling method '{name}' of a {owner.type.__name__}", "pass its numbers and arrays instead"
        )
    fresh: Any = np.random.default_rng(0) if issubclass(owner.type, np.random.Generator) else np.random.RandomState(0)
    return _emit(cx, getattr(fresh, name), f"param:{owner.param}.{name}", args, kwargs, name in _WRITES)


def call_builtin(cx: Lowering, function: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """Call a builtin such as `print` for its effect."""
    t = _Template(cx)
    parts = [t.of(a)[0] for a in args]
    named = {k: t.of(v)[0] for k, v in kwargs.items()}
    cx.emit(nodes.Callback(f"builtins.{function.__name__}", (), tuple(t.ins), tuple(parts), named))
    return NONE


class _Slot:
    """Where one leaf of the result arrives."""

    def __init__(self, name: str, sample: Any, order: str = "C") -> None:
        self.name, self.sample, self.order = name, sample, order


def _declare(cx: Lowering, sample: Any, outs: list[str], hint: str) -> Any:
    """Containers for the leaves of a result like `sample`: a tree of slots and constants."""
    short = hint.rpartition(".")[2]
    if isinstance(sample, np.ndarray):
        dtype = from_numpy(sample.dtype)
        if dtype is None:
            raise cx.unsupported(f"np.{hint}, whose result has dtype {sample.dtype}")
        order = "C" if sample.flags.c_contiguous else "F" if sample.flags.f_contiguous else "A"
        name = new_ref(cx, dtype, sample.ndim, order, frozenset(), short)
        outs.append(name)
        return _Slot(name, sample, order)
    if isinstance(sample, tuple):
        items = [_declare(cx, x, outs, hint) for x in sample]
        return ("tuple", type(sample), items)
    if isinstance(sample, list):
        return ("list", list, [_declare(cx, x, outs, hint) for x in sample])
    if isinstance(sample, (bool, int, float, complex, np.generic)):
        dtype = from_numpy(np.asarray(sample).dtype)
        if dtype is None:
            raise cx.unsupported(f"np.{hint}, whose result has dtype {np.asarray(sample).dtype}")
        name = cx.scalar(dtype, short)
        outs.append(name)
        return _Slot(name, sample)
    if sample is None:
        return None
    raise cx.unsupported(f"np.{hint}, whose result is a {type(sample).__name__}")


def _read(cx: Lowering, tree: Any) -> Value:
    if tree is None:
        return NONE
    if isinstance(tree, _Slot):
        if not isinstance(tree.sample, np.ndarray):
            weak = not isinstance(tree.sample, np.generic)
            return Num(cx.let(cx.read(tree.name), tree.name), weak)
        n = tree.sample.ndim
        shape = tuple(cx.measure(Extent(tree.name, k)) for k in range(n))
        for s in shape:
            if isinstance(s, Sym):
                cx.facts = cx.facts.with_size(s)
        rank = tuple(range(n)) if tree.order != "F" else tuple(range(n))[::-1]
        dtype = from_numpy(tree.sample.dtype)
        assert dtype is not None
        return full_view(tree.name, dtype, shape, rank)
    kind, cls, items = tree
    return Tup([_read(cx, x) for x in items], None if cls in (tuple, list) else cls, kind == "list")


__all__ = ["Dict", "call", "call_opaque", "constant", "dotted_name", "is_numpy"]
