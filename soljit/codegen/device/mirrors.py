"""Mirrors: the memory of the device that stands for arrays of the host, and what is known of it while the program runs."""

from __future__ import annotations

from functools import lru_cache

from soljit.analysis.memory.accesses import aliases
from soljit.codegen.spelling.types import cpp_type
from soljit.codegen.writing.context import Context
from soljit.ir.core.data import Array, Ref
from soljit.ir.core.expr import Memlet
from soljit.ir.core.nodes import Alloc, Bind, Node, Program, Return
from soljit.ir.walk import data_written, memlets_written, walk
from soljit.ir.walk.spaces import base_of, is_transfer, mirrors


def mirror_of(cx: Context, name: str) -> str:
    """The C++ variable that knows the mirror `name`."""
    return f"{cx.names.data(name)}_mirror"


def mirror_definition(cx: Context, name: str, home: str, words: str, d: Array, writable: bool, written: bool) -> str:
    """The C++ variable of mirror `name` of `home`, whose lengths and strides are in `words`, defined.

    writable: the array of the host may be written; written: kernels write the mirror
    """
    item = f"sizeof({cpp_type(d.dtype)})"
    host, may, are = cx.names.data(home), str(writable).lower(), str(written).lower()
    return f'sol_mirror {mirror_of(cx, name)}(gpu, {host}, {len(d.shape)}, {words}, {item}, {may}, {are}, "{home}");'


def argument_mirrors(program: Program) -> list[tuple[str, str]]:
    """Mirrors of arguments, and the arguments."""
    arguments = {p.name for p in program.params if p.kind == "array"}
    return [
        (k, d.mirror) for k, d in program.data.items() if isinstance(d, Array) and d.mirror in arguments and d.mirror
    ]


def written_on_device(program: Program) -> frozenset[str]:
    """The device containers into which something else than copies from the host may be written, also by array variables that stand for them."""
    written = (
        base_of(program.data, m.data)
        for n in walk(program.body)
        if not is_transfer(n, program.data) and not isinstance(n, (Alloc, Bind))
        for m in memlets_written(n)
    )
    return frozenset(home for name in written for home in (name, *aliases(program).homes(name)))


@lru_cache(maxsize=1)  # asked for each kernel and mirror of one program after the other
def _returned(program: Program) -> frozenset[str]:
    """The containers of which a result is all or a part."""
    returns = (n for n in walk(program.body) if isinstance(n, Return))
    return frozenset(base_of(program.data, v.data) for n in returns for v in n.values if isinstance(v, Memlet))


def is_result(cx: Context, name: str, home: str) -> bool:
    """Tell whether this is the mirror of an array that the program makes and returns, in memory that no array variable shares."""
    return name not in cx.escaping and home in _returned(cx.program)


def note_written(cx: Context, n: Node) -> None:
    """Remember which arguments are newer on the device when this node has run."""
    written = {base_of(cx.program.data, name) for name in data_written(n)}
    arguments = {name for name, _ in argument_mirrors(cx.program)}
    for name, home in mirrors(cx.program).items():
        if name not in arguments and not (isinstance(cx.data(name), Array) and is_result(cx, name, home)):
            continue
        if name in written:
            cx.out.line(f"{mirror_of(cx, name)}.newer = true;")
            continue
        for other in sorted(written):
            if isinstance(cx.data(other), Ref) and name in aliases(cx.program).homes(other):
                cx.out.line(f"{mirror_of(cx, name)}.wrote({cx.names.data(other)});")
