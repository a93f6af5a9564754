"""Characters of texts and bytes, read without Python: texts that are arguments, and those that a loop runs over, by their codes.

A character that was read so is an object like any text, whose code is known besides. What only asks for the code needs no object: then nobody
uses it, and it is not made (`passes/simplify/eliminate_dead_code.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from itertools import groupby
from types import NoneType

from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.contents import TEXT
from soljit.frontend_ast.objects.objects import call_by_name
from soljit.frontend_ast.values.learned import Restart
from soljit.frontend_ast.values.object_types import Element
from soljit.frontend_ast.values.values import Arr, Num, Object, Static, Tup, Value
from soljit.frontend_ast.values.variables import ObjectVar
from soljit.ir import symbolic
from soljit.ir.core.expr import FALSE, Const, Expr, Op, const
from soljit.ir.core.types import DType, b1, from_numpy, i64, u8, u32
from soljit.support.texts import CHARACTER, CODES, KNOWN, WIDE, codes
from soljit.support.unforeseen import Site

Key = str | tuple[str, str | bytes]  # a parameter, or a constant behind ""
TEXTS = (str, bytes)
PLAIN = (str, bytes, bool, int, float, complex, NoneType)  # whose values say nothing of their own about what is equal
BYTE, ANY_CODE = 256, 0x110000  # the first number that is no code
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
QUESTIONS = frozenset(
    f"is{what}"
    for what in ("alnum", "alpha", "ascii", "decimal", "digit", "lower", "numeric", "printable", "space", "upper")
)


def is_text(v: Value) -> bool:
    """Tell whether this is a text, or bytes, of run time."""
    return isinstance(v, Object) and v.type.cls in TEXTS


# --- arrays of codes ------------------------------------------------------------------------------------------------------


def note_argument(cx: Lowering, v: Object, value: str | bytes) -> None:
    """A parameter is a text or bytes. The type of its codes is seen at the call; if others come later, it is one for all."""
    cx.texts[v.data] = v, u32 if cx.foreseen.get(Site.at(cx.loc, CODES)) else _dtype(value)


def _dtype(value: str | bytes) -> DType:
    """The type of the codes of a text or of bytes."""
    found = from_numpy(codes(value).dtype)
    assert found is not None
    return found


def look(cx: Lowering) -> None:
    """At the head of the function, the arrays of codes of the parameters and constants that loops read."""
    for key in sorted(cx.learned.coded, key=repr):
        if isinstance(key, tuple):
            cx.codes[key] = _codes(cx, Static(key[1]), _dtype(key[1]))
        elif key in cx.texts:
            cx.codes[key] = _codes(cx, *cx.texts[key])


def _codes(cx: Lowering, v: Object | Static, dtype: DType) -> Arr:
    found = Element("array", dtype, ndim=1, rank=(0,), writable=False)
    target = KNOWN if isinstance(v, Static) else WIDE if dtype is u32 else CODES
    made = call_by_name(cx, target, [v], found, fresh=True)
    assert isinstance(made, Arr)
    return made


def codes_of(cx: Lowering, v: Value) -> Arr | None:
    """The codes of a parameter or constant of which a loop reads characters; None: Python reads them."""
    if isinstance(v, Static) and type(v.obj) in TEXTS and cx.repeating:
        return _wanted(cx, ("", v.obj))
    if not isinstance(v, Object) or v.data not in cx.texts:
        return None
    return _wanted(cx, v.data) if cx.repeating else cx.codes.get(v.data)


def _wanted(cx: Lowering, key: Key) -> Arr | None:
    """The codes that are there from the head of the function on: from the next round on, if not in this one."""
    if key not in cx.learned.coded:
        cx.learned.coded.add(key)
        raise Restart
    return cx.codes.get(key)


def codes_to_step_through(cx: Lowering, v: Object) -> Arr:
    """The codes of a text or of bytes over which a loop runs: those of the object as it is now, whatever its name stands for later."""
    there = _wanted(cx, v.data) if v.data in cx.texts else None
    return there or _codes(cx, v, u32 if v.type.cls is str else u8)


def item(cx: Lowering, v: Object | Static, codes: Arr, k: Expr) -> Value:
    """The item at a place that is within the length."""
    name = cx.named(cx.cast(codes.element((k,)), i64), 0, (BYTE if codes.dtype is u8 else ANY_CODE) - 1, "code")
    cls = v.type.cls if isinstance(v, Object) else type(v.obj)
    return Num(name, True) if cls is bytes else character(cx, name)


def character(cx: Lowering, code: Expr, target: str = CHARACTER) -> Object:
    """The character of a code, by a function that makes it."""
    made = call_by_name(cx, target, [Num(code, True)], TEXT)
    assert isinstance(made, Object)
    return replace(made, code=code, latin=cx.prove(symbolic.lt(code, const(BYTE))) is True)


def held(cx: Lowering, var: ObjectVar) -> Object:
    """What a variable for characters holds."""
    if var.data:
        assert TEXT.object is not None
        return Object(var.data, TEXT.object, code=cx.read(var.code))
    return character(cx, cx.named(cx.read(var.code), -1, BYTE - 1, "code"))


# --- what is asked of characters --------------------------------------------------------------------------------------------


def code_of(cx: Lowering, v: Value) -> Expr | None:
    """The code of a text that is known to be one character, or -1 if it is empty; None: it is not known."""
    if isinstance(v, Object) and v.code is not None:
        return cx.named(cx.present(v.code), -1, ANY_CODE - 1, "code")
    if isinstance(v, Static) and type(v.obj) is str and len(v.obj) < 2:
        return const(ord(v.obj) if v.obj else -1)
    return None


def known_code(cx: Lowering, v: Value) -> Expr:
    """The same of a text that is stored in a variable for such."""
    found = code_of(cx, v)
    assert found is not None
    return found


def _code_of_object(cx: Lowering, v: Value) -> Expr | None:
    return code_of(cx, v) if isinstance(v, Object) else None


def compared(cx: Lowering, name: str, left: Value, right: Value) -> Value | None:
    """A comparison of a character with another one, or with a text that is known; None: Python compares."""
    if name not in COMPARISONS or not any(isinstance(v, Object) and v.code is not None for v in (left, right)):
        return None
    if isinstance(left, Static):
        return compared(cx, MIRRORED.get(name, name), right, left)
    a, b = code_of(cx, left), code_of(cx, right)
    if a is not None and b is None and isinstance(right, Static) and type(right.obj) is str:
        if name in ("eq", "ne"):  # the lengths differ
            return Num(Const(name == "ne", b1), True)
        return Num(Op("le" if name in ("lt", "le") else "gt", (a, const(ord(right.obj[0]))), b1), True)
    return None if a is None or b is None else Num(Op(name, (a, b), b1), True)


def among(cx: Lowering, v: Value, container: Value) -> Value | None:
    """Whether a character is in a text, or one of values, that are known; None: Python finds out."""
    code = _code_of_object(cx, v)
    known = None if code is None else _known_items(container)
    if code is None or known is None:
        return None
    found = _in_ranges(code, {ord(x) for x in known if isinstance(x, str) and len(x) == 1})
    return Num(symbolic.disj(found, symbolic.lt(code, const(0))) if "" in known else found, True)


def _known_items(container: Value) -> Collection[object] | None:
    """What is in a container that is known while compiling; None: it is not known, or may say itself what is equal. Numbers are no texts, whatever they are."""
    if isinstance(container, Static) and type(container.obj) in (str, frozenset):
        items: Collection[object] = container.obj
    elif isinstance(container, Tup) and all(isinstance(x, (Static, Num)) for x in container.items):
        items = [x.obj for x in container.items if isinstance(x, Static)]
    else:
        return None
    return items if all(type(x) in PLAIN for x in items) else None


def _in_ranges(code: Expr, codes: Iterable[int]) -> Expr:
    """Tell whether a code is one of these."""
    found: Expr = FALSE
    for _, run in groupby(enumerate(sorted(codes)), lambda x: x[1] - x[0]):
        members = [c for _, c in run]
        inside = symbolic.conj(symbolic.ge(code, const(members[0])), symbolic.le(code, const(members[-1])))
        found = symbolic.disj(found, inside)
    return found


def asked(cx: Lowering, v: Value, name: str, otherwise: Callable[[], Value]) -> Value | None:
    """`v.isdigit()` and its like: of codes of a byte as Python answers now; of others it is asked when the function runs."""
    code = _code_of_object(cx, v) if name in QUESTIONS else None
    if code is None:
        return None
    small = symbolic.conj(symbolic.ge(code, const(0)), symbolic.lt(code, const(BYTE)))
    return _chosen(cx, small, _in_ranges(code, (c for c in range(BYTE) if getattr(chr(c), name)())), otherwise)


def as_digit(cx: Lowering, v: Value, otherwise: Callable[[], Value]) -> Value | None:
    """`int(v)` of a character: of digits of ASCII; of others Python is asked."""
    code = _code_of_object(cx, v)
    if code is None:
        return None
    digits = _in_ranges(code, range(ord("0"), ord("9") + 1))
    return _chosen(cx, digits, symbolic.sub(code, const(ord("0"))), otherwise)


def as_code(cx: Lowering, v: Value, otherwise: Callable[[], Value]) -> Value | None:
    """`ord(v)` of a character."""
    code = _code_of_object(cx, v)
    return None if code is None else _chosen(cx, symbolic.ge(code, const(0)), code, otherwise)


def _chosen(cx: Lowering, easy: Expr, answer: Expr, otherwise: Callable[[], Value]) -> Value:
    """The answer where that is easy, else what Python says."""
    if cx.prove(easy):
        return Num(answer, True)
    given = cx.scalar(answer.dtype, "answer")
    with cx.block(easy) as here:
        cx.write(given, answer)
    with cx.block(symbolic.negate(easy)) as there:
        asked = otherwise()
        assert isinstance(asked, Num)
        cx.write(given, asked.expr)
    cx.branch(easy, here, there)
    return Num(cx.let(cx.read(given), "answer"), True)


def length_of(cx: Lowering, v: Value) -> Expr | None:
    """`len(v)` of a text whose codes are known; None: Python tells it."""
    if not isinstance(v, Object):
        return None
    code = _code_of_object(cx, v)
    if code is not None:
        return symbolic.select(symbolic.ge(code, const(0)), const(1), const(0))
    return cx.codes[v.data].shape[0] if v.data in cx.codes else None


def of_code(cx: Lowering, v: Value) -> Value:
    """`chr(v)`."""
    if not (isinstance(v, Num) and v.weak and v.dtype in (i64, b1)):
        return call_by_name(cx, "builtins.chr", [v], TEXT)
    code = cx.let(cx.cast(v.expr, i64), "code")
    inside = symbolic.conj(symbolic.ge(code, const(0)), symbolic.lt(code, const(ANY_CODE)))
    return character(cx, code, CHARACTER if cx.prove(inside) else "builtins.chr")
