"""Choose how each map runs: which loops by threads, which as vectors.

    for i, j in map(range(n), range(m)):      →      … schedule("threads", "lanes"), when(n * m * 3 >= 500000)

(A map of one loop is cut into strips, see `strips`.)

"threads": the outermost loop of the outermost map, more of them while they are short; only if iterations never add to the
same element of an array (sums into scalars are fine), and, at run time, only if `when` holds: the work, estimated from
the actual sizes, pays for waking the threads. Maps inside a loop of threads are never split again.
What each thread has for itself then, `thread_parts` says.
"lanes": the innermost loop of a map whose body is straight code, if it walks memory mostly one element at a time.

A scheduled map is left alone by the passes behind it, which only say more of how it runs. Here only what is in it is looked at.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Collection, Mapping
from dataclasses import replace

from soljit.analysis.cost.work import known, operations, trips, work
from soljit.analysis.loops.reductions import colliding_sums, tied
from soljit.analysis.memory.accesses import Access, effects
from soljit.analysis.memory.affine import FAR, mentions, names_in, step
from soljit.base.errors import InternalError
from soljit.base.machine import MachineModel
from soljit.base.records import dataclass
from soljit.ir.core.data import Data, Scalar
from soljit.ir.core.expr import FALSE, ONE, TRUE, Cast, Const, Expr, Memlet, Op, Range, Sym, const, subexpressions
from soljit.ir.core.nodes import Branch, Let, LibraryNode, Loop, Map, Node, Program, Region, Tasklet, While
from soljit.ir.core.types import DType, b1, i64
from soljit.ir.symbolic import Facts, linear
from soljit.ir.text.reading import Reader
from soljit.ir.text.spelling import spell
from soljit.ir.walk import FreshNames, is_straight, same, walk
from soljit.ir.walk.spaces import is_kernel
from soljit.passes.manager import Context
from soljit.passes.scheduling.strips import interleaved, stripped, why_not_cut
from soljit.passes.scheduling.thread_parts import with_parts
from soljit.schedule.address import is_beside, labels, positions
from soljit.schedule.policy import YES, Choice
from soljit.schedule.recipe import Option

PARALLEL = 1 << 20  # a depth that says: threads are at work around here
SHORT = 64  # outer loops with fewer iterations than this are collapsed with the next one


def schedule_maps(program: Program, cx: Context) -> Program:
    """Give every map without a schedule one."""
    body = _Scheduler(program, cx, FreshNames(program)).region(program.body, 0)
    return with_parts(program if body is program.body else replace(program, body=body))


@dataclass(frozen=True, slots=True)
class Threads:
    """How threads share a map: the outermost `loops`, or (with `pieces`) one piece of loop `along` each, if `when` holds."""

    loops: int
    when: Expr
    pieces: str = ""
    along: int = 0


@dataclass
class _Scheduler:
    program: Program
    cx: Context
    _fresh: FreshNames

    @property
    def data(self) -> Mapping[str, Data]:
        return self.program.data

    def region(self, region: Region, depth: int) -> Region:
        """Schedule in these nodes; `depth`: how many loops run in order around here, PARALLEL below threads."""
        out = [x for n in region.nodes for x in self.spliced(self.node(n, depth))]
        return region if same(out, region.nodes) else replace(region, nodes=tuple(out))

    def spliced(self, n: Node) -> tuple[Node, ...]:
        return n.nodes if isinstance(n, Region) else (n,)

    def node(self, n: Node, depth: int) -> Node:
        match n:
            case Map():
                return self.map(n, depth)
            case Loop() | While():
                body = self.region(n.body, depth + 1)
                return n if body is n.body else replace(n, body=body)
            case Branch():
                then, orelse = self.region(n.then, depth), self.region(n.orelse, depth)
                return n if then is n.then and orelse is n.orelse else replace(n, then=then, orelse=orelse)
            case _:
                return n

    def map(self, m: Map, depth: int) -> Node:
        """The map with a schedule, and all in it; kernels have theirs."""
        if is_kernel(m):
            return m
        if m.schedule:
            body = self.region(m.body, PARALLEL if "threads" in m.schedule else depth + len(m.vars))
            return m if body is m.body else replace(m, body=body)
        wanted = self.wanted(m, depth)
        if wanted is None:
            return replace(m, schedule=self.kinds(m, 0), body=self.region(m.body, depth + len(m.vars)))
        body = self.region(m.body, PARALLEL)
        if wanted.pieces:
            inner = replace(m, schedule=self.kinds(m, 0), body=body)
            if wanted.pieces == "interleaved":
                return Region(interleaved(inner, self.cx.threads, wanted.when, self._fresh), loc=m.loc)
            return Region(stripped(inner, self.cx.threads, wanted.when, self._fresh, wanted.along), loc=m.loc)
        when = None if wanted.when == TRUE else wanted.when
        return replace(m, schedule=self.kinds(m, wanted.loops), when=when, body=body)

    def kinds(self, m: Map, threads: int) -> tuple[str, ...]:
        """The schedule with so many outer loops on threads."""
        kinds = ["threads"] * threads + ["seq"] * (len(m.vars) - threads)
        alone = kinds[-1] == "seq"
        choice = self.cx.policy.decide(
            "vectorize",
            (m,),
            lambda: YES if alone and self.vectorized(m) else None,
            lambda _: self.why_not_vectorize(m) if alone else "threads share its innermost loop",
        )
        return (*kinds[:-1], "lanes") if isinstance(choice, Choice) else tuple(kinds)

    def _sums_directly(self, m: Map) -> bool:
        """Tell whether the body itself, not a loop in it, adds to something outside."""
        own = {v for n in m.body.nodes if isinstance(n, Tasklet) and n.out.wcr for v in (n.out.data,)}
        return any(isinstance(self.data.get(v), Scalar) and v not in m.private for v in own)

    def _uneven(self, m: Map) -> bool:
        """Tell whether later iterations of the outermost loop have more or less work."""
        spans = [*m.spans[1:], *(s for n in walk(m.body) for s in _spans(n))]
        return any(m.vars[0] in names_in(x) for s in spans for x in s.children if known(x))

    # --- threads ------------------------------------------------------------------------------------------------------

    def wanted(self, m: Map, depth: int) -> Threads | None:
        """How threads share the map, if that is wanted and right."""
        policy = self.cx.policy
        if is_beside(m):
            no = m.when == FALSE or depth >= PARALLEL or self.cx.threads < 2
            return None if no else self._by_default(m, depth)

        def why_not(choice: Choice) -> str | None:
            meant = self._read(m, choice)
            return meant if isinstance(meant, str) else self.why_not_parallel(m, meant, depth)

        wanted = None
        if not policy.replays and depth < PARALLEL and self.cx.threads > 1:
            wanted = self._by_default(m, depth)
        by_default = _written(m, wanted) if wanted is not None else None
        choice = policy.decide(
            "parallel",
            (m,),
            lambda: by_default,
            lambda c: None if c is by_default else why_not(c),
            functools.partial(_ways, m),
        )
        if not isinstance(choice, Choice) or choice is by_default:
            return wanted
        meant = self._read(m, choice)
        return meant if isinstance(meant, Threads) else None

    def _by_default(self, m: Map, depth: int) -> Threads | None:
        """How threads should share the map, from the work that it does."""
        loops = self.threaded(m, depth)
        if not loops:
            return self._columns(m) if depth <= 1 else None
        when = worthwhile(m, self.cx.machine)
        if when is None:
            return None
        uneven = self._uneven(m)
        if uneven or (loops == len(m.vars) and (self.vectorized(m) or self._sums_directly(m))):
            pieces = "interleaved" if uneven else "equal"
            if why_not_cut(m.spans[0], pieces) is None:
                return Threads(1, when, pieces)
        return Threads(loops, when)

    def _columns(self, m: Map) -> Threads | None:
        """Pieces of an inner loop, if the outermost loop adds up what the inner one tells apart."""
        for k in range(1, len(m.vars)):
            if self._short(m.spans[k]) or self._follows(m.spans[k], m.vars[:k]):
                continue
            if colliding_sums(m, (m.vars[k],), self.data):
                continue
            when = worthwhile(m, self.cx.machine)
            if when is None:
                return None
            if why_not_cut(m.spans[k], "equal") is None:
                return Threads(1, when, "equal", k)
        return None

    def _read(self, m: Map, choice: Choice) -> Threads | str:
        """What a step of a recipe asks for, or what is wrong with it."""
        options = choice.options
        (along,) = positions(m, [options.get("along", labels(m)[0])])
        pieces = str(options.get("pieces", ""))
        if along < 0 or pieces not in ("", "equal", "interleaved"):
            return f'pieces= is "equal" or "interleaved", along= one of {", ".join(labels(m))}'
        if (along and pieces != "equal") or (pieces and "loops" in options):
            return 'along= needs pieces="equal", and loops= no pieces'
        text = options.get("when")
        usual = worthwhile(m, self.cx.machine)
        seen = [x for s in m.spans for e in s.children for x in subexpressions(e)]
        seen += subexpressions(usual) if usual is not None else ()
        known = {x.name: x.dtype for x in seen if isinstance(x, Sym) and x.name not in m.vars}
        known |= {p.name: p.dtype for p in self.program.params if p.kind == "scalar" and p.dtype is not None}
        known |= dict.fromkeys(self.program.symbols, i64)
        when = TRUE if text is None else condition(str(text), known)
        return Threads(int(options.get("loops", 1)), when, pieces, along) if isinstance(when, Expr) else when

    def why_not_parallel(self, m: Map, wanted: Threads, depth: int) -> str | None:
        """Why threads cannot share the map like that; None if they can."""
        if self.cx.threads < 2:
            return "the function is compiled without threads (parallel=False, a target without them, or a compiler without OpenMP)"
        if depth >= PARALLEL:
            return "threads share a loop around it already"
        if wanted.loops > len(m.vars):
            return f"it has {len(m.vars)} loops"
        if wanted.pieces and (reason := why_not_cut(m.spans[wanted.along], wanted.pieces)) is not None:
            return reason
        shared = (wanted.along,) if wanted.pieces else range(wanted.loops)
        for n, k in enumerate(shared, 1):
            names = m.vars[k : k + 1] if wanted.pieces else m.vars[:n]
            if sums := colliding_sums(m, names, self.data):
                return f"several iterations of {labels(m)[k]} add to the same elements of {', '.join(sorted(sums))}; privatize makes sums of each thread's own"
            if k and self._follows(m.spans[k], m.vars[:k]):
                return f"the range of {labels(m)[k]} depends on the loops around it"
        return None

    def threaded(self, m: Map, depth: int) -> int:
        """How many of the outermost loops may be given to threads."""
        if depth > 1 and len(m.vars) == 1 and self.vectorized(m):
            return 0  # deep inside loops a single row is hardly ever long enough, and asking costs
        if len(m.vars) == 1 and work(m.body) == ONE:
            return 0  # to fill a row
        if any(isinstance(n, LibraryNode) for n in walk(m.body)) and len(m.vars) == 1 and self._short(m.spans[0]):
            return 0
        most = 0
        for k in range(len(m.vars)):
            if colliding_sums(m, m.vars[: k + 1], self.data) or (k and self._follows(m.spans[k], m.vars[:k])):
                break
            most = k + 1
            if not self._short(m.spans[k]):
                break
        if most > 1 and most == len(m.vars) and self.vectorized(m):
            most -= 1  # the innermost loop is worth more as vectors
        return most

    def _short(self, span: Range) -> bool:
        length = linear(trips(span, {}))
        return length.is_const and length.const < SHORT

    def _follows(self, span: Range, names: tuple[str, ...]) -> bool:
        return any(not names_in(x).isdisjoint(names) for x in span.children)

    # --- vectors ------------------------------------------------------------------------------------------------------

    def vectorized(self, m: Map) -> bool:
        """Tell whether the innermost loop is straight code over neighbouring elements."""
        if self.why_not_vectorize(m) is not None:
            return False
        var, e = m.vars[-1], effects(m.body)
        accesses = [a for a in dict.fromkeys(e.accesses) if not isinstance(self.data.get(a.data), Scalar)]
        steps = [self._step(a, var) for a in accesses]
        far = sum(1 for s in steps if s > 2)
        near = sum(1 for s in steps if 0 < s <= 2)
        if any(a.write and not a.wcr and s > 2 for a, s in zip(accesses, steps)) and near <= far:
            return False
        heavy = sum(operations(x) for n in walk(m.body) for x in _codes(n))
        return near >= far or heavy > 12 * max(1, far)

    def why_not_vectorize(self, m: Map) -> str | None:
        """Why the innermost loop cannot run in vector instructions; None if it can."""
        if not is_straight(m.body):
            return "there are other loops, or calls, in it"
        e = effects(m.body)
        sums = [a.data for a in e.writes if a.wcr is not None and not self._lanes_apart(a, m.vars[-1], e.defines)]
        return f"some iterations add to the same element of {sums[0]}" if sums else None

    def _lanes_apart(self, a: Access, var: str, defines: Collection[str]) -> bool:
        """Tell whether a sum goes to one element for all lanes, or to another one for each."""
        if not any(mentions(s, var) or any(mentions(s, d) for d in defines) for s in a.subset):
            return True
        return any(tied(s, var, defines) for s in a.subset)

    def _step(self, a: Access, var: str) -> int:
        at = abs(step(self.data, Memlet(a.data, a.subset), var))
        return FAR if at == 0 and any(mentions(s, var) for s in a.subset) else at


def _written(m: Map, wanted: Threads) -> Choice:
    """The options of a step that asks for that."""
    options: dict[str, Option] = {"along": labels(m)[wanted.along]} if wanted.along else {}
    options |= {"pieces": wanted.pieces} if wanted.pieces else {}
    options |= {"when": spell(wanted.when)} if wanted.when != TRUE else {}
    return Choice(options=options | ({"loops": wanted.loops} if wanted.loops > 1 and not wanted.pieces else {}))


def _ways(m: Map) -> list[Choice]:
    """How threads could share the map, if it may be at any size."""
    loops = [Threads(n, TRUE) for n in range(1, len(m.vars) + 1)]
    pieces = [Threads(1, TRUE, "equal", k) for k in range(len(m.vars))]
    return [_written(m, t) for t in (*loops, *pieces, Threads(1, TRUE, "interleaved"))]


def condition(text: str, known: Mapping[str, DType]) -> Expr | str:
    """The condition of a recipe, or what is wrong with it. known: the sizes that it may mention, and their types."""
    try:
        found = Reader({}, dict(known)).expr(ast.parse(text, mode="eval").body)
    except (SyntaxError, InternalError, ValueError, TypeError, KeyError):
        found = None
    parts = list(subexpressions(found)) if found is not None else []
    if found is None or found.dtype != b1 or not all(_may_ask(x, known) for x in parts):
        return f"when= is a comparison of sizes, of {', '.join(sorted(known)) or 'which none is known here'}"
    return found


def _may_ask(x: Expr, known: Mapping[str, DType]) -> bool:
    """Tell whether a condition in front of a loop may have this part."""
    return x.name in known if isinstance(x, Sym) else isinstance(x, Const | Op | Cast)


def worthwhile(m: Map, machine: MachineModel) -> Expr | None:
    """The condition at which threads pay; None if they never do, TRUE if always."""
    total = work(m)
    if not known(total) or not names_in(total).isdisjoint(m.vars):
        return None
    if isinstance(total, Const):
        return TRUE if total.value.real >= machine.parallel else None
    most = Facts().bounds(total)[1]
    if most is not None and most < machine.parallel:
        return None
    return Op("le", (const(machine.parallel), total), b1)


def _spans(n: Node) -> tuple[Range, ...]:
    match n:
        case Loop():
            return (n.span,)
        case Map():
            return n.spans
        case _:
            return ()


def _codes(n: Node) -> tuple[Expr, ...]:
    match n:
        case Tasklet():
            return (n.code,)
        case Let():
            return (n.value,)
        case _:
            return ()
