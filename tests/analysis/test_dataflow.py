"""The dataflow view: what flows where, and that its pictures hold all of it."""

import xml.etree.ElementTree as ET
from itertools import combinations

import pytest

from soljit.analysis.pictures.dataflow import Box, Point, dataflow
from soljit.analysis.pictures.layout import layout
from soljit.analysis.pictures.page import to_html
from soljit.analysis.pictures.picture import to_dot, to_svg
from soljit.ir.text.parser import from_text
from tests.ir import programs

TWO_MAPS = """
@symbols(N=A.shape[0])
def f(A: f64[N], B: f64[N]) -> array(f64, 1):
    t: f64[N]
    u: f64
    alloc(t)
    with map(i=range(0, N)), private(u):
        u = A[i] * 2.0
        t[i] = sqrt(u) + B[i]
    with map(i=range(0, N)), schedule("threads"):
        B[0] += t[i]
    return B[0:N]
"""
TEXTS = programs.ALL | {"two_maps": TWO_MAPS}


def flows(text):
    """(source label, memlet, target label) of all edges."""
    view = dataflow(from_text(text))
    labels = {p.id: p.label for p in view.points()}
    return [(labels[e.source], e.label, labels[e.target]) for e in view.edges], view


def test_maps_without_control_flow_share_a_state():
    edges, view = flows(TWO_MAPS)
    assert edges == [
        ("A", "A[i]", "A[i] * 2.0"),
        ("A[i] * 2.0", "u", "u"),
        ("u", "u", "sqrt(u) + B[i]"),
        ("B", "B[i]", "sqrt(u) + B[i]"),
        ("sqrt(u) + B[i]", "t[i]", "t"),
        ("t", "t", "t"),
        ("t", "t[i]", "add t[i]"),
        ("add t[i]", "add B[0]", "B"),
        ("B", "B", "B"),
        ("B", "B[0:N]", "return B[0:N]"),
    ]
    (root,) = view.programs
    (state,) = root.items
    kinds = [(x.kind, x.label) for x in state.items]
    assert kinds == [
        ("access", "A"),
        ("access", "B"),
        ("map", "map i in range(0, N)"),
        ("access", "t"),
        ("map", "map i in range(0, N) · threads"),
        ("access", "B"),
        ("exit", "return B[0:N]"),
    ]
    assert state.items[0].detail == "f64[N]"
    assert [e.wcr for e in view.edges].count(True) == 1


def test_control_flow_is_nested_in_order():
    _, view = flows(programs.CONTROL)

    def outline(box):
        return [box.kind, *(outline(x) for x in box.items if isinstance(x, Box))]

    state = ["state"]
    branch = ["branch", ["then", state]]
    assert outline(view.programs[0]) == [
        "program",
        state,
        ["while", state, branch, branch, state],
        ["loop", state],
        branch,
        branch,
        state,
    ]


def test_functions_have_boxes_of_their_own():
    _, view = flows(programs.CALLS)
    assert [b.label for b in view.programs] == ["calls(A, t, o)", "fib(n)"]


@pytest.mark.parametrize("name", TEXTS)
def test_every_edge_joins_points_and_every_label_is_in_the_pictures(name):
    program = from_text(TEXTS[name])
    view = dataflow(program)
    ids = {p.id for p in view.points()}
    assert all(e.source in ids and e.target in ids for e in view.edges)
    svg = ET.fromstring(to_svg(dataflow(program)))
    titles = [t.text for t in svg.iter("{http://www.w3.org/2000/svg}title")]
    assert len(titles) == len(ids) + len(view.edges) + sum(1 for _ in boxes(view.programs))
    assert all(e.label in titles for e in view.edges)
    dot = to_dot(program)
    assert dot.count(" -> n") == len(view.edges) and dot.count("{") == dot.count("}")
    assert to_html(program) == to_html(program)
    assert "http" not in to_html(program).replace("http://www.w3.org/2000/svg", "")


def boxes(items):
    for b in items:
        if isinstance(b, Box):
            yield b
            yield from boxes(b.items)


@pytest.mark.parametrize("name", TEXTS)
def test_items_lie_inside_their_box_and_apart_from_each_other(name):
    view = dataflow(from_text(TEXTS[name]))
    places = layout(view)
    for box in boxes(view.programs):
        outer = places[box.id]
        for x in box.items:
            p = places[x.id]
            assert outer.x <= p.x and p.x + p.width <= outer.x + outer.width
            assert outer.y <= p.y and p.y + p.height <= outer.y + outer.height
        for x, y in combinations(box.items, 2):
            a, b = places[x.id], places[y.id]
            beside = a.x + a.width <= b.x or b.x + b.width <= a.x
            assert beside or a.y + a.height <= b.y or b.y + b.height <= a.y


def test_what_flows_lies_below_what_it_comes_from():
    view = dataflow(from_text(TWO_MAPS))
    places = layout(view)
    assert all(places[e.source].y < places[e.target].y for e in view.edges)
    assert isinstance(view.programs[0].items[0].items[0], Point)
