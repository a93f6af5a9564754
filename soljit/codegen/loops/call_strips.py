"""Functions that no vector instruction computes, a strip of iterations at a time.

    for (i …) y[i] = a[i] * tanh(pow(x[i], 3));

    for (first …; first += SOL_STRIP) {                                 // until the end, or as much of a block of a sum as there is
      for (k …) pow_values[k] = sol_pow(x[first + k], 3);               // libm: one call after the other
      sol_strip_tanh(pow_values, tanh_values, count);                   // a loop of NumPy's
      for (k …) y[first + k] = a[first + k] * tanh_values[k];           // vectors
    }

Each loop then does one thing, as NumPy's do, and what lies between them stays in the first cache. A call in the middle of other arithmetic keeps all of it from
vectors, several in one iteration wait for each other, and NumPy's own loops cost as much for one number as for many.

Iterations of a map are independent, so all of a strip may compute a value before any does what follows, if nothing that stands in front of the value in an iteration
writes what it is computed from.

A call of NumPy's vector library that stands under a condition gets a strip in any case: as a call it would be a branch, which compilers make no vectors of.

    for (i …) if (x[i] > 0) y[i] = pow(x[i], -1.5);

    for (k …) {
      bool wanted = false;
      double of = 0.5;                                                  // any number of which the function knows the value at once
      if (x[first + k] > 0) wanted = true, of = x[first + k];           // what the condition guards is computed under it, as before
      pow_values[k] = sol_w_pow(of, -1.5, wanted);                      // no call where none of a vector is wanted
    }
    for (k …) if (x[first + k] > 0) y[first + k] = pow_values[k];
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import field

from soljit.analysis.memory.affine import step
from soljit.base.records import dataclass
from soljit.codegen.spelling.expressions import value
from soljit.codegen.spelling.literals import literal
from soljit.codegen.spelling.types import cpp_type
from soljit.codegen.spelling.vectormath import LIBM, how, strip, wanted_only
from soljit.codegen.writing.context import Context
from soljit.ir.core.data import Array, Scalar
from soljit.ir.core.expr import Const, Expr, Load, Memlet, Op, Sym, loads, subexpressions
from soljit.ir.core.nodes import Branch, Let, Map, Region, Tasklet
from soljit.ir.core.types import b1
from soljit.ir.walk import data_written, exprs, is_straight

_MUCH = 8  # operations beside one call for which a loop of its own pays
_MOST = 24  # calls in one loop: their buffers lie on the stack
_ANY = {"arccosh": 1.5}  # numbers of which vectors compute the function without a special case, where it is not 0.5


Way = tuple[Let | Expr, ...]  # conditions, and definitions under them, from the outermost inwards


@dataclass(frozen=True)
class Call:
    """One call, and the symbols of the iteration that it needs."""

    function: Op
    how: str  # as `vectormath.how` has it
    needs: tuple[Let, ...]
    ways: tuple[Way, ...]  # to the places where its value is wanted; () among them: always


def calls_of(cx: Context, m: Map) -> tuple[Call, ...]:
    """The calls in the body of `m` that are worth a loop of their own, in an order in which they can be computed."""
    if cx.in_kernel or not is_straight(m.body):
        return ()
    finder = _Finder(cx, set(cx.homes.get(id(m.body), ())))
    finder.region(m.body, ())
    calls = tuple(c for c in finder.found.values() if c is not None)
    alone = len(calls) == 1 and calls[0].how != "loop" and () in calls[0].ways
    worth = calls[0].how != "call" and _has_more(cx, m) if alone else len(calls) <= _MOST
    return calls if worth else ()


def _has_more(cx: Context, m: Map) -> bool:
    """Tell whether there is arithmetic beside the calls that vectors do much faster."""
    ops = [x for e in exprs(m.body) for x in subexpressions(e) if isinstance(x, Op)]
    return len(ops) > _MUCH or any(
        x.name in LIBM and x.name != "sqrt" and how(cx.tables.features, x.name, x.dtype) == "vectors" for x in ops
    )


@dataclass
class _Finder:
    """Finds calls. found: None for one that cannot be computed before the rest of the iteration; written: what an iteration has written so far."""

    cx: Context
    written: set[str]
    found: dict[Op, Call | None] = field(default_factory=dict)
    lets: dict[str, Let] = field(default_factory=dict)

    def region(self, body: Region, way: Way) -> None:
        """Look at all statements of a block, to which this way leads."""
        for n in body.nodes:
            match n:
                case Region():
                    self.region(n, way)
                case Branch():
                    self.expr(n.cond, way)
                    self.region(n.then, (*way, n.cond))
                    self.region(n.orelse, (*way, _not(n.cond)))
                case Let():
                    self.expr(n.value, way)
                    self.lets[n.name] = n
                    way = (*way, n) if way else ()
                case Tasklet():
                    self.expr(n.code, way)
                    self.written |= data_written(n)

    def expr(self, e: Expr, way: Way) -> None:
        """Find calls in `e`, operands first."""
        match e:
            case Op("select", (cond, first, second)):
                self.expr(cond, way)
                self.expr(first, (*way, cond))
                self.expr(second, (*way, _not(cond)))
            case Op("land" | "lor", (first, second)):
                self.expr(first, way)
                self.expr(second, (*way, first if e.name == "land" else _not(first)))
            case _:
                for x in e.children:
                    self.expr(x, way)
        if isinstance(e, Op) and (kind := how(self.cx.tables.features, e.name, e.dtype)) != "vectors":
            if not way or kind == "call":
                self.call(e, kind, way)

    def call(self, e: Op, kind: str, way: Way) -> None:
        """Note a call."""
        needs = self.needs((e, *(x for x in way if isinstance(x, Expr))))
        early = _is_early(self.cx, (e, *(x.value if isinstance(x, Let) else x for x in (*needs, *way))), self.written)
        before = self.found.get(e, Call(e, kind, (), ()))
        if not early or before is None:
            self.found[e] = None
            return
        first = {x.name for x in (*before.needs, *needs)} - {x.name for x in way if isinstance(x, Let)}
        short = tuple(x for x in way if isinstance(x, Expr) or x in needs)
        self.found[e] = Call(e, kind, tuple(x for name, x in self.lets.items() if name in first), (*before.ways, short))

    def needs(self, parts: tuple[Expr, ...]) -> tuple[Let, ...]:
        """Definitions of the iteration from which these are computed, in their order."""
        needed: set[str] = set()
        todo = list(parts)
        while todo:
            names = {x.name for x in subexpressions(todo.pop()) if isinstance(x, Sym)} & self.lets.keys()
            todo += [self.lets[name].value for name in names - needed]
            needed |= names
        return tuple(n for name, n in self.lets.items() if name in needed)


def _not(cond: Expr) -> Expr:
    return Op("lnot", (cond,), b1)


def _is_early(cx: Context, parts: tuple[Expr, ...], written: set[str]) -> bool:
    """Tell whether all iterations may compute these before what has been written so far in one."""
    read = {x.memlet.data for e in parts for x in loads(e)}
    if not read or not written:
        return True
    if not read.isdisjoint(written):
        return False
    roots = {cx.root(name) for name in written}
    own = all(isinstance(d := cx.data(name), Scalar) or (isinstance(d, Array) and d.transient) for name in roots)
    return own and roots.isdisjoint(map(cx.root, read))


def emit_calls(
    cx: Context,
    calls: tuple[Call, ...],
    var: str,
    size: str,
    count: str,
    k: str,
    iteration: Callable[[], None],
    whole: Tasklet | None = None,
) -> dict[Expr, str] | None:
    """Buffers with the results of `calls` for `count` iterations, at most `size`; how to spell them in iteration `k`.

    iteration: declares the variable `var` of the loop
    whole:     the statement that is done with the last call; then there is nothing left, and None is given
    """
    target = whole.code if whole else None
    buffers: dict[Expr, str] = {}
    out = cx.out

    def fill(c: Call, buffer: str, e: Expr) -> None:
        ready = {x: f"{b}[{k}]" for x, b in buffers.items()}
        with using(cx, ready), out.block(f"for (int64_t {k} = 0; {k} < {count}; ++{k})"):
            iteration()
            _define(cx, c.needs)
            out.line(f"{buffer}[{k}] = {value(cx, e) if () in c.ways else _where_wanted(cx, c)};")

    for c in calls:
        f = c.function
        name = cx.names.fresh(f"{f.name}_values")
        if f != target:
            out.line(f"{cpp_type(f.dtype)} {name}[{size}];")
        if c.how != "loop":
            if c.how == "call":
                out.line("#pragma omp simd")
            fill(c, name, f)
        else:
            place, given = _in_line(cx, c, var), ""
            if not place:
                given = buffers.get(f.args[0]) or cx.names.fresh(f"{f.name}_of")
            if given and given not in buffers.values():
                out.line(f"{cpp_type(f.dtype)} {given}[{size}];")
                out.line("SOL_IVDEP")
                fill(c, given, f.args[0])
            with out.block():
                if place or f == target:
                    out.line(f"const int64_t {k} = 0;")
                    iteration()
                given = f"&{cx.places.element(place)}" if place else given
                result = f"&{cx.places.element(whole.out)}" if whole and f == target else name
                out.line(f"{strip(cx.tables, f.name, f.dtype)}({given}, {result}, {count});")
        buffers[f] = name
    return None if whole else {x: f"{b}[{k}]" for x, b in buffers.items()}


def _define(cx: Context, lets: tuple[Let, ...]) -> None:
    for let in lets:
        cx.out.line(f"const {cpp_type(let.value.dtype)} {cx.names.symbol(let.name)} = {value(cx, let.value)};")


def _where_wanted(cx: Context, c: Call) -> str:
    """The value of a call under conditions. Its operands are computed under them; elsewhere it is of any number."""
    out, f = cx.out, c.function
    kind = cpp_type(f.dtype)
    wanted = cx.names.fresh("wanted")
    out.line(f"bool {wanted} = false;")
    operands = [literal(x) if isinstance(x, Const) else cx.names.fresh(f"{f.name}_of") for x in f.args]
    for name, x in zip(operands, f.args):
        if not isinstance(x, Const):
            out.line(f"{kind} {name} = {_ANY.get(f.name, 0.5)};")

    def follow(way: Way) -> None:
        match way:
            case (Let() as let, *rest):
                _define(cx, (let,))
                follow(tuple(rest))
            case (Expr() as cond, *rest):
                with out.block(f"if ({value(cx, cond)})"):
                    follow(tuple(rest))
            case _:
                out.line(f"{wanted} = true;")
                for name, x in zip(operands, f.args):
                    if not isinstance(x, Const):
                        out.line(f"{name} = {value(cx, x)};")

    for way in c.ways:
        follow(way)
    flag = f"({kind})(int{8 * f.dtype.size}_t){wanted}"
    return f"{wanted_only(cx.tables, f.name, f.dtype)}({', '.join((*operands, flag))})"


def _in_line(cx: Context, c: Call, var: str) -> Memlet | None:
    """The element that this call is about, if those of the iterations that follow lie behind it in memory."""
    match c.function.args[0]:
        case Load(memlet=m) if not c.needs and step(cx.program.data, m, var) == 1:
            return m
    return None


def is_all(cx: Context, calls: tuple[Call, ...], var: str) -> bool:
    """Tell whether one call of a loop of NumPy's needs no memory between what it reads and what it leaves."""
    return len(calls) == 1 and _in_line(cx, calls[0], var) is not None


def whole_loop(cx: Context, m: Map, calls: tuple[Call, ...]) -> Tasklet | None:
    """The only statement of `m`, if it stores what a loop of NumPy's can leave where it belongs: in memory of its own, in line."""
    match m.body.nodes:
        case (Tasklet(out=out, code=code) as only,) if out.wcr is None and code == calls[-1].function:
            d = cx.data(out.data)
            read = {cx.root(x.memlet.data) for x in loads(code)}
            apart = isinstance(d, Array) and d.transient and out.data not in read
            fits = calls[-1].how == "loop" and d.dtype == code.dtype and step(cx.program.data, out, m.vars[-1]) == 1
            return only if apart and fits else None
    return None


@contextmanager
def using(cx: Context, ready: dict[Expr, str]) -> Iterator[None]:
    """Spell these values so meanwhile."""
    before = cx.ready
    cx.ready = {**before, **ready}
    yield
    cx.ready = before
