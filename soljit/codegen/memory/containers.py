"""Where containers live: elements, lengths, strides, and who owns the memory.

* An argument is a pointer, a `sol_buffer*` (NULL when Python owns the memory) and a row of words: lengths, then strides in bytes.
* A temporary whose memory may leave its scope (bound, returned, shown to Python) has a counted `sol_owner`, others a `sol_memory`; one of a few elements, of known number, lies on the stack.
* A View has no variable: its elements are spelled from the container it looks at, so that the compiler sees the relation.
* A Ref is a pointer, lengths, (for order "A") strides and a `sol_owner`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from soljit.base.errors import InternalError
from soljit.base.place import Loc
from soljit.codegen.memory.windows import ONE, ZERO, Window
from soljit.codegen.spelling.arithmetic import product, total
from soljit.codegen.spelling.expressions import index
from soljit.codegen.spelling.types import cpp_type
from soljit.codegen.writing.context import Context
from soljit.codegen.writing.text import PRODUCT, SUM, Text
from soljit.ir.core.data import Array, Ref, Scalar, View
from soljit.ir.core.expr import Const, Expr, Extent, Memlet, Range


def memory_of(cx: Context) -> Memory:
    """The memory of the function that `cx` belongs to."""
    assert isinstance(cx.places, Memory)
    return cx.places


class Memory:
    """Spells the containers of one function."""

    def __init__(self, cx: Context, around: Memory | None = None) -> None:
        """around: the memory of the host code that launches the kernel `cx`, whose lengths and strides it knows by the same names"""
        self.cx = cx
        self.sizes: set[str] = (
            set() if around is None else around.sizes
        )  # identifiers of lengths, which are not negative
        self._mirrored = any(getattr(d, "storage", "") == "cuda" for d in cx.program.data.values())
        self._lengths: dict[str, tuple[Text, ...]] = {} if around is None else {**around._lengths}
        self._strides: dict[str, tuple[Text, ...]] = {} if around is None else {**around._strides}

    # --- lengths and strides ------------------------------------------------------------------------------------------

    def extent(self, data: str, dim: int) -> Text:
        return self.lengths(data)[dim]

    def stride(self, data: str, dim: int) -> Text:
        return self.strides(data)[dim]

    def lengths(self, data: str) -> tuple[Text, ...]:
        """Lengths of all dimensions."""
        d = self.cx.data(data)
        match d:
            case Scalar():
                return ()
            case Ref():
                name = self.cx.names.data(data)
                return tuple(Text(f"{name}_n{k}") for k in range(d.ndim))
            case Array():
                return self._lengths.get(data) or tuple(index(self.cx, n) for n in d.shape)
            case View():
                return tuple(index(self.cx, n) for n in d.shape)

    def strides(self, data: str) -> tuple[Text, ...]:
        """Element strides of all dimensions."""
        d = self.cx.data(data)
        match d:
            case Scalar():
                return ()
            case Ref(order="A"):
                name = self.cx.names.data(data)
                return tuple(Text(f"{name}_s{k}") for k in range(d.ndim))
            case Ref(order="F"):
                return tuple(reversed(_running(tuple(reversed(self.lengths(data))))))
            case Ref():
                return _running(self.lengths(data))
            case Array(strides=None):
                return self._strides.get(data) or _running(self.lengths(data))
            case Array() | View():
                assert d.strides is not None
                return self._strides.get(data) or tuple(index(self.cx, s) for s in d.strides)

    def settle(self, data: str) -> None:
        """Give names to lengths and strides of Array `data` that are more than a name or a number."""
        d = self.cx.data(data)
        assert isinstance(d, Array)
        name = self.cx.names.data(data)
        self._lengths.pop(data, None)
        self._strides.pop(data, None)
        self._lengths[data] = tuple(self._named(f"{name}_n{k}", n) for k, n in enumerate(self.lengths(data)))
        if not d.transient:
            self.sizes |= {n.text for n in self._lengths[data] if n.text.isidentifier()}
        self._strides[data] = tuple(self._named(f"{name}_s{k}", s) for k, s in enumerate(self.strides(data)))

    def settled(self) -> set[str]:
        """The names of lengths and strides."""
        texts = (x.text for known in (self._lengths, self._strides) for xs in known.values() for x in xs)
        return {x for x in texts if x.isidentifier()}

    def from_words(self, data: str) -> None:
        """Let lengths and strides of array argument `data` be what its words say, whatever its descriptor promises."""
        d = self.cx.data(data)
        assert isinstance(d, Array)
        n, words = len(d.shape), f"{self.cx.names.data(data)}_dims"
        self._lengths[data] = tuple(Text(f"{words}[{k}]") for k in range(n))
        self._strides[data] = tuple(Text(f"{words}[{n + k}] / {d.dtype.size}", PRODUCT) for k in range(n))

    def _named(self, name: str, text: Text) -> Text:
        if text.text.isidentifier() or text.text.isdigit():
            return text
        self.cx.out.line(f"const int64_t {name} = {text};")
        return Text(name)

    # --- elements and windows -----------------------------------------------------------------------------------------

    def base(self, data: str) -> tuple[Text, Text]:
        """Pointer to, and offset of, the first element of `data`."""
        d = self.cx.data(data)
        if not isinstance(d, View):
            return Text(self.cx.names.data(data)), ZERO
        self.cx.tables.uses(d.dtype)
        offset = index(self.cx, d.offset)
        pointer, inner = self.base(d.of)
        if self.cx.data(d.of).dtype == d.dtype:
            return pointer, total(inner, offset)
        first = pointer if inner.text == "0" else Text(f"{pointer} + {inner.at(PRODUCT)}", SUM)
        return Text(f"sol_as<{cpp_type(d.dtype)}>({first})"), offset

    def element(self, m: Memlet) -> Text:
        """The one element that `m` names."""
        d = self.cx.data(m.data)
        if isinstance(d, Scalar):
            return Text(self.cx.names.data(m.data))
        pointer, where = self.base(m.data)
        if self.is_register(m.data) and m.subset:
            return Text(pointer.text + "".join(f"[{self._subscript(s)}]" for s in m.subset))
        for s, stride in zip(m.subset, self.strides(m.data), strict=True):
            where = total(where, product(self._subscript(s), stride))
        return Text(f"{pointer}[{where}]")

    def _subscript(self, s: Expr | Range) -> Text:
        return index(self.cx, s.start if isinstance(s, Range) else s)

    def is_register(self, data: str) -> bool:
        d = self.cx.data(data)
        return isinstance(d, Array) and d.storage == "register"

    def whole(self, m: Memlet) -> Memlet:
        """`m` with the empty subset of a container that has dimensions spelled out."""
        lengths = self.lengths(m.data)
        if m.subset or not lengths:
            return m
        full = tuple(Range(Const(0, _I64), Extent(m.data, k), Const(1, _I64)) for k in range(len(lengths)))
        return Memlet(m.data, full, m.axes, m.wcr)

    def window(self, m: Memlet) -> Window:
        """What `m` walks."""
        m = self.whole(m)
        pointer, offset = self.base(m.data)
        strides = self.strides(m.data)
        lengths: list[Text] = []
        steps: list[Text] = []
        for s, stride in zip(m.subset, strides, strict=True):
            offset = total(offset, product(self._subscript(s), stride))
        for axis in m.dims:
            if axis < 0:
                lengths.append(ONE)
                steps.append(ZERO)
                continue
            r = m.subset[axis]
            if not isinstance(r, Range):
                raise InternalError(f"axes of {m} name an index")
            lengths.append(self.length(r, m.data, axis))
            steps.append(product(index(self.cx, r.step), strides[axis]))
        if self.is_register(m.data) and len(strides) > 1:
            pointer = Text(f"&{pointer}{'[0]' * len(strides)}", 4)
        return Window(self.cx.data(m.data).dtype, pointer, offset, tuple(lengths), tuple(steps))

    def length(self, r: Range, data: str = "", axis: int = 0) -> Text:
        """Number of iterations of `r`."""
        start, stop, step = (index(self.cx, x) for x in (r.start, r.stop, r.step))
        if step.text == "1":
            if start.text.isdigit() and stop.text.isdigit():
                return Text(str(max(0, int(stop.text) - int(start.text))))
            if start.text == "0" and (stop.text in self.sizes or (data and stop == self.lengths(data)[axis])):
                return stop
            return Text(f"sol_len({start}, {stop})")
        return Text(f"sol_trip({start}, {stop}, {step})")

    # --- owners -------------------------------------------------------------------------------------------------------

    def owner(self, data: str) -> str:
        """The `sol_buffer*` that owns the memory of `data`, as an expression."""
        root = self.cx.root(data)
        d = self.cx.data(root)
        name = self.cx.names.data(root)
        if isinstance(d, Ref) or (isinstance(d, Array) and d.transient):
            if self.is_register(root):
                return "nullptr"
            if isinstance(d, Array) and root not in self.cx.escaping:
                raise InternalError(f"memory of {root} leaves its scope")
            return f"{name}_own.buffer"
        return f"{name}_buf"

    def alloc(self, data: str, zero: bool, loc: Loc) -> None:
        """Define transient Array `data` here."""
        cx = self.cx
        d = cx.data(data)
        assert isinstance(d, Array)
        name, t = cx.names.data(data), cpp_type(d.dtype)
        cx.tables.uses(d.dtype)
        if d.storage == "register":
            dims = "".join(f"[{max(1, _constant(n))}]" for n in d.shape) or "[1]"
            cx.out.line(f"{t} {name}{dims}{' = {}' if zero else ''};")
            return
        if d.storage != "host":
            raise InternalError(f"{data} lies in {d.storage} memory, which host code does not make")
        self.settle(data)
        # A product of lengths that overflows asks for more than there is: sol_count gives -1, sol_take NULL.
        count = _count(self._lengths[data])
        memory = f"sol_take(services, {count}, sizeof({t}), {'true' if zero else 'false'})"
        if data in cx.escaping:
            cx.out.line(f"sol_owner {name}_own(services, sol_new({memory}));")
            self.check(f"!{name}_own.buffer", loc)
            cx.out.line(f"{t}* const {name} = ({t}*){name}_own.buffer->data;")
        elif is_few(d.shape) and not self._mirrored:
            cx.out.line(f"{t} {name}_few[{max(1, math.prod(map(_constant, d.shape)))}]{' = {}' if zero else ''};")
            cx.out.line(f"{t}* const {self.restrict(data)}{name} = {name}_few;")
        else:
            cx.out.line(f"const sol_memory {name}_mem(services, {memory});")
            self.check(f"!{name}_mem.data", loc)
            cx.out.line(f"{t}* const {self.restrict(data)}{name} = ({t}*){name}_mem.data;")

    def bytes_of(self, data: str) -> Text:
        """Bytes of all elements; less than 0 if that is more than there can be."""
        return _count((*self._lengths[data], Text(str(self.cx.data(data).dtype.size))))

    def parameters(self, data: str) -> list[str]:
        """The C++ parameters of array argument `data`: elements, owner, words of lengths and strides."""
        name = self.cx.names.data(data)
        pointer = f"{cpp_type(self.cx.data(data).dtype)}* {self.restrict(data)}{name}"
        return [pointer, f"sol_buffer* {name}_buf", f"const int64_t* {name}_dims"]

    def restrict(self, data: str) -> str:
        """`__restrict ` if nothing else in this function points into `data`."""
        d = self.cx.data(data)
        assert isinstance(d, Array)
        shared = data in self.cx.escaping or any(
            isinstance(v, View) and self.cx.root(v.of) == data for v in self.cx.program.data.values()
        )
        return "" if shared or d.alias is not None else "__restrict "

    def check(self, failed: str, loc: Loc) -> None:
        place = self.cx.tables.raising("builtins.MemoryError", None, (), loc)
        if self.cx.exit_label is None:
            self.cx.out.line(f"if (SOL_UNLIKELY({failed})) return frame->place = {place}, SOL_RAISE;")
        else:
            self.cx.out.line(f"if (SOL_UNLIKELY({failed})) {{ frame->place = {place}; {self.cx.exit_label} }}")

    def declare_ref(self, data: str) -> None:
        """Define Ref `data`, bound to nothing."""
        d = self.cx.data(data)
        assert isinstance(d, Ref)
        name = self.cx.names.data(data)
        self.cx.tables.uses(d.dtype)
        if data not in self.cx.borrowers:
            self.cx.out.line(f"sol_owner {name}_own(services);")
        self.cx.out.line(f"{cpp_type(d.dtype)}* {name} = nullptr;")
        numbers = [f"{name}_n{k} = 0" for k in range(d.ndim)]
        if d.order == "A":
            numbers += [f"{name}_s{k} = 0" for k in range(d.ndim)]
        if numbers:
            self.cx.out.line(f"int64_t {', '.join(numbers)};")


_I64 = Extent("", 0).dtype
_FEW = 64  # elements of a temporary on the stack


def _running(lengths: tuple[Text, ...]) -> tuple[Text, ...]:
    out: list[Text] = []
    step = ONE
    for n in reversed(lengths):
        out.append(step)
        step = product(n, step) if step.text == "1" else product(step, n)
    return tuple(reversed(out))


def _count(lengths: tuple[Text, ...]) -> Text:
    count = ONE
    for n in lengths:
        count = n if count.text == "1" else Text(f"sol_count({count}, {n})")
    return count


def is_few(shape: Sequence[Expr]) -> bool:
    """Tell whether an array is so small, and of so surely known a size, that its elements may lie on the stack."""
    return all(isinstance(n, Const) for n in shape) and math.prod(map(_constant, shape)) <= _FEW


def _constant(e: Expr) -> int:
    if not isinstance(e, Const):
        raise InternalError("an array on the stack has constant lengths")
    return int(e.value.real)
