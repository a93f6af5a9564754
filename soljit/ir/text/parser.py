"""Reads the text form of a program: `from_text(to_text(p))` is `p` again, without its places.

`ast.parse` does the grammar; here statements become nodes. Text that is no program raises `InternalError`.
"""

from __future__ import annotations

import ast
import re
from dataclasses import replace

from soljit.base.place import Loc
from soljit.ir.core.data import Array, Data, Ref, Scalar, View
from soljit.ir.core.expr import Extent, Memlet, Range, Stride
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
from soljit.ir.core.types import BY_NAME, DType, i64
from soljit.ir.text.reading import Reader, fault, literal_value, number
from soljit.ir.text.spelling import AUGMENTED

_AUGMENTED: dict[type[ast.AST], str] = {
    ast.Add: "add",
    ast.Mult: "mul",
    ast.BitAnd: "band",
    ast.BitOr: "bor",
    ast.BitXor: "bxor",
}
assert set(_AUGMENTED.values()) == set(AUGMENTED)


def from_text(text: str, first: int = 1) -> Program:
    """The program that the text tells; further functions in it are those that the first calls.

    first: the user's line that remarks of the form `# line 1` mean.
    """
    found = ((k, _LINE.search(row)) for k, row in enumerate(text.split("\n"), 1))
    lines = {k: int(m[1]) + first - 1 for k, m in found if m}
    main, *others = ast.parse(text).body
    keyed = [_Parser(lines).function(f) for f in others]
    return _Parser(lines, dict(keyed)).function(main)[1]


_LINE = re.compile(r"  # line (\d+)$")


class _Parser:
    """Parses one function."""

    def __init__(self, lines: dict[int, int], functions: dict[str, Program] | None = None) -> None:
        self.lines = lines
        self.data: dict[str, Data] = {}
        self.symbols: dict[str, DType] = {}
        self.functions = functions or {}
        self.read = Reader(self.data, self.symbols)

    def function(self, f: ast.stmt) -> tuple[str, Program]:
        """A program with the key that it has among the functions of another."""
        if not isinstance(f, ast.FunctionDef):
            raise fault(f, "no function")
        said = {d.func.id: d for d in f.decorator_list if isinstance(d, ast.Call) and isinstance(d.func, ast.Name)}
        sizes = {k.arg: k.value for k in said["symbols"].keywords if k.arg} if "symbols" in said else {}
        self.symbols.update(dict.fromkeys(sizes, i64))
        for a in f.args.args:
            if isinstance(a.annotation, ast.Name) and a.annotation.id in BY_NAME:
                self.symbols[a.arg] = BY_NAME[a.annotation.id]
        params = tuple(self.param(a) for a in f.args.args)
        declared = self.declarations(f.body)
        name, key = map(literal_value, said["named"].args) if "named" in said else (f.name, f.name)
        program = Program(
            name=str(name),
            params=params,
            symbols={k: self.size(v) for k, v in sizes.items()},
            guards=tuple(map(self.read.expr, said["guards"].args)) if "guards" in said else (),
            data=self.data,
            results=self.results(f.returns),
            structure=literal_value(said["structure"].args[0]) if "structure" in said else None,
            body=self.region(f.body[declared:]),
            functions=self.functions,
        )
        return str(key), program

    # --- declarations ---

    def param(self, a: ast.arg) -> Param:
        match a.annotation:
            case ast.Name(id="object"):
                return Param(a.arg, "object")
            case ast.Call(func=ast.Name(id="object"), args=[cls]):
                return Param(a.arg, "object", container=str(literal_value(cls)))
            case ast.Name(id=t):
                return Param(a.arg, "scalar", BY_NAME[t])
            case ast.Call(func=ast.Name(id="undeclared"), args=[t]):
                return Param(a.arg, "array", self.optional_dtype(t))
            case ast.Call(func=ast.Attribute(value=inner, attr="declared"), args=[t]):
                self.data[a.arg] = self.descriptor(inner, True)
                return Param(a.arg, "array", self.optional_dtype(t))
            case ast.expr() as x:
                self.data[a.arg] = d = self.descriptor(x, True)
                return Param(a.arg, "array", d.dtype)
            case _:
                raise fault(a, "a parameter needs a type")

    def optional_dtype(self, x: ast.expr) -> DType | None:
        return BY_NAME[x.id] if isinstance(x, ast.Name) else None

    def size(self, x: ast.expr) -> Extent | Stride:
        e = self.read.expr(x)
        if not isinstance(e, (Extent, Stride)):
            raise fault(x, "a size is a length or stride of a parameter")
        return e

    def declarations(self, body: list[ast.stmt]) -> int:
        """Declare the containers at the head of a function; how many statements that took."""
        for k, s in enumerate(body):
            if not (isinstance(s, ast.AnnAssign) and s.value is None and isinstance(s.target, ast.Name)):
                return k
            self.data[s.target.id] = self.descriptor(s.annotation, False)
        return len(body)

    def descriptor(self, x: ast.expr, argument: bool) -> Data:
        said: dict[str, list[ast.expr]] = {}
        whole = x
        while isinstance(x, ast.Call) and isinstance(x.func, ast.Attribute):
            said[x.func.attr] = x.args
            x = x.func.value
        if isinstance(x, ast.Name):
            return Scalar(BY_NAME[x.id])
        if not isinstance(x, ast.Subscript) or not isinstance(x.value, ast.Name):
            raise fault(whole, "no descriptor")
        dtype, dims = BY_NAME[x.value.id], x.slice.elts if isinstance(x.slice, ast.Tuple) else [x.slice]
        storage = str(literal_value(said["storage"][0])) if "storage" in said else "host"
        mirror = ast.unparse(said["mirror"][0]) if "mirror" in said else None
        if "ref" in said:
            order, *others = said["ref"]
            alias = tuple(ast.unparse(a) for a in others)
            return Ref(dtype, len(dims), str(literal_value(order)), alias, storage, mirror)
        shape = tuple(map(self.read.expr, dims))
        strides = tuple(map(self.read.expr, said["strides"])) if "strides" in said else None
        if "view" in said:
            of, offset = said["view"]
            return View(ast.unparse(of), dtype, self.read.expr(offset), shape, strides or ())
        return Array(
            dtype,
            shape,
            strides,
            storage=storage,
            transient="transient" in said or not (argument or "argument" in said),
            alias=str(literal_value(said["alias"][0])) if "alias" in said else None,
            writable="readonly" not in said,
            mirror=mirror,
        )

    def results(self, x: ast.expr | None) -> tuple[Result, ...]:
        out = []
        for r in x.elts if isinstance(x, ast.Tuple) else [] if x is None else [x]:
            match r:
                case ast.Call(func=ast.Name(id=kind), args=[ast.Name(id=t), *ndim]):
                    names = {k.arg: ast.unparse(k.value) for k in r.keywords}
                    n = number(ndim[0]) if ndim else 0
                    writable = names.get("writable") != "False"
                    itself = int(names["itself"]) if "itself" in names else None
                    out.append(Result(kind, BY_NAME[t], n, names.get("base"), names.get("same"), writable, itself))
                case _:
                    raise fault(r, "no result")
        return tuple(out)

    # --- statements ---

    def region(self, body: list[ast.stmt], variables: tuple[str, ...] = ()) -> Region:
        before = dict(self.symbols)
        self.symbols.update(dict.fromkeys(variables, i64))
        nodes = tuple(self.node(s) for s in body if not isinstance(s, ast.Pass))
        self.symbols.clear()
        self.symbols.update(before)
        return Region(nodes)

    def node(self, s: ast.stmt) -> Node:
        n = self._node(s)
        line = self.lines.get(s.lineno, 0)
        return replace(n, loc=Loc(line=line)) if line else n

    def _node(self, s: ast.stmt) -> Node:
        expr = self.read.expr
        match s:
            case ast.For(target=ast.Name(id=var)):
                return Loop(var, self.read.span(s.iter), self.region(s.body, (var,)))
            case ast.With():
                return self.nest(s)
            case ast.While():
                return While(expr(s.test), self.region(s.body))
            case ast.If():
                return Branch(expr(s.test), self.region(s.body), self.region(s.orelse))
            case ast.Break():
                return Break()
            case ast.Continue():
                return Continue()
            case ast.Raise():
                return self.raises(s)
            case ast.Return(value=ast.Dict(keys=keys, values=xs)):
                return Return(tuple(map(self.read.operand, xs)), tuple(number(k) for k in keys if k is not None))
            case ast.Return():
                xs = [] if s.value is None else s.value.elts if isinstance(s.value, ast.Tuple) else [s.value]
                return Return(tuple(map(self.read.operand, xs)))
            case ast.AnnAssign(target=ast.Name(id=name), annotation=ast.Name(id=t), value=ast.expr() as value):
                let = Let(name, expr(value))
                self.symbols[name] = BY_NAME[t]
                return let
            case ast.Assign(targets=[target]):
                return self.assign(target, s.value)
            case ast.AugAssign():
                out = self.read.memlet(s.target)
                return Tasklet(Memlet(out.data, out.subset, out.axes, _AUGMENTED[type(s.op)]), expr(s.value))
            case ast.Expr(value=ast.Call() as call):
                return self.call(call)
            case _:
                raise fault(s, "no statement of the IR")

    def nest(self, s: ast.With) -> Map | Loop:
        """A map, or a loop of which passes have said more than its span."""
        items: dict[str, ast.Call] = {}
        for item in s.items:
            x = item.context_expr
            if not (isinstance(x, ast.Call) and isinstance(x.func, ast.Name)):
                raise fault(x, "no part of a map")
            items[x.func.id] = x
        divisors = tuple(map(self.read.expr, items["divisors"].args)) if "divisors" in items else ()
        if "loop" in items:
            (k,) = items["loop"].keywords
            var = str(k.arg)
            return Loop(var, self.read.span(k.value), self.region(s.body, (var,)), divisors, "words" in items)
        before = dict(self.symbols)
        spans: list[Range] = []
        names = tuple(k.arg for k in items["map"].keywords if k.arg)
        for k in items["map"].keywords:
            spans.append(self.read.span(k.value))
            self.symbols[str(k.arg)] = i64
        self.symbols.clear()
        self.symbols.update(before)
        return Map(
            names,
            tuple(spans),
            self.region(s.body, names),
            schedule=tuple(str(literal_value(a)) for a in items["schedule"].args) if "schedule" in items else (),
            when=self.read.expr(items["when"].args[0]) if "when" in items else None,
            private=tuple(map(ast.unparse, items["private"].args)) if "private" in items else (),
            threads=tuple(map(number, items["threads"].args)) if "threads" in items else (),
            cluster=self.read.expr(items["cluster"].args[0]) if "cluster" in items else None,
            parts=tuple(map(self.read.memlet, items["parts"].args)) if "parts" in items else (),
            watched="watched" in items,
            blocks=number(items["blocks"].args[0]) if "blocks" in items else None,
            in_place=number(items["in_place"].args[0]) if "in_place" in items else 0,
            buffered=tuple(map(self.read.expr, items["buffered"].args)) if "buffered" in items else (),
            converted="buffered" in items and bool(items["buffered"].keywords),
            until=tuple(map(self.read.memlet, items["until"].args)) if "until" in items else (),
            counted=tuple(map(self.read.memlet, items["counted"].args)) if "counted" in items else (),
            few="few" in items,
            divisors=divisors,
        )

    def raises(self, s: ast.Raise) -> Raise:
        match s.exc:
            case ast.Call(func=name, args=[message, *operands]):
                text = literal_value(message)
                assert text is None or isinstance(text, str)
                return Raise(ast.unparse(name), text, tuple(map(self.read.expr, operands)))
            case ast.expr() as name:
                return Raise(ast.unparse(name))
            case _:
                raise fault(s, "no exception")

    def assign(self, target: ast.expr, value: ast.expr) -> Tasklet:
        out = self.read.memlet(target)
        match value:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="wcr"), attr=wcr), args=[x]):
                return Tasklet(Memlet(out.data, out.subset, out.axes, wcr), self.read.expr(x))
            case _:
                return Tasklet(out, self.read.expr(value))

    def call(self, x: ast.Call) -> Node:
        memlet, args = self.read.memlet, x.args
        kw = {k.arg: k.value for k in x.keywords}
        outs = _names(kw.get("outs"))
        match x.func:
            case ast.Name(id="alloc"):
                return Alloc(ast.unparse(args[0]), zero="zero" in kw)
            case ast.Name(id="bind"):
                return Bind(ast.unparse(args[0]), memlet(args[1]))
            case ast.Name(id="copy"):
                return Copy(memlet(args[0]), memlet(args[1]))
            case ast.Name(id="tasklet"):
                return Tasklet(memlet(args[0]), self.read.expr(args[1]))
            case ast.Attribute(value=ast.Name(id="lib"), attr=op):
                attrs = literal_value(kw["attrs"]) if "attrs" in kw else {}
                assert isinstance(attrs, dict)
                written = tuple(map(memlet, _elements(kw["outs"])))
                return LibraryNode(op, written, tuple(map(self.read.operand, _elements(kw["ins"]))), attrs)
            case ast.Name(id="call"):
                ins = tuple(map(self.read.operand, _elements(kw["ins"])))
                return Call(str(literal_value(args[0])), outs, ins, _names(kw.get("effects")))
            case ast.Name(id="callback"):
                ins = tuple(map(self.read.operand, _elements(kw["ins"])))
                template = literal_value(kw["args"]) if "args" in kw else []
                kwargs = literal_value(kw["kwargs"]) if "kwargs" in kw else {}
                assert isinstance(template, list) and isinstance(kwargs, dict)
                target = str(literal_value(args[0]))
                result = literal_value(kw["result"]) if "result" in kw else None
                return Callback(target, outs, ins, tuple(template), kwargs, _names(kw.get("effects")), result)
            case _:
                raise fault(x, "no statement of the IR")


def _elements(x: ast.expr) -> list[ast.expr]:
    if not isinstance(x, ast.List):
        raise fault(x, "no list")
    return x.elts


def _names(x: ast.expr | None) -> tuple[str, ...]:
    elements = [] if x is None else _elements(x)
    return tuple("" if isinstance(e, ast.Constant) else ast.unparse(e) for e in elements)
