"""What is told of single nodes of a final program: calls of libraries and of Python, copies to and from a device, and what may help."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from soljit.analysis.device.kept_transfers import why_kept
from soljit.analysis.explain.wording import Words
from soljit.base.records import dataclass
from soljit.ir.callbacks.random_distributions import distributions
from soljit.ir.callbacks.random_draws import draw
from soljit.ir.core.data import Array, Ref
from soljit.ir.core.expr import Memlet, Sym
from soljit.ir.core.nodes import Callback, Copy, LibraryNode, Program
from soljit.ir.walk.spaces import is_device_call, on_device
from soljit.support.pending import unguarded

_BLAS = ("f32", "f64", "c64", "c128")

_ARRAYS_READ, _ARRAYS_WRITTEN = (f"numbers in arrays are {x} without Python" for x in ("read", "written"))
_READ = ("an item of {of} is read", "[…]", _ARRAYS_READ)
_WRITTEN = ("an item of {of} is written", "[…] =", _ARRAYS_WRITTEN)
_DELETED = ("an item of {of} is deleted", "del […]", "")
_CONTAINS = ("Python looks for an item", "in", "")
_SET = ("the attribute {0} of {of} is written", ".{0} =", "write it after the loop")
_STEPS = ("Python steps through {of}", "next()", "")

# Functions that are called → what that is in the user's words; in short; what to try where it happens at every step of a loop.
# {0}: the text that is given, {of}: the object
_CALLS: dict[str, tuple[str, str, str]] = {
    "operator.getitem": _READ,
    "operator.setitem": _WRITTEN,
    "operator.delitem": _DELETED,
    "operator.contains": _CONTAINS,
    "builtins.getattr": ("the attribute {0} of {of} is read", ".{0}", "read it into a variable before the loop"),
    "builtins.setattr": _SET,
    "builtins.list.append": (
        "a Python list grows",
        ".append()",
        "fill an array whose length is known before the loop",
    ),
    "builtins.print": ("Python prints", "print()", ""),
}
_OWN = "soljit."  # what the front end itself calls: told if it stands for something that the user wrote
_OBJECTS = f"{_OWN}support.objects."
_OF_OBJECTS: dict[str, tuple[str, str, str]] = {
    "call_method": ("the method {0}() of {of} is called", ".{0}()", ""),
    "set_attribute": _SET,
    "set_item": _WRITTEN,
    "delete_item": _DELETED,
    "contains": _CONTAINS,
    "in_place": ("an operator on Python objects ({0})", "{0}", ""),
    "make_dict": ("a dict is made", "{{}}", ""),
    "new": ("an instance is made", "an instance is made", ""),
    "made": ("an instance is made", "an instance is made", ""),
    "steps": _STEPS,
    "take": _STEPS,
    "unpack": ("{of} is unpacked", "unpacking", ""),
    "ordered": ("sorted() is called", "sorted()", ""),
    "largest": ("max() is called", "max()", ""),
    "smallest": ("min() is called", "min()", ""),
    "enter": ("the context manager of a with statement is entered", "with", ""),
    "leave": ("the context manager of a with statement is left", "with", ""),
    "read_global": ("the global {0} is read", "{0}", ""),
}
_GENERATORS = re.compile(
    r"(numpy\.random(?:\._generator\.Generator|\.mtrand\.RandomState)?|random(?:\.Random)?)\.([a-z]\w+)$"
)


def transfer(program: Program, n: Copy, words: Words) -> str:
    """What is copied to or from the device, and why."""
    there = on_device(program.data, n.dst.data)
    name = n.src.data if there else n.dst.data
    d = program.data[name]
    is_array = isinstance(d, Ref) or (isinstance(d, Array) and d.shape)
    what = words.name(name) if is_array or words.is_own(name) else "a number"
    why = why_kept(program, n)
    assert why is not None
    reason = why.worded(lambda x: "it" if x == name else words(x))
    return f"{what} is copied {'to the device' if there else 'back from the device'}: {reason}"


def library(program: Program, n: LibraryNode) -> Iterator[str]:
    """Which library computes it."""
    d = program.data.get(n.outs[0].data) if n.outs else None
    if is_device_call(n, program.data):
        yield "cuBLAS multiplies on the device"
        return
    match n.op:
        case "matmul" if "loops" in n.attrs:
            yield "a few products are written out, without a call"
        case "matmul" | "ger" if d is not None and d.dtype.name in _BLAS:
            yield "NumPy's own BLAS multiplies"
        case "loop":
            function = str(n.attrs["function"]).rpartition(".")[2]
            yield f"NumPy's own routine {function} is called, without Python"
        case "sort" | "argsort" | "argmin" | "argmax":
            yield f"NumPy's own {n.op} is called, without Python"


@dataclass(frozen=True, slots=True)
class Called:
    """A call of Python. text: the sentence; short: which function; cure: what would save it"""

    text: str
    short: str
    cure: str = ""


def call(
    program: Program, n: Callback, looped: bool, made: Mapping[str, Callback], words: Words
) -> Called | str | None:
    """A call of Python; a text, if it is none in the end; None if the front end tells. looped: there is a loop around it; made: what gives each result"""
    target = unguarded(n.target)
    drawn = draw(program, n)
    if drawn is not None and _GENERATORS.match(target):
        what = "a random number" if drawn.lengths is None and drawn.dtype is not None else "random numbers"
        return f"draws {what} without Python, from the generator's own state"
    found = _worded(target, n, made, words)
    if found is None:
        return None
    text, short, cure = found
    return Called(f"calls Python: {text}{', at every step' if looped else ''}", short, cure if looped else "")


def _worded(target: str, n: Callback, made: Mapping[str, Callback], words: Words) -> tuple[str, str, str] | None:
    """A call as a row of the tables."""
    generator = _GENERATORS.match(target)
    if generator is not None:
        tried = generator[2] in distributions(generator[1])
        cure = "it draws without Python where the parameters are plain numbers" if tried else ""
        return f"{generator[2]}() of a random generator", f".{generator[2]}()", cure
    if target.startswith("param:"):
        name = words.name(target[6:])
        return f"{name}() is called", f"{name}()", ""
    own = target.removeprefix(_OBJECTS) if target.startswith(_OBJECTS) else ""
    if own in ("call_it", "call_with"):
        what, short = _function(n, made, words)
        return f"{what} is called", short, ""
    known = _CALLS.get(target) or _OF_OBJECTS.get(own)
    if known is not None:
        text, short, cure = known
        fixed = next((x for x in n.args if isinstance(x, str)), "…")
        return text.format(fixed, of=_object(n, words)), short.format(fixed), cure
    if target.startswith((_OWN, "numpy.")):
        return None  # the front end says so, or there are no words for it
    name = target.removeprefix("builtins.")
    if name.startswith("operator."):
        return f"an operator on Python objects ({name[9:]})", name[9:], ""
    return f"{name}() is called", f"{name}()", ""


def _object(n: Callback, words: Words) -> str:
    """The object that is given first, by its name in the source, if it has one."""
    first = n.ins[0] if n.ins else None
    name = first.data if isinstance(first, Memlet) else first.name if isinstance(first, Sym) else ""
    return words.name(name) if name and words.is_own(name) else "a Python object"


def _function(n: Callback, made: Mapping[str, Callback], words: Words) -> tuple[str, str]:
    """The function that is called, if an attribute, a global or an argument tells its name; and in short."""
    first = n.ins[0].data if n.ins and isinstance(n.ins[0], Memlet) else ""
    if words.is_own(first):
        return f"{words.name(first)}()", f"{words.name(first)}()"
    source = made.get(first)
    name = next((x for x in source.args if isinstance(x, str)), "") if source is not None else ""
    match unguarded(source.target) if source is not None and name else "":
        case "builtins.getattr":
            assert source is not None
            return f"the method {name}() of {_object(source, words)}", f".{name}()"
        case target if target.removeprefix(_OBJECTS) == "read_global":
            return f"{name}()", f"{name}()"
    return "a function that an object holds", "a function"
