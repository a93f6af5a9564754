"""Of which form the attributes of own instances are: what `unbox_instances` makes variables of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce

from soljit.analysis.flow.instance_states import Aliases, Later
from soljit.analysis.flow.own_instances import GET, SAME, Attribute, Variables, attribute_of, compared, is_instance
from soljit.base.records import dataclass
from soljit.ir.callbacks.item_forms import FLOATS, Form, Item, columns_as, dtypes_of, is_number, item_of
from soljit.ir.core.data import Array, Data, Ref
from soljit.ir.core.expr import ONE, ZERO, Const, Expr, Memlet, Range, const
from soljit.ir.core.nodes import Bind, Call, Callback, Program, Return
from soljit.ir.core.types import DType, i64
from soljit.ir.walk import memlets_read, walk
from soljit.support.declarations import ANY_FLOAT

UNREAD = "nobody reads it"
OBJECT = "an object"  # of any class, and everything else that is seldom
_NONE = "none"


@dataclass(frozen=True)
class Maybe:
    """An attribute that is None, or numbers of a form."""

    form: Form


@dataclass(frozen=True)
class Arrays:
    """An attribute that holds arrays which the program makes, of which it uses the elements. outs: the Refs that it is read into"""

    dtype: DType
    ndim: int
    sources: tuple[str, ...]
    outs: tuple[str, ...]


def types_of(form: Form) -> tuple[DType, ...]:
    """The types of the numbers that such an attribute consists of."""
    if isinstance(form, Maybe):
        return (i64, *types_of(form.form))
    match form:
        case {"tuple": list() as parts}:
            return tuple(t for p in parts for t in types_of(p))
    return dtypes_of(form)


def converted(form: Form, item: Item) -> tuple[Expr, ...]:
    """The numbers of an item as those of an attribute of this form, which holds it."""
    if isinstance(form, Maybe):
        if isinstance(item.form, Maybe):
            return (item.columns[0], *converted(form.form, Item(item.form.form, item.columns[1:])))
        if item.form == _NONE:
            return tuple(Const(t.numpy.type(0).item(), t) for t in types_of(form))
        return (const(1), *converted(form.form, item))
    match form, item.form:
        case {"tuple": list() as to}, {"tuple": list() as parts}:
            out, rest = list[Expr](), item.columns
            for f, p in zip(to, parts, strict=True):
                n = len(types_of(p))
                out += converted(f, Item(p, rest[:n]))
                rest = rest[n:]
            return tuple(out)
    return columns_as(form, item)


def holds(form: Form, other: object) -> bool:
    """Tell whether what has the other form can be given this one."""
    match form, other:
        case {"tuple": list() as a}, {"tuple": list() as b}:
            return len(a) == len(b) and all(map(holds, a, b))
    return form == other or form == ANY_FLOAT and other in FLOATS


def put_by(program: Program, n: Callback) -> Item | None:
    """What a call sets an attribute to, if that is numbers or None."""
    return Item(_NONE, ()) if n.args[2] is None else item_of(program, n, n.args[2])


def joined(a: Form, b: Form) -> Form:
    """The form of an attribute that holds both."""
    if a == b:
        return a
    if OBJECT in (a, b):
        return OBJECT
    if isinstance(a, Maybe) or isinstance(b, Maybe) or _NONE in (a, b):
        parts = [x.form if isinstance(x, Maybe) else x for x in (a, b) if x != _NONE]
        form = reduce(joined, parts)
        return OBJECT if form == OBJECT or isinstance(form, dict) and "tuple" in form else Maybe(form)
    match a, b:
        case {"tuple": list() as x}, {"tuple": list() as y} if len(x) == len(y):
            found = [joined(p, q) for p, q in zip(x, y)]
            return OBJECT if OBJECT in found else {"tuple": found}
    return ANY_FLOAT if all(x == ANY_FLOAT or x in FLOATS for x in (a, b)) else OBJECT


@dataclass
class Forms:
    """Of each attribute of each variable its form. refused: variables of which there is none"""

    program: Program
    variables: Variables
    shown: frozenset[str]
    aliases: Aliases
    later: Later

    def __post_init__(self) -> None:
        self.of: dict[Attribute, Form] = {}
        self.refused: set[str] = set()
        self.gets: dict[Attribute, list[Callback]] = {}
        self.sets: dict[Attribute, list[Callback]] = {}
        self.binds: dict[str, set[str]] = {}
        for n in walk(self.program.body):
            a = attribute_of(n)
            if a and a[0] in self.variables.groups and isinstance(n, Callback):
                (self.gets if n.target == GET else self.sets).setdefault(a, []).append(n)
            elif isinstance(n, Bind) and n.ref in self.variables.groups:
                self.binds.setdefault(n.ref, set()).add(n.source.data)
        self.looked_at = _looked_at(self.program)
        held = _held(self.program)
        for group in dict.fromkeys(self.variables.groups.values()):
            for name in dict.fromkeys(a for owner, a in (*self.gets, *self.sets) if owner in group):
                found = self._of_group(group, name, held)
                if found is None:
                    self.refused |= group
                    break
                self.of |= {(owner, name): form for owner, form in found.items()}

    def _of_group(self, group: frozenset[str], name: str, held: set[str]) -> Mapping[str, Form] | None:
        """The form of one attribute for each variable of a group that has it; None: there is none."""
        gets = [n for owner in group for n in self.gets.get((owner, name), ())]
        sets = [n for owner in group for n in self.sets.get((owner, name), ())]
        shown = not group.isdisjoint(self.shown)
        if not gets and not shown:
            return dict.fromkeys(group, UNREAD)
        if any(_is_array(self.program, n) for n in sets):
            arrays = None if shown else _arrays(self.program, held, [*gets, *sets])
            return None if arrays is None else dict.fromkeys(group, arrays)
        if any(isinstance(n.result, dict) and "array" in n.result for n in gets):
            return None
        forms = self._flowing(group, name)
        whole = reduce(joined, forms.values()) if forms else OBJECT
        if whole == _NONE or shown and not (whole == ANY_FLOAT or is_number(whole)):
            whole = OBJECT
        if whole == OBJECT or isinstance(whole, Maybe):
            forms = dict.fromkeys(group, whole)
        if not all(self._serves(forms.get(n.ins[0].data), n) for n in gets):  # type: ignore[union-attr]
            return dict.fromkeys(group, OBJECT)
        return forms

    def _serves(self, form: Form | None, n: Callback) -> bool:
        """Tell whether what has this form can be read as a call reads it."""
        if len(n.outs) == 1 and is_instance(self.program, n.outs[0]):
            if form != OBJECT and n.outs[0] in self.looked_at:
                return False
            mixed = isinstance(form, dict) and ANY_FLOAT in form.get("tuple", ())
            return isinstance(n.result, dict) and "object" in n.result and form is not None and not mixed
        return form != OBJECT and not isinstance(form, Maybe) and form is not None and holds(n.result, form)

    def _flowing(self, group: frozenset[str], name: str) -> dict[str, Form]:
        """The forms of what is put into one attribute of each variable, also by way of others."""
        forms: dict[str, Form] = {}

        def put(owner: str, form: Form) -> bool:
            before = forms.get(owner)
            forms[owner] = form if before is None else joined(before, form)
            return forms[owner] != before

        for owner in group:
            for n in self.sets.get((owner, name), ()):
                item = put_by(self.program, n)
                for x in (owner, *self.touched(n, owner)):
                    put(x, OBJECT if item is None else item.form)
        changed = True
        while changed:
            pairs = [(to, source) for to in group for source in self.binds.get(to, ()) if source in forms]
            changed = max((put(to, forms[source]) for to, source in pairs), default=False)
        return forms

    def touched(self, n: Callback, owner: str) -> frozenset[str]:
        """The other variables whose attribute a call may set, and that are read later."""
        return self.aliases.of(n, owner)[0] & self.later.after[n]


def _is_array(program: Program, n: Callback) -> bool:
    """Tell whether a call sets an attribute to an array."""
    match n.args[2]:
        case {"$": int() as k}:
            m = n.ins[k]
            return isinstance(m, Memlet) and not is_instance(program, m.data)
    return False


def _arrays(program: Program, held: set[str], calls: Iterable[Callback]) -> Arrays | None:
    """An attribute that these calls set and get, if it holds such arrays. held: containers that are given to somebody, or get other names"""
    sources: dict[str, None] = {}
    outs: dict[str, None] = {}
    for n in calls:
        if n.target == GET:
            outs[n.outs[0]] = None
            continue
        match n.args[2], n.ins[1:]:
            case {"$": 1}, (Memlet(data=source) as m,) if _is_whole(program.data[source], m):
                sources[source] = None
            case _:
                return None
    found = [program.data[x] for x in (*sources, *outs) if x]
    kinds = {(d.dtype, len(d.shape) if isinstance(d, Array) else d.ndim) for d in found if isinstance(d, (Array, Ref))}
    fits = all(isinstance(d := program.data.get(o), Ref) and d.order in ("C", "A") for o in outs)
    if len(kinds) != 1 or not fits or not held.isdisjoint(outs) or not sources:
        return None
    ((dtype, ndim),) = kinds
    return Arrays(dtype, ndim, tuple(sources), tuple(outs))


def _is_whole(d: Data, m: Memlet) -> bool:
    """Tell whether this is all of an array that the program makes, in C order."""
    if not (isinstance(d, Array) and d.transient and d.strides is None and d.storage == "host" and m.axes is None):
        return False
    return m.subset == tuple(Range(ZERO, n, ONE) for n in d.shape)


def _looked_at(program: Program) -> set[str]:
    """Variables of objects of which somebody may ask which object it is: not those that are only compared with None, converted to numbers, or returned."""
    out: set[str] = set()
    binds: list[Bind] = []
    for n in walk(program.body):
        match n:
            case Bind():
                binds.append(n)
            case Callback(target=t, args=({"$": 0},), result=str() | {"numpy": _}) if t == SAME:
                pass
            case Return():
                pass
            case _ if (pair := compared(n)) is None or pair[1]:
                out |= {m.data for m in memlets_read(n)}
    while more := {n.source.data for n in binds if n.ref in out} - out:
        out |= more
    return out


def _held(program: Program) -> set[str]:
    """Containers that are returned, given to a call, or bound to a variable: somebody may ask which array they are."""
    out: set[str] = set()
    for n in walk(program.body):
        if isinstance(n, (Callback, Call, Return, Bind)):
            out |= {m.data for m in memlets_read(n)}
    return out
