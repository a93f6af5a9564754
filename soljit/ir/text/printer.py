"""The text form of a program: Python's grammar, read back by `ir/text/parser.py` without loss (places excepted).

    @symbols(N=A.shape[0], M=A.shape[1])
    @guards(N >= 2)
    @structure({"leaf": 0})
    def row_sums(A: f64[N, M], scale: f64) -> array(f64, 1):
        out: f64[N]
        s: f64
        alloc(out)
        with map(i=range(0, N)), schedule("threads"), private(s):
            s = 0.0
            for k in range(0, M):
                s += A[i, k] * scale
            out[i] = s
        return out[0:N]

Containers are declared first: `x: f64` a Scalar, `f64[N, M]` an Array, `f64[n].view(A, offset).strides(2)` a View,
`f64[:, :].ref("C", A)` a Ref, `f64[N].storage("cuda").mirror(A)` device memory. Then `n: i64 = expr` is a Let, an assignment a Tasklet, `+=` one with a wcr
(`a = wcr.min(x)` where Python has no sign for it); every other node is what it is called. Functions that `Call` names
follow the program. `ir/text/spelling.py` says how expressions are written.
"""

from __future__ import annotations

import keyword

from soljit.base.errors import InternalError
from soljit.base.place import Loc
from soljit.ir.core.data import Array, Data, Ref, Scalar, View
from soljit.ir.core.expr import Expr
from soljit.ir.core.nodes import (
    Alloc,
    Bind,
    Branch,
    Break,
    Call,
    Callback,
    Continue,
    Copy,
    Let,
    LibraryNode,
    Loop,
    Map,
    Node,
    Param,
    Program,
    Raise,
    Region,
    Result,
    Return,
    Tasklet,
    While,
)
from soljit.ir.core.types import DType, i64
from soljit.ir.text.spelling import AUGMENTED, Speller, literal


def to_text(program: Program, *, lines: bool = False, within: tuple[str, int] | None = None) -> str:
    """The program and its functions as text; with `lines`, each statement names the line of the user's source.

    within: file and first line of the function; then only lines of that file are named, counted from 1 at that line.
    """
    parts = [_Printer(program, lines, within).program(program, program.name)]
    parts += [_Printer(f, lines, within).program(f, key) for key, f in program.functions.items()]
    return "\n\n".join(parts)


def node_text(node: Node, program: Program | None = None) -> str:
    """One node and what is below it, as it stands in the text of `program`; for messages and debugging."""
    if isinstance(node, Program):
        return to_text(node)
    printer = _Printer(program, False)
    printer.node(node, 0)
    return "\n".join(printer.out)


class _Printer:
    """Collects lines. `symbols` grows as definitions go by, so that the speller knows what the parser will know."""

    def __init__(self, program: Program | None, lines: bool, within: tuple[str, int] | None = None) -> None:
        symbols = None if program is None else defined_outside(program)
        self.out: list[str] = []
        self.lines, self.within = lines, within
        self.spell = Speller(None if program is None else program.data, symbols)

    def program(self, p: Program, key: str) -> str:
        expr = self.spell.expr
        if p.symbols:
            self.line(0, f"@symbols({', '.join(f'{k}={expr(v)}' for k, v in p.symbols.items())})")
        if p.guards:
            self.line(0, f"@guards({', '.join(map(expr, p.guards))})")
        if p.structure is not None:
            self.line(0, f"@structure({literal(p.structure)})")
        name = p.name if p.name.isidentifier() and not keyword.iskeyword(p.name) else "f"
        if name != p.name or key != p.name:
            self.line(0, f"@named({literal(p.name)}, {literal(key)})")
        params = ", ".join(f"{a.name}: {self.param(a, p)}" for a in p.params)
        results = [self.result(r) for r in p.results]
        arrow = "" if not results else f" -> {results[0]}" if len(results) == 1 else f" -> ({', '.join(results)})"
        self.line(0, f"def {name}({params}){arrow}:", p)
        own = {a.name for a in p.params if a.kind == "array"}
        for k, d in p.data.items():
            if k not in own:
                self.line(1, f"{k}: {self.descriptor(d, False)}")
        self.region(p.body, 1, bare=len(own) == len(p.data))
        return "\n".join(self.out) + "\n"

    def param(self, a: Param, p: Program) -> str:
        if a.kind != "array":
            if a.container:
                return f'object("{a.container}")'
            return "object" if a.kind == "object" and a.dtype is None else f"{a.dtype}"
        d = p.data.get(a.name)
        if d is None:
            return f"undeclared({a.dtype})"
        return self.descriptor(d, True) + ("" if a.dtype is d.dtype else f".declared({a.dtype})")

    def result(self, r: Result) -> str:
        fields = [str(r.dtype)]
        fields += [str(r.ndim)] if r.ndim or r.kind == "array" else []
        fields += [f"{k}={v}" for k, v in (("base", r.base), ("same", r.same)) if v is not None]
        fields += [] if r.writable else ["writable=False"]
        fields += [f"itself={r.itself}"] if r.itself is not None else []
        return f"{r.kind}({', '.join(fields)})"

    def memory(self, d: Array | Ref) -> str:
        """Where the memory lies, if that is not the host."""
        text = f".storage({literal(d.storage)})" if d.storage != "host" else ""
        return text if d.mirror is None else f"{text}.mirror({d.mirror})"

    def descriptor(self, d: Data, argument: bool) -> str:
        match d:
            case Scalar():
                return str(d.dtype)
            case Ref():
                dims = ", ".join(":" * d.ndim) or "()"
                text = f"{d.dtype}[{dims}].ref({', '.join([literal(d.order), *d.alias])})"
                return text + self.memory(d)
            case View():
                text = f"{d.dtype}{self.dims(d.shape)}.view({d.of}, {self.spell.expr(d.offset)})"
                return text + f".strides({', '.join(map(self.spell.expr, d.strides))})"
            case Array():
                text = f"{d.dtype}{self.dims(d.shape)}"
                if d.strides is not None:
                    text += f".strides({', '.join(map(self.spell.expr, d.strides))})"
                text += self.memory(d)
                if d.alias is not None:
                    text += f".alias({literal(d.alias)})"
                if not d.writable:
                    text += ".readonly()"
                if d.transient is argument:
                    text += ".transient()" if d.transient else ".argument()"
                return text
            case _:
                raise InternalError(f"unknown descriptor {d!r}")

    def dims(self, shape: tuple[Expr, ...]) -> str:
        return f"[{', '.join(map(self.spell.expr, shape))}]" if shape else "[()]"

    def line(self, depth: int, text: str, node: Node | None = None) -> None:
        place = f"  # line {n}" if self.lines and node is not None and (n := self.place(node.loc)) else ""
        self.out.append("    " * depth + text + place)

    def place(self, loc: Loc) -> int:
        """The number of a line, 0 for none."""
        if self.within is None:
            return loc.line
        file, first = self.within
        return max(0, loc.line - first + 1) if loc.file == file else 0

    def region(self, r: Region, depth: int, *, bare: bool = True) -> None:
        """The statements of a region; `pass` if there is nothing else (`bare`)."""
        before = None if self.spell.symbols is None else dict(self.spell.symbols)
        for n in r.nodes:
            self.node(n, depth)
        if not r.nodes and bare:
            self.line(depth, "pass")
        self.spell.symbols = before

    def define(self, name: str, dtype: DType) -> None:
        if self.spell.symbols is not None:
            self.spell.symbols[name] = dtype

    def node(self, n: Node, depth: int) -> None:
        match n:
            case Region():
                self.region(n, depth)
            case Loop():
                self.line(depth, self.loop(n), n)
                self.body(n.body, depth + 1, (n.var,))
            case Map():
                self.map(n, depth)
            case While():
                self.line(depth, f"while {self.spell.expr(n.cond)}:", n)
                self.region(n.body, depth + 1)
            case Branch():
                self.branch(n, depth, "if")
            case _:
                self.line(depth, self.leaf(n), n)
                if isinstance(n, Let):
                    self.define(n.name, n.value.dtype)

    def loop(self, n: Loop) -> str:
        if not n.divisors and not n.words:
            return f"for {n.var} in {self.spell.span(n.span)}:"
        items = [f"loop({n.var}={self.spell.span(n.span)})"]
        if n.divisors:
            items.append(f"divisors({', '.join(map(self.spell.expr, n.divisors))})")
        if n.words:
            items.append("words()")
        return f"with {', '.join(items)}:"

    def body(self, r: Region, depth: int, variables: tuple[str, ...]) -> None:
        before = None if self.spell.symbols is None else dict(self.spell.symbols)
        for v in variables:
            self.define(v, i64)
        self.region(r, depth)
        self.spell.symbols = before

    def map(self, n: Map, depth: int) -> None:
        before = None if self.spell.symbols is None else dict(self.spell.symbols)
        spans = []
        for v, s in zip(n.vars, n.spans):
            spans.append(f"{v}={self.spell.span(s)}")
            self.define(v, i64)
        self.spell.symbols = before
        items = [f"map({', '.join(spans)})"]
        if n.schedule:
            items.append(f"schedule({', '.join(map(literal, n.schedule))})")
        if n.threads:
            items.append(f"threads({', '.join(map(str, n.threads))})")
        if n.cluster is not None:
            items.append(f"cluster({self.spell.expr(n.cluster)})")
        if n.private:
            items.append(f"private({', '.join(n.private)})")
        if n.when is not None:
            items.append(f"when({self.spell.expr(n.when)})")
        if n.watched:
            items.append("watched()")
        if n.parts:
            items.append(f"parts({', '.join(map(self.spell.memlet, n.parts))})")
        if n.blocks is not None:
            items.append(f"blocks({n.blocks})")
        if n.in_place:
            items.append(f"in_place({n.in_place})")
        if n.buffered:
            converted = ["converted=True"] if n.converted else []
            items.append(f"buffered({', '.join([*map(self.spell.expr, n.buffered), *converted])})")
        if n.until:
            items.append(f"until({', '.join(map(self.spell.memlet, n.until))})")
        if n.counted:
            items.append(f"counted({', '.join(map(self.spell.memlet, n.counted))})")
        if n.few:
            items.append("few()")
        if n.divisors:
            items.append(f"divisors({', '.join(map(self.spell.expr, n.divisors))})")
        self.line(depth, f"with {', '.join(items)}:", n)
        self.body(n.body, depth + 1, n.vars)

    def branch(self, n: Branch, depth: int, word: str) -> None:
        self.line(depth, f"{word} {self.spell.expr(n.cond)}:", n)
        self.region(n.then, depth + 1)
        rest = n.orelse.nodes
        if len(rest) == 1 and isinstance(rest[0], Branch):
            self.branch(rest[0], depth, "elif")
        elif rest:
            self.line(depth, "else:")
            self.region(n.orelse, depth + 1)

    def leaf(self, n: Node) -> str:
        expr, memlet, operand = self.spell.expr, self.spell.memlet, self.spell.operand
        match n:
            case Break():
                return "break"
            case Continue():
                return "continue"
            case Raise():
                if n.message is None and not n.operands:
                    return f"raise {n.exception}"
                return f"raise {n.exception}({', '.join([literal(n.message), *map(expr, n.operands)])})"
            case Return():
                if n.leaves:
                    return f"return {{{', '.join(f'{k}: {operand(v)}' for k, v in n.numbered())}}}"
                return f"return {', '.join(map(operand, n.values))}".rstrip()
            case Let():
                return f"{n.name}: {n.value.dtype} = {expr(n.value)}"
            case Alloc():
                return f"alloc({n.data}, zero=True)" if n.zero else f"alloc({n.data})"
            case Bind():
                return f"bind({n.ref}, {memlet(n.source)})"
            case Tasklet():
                return self.tasklet(n)
            case Copy():
                return f"copy({memlet(n.dst)}, {memlet(n.src)})"
            case LibraryNode():
                fields = [f"outs=[{', '.join(map(memlet, n.outs))}]", f"ins=[{', '.join(map(operand, n.ins))}]"]
                fields += [f"attrs={literal(dict(n.attrs))}"] if n.attrs else []
                return f"lib.{n.op}({', '.join(fields)})"
            case Call():
                effects = f", effects=[{', '.join(n.effects)}]" if n.effects else ""
                return f"call({literal(n.function)}, {self.results(n.outs)}, ins=[{', '.join(map(operand, n.ins))}]{effects})"
            case Callback():
                return self.callback(n)
            case _:
                raise InternalError(f"unknown node {n!r}")

    def tasklet(self, n: Tasklet) -> str:
        out, wcr = self.spell.elements(n.out), n.out.wcr
        code = self.spell.expr(n.code)
        if n.out.axes is not None:
            return f"tasklet({self.spell.memlet(n.out)}, {code})"
        if wcr is None:
            return f"{out} = {code}"
        return f"{out} {AUGMENTED[wcr]}= {code}" if wcr in AUGMENTED else f"{out} = wcr.{wcr}({code})"

    def results(self, outs: tuple[str, ...]) -> str:
        return f"outs=[{', '.join(o or 'None' for o in outs)}]"

    def callback(self, n: Callback) -> str:
        fields = [literal(n.target), self.results(n.outs), f"ins=[{', '.join(map(self.spell.operand, n.ins))}]"]
        fields += [f"args={literal(list(n.args))}"] if n.args else []
        fields += [f"kwargs={literal(dict(n.kwargs))}"] if n.kwargs else []
        fields += [f"effects=[{', '.join(n.effects)}]"] if n.effects else []
        fields += [f"result={literal(n.result)}"] if n.result is not None else []
        return f"callback({', '.join(fields)})"


def defined_outside(p: Program) -> dict[str, DType]:
    """The symbols that hold in all of a program: sizes and scalar parameters."""
    out = dict.fromkeys(p.symbols, i64)
    out.update({a.name: a.dtype for a in p.params if a.kind == "scalar" and a.dtype is not None})
    return out
