"""The text form and the JSON form read back what was written."""

import pytest

from soljit.base.errors import InternalError
from soljit.base.place import Loc
from soljit.ir.core.data import Array, Ref, Scalar
from soljit.ir.core.expr import Cast, Const, Extent, Load, Memlet, Op, Range, Sym, const
from soljit.ir.core.nodes import Branch, Callback, Let, Map, Param, Program, Region, Return, Tasklet
from soljit.ir.core.types import ALL as DTYPES
from soljit.ir.core.types import b1, c64, c128, f32, f64, i8, i32, i64, u64
from soljit.ir.text.codec import equal, from_json, to_json
from soljit.ir.text.parser import from_text
from soljit.ir.text.printer import node_text, to_text
from soljit.ir.walk import walk
from tests.ir import programs


@pytest.mark.parametrize("name", programs.ALL)
def test_text_is_read_back(name):
    text = programs.ALL[name]
    program = from_text(text)
    assert to_text(program) == text
    assert equal(from_text(to_text(program)), program)


def test_lines_are_read_back():
    text = """def f(a: f64[3]):
    a[0] = 1.0  # line 2
    for i in range(0, 3):  # line 3
        a[i] = 2.0  # line 4
"""
    program = from_text(text, first=11)
    assert [(type(n).__name__, n.loc.line) for n in walk(program.body) if n.loc.line] == [
        ("Tasklet", 12),
        ("Loop", 13),
        ("Tasklet", 14),
    ]
    assert to_text(program, lines=True, within=("", 11)).replace("i: i64 =", "") == text
    assert "# line" not in to_text(program, lines=True, within=("other.py", 11))


@pytest.mark.parametrize("name", programs.ALL)
def test_json_is_read_back(name):
    program = from_text(programs.ALL[name])
    back = from_json(to_json(program))
    assert equal(back, program)
    assert to_json(back) == to_json(program)


def exprs():
    x, n = Load(Memlet("x"), f64), Sym("n")
    yield from (Const(v, f64) for v in (0.0, -0.0, 1e300, float("nan"), float("inf"), -float("inf"), 5e-324))
    yield from (Const(0 if t.is_int else 0.0, t) for t in DTYPES if t.kind in "iuf")
    yield from (Const(True, b1), Const(False, b1), Const(2**64 - 1, u64), Const(-(2**63), i64), Const(-128, i8))
    yield from (Const(complex(a, b), t) for a in (0.0, -0.0) for b in (1.5, -0.0, float("nan")) for t in (c64, c128))
    yield Const(1, f64)  # a value of the wrong Python type is kept as it is
    yield from (Cast(f32, x), Cast(f64, Const(1.0, f64)), Cast(b1, Const(True, b1)), Cast(c128, Cast(f64, n)))
    yield Op("neg", (Const(1.0, f64),), f64)
    yield Op("neg", (Op("neg", (x,), f64),), f64)
    yield Op("pow", (Op("neg", (x,), f64), Op("pow", (x, Const(-1.0, f64)), f64)), f64)
    yield Op("add", (x, x), f32)  # faulty on purpose: types that do not follow from the arguments are kept
    yield Op("sqrt", (x,), i32)
    yield Load(Memlet("x"), f32)
    yield Sym("n", f32)
    yield Sym("unknown", i8)
    yield Sym("x", f64)
    yield Extent("A", 1)
    yield Load(Memlet("A", (Load(Memlet("k", (n,)), i64), const(-1))), f32)


@pytest.mark.parametrize("e", list(exprs()), ids=repr)
def test_every_expression_keeps_its_types(e):
    data = {"x": Scalar(f64), "A": Array(f32, (const(2), const(3))), "k": Array(i64, (const(2),)), "y": Scalar(e.dtype)}
    p = Program(
        "p", (Param("n", "scalar", i64), Param("o", "object")), data=data, body=Region((Tasklet(Memlet("y"), e),))
    )
    for back in (from_text(to_text(p)), from_json(to_json(p))):
        assert back.body.nodes[0].code == e
        assert equal(back, p)


def test_symbols_are_known_only_in_their_scope():
    let = Let("n", Const(1.0, f64))
    use = Tasklet(Memlet("x"), Sym("n", f64))
    inner = Map(("i",), (Range(const(0), const(3), const(1)),), Region((let, use)))
    p = Program("p", data={"x": Scalar(f64)}, body=Region((inner, use)))
    assert to_text(p).splitlines()[-1] == '    x = sym("n", f64)'
    assert equal(from_text(to_text(p)), p)


def test_a_memlet_without_ranges_is_told_from_a_load():
    m = Memlet("A", (const(0),))
    p = Program("p", data={"A": Array(f64, (const(2),))}, body=Region((Return((m, Load(m, f64))),)))
    back = from_text(to_text(p)).body.nodes[0]
    assert isinstance(back.values[0], Memlet) and isinstance(back.values[1], Load)


def test_lists_of_a_callback_stay_lists():
    node = Callback("f", ("", "r"), (), args=([1, [2]], {"tuple": [1]}), kwargs={"c": {"complex": [1.0, 2.0]}})
    p = Program("p", data={"r": Ref(f64, 1)}, body=Region((node,)))
    for back in (from_text(to_text(p)), from_json(to_json(p))):
        got = back.body.nodes[0]
        assert (got.args, got.kwargs, got.outs) == (node.args, node.kwargs, node.outs)


def test_json_keeps_places_and_text_can_show_them():
    node = Let("n", const(1), loc=Loc("a.py", 7, 1, 7, 9, "f"))
    p = Program("p", body=Region((node, Branch(Const(True, b1), Region((node,))))))
    assert from_json(to_json(p)).body.nodes[1].then.nodes[0].loc == node.loc
    assert "n: i64 = 1  # line 7" in to_text(p, lines=True)
    assert "line" not in to_text(p)


def test_names_that_look_like_json_are_kept():
    data = {"is": Scalar(f64), "f64": Scalar(f32), "const": Scalar(f32)}
    span = Range(const(0), const(1), const(1))
    p = Program("p", data=data, body=Region((Map(("i",), (span,), Region(), private=("f64", "is")),)))
    assert equal(from_json(to_json(p)), p)


def test_another_format_is_refused():
    with pytest.raises(InternalError, match="this program was saved in format 99, not 1"):
        from_json('{"format": 99, "places": [], "program": {}}')


@pytest.mark.parametrize("text", ["x = 1", "def f():\n    x += [1]", "def f():\n    y = no_such_op(1)"])
def test_text_that_is_no_program_is_refused(text):
    with pytest.raises(InternalError, match="IR text, line"):
        from_text(text)


def test_one_node_prints_as_in_its_program():
    p = from_text(programs.GEMM)
    assert node_text(p.body.nodes[0].body.nodes[0], p) == "tmp = 0.0"
