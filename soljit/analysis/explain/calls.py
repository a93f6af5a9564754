"""What is told of single nodes of a final program: calls of libraries and of Python, copies to and from a device, and what may help."""

from __future__ import annotations

import re
from collections.abc import Iterator

from soljit.analysis.device.kept_transfers import why_kept
from soljit.analysis.explain.wording import Words
from soljit.ir.callbacks.random_distributions import distributions
from soljit.ir.callbacks.random_draws import draw
from soljit.ir.core.data import Array, Ref
from soljit.ir.core.nodes import Callback, Copy, LibraryNode, Program
from soljit.ir.walk.spaces import is_device_call, on_device
from soljit.support.pending import unguarded

_BLAS = ("f32", "f64", "c64", "c128")

# Functions that are called → what that is in the user's words, and what to try where it happens at every step of a loop.
_CALLS: dict[str, tuple[str, str]] = {
    "operator.getitem": ("an item of a Python object is read", "numbers in arrays are read without Python"),
    "operator.setitem": ("an item of a Python object is written", "numbers in arrays are written without Python"),
    "operator.delitem": ("an item of a Python object is deleted", ""),
    "operator.contains": ("Python looks for an item", ""),
    "builtins.getattr": ("an attribute of a Python object is read", "read it into a variable before the loop"),
    "builtins.setattr": ("an attribute of a Python object is written", "write it after the loop"),
    "builtins.list.append": ("a Python list grows", "fill an array whose length is known before the loop"),
    "builtins.print": ("Python prints", ""),
}
_GENERATORS = re.compile(
    r"(numpy\.random(?:\._generator\.Generator|\.mtrand\.RandomState)?|random(?:\.Random)?)\.([a-z]\w+)$"
)
_OWN = "soljit."  # what the front end itself calls: no words of the user


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


def call(program: Program, n: Callback, looped: bool) -> tuple[str, str] | None:
    """A call of Python, and what would save it; None if the front end tells. looped: there is a loop around it"""
    target = unguarded(n.target)
    if target.startswith((_OWN, "param:")):
        return None
    generator = _GENERATORS.match(target)
    drawn = draw(program, n)
    if drawn is not None:
        what = "a random number" if drawn.lengths is None and drawn.dtype is not None else "random numbers"
        return f"draws {what} without Python, from the generator's own state", ""
    if generator is not None:
        what, cure = f"calls Python: {generator[2]}() of a random generator", ""
        if generator[2] in distributions(generator[1]):
            cure = "it draws without Python where the parameters are plain numbers"
    elif target.startswith("numpy."):
        return None  # the front end says so
    else:
        name = target.removeprefix("builtins.")
        other = f"an operator on Python objects ({name[9:]})" if name.startswith("operator.") else f"{name}() is called"
        text, cure = _CALLS.get(target, (other, ""))
        what = f"calls Python: {text}"
    return what + (", at every step" if looped else ""), cure if looped else ""
