"""A page of HTML with the dataflow of programs: it needs nothing else, and notebooks show it as it is.

The source stands beside the pictures, each of which has a field for searching and an outline of its loops and maps. Lines of the source and what
became of them are tied: a click on one marks the others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape, unescape
from typing import Any

from soljit.analysis.pictures.dataflow import Box, Dataflow, Renamed, dataflow
from soljit.analysis.pictures.picture import to_svg
from soljit.base.remarks import Remark
from soljit.ir.core.nodes import Program

_STYLE = """
:root{--paper:#fff;--ink:#1d2733;--soft:#6b7785;--box:#f4f6f8;--line:#c5ced8;--access:#e3f0ff;--tasklet:#fff3d6;
--library:#f0e4ff;--call:#ffe3e3;--map:#e9f7ec;--flow:#4878a8;--lit:#e0541b}
@media (prefers-color-scheme:dark){:root{--paper:#14181d;--ink:#dde4ec;--soft:#8b97a5;--box:#1b2128;--line:#3a4552;
--access:#1c3350;--tasklet:#40351a;--library:#35234d;--call:#4d2323;--map:#1b3524;--flow:#7fa8d1;--lit:#ff8a50}}
body{margin:0;background:var(--paper);color:var(--ink);font:13px system-ui,sans-serif}
main{display:grid;grid-template-columns:minmax(20em,40%) 1fr;height:100vh}
section{overflow:auto;border-right:1px solid var(--line)}h1{font-size:15px;margin:8px 12px}
section pre{margin:0;padding:4px 12px 12px;min-width:max-content;background:none}
p{margin:4px 12px;color:var(--soft);font-size:12px}div.pictures{overflow:auto}
figure{margin:0;position:relative;height:100vh;overflow:hidden}figure+figure{border-top:1px solid var(--line)}
figure>nav{position:absolute;right:0;top:0;max-width:45%;max-height:100%;overflow:auto;box-sizing:border-box;
font:12px ui-monospace,monospace;padding:6px;background:var(--paper);border:solid var(--line);border-width:0 0 1px 1px;opacity:.94}
nav ul{list-style:none;margin:0;padding-left:1em}nav a{cursor:pointer;white-space:nowrap}nav input{width:10em}
pre{background:var(--box);padding:1em;overflow:visible;font:12px ui-monospace,monospace}pre [data-line]{cursor:pointer}
details.text{margin:8px 12px}details.text pre{overflow:auto}svg{display:block;width:100%;height:100%;cursor:grab}
svg text{font:11.5px ui-monospace,monospace;fill:var(--ink);pointer-events:none}
.box{fill:var(--box);stroke:var(--line)}.map{fill:var(--map)}.state{fill:none;stroke-dasharray:3 3}
.program{fill:none;stroke:var(--soft)}.point{fill:var(--paper);stroke:var(--soft)}.access{fill:var(--access)}
.tasklet{fill:var(--tasklet)}.library{fill:var(--library)}.call{fill:var(--call)}.exit{stroke-dasharray:4 2}
.flow{fill:none;stroke:var(--flow);stroke-width:1.2;marker-end:url(#tip)}.flow:hover{stroke-width:3}
.wcr{stroke-dasharray:4 3}#tip path{fill:var(--flow)}svg text.head{fill:var(--soft)}
pre i{font-style:normal;color:var(--soft)}pre i.no{color:var(--lit)}pre [title]{cursor:help}
section pre i{display:block;white-space:pre-wrap;max-width:60ch;padding-left:10ch;text-indent:-4ch}
svg .lit{stroke:var(--lit);stroke-width:3}pre .lit,nav .lit{color:var(--lit);font-weight:bold}
"""

# The picture is one viewBox: drag to move, wheel to zoom. It begins at a size at which its text can be read: all of its breadth, or else where the program begins.
_SCRIPT = """
document.querySelectorAll('figure').forEach(f=>{const s=f.querySelector('svg'),whole=s.getAttribute('viewBox').split(' ').map(Number);
let v=null,d=null;s.setAttribute('preserveAspectRatio','xMidYMin');
const set=()=>s.setAttribute('viewBox',v.join(' ')),k=()=>Math.max(v[2]/s.clientWidth,v[3]/s.clientHeight);
const begin=()=>{const a=s.clientWidth,b=s.clientHeight;if(v||!a||!b)return;const q=Math.min(Math.max(whole[2]/a,.85),1.25),w=a*q;
let x=(whole[2]-w)/2;if(x>0){const e=(s.querySelector('.point')||s.querySelector('rect')).getBBox();
x=Math.min(Math.max(0,e.x+e.width/2-w/2),whole[2]-w)}
v=[x,0,w,b*q];set()};begin();new ResizeObserver(begin).observe(s);
s.onpointerdown=e=>{d=[e.clientX,e.clientY]};window.addEventListener('pointerup',()=>{d=null});
s.onpointermove=e=>{if(d){v[0]-=(e.clientX-d[0])*k();v[1]-=(e.clientY-d[1])*k();d=[e.clientX,e.clientY];set()}};
s.addEventListener('wheel',e=>{e.preventDefault();const q=e.deltaY>0?1.15:1/1.15,r=s.getBoundingClientRect(),
x=v[0]+(e.clientX-r.left)/r.width*v[2],y=v[1]+(e.clientY-r.top)/r.height*v[3];
v=[x-(x-v[0])*q,y-(y-v[1])*q,v[2]*q,v[3]*q];set()},{passive:false});
const show=es=>{if(!es.length)return;const bs=es.map(e=>e.getBBox()),x=Math.min(...bs.map(b=>b.x)),y=Math.min(...bs.map(b=>b.y));
const w=Math.max(...bs.map(b=>b.x+b.width))-x,h=Math.max(...bs.map(b=>b.y+b.height))-y;
v=[x-30,y-30,Math.max(w+60,400),Math.max(h+60,250)];set()};
f.go=es=>{document.querySelectorAll('.lit').forEach(e=>e.classList.remove('lit'));es.forEach(e=>e.classList.add('lit'));show(es)};
f.querySelector('button').onclick=()=>{v=[...whole];set()};
f.querySelector('input').oninput=e=>{const q=e.target.value.toLowerCase();
f.go(q?[...s.querySelectorAll('rect')].filter(r=>r.textContent.toLowerCase().includes(q)):[])};
f.querySelectorAll('nav a').forEach(a=>a.onclick=()=>f.go([s.querySelector('#'+a.dataset.box)]));
s.ondblclick=e=>{if(e.target.tagName=='rect')f.go([e.target])};
s.onclick=e=>{const n=e.target.dataset&&e.target.dataset.line;if(n)tie(n,null)}});
function tie(n,figure){document.querySelectorAll('.lit').forEach(e=>e.classList.remove('lit'));
const all=[...document.querySelectorAll('[data-line="'+n+'"]')];
if(figure)figure.go(all.filter(e=>figure.contains(e)&&e.tagName=='rect'));all.forEach(e=>e.classList.add('lit'));
const line=document.querySelector('section [data-line="'+n+'"]');if(line&&!figure)line.scrollIntoView({block:'nearest'})}
document.querySelectorAll('pre [data-line]').forEach(e=>e.onclick=()=>tie(e.dataset.line,document.querySelector('figure')));
"""

_NUMBERED = re.compile(r"^ *(\d+) \| .*$", re.MULTILINE)  # a line of `explain()`,
_REMARK = re.compile(r"^      (&gt;   (.*))(?:\n|\Z)", re.MULTILINE)  # and a remark


class Page(str):
    """Text of a page; notebooks show it as a page."""

    __slots__ = ()

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:  # any: IPython's printer
        printer.text(f"<page of HTML, {len(self) >> 10} KB; f.graph('f.html') writes it to a file>")

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{escape(self)}" style="width:100%;height:80vh;border:0"></iframe>'


def to_html(program: Program, sections: Sequence[tuple[str, str]] = ()) -> Page:
    """A page with the dataflow of a program, for hands and eyes, and further sections: (title, text) pairs."""
    return page(program.name, [(program, {})], sections)


def page(
    title: str,
    programs: Sequence[tuple[Program, Renamed]],
    sections: Sequence[tuple[str, str]],
    remarks: Sequence[Remark] = (),
) -> Page:
    """A page with the dataflow of several programs, the variants of one function, say, and what the source calls otherwise. The first section stands beside the pictures,
    the others below; remarks show when the mouse is over a line that they are about.
    """
    views = [dataflow(*x) for x in programs]
    pictures = "".join(f"<figure>{to_svg(v)}{_outline(v)}</figure>" for v in views)
    beside = "".join(f"<pre>{_tied(text, remarks)}</pre>" for _, text in sections[:1])
    below = "".join(
        f'<details class="text"><summary>{escape(name)}</summary><pre>{_tied(text, remarks)}</pre></details>'
        for name, text in sections[1:]
    )
    return Page(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{_STYLE}</style><main><section><h1>{escape(title)}</h1>{beside}"
        "<p>Blue: containers. Yellow: tasklets. Green: maps. Dashed edges combine. Drag to move, wheel to zoom, double-click to see a box; "
        "a click marks the source line, a click on a source line what became of it.</p>"
        f'</section><div class="pictures">{pictures}</div></main>{below}<script>{_SCRIPT}</script></html>\n'
    )


def _tied(text: str, remarks: Sequence[Remark]) -> str:
    """A text whose lines with numbers can be clicked, and show what is told of them, remarks that stand under other lines among that."""
    about: dict[str, dict[str, None]] = {}
    for r in remarks:
        for n in r.lines:
            about.setdefault(str(n), {})[("\u2713 " if r.done else "\u2717 ") + r.whole] = None

    def numbered(m: re.Match[str]) -> str:
        told = escape("\n".join(about.get(m[1], ())))
        title = f' title="{told}"' if told else ""
        return f'<span data-line="{m[1]}"{title}>{m[0]}</span>'

    refused = {r.whole for r in remarks if not r.done}
    tied = _NUMBERED.sub(numbered, escape(text))
    return _REMARK.sub(lambda m: f'<i class="{"no" if unescape(m[2]) in refused else "yes"}">{m[1]}</i>', tied)


def _outline(view: Dataflow) -> str:
    """Loops, maps and branches as a list that folds, with a field for searching."""
    tree = "".join(_entries(box) for box in view.programs)
    return (
        '<nav><input placeholder="search" aria-label="search"> <button>fit</button>'
        f"<details><summary>outline</summary><ul>{tree}</ul></details></nav>"
    )


def _entries(box: Box) -> str:
    inner = "".join(_entries(x) for x in box.items if isinstance(x, Box))
    if box.kind == "state":  # a mere sequence
        return inner
    head = f'<a data-box="b{box.id}">{escape(box.label or box.kind)}</a>'
    return (
        f"<li><details open><summary>{head}</summary><ul>{inner}</ul></details></li>" if inner else f"<li>{head}</li>"
    )
