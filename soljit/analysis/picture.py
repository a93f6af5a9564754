"""The dataflow view as a picture: Graphviz text, or one page of HTML that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from soljit.analysis.dataflow import Box, Edge, Point, dataflow
from soljit.analysis.layout import PAD, Place, layout, shown
from soljit.ir.nodes import Program

_DOT_SHAPES = {"access": "ellipse", "tasklet": "octagon", "library": "doubleoctagon", "call": "component"}

_STYLE = """
:root{--paper:#fff;--ink:#1d2733;--soft:#6b7785;--box:#f4f6f8;--line:#c5ced8;--access:#e3f0ff;--tasklet:#fff3d6;
--library:#f0e4ff;--call:#ffe3e3;--map:#e9f7ec;--flow:#4878a8}
@media (prefers-color-scheme:dark){:root{--paper:#14181d;--ink:#dde4ec;--soft:#8b97a5;--box:#1b2128;--line:#3a4552;
--access:#1c3350;--tasklet:#40351a;--library:#35234d;--call:#4d2323;--map:#1b3524;--flow:#7fa8d1}}
body{margin:0;background:var(--paper);color:var(--ink);font:14px system-ui,sans-serif}
h1{font-size:16px;margin:12px 16px}p{margin:0 16px 8px;color:var(--soft)}
figure{margin:0 16px;border:1px solid var(--line)}pre{background:var(--box);padding:1em;overflow:auto}
details{margin:12px 16px}svg{display:block;width:100%;height:calc(100vh - 130px);cursor:grab}
svg text{font:11.5px ui-monospace,monospace;fill:var(--ink);pointer-events:none}
.box{fill:var(--box);stroke:var(--line)}.map{fill:var(--map)}.state{fill:none;stroke-dasharray:3 3}
.program{fill:none;stroke:var(--soft)}.point{fill:var(--paper);stroke:var(--soft)}.access{fill:var(--access)}
.tasklet{fill:var(--tasklet)}.library{fill:var(--library)}.call{fill:var(--call)}.exit{stroke-dasharray:4 2}
.flow{fill:none;stroke:var(--flow);stroke-width:1.2;marker-end:url(#tip)}.flow:hover{stroke-width:3}
.wcr{stroke-dasharray:4 3}#tip path{fill:var(--flow)}svg text.head{fill:var(--soft)}
"""

# Drag to move, wheel to zoom: the picture is one viewBox.
_SCRIPT = """
document.querySelectorAll('svg').forEach(s=>{let v=s.getAttribute('viewBox').split(' ').map(Number),d=null;
const set=()=>s.setAttribute('viewBox',v.join(' '));const k=()=>Math.max(v[2]/s.clientWidth,v[3]/s.clientHeight);
s.onpointerdown=e=>{d=[e.clientX,e.clientY]};window.addEventListener('pointerup',()=>{d=null});
s.onpointermove=e=>{if(d){v[0]-=(e.clientX-d[0])*k();v[1]-=(e.clientY-d[1])*k();d=[e.clientX,e.clientY];set()}};
s.addEventListener('wheel',e=>{e.preventDefault();const f=e.deltaY>0?1.15:1/1.15,r=s.getBoundingClientRect(),
x=v[0]+(e.clientX-r.left)/r.width*v[2],y=v[1]+(e.clientY-r.top)/r.height*v[3];
v=[x-(x-v[0])*f,y-(y-v[1])*f,v[2]*f,v[3]*f];set()},{passive:false})});
"""


def to_html(program: Program, sections: Sequence[tuple[str, str]] = ()) -> str:
    """A page with the dataflow of a program, for hands and eyes, and further sections: (title, text) pairs."""
    return page(program.name, [program], sections)


def page(title: str, programs: Sequence[Program], sections: Sequence[tuple[str, str]]) -> str:
    """A page with the dataflow of several programs, the variants of one function, say."""
    pictures = "".join(f"<figure>{to_svg(p)}</figure>" for p in programs)
    texts = "".join(f"<details><summary>{escape(t)}</summary><pre>{escape(x)}</pre></details>" for t, x in sections)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{_STYLE}</style><h1>{escape(title)}</h1>"
        "<p>Blue: containers. Yellow: tasklets. Green: maps. Dashed edges combine. Drag to move, wheel to zoom.</p>"
        f"{pictures}{texts}<script>{_SCRIPT}</script></html>\n"
    )


def to_svg(program: Program) -> str:
    """The picture alone, without its colours (they are in the page's style)."""
    view = dataflow(program)
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
        f'<rect class="box {box.kind}" x="{p.x:.1f}" y="{p.y:.1f}" width="{p.width:.1f}" height="{p.height:.1f}" '
        f'rx="5"><title>{escape(_hover(box.label or box.kind, box.line))}</title></rect>'
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
        f'rx="{round_:.0f}"><title>{escape(_hover(text, point.line))}</title></rect>'
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
