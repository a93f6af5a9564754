"""Each claim of `soljit.explain()` against the final program, and each deed of the final program against the claims."""

from __future__ import annotations

import ast
import dataclasses
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import soljit as sol
from bench.benchmark import Source, load
from soljit.ir.core.data import Array
from soljit.ir.core.nodes import Alloc, LibraryNode, Loop, Map, Node, Program, Tasklet, While
from soljit.ir.text.parser import from_text
from soljit.ir.walk import walk
from soljit.runtime.calls import inspection
from tests.explain.functions import CALLS

KERNELS = ("jacobi_2d", "hdiff", "softmax", "cholesky", "gemm", "conv2d_bias", "go_fast", "correlation")


def compiled(name: str) -> tuple[sol.Jitted[..., object], Program]:
    """A function, and its program as the text that was kept says, with the user's lines."""
    if name in CALLS:
        f, arguments = CALLS[name]
        given = list(arguments())
    else:
        b = load(name, "tiny", Source("kernels"))
        f, given = b.function, b.fresh()
    made = sol.jit(target="null", strict=True)(f)
    made(*given)
    (text,) = inspection.kept(made._entry, "ir")
    return made, from_text(text, made.python.__code__.co_firstlineno)


def maps_of(program: Program, role: str) -> Iterator[Map]:
    return (n for n in walk(program.body) if isinstance(n, Map) and role in n.schedule)


def lines_below(node: Node) -> set[int]:
    """The lines of statements of the function itself (the text keeps no others)."""
    return {n.loc.line for n in walk(node) if isinstance(n, Tasklet) and n.loc.line}


def own(made: sol.Jitted[..., object], lines: tuple[int, ...]) -> set[int]:
    first = made.python.__code__.co_firstlineno
    last = first + len(ast.unparse(ast.parse("0")).splitlines()) + 200
    return {n for n in lines if first <= n <= last}


@pytest.mark.parametrize("name", [*CALLS, *KERNELS])
@pytest.mark.parametrize("kind, role", [("threads", "threads"), ("vector", "lanes")])
def test_roles_of_maps_are_told_and_no_others(name: str, kind: str, role: str) -> None:
    made, program = compiled(name)
    told = [r for r in sol.explain(made) if r.kind == kind and r.done and not r.text.startswith("each thread")]
    maps = list(maps_of(program, role))
    for m in maps:
        assert any(lines_below(m) <= {*r.lines} for r in told), f"line {lines_below(m)} is {role}, and nothing says so"
    for r in told:
        assert any(lines_below(m) <= {*r.lines} for m in maps), f"no map says so: {r.text}"


@pytest.mark.parametrize("name", [*CALLS, *KERNELS])
def test_lines_that_share_a_loop_are_in_one_map(name: str) -> None:
    made, program = compiled(name)
    together = [lines_below(m) for m in walk(program.body) if isinstance(m, Map)]
    first = made.python.__code__.co_firstlineno
    for r in sol.explain(made):
        if r.kind == "fused" and r.lines[0] >= first:
            for other in (n for n in r.lines[1:] if n >= first):
                shared = any({r.lines[0], other} <= lines for lines in together)
                written = _has_line(program, r.lines[0]) and _has_line(program, other)
                assert shared == r.done or not written, r.text


def _has_line(program: Program, line: int) -> bool:
    return line in lines_below(program.body)


@pytest.mark.parametrize("name", [*CALLS, *KERNELS])
def test_stored_arrays_are_allocated_with_that_shape(name: str) -> None:
    made, program = compiled(name)
    arrays = [program.data[n.data] for n in walk(program.body) if isinstance(n, Alloc)]
    ranks = sorted((d.dtype.numpy.name, len(d.shape)) for d in arrays if isinstance(d, Array))
    for r in sol.explain(made):
        if r.kind in ("memory", "copy") and r.facts.get("stored"):
            shape = r.facts["shape"]
            assert isinstance(shape, list)
            assert (r.facts["dtype"], len(shape)) in ranks, r.text


@pytest.mark.parametrize("name", [*CALLS, *KERNELS])
def test_loops_in_order_are_loops_of_the_program(name: str) -> None:
    made, program = compiled(name)
    in_order = {n.loc.line for n in walk(program.body) if isinstance(n, Loop | While)}
    first = made.python.__code__.co_firstlineno
    for r in sol.explain(made):
        if r.facts.get("id") == "order" and r.lines[0] >= first:
            assert r.lines[0] in in_order, r.text
        if r.facts.get("id") == "independent" and r.lines[0] >= first:
            assert r.lines[0] not in in_order, r.text


@pytest.mark.parametrize("name", [*CALLS, *KERNELS])
def test_libraries_are_told_where_they_are_called(name: str) -> None:
    made, program = compiled(name)
    operations = {n.op for n in walk(program.body) if isinstance(n, LibraryNode)}
    told = {r.facts["operation"] for r in sol.explain(made) if r.kind == "library" and "operation" in r.facts}
    assert told <= operations and ("matmul" in told) == ("matmul" in operations)


@pytest.mark.parametrize("name", CALLS)
def test_no_word_of_the_compiler(name: str) -> None:
    made, _ = compiled(name)
    from soljit.base.settings import PASSES

    for r in sol.explain(made):
        assert not any(p in r.text for p in PASSES), r.text
        assert not any(f"_{k}" in r.text for k in range(10)) and "_n0" not in r.text, r.text


def test_remarks_are_data() -> None:
    made, _ = compiled("softmax")
    remarks = sol.explain(made)
    assert remarks and all(dataclasses.is_dataclass(r) and json.dumps(dict(r.facts)) for r in remarks)
    assert {r.variant for r in remarks} == {"softmax(float64[:, :])"}
    with pytest.raises(dataclasses.FrozenInstanceError):
        remarks[0].text = ""  # type: ignore[misc]
    for r in remarks:
        assert r.text in made.explain()


def test_only_jitted_functions_are_explained() -> None:
    with pytest.raises(sol.ArgumentError, match="function that jit\\(\\) made"):
        sol.explain(len)  # type: ignore[arg-type]


def test_another_process_tells_the_same(tmp_path: object) -> None:
    f, arguments = CALLS["softmax"]
    with sol.settings(cache_dir=str(tmp_path)):
        first, second = sol.jit(target="null")(f), sol.jit(target="null")(f)
        first(*arguments())
        second(*arguments())
    assert second.report()[0]["origin"] == "cache"
    assert first.explain() == second.explain() and sol.explain(first) == sol.explain(second)


def test_the_page_shows_what_is_told_of_a_line() -> None:
    made, _ = compiled("chain")
    page = made.graph()
    first = made.python.__code__.co_firstlineno
    assert f'<span data-line="{first + 1}" title="' in page and "\u2713 in one loop with lines" in page


def test_arrays_have_the_names_that_the_source_gives_them() -> None:
    def f(x: Any, f: Any, t: Any) -> Any:
        fast = np.empty_like(x)
        fast[0] = x[0]
        for k in range(1, len(x)):
            fast[k] = t * x[k] + f[k] * fast[k - 1]
        return np.cumsum(fast[::-1] + np.array([t, t])[len(x) % 2])

    compiled = sol.jit(target="null", strict=True)(f)
    compiled(np.ones(5), np.ones(5), 0.5)
    told = compiled.explain()
    assert "elements of fast that others write" in told
    assert "f.shape[0]" in told and "f_2" not in told  # f is a name of generated code
    assert "an array made here is stored: float64[2]" in told and "> t is stored" not in told.replace(">   ", "> ")
