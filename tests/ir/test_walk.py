"""Walks and rebuilds share what they do not touch; effects and names are complete."""

import pytest

from soljit.base.errors import InternalError
from soljit.ir import walk as w
from soljit.ir.core.data import Array
from soljit.ir.core.expr import ONE, ZERO, Const, Load, Memlet, Op, Range, Sym, const
from soljit.ir.core.nodes import Alloc, Branch, Let, Loop, Map, Node, Region, Tasklet
from soljit.ir.core.types import f64, i64
from soljit.ir.text.codec import equal
from soljit.ir.text.parser import from_text
from soljit.ir.text.printer import node_text, to_text
from tests.ir import programs

ALL = [from_text(t) for t in programs.ALL.values()]


@pytest.mark.parametrize("program", ALL, ids=list(programs.ALL))
def test_a_rebuild_that_changes_nothing_is_the_same_object(program):
    assert w.rewrite(program, lambda n: None) is program
    assert w.rewrite(program, lambda n: n, top_down=True) is program
    assert w.map_exprs(program, lambda e: None) is program
    assert w.map_memlets(program, lambda m: m) is program
    assert w.rename_symbols(program, {"no such": "name"}) is program
    assert w.substitute_in(program, {"no such": ONE}) is program


@pytest.mark.parametrize("program", ALL, ids=list(programs.ALL))
def test_a_rebuild_of_everything_is_equal_but_new(program):
    copied = w.map_exprs(program, lambda e: Const(e.value, e.dtype) if isinstance(e, Const) else None)
    assert equal(copied, program)
    assert copied.body is not program.body


def nodes():
    load = Load(Memlet("b", (Load(Memlet("ix", (Sym("i"),)), i64),)), f64)
    write = Tasklet(Memlet("a", (Sym("i"),), wcr="add"), Op("add", (load, Const(1.0, f64)), f64))
    return Region((Let("n", Sym("i")), Map(("i",), (Range(ZERO, Sym("n"), ONE),), Region((write,))), Alloc("t")))


def test_rewrite_replaces_splices_and_deletes():
    r = nodes()

    def fn(n: Node):
        return (n, n) if isinstance(n, Tasklet) else () if isinstance(n, Let) else None

    out = w.rewrite(r, fn)
    assert [type(n).__name__ for n in w.walk(out)] == ["Region", "Map", "Region", "Tasklet", "Tasklet", "Alloc"]
    assert out.nodes[1] is r.nodes[2]
    assert w.rewrite(r, lambda n: n.body if isinstance(n, Map) else None).nodes[1] is r.nodes[1].body.nodes[0]


def test_top_down_does_not_ask_about_what_it_got():
    asked = []

    def fn(n: Node):
        asked.append(type(n).__name__)
        return Loop(n.vars[0], n.spans[0], n.body) if isinstance(n, (Map, Loop)) else None

    out = w.rewrite(nodes(), fn, top_down=True)
    assert asked == ["Region", "Let", "Map", "Region", "Tasklet", "Alloc"]
    assert isinstance(out.nodes[1], Loop)


def test_bodies_stay_regions():
    r = Region((Branch(Const(True, f64), Region((Alloc("a"),)), Region((Alloc("b"),))),))
    out = w.rewrite(r, lambda n: Alloc("c") if isinstance(n, Region) and n is r.nodes[0].then else None)
    assert isinstance(out.nodes[0].then, Region) and out.nodes[0].then.nodes[0].data == "c"
    assert out.nodes[0].orelse is r.nodes[0].orelse


def test_effects():
    r = nodes()
    assert w.data_read(r) == {"ix", "b", "a"}
    assert w.data_written(r) == {"a", "t"}
    calls = ALL[3]
    first, second, third, product, scaled, *_ = list(w.walk(calls.body))[2:]
    assert w.data_written(first) == {"w", "v"} and w.data_read(first) == {"A"}
    assert w.data_written(second) == {"A"} and w.data_read(second) == {"A"}
    assert w.data_written(third) == {"z", "A"}
    assert w.data_read(product) == {"A"} and w.data_read(scaled) == {"A", "B"}
    layouts = ALL[1]
    bind = layouts.body.nodes[2]
    assert w.data_written(bind) == {"r"} and w.data_read(bind) == {"a"}
    assert "y" in w.data_read(layouts.body)  # its stride is asked for
    assert w.data_used(ALL[0]) == {"A", "B", "C", "tmp"}


def test_names():
    r = nodes()
    assert w.symbols_used(r) == {"i", "n"} and w.symbols_defined(r) == {"i", "n"}
    out = w.rename_symbols(r, {"i": "k", "n": "m"})
    assert w.symbols_used(out) == {"k", "m"} and w.symbols_defined(out) == {"k", "m"}
    assert out.nodes[2] is r.nodes[2]
    assert w.data_used(w.rename_data(r, {"a": "z", "t": "u", "ix": "y"})) == {"z", "u", "b", "y"}
    assert w.substitute(Range(ZERO, Sym("n"), ONE), {"n": const(3)}).stop == const(3)
    assert node_text(w.substitute_in(r.nodes[1], {"n": const(3)})).startswith("with map(i=range(0, 3))")
    assert w.fresh_name("x", {"x", "x_1"}) == "x_2" and w.fresh_name("y", {"x"}) == "y"


def test_renamed_containers_are_declared_by_their_new_names():
    program = w.rename_data(ALL[1], {"a": "aa", "y": "yy"})
    text = to_text(program)
    assert "aa: f64[N, 4]" in text and ".view(yy, 1)" in text and '.ref("F", aa)' in text and "bind(r, aa[" in text
    assert isinstance(program.data["aa"], Array) and "a" not in program.data


def test_names_taken():
    assert w.names_taken(ALL[0]) == {"N", "K", "M", "alpha", "A", "B", "C", "tmp", "i", "j", "k"}


def test_an_unknown_node_is_an_internal_error():
    with pytest.raises(InternalError, match="unknown node"):
        w.values(Node())
