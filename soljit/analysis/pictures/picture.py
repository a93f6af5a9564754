"""The dataflow view as a picture: Graphviz text, or SVG whose boxes and points know the user's lines (`data-line`)."""

from __future__ import annotations

from html import escape

from soljit.analysis.pictures.dataflow import Box, Dataflow, Edge, Point, dataflow
from soljit.analysis.pictures.layout import PAD, Place, layout, shown
from soljit.ir.core.nodes import Program

_DOT_SHAPES = {"access": "ellipse", "tasklet": "octagon", "library": "doubleoctagon", "call": "component"}


def to_svg(view: Dataflow) -> str:
    """The picture alone, without its colours (they are in the page's style)."""
    places = layout(view)
    roots = [places[p.id] for p in view.programs]
    width = max(p.x + p.width for p in roots) + PAD
    height = max(p.y + p.height for p in roots) + PAD
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}">']
    parts.append('<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" ')
    parts.append('orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>')
    for p in view.programs:
        parts.extend(_box(p, places))
    parts.extend(_edge(e, places) for e in view.edges)
    for point in view.points():
        parts.append(_point(point, places[point.id]))
    return "\n".join([*parts, "</svg>"])


def _box(box: Box, places: dict[int, Place]) -> list[str]:
    p = places[box.id]
    out = [
        f'<rect id="b{box.id}" class="box {box.kind}" x="{p.x:.1f}" y="{p.y:.1f}" width="{p.width:.1f}" height="{p.height:.1f}" '
        f'rx="5"{_line(box.line)}><title>{escape(_hover(box.label or box.kind, box.line))}</title></rect>'
    ]
    if box.label:
        out.append(f'<text class="head" x="{p.x + PAD:.1f}" y="{p.y + 16:.1f}">{escape(shown(box.label))}</text>')
    for x in box.items:
        if isinstance(x, Box):
            out += _box(x, places)
    return out


def _point(point: Point, p: Place) -> str:
    round_ = p.height / 2 if point.kind == "access" else 3
    text = " ".join(x for x in (point.label, point.detail) if x)
    return (
        f'<rect class="point {point.kind}" x="{p.x:.1f}" y="{p.y:.1f}" width="{p.width:.1f}" height="{p.height:.1f}" '
        f'rx="{round_:.0f}"{_line(point.line)}><title>{escape(_hover(text, point.line))}</title></rect>'
        f'<text x="{p.x + p.width / 2:.1f}" y="{p.y + 17:.1f}" text-anchor="middle">{escape(shown(point.label))}</text>'
    )


def _edge(e: Edge, places: dict[int, Place]) -> str:
    a, b = places[e.source], places[e.target]
    x0, y0, x1, y1 = a.x + a.width / 2, a.y + a.height, b.x + b.width / 2, b.y
    bend = max(12.0, (y1 - y0) / 2)
    return (
        f'<path class="flow{" wcr" if e.wcr else ""}" d="M{x0:.1f} {y0:.1f}C{x0:.1f} {y0 + bend:.1f} '
        f'{x1:.1f} {y1 - bend:.1f} {x1:.1f} {y1:.1f}"><title>{escape(e.label)}</title></path>'
    )


def _line(line: int) -> str:
    return f' data-line="{line}"' if line else ""


def _hover(text: str, line: int) -> str:
    return f"{text}\nline {line}" if line else text


def to_dot(program: Program) -> str:
    """The view in Graphviz's language."""
    view = dataflow(program)
    lines = ["digraph {", "  node [fontname=monospace]; edge [fontname=monospace];"]

    def emit(item: Point | Box, depth: int) -> None:
        pad = "  " * depth
        if isinstance(item, Point):
            lines.append(f"{pad}n{item.id} [label={_quoted(item.label)} shape={_DOT_SHAPES.get(item.kind, 'box')}];")
            return
        lines.append(f"{pad}subgraph cluster_{item.id} {{ label={_quoted(item.label or item.kind)};")
        for x in item.items:
            emit(x, depth + 1)
        lines.append(f"{pad}}}")

    for p in view.programs:
        emit(p, 1)
    for e in view.edges:
        lines.append(f"  n{e.source} -> n{e.target} [label={_quoted(e.label)}{' style=dashed' if e.wcr else ''}];")
    return "\n".join([*lines, "}"]) + "\n"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
