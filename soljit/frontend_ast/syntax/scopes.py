"""Which names a function binds, reads and takes from outside.

Scopes as in Python: a comprehension, a lambda and a nested function have their own variables; what they read beyond
those they read of the enclosing function. `:=` binds in the function around a comprehension. `x[i] = v` reads `x`.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Iterator, Sequence

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_AT_ONCE = (ast.ListComp, ast.SetComp, ast.DictComp)
MARK = "@"  # in names that no user writes, but `rename_handlers.py`
_LAZY = ("zip", "map", "filter", "enumerate", "iter")  # give back an iterator over their arguments
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")  # fields of statements that hold statements
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def parameter_names(args: ast.arguments) -> list[str]:
    """All parameters, in the order in which Python numbers them."""
    named = [*args.posonlyargs, *args.args, *args.kwonlyargs]
    return [a.arg for a in (*named, *(x for x in (args.vararg, args.kwarg) if x))]


def target_names(target: ast.AST) -> set[str]:
    """Names that an assignment to `target` binds; `a[i]` and `a.x` bind none."""
    match target:
        case ast.Name(id=name):
            return {name}
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            return {n for e in elts for n in target_names(e)}
        case ast.Starred(value=inner):
            return target_names(inner)
    return set()


def assigned_names(nodes: ast.AST | Iterable[ast.AST]) -> set[str]:
    """Names that these statements bind or unbind in their own scope."""
    out: set[str] = set()
    stack = [nodes] if isinstance(nodes, ast.AST) else list(nodes)
    while stack:
        node = stack.pop()
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                out.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                out.add(name)
                stack.extend(_evaluated_at_definition(node))
            case ast.Lambda():
                stack.extend(_evaluated_at_definition(node))
            case ast.alias(name=name, asname=asname):
                out.add(asname or name.split(".")[0])
            case ast.ExceptHandler(name=str()):
                out |= names_deleted(node)
                stack.extend(ast.iter_child_nodes(node))
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                out.add(name)
                stack.extend(ast.iter_child_nodes(node))
            case ast.MatchMapping(rest=str(name)):
                out.add(name)
                stack.extend(ast.iter_child_nodes(node))
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                out |= assigned_names(ast.iter_child_nodes(node)) - _bound_by(node)  # what is left is bound by :=
            case _:
                stack.extend(ast.iter_child_nodes(node))
    return out


def names_deleted(h: ast.ExceptHandler) -> set[str]:
    """The names that a handler deletes: its own, and the one that the user wrote (`rename_handlers.py`)."""
    return {h.name, h.name.rpartition(MARK)[0]} - {""} if h.name else set()


@functools.lru_cache(maxsize=64)
def deleted_names(tree: ast.AST) -> frozenset[str]:
    """The names that a function may delete, at the end of handlers, too."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del):
            found.add(node.id)
        elif isinstance(node, ast.ExceptHandler):
            found |= names_deleted(node)
    return frozenset(found)


def names_of_changed_objects(nodes: ast.AST | Iterable[ast.AST]) -> set[str]:
    """Names of arrays that these statements may give another shape, other flags or another length (`statements/array_mutation.py`)."""
    out: set[str] = set()
    for top in [nodes] if isinstance(nodes, ast.AST) else nodes:
        for node in ast.walk(top):
            match node:
                case ast.Attribute(value=ast.Name(id=name), attr="shape", ctx=ast.Store()):
                    out.add(name)
                case ast.Attribute(value=ast.Attribute(value=ast.Name(id=name), attr="flags"), ctx=ast.Store()):
                    out.add(name)
                case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="resize" | "setflags")):
                    out.add(name)
    return out


def names_read(nodes: ast.AST | Iterable[ast.AST]) -> set[str]:
    """Names that these nodes may read from the scope they stand in, nested functions and comprehensions included."""
    out: set[str] = set()
    for node in [nodes] if isinstance(nodes, ast.AST) else nodes:
        match node:
            case ast.Name(id=name, ctx=ast.Load() | ast.Del()):
                out.add(name)
            case ast.AugAssign(target=ast.Name(id=name), value=value):
                out |= {name} | names_read(value)
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                out |= _comprehension_reads(node)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda() | ast.ClassDef():
                out |= names_read(_evaluated_at_definition(node)) | captured_by(node)
            case ast.AnnAssign(target=target, value=value):  # annotations of local variables are not evaluated
                out |= names_read([target, *([value] if value else [])])
            case _:
                out |= names_read(ast.iter_child_nodes(node))
    return out


def _comprehension_reads(node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> set[str]:
    first, own = node.generators[0], set[str]()
    out = names_read(first.iter)
    for g in node.generators:
        inner = names_read(g.iter) if g is not first else set[str]()
        own |= target_names(g.target)
        out |= (inner | names_read([g.target, *g.ifs])) - own
    values = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    return out | (names_read(values) - own)


def _evaluated_at_definition(node: ast.AST) -> list[ast.AST]:
    """Decorators, default values, bases and annotations: what runs where a function or class is defined."""
    if isinstance(node, ast.ClassDef):
        return [*node.decorator_list, *node.bases, *node.keywords]
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    out: list[ast.AST] = [*node.args.defaults, *(d for d in node.args.kw_defaults if d), *annotations_of(node)]
    if not isinstance(node, ast.Lambda):
        out += node.decorator_list
    return out


def annotations_of(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> list[ast.expr]:
    """What stands behind the parameters of a function, and its arrow."""
    a = node.args
    every = [*a.posonlyargs, *a.args, *a.kwonlyargs, *(x for x in (a.vararg, a.kwarg) if x is not None)]
    given = [x.annotation for x in every] + [getattr(node, "returns", None)]
    return [x for x in given if x is not None]


def captured_by(node: ast.AST) -> set[str]:
    """Names of the enclosing scope that the body of a nested function, lambda or class reads or rebinds."""
    if isinstance(node, ast.ClassDef):
        return names_read(node.body)
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    body: list[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else list(node.body)
    outer = declared(body, ast.Nonlocal)
    return (names_read(body) | outer) - (local_names(node) - outer) - declared(body, ast.Global)


def captured_names(nodes: ast.AST | Iterable[ast.AST]) -> set[str]:
    """Names of this scope that functions, lambdas, classes and generators defined in it read, perhaps much later."""
    out: set[str] = set()
    for node in [nodes] if isinstance(nodes, ast.AST) else nodes:
        if isinstance(node, _SCOPES):
            out |= captured_by(node) | captured_names(_evaluated_at_definition(node))
        elif isinstance(node, ast.GeneratorExp):
            out |= names_read(node)
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") not in _LAZY:
            args = [x for a in node.args for x in (_inner(a) if isinstance(a, ast.GeneratorExp) else [a])]
            out |= captured_names([node.func, *args, *node.keywords])  # `sum(x for x in a)` is over when it returns
        elif isinstance(node, _AT_ONCE):
            out |= captured_names(_inner(node)) - _bound_by(node)
        else:
            out |= captured_names(ast.iter_child_nodes(node))
    return out


def _inner(node: ast.AST) -> list[ast.AST]:
    return list(ast.iter_child_nodes(node))


def _bound_by(node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> set[str]:
    return {n for g in node.generators for n in target_names(g.target)}


def declared(nodes: ast.AST | Iterable[ast.AST], kind: type[ast.Global] | type[ast.Nonlocal]) -> set[str]:
    """Names declared `global` or `nonlocal` in this scope. Both are statements, so expressions are not looked at."""
    out: set[str] = set()
    stack = [nodes] if isinstance(nodes, ast.AST) else list(nodes)
    while stack:
        node = stack.pop()
        if isinstance(node, kind):
            out.update(node.names)
        elif not isinstance(node, (*_SCOPES, ast.expr)):
            for field in _BLOCKS:
                stack.extend(getattr(node, field, ()))
    return out


def local_names(tree: ast.AST) -> set[str]:
    """Parameters and local variables of a function or lambda."""
    return set(_local_names(tree))


@functools.lru_cache(1024)
def _local_names(tree: ast.AST) -> frozenset[str]:
    assert isinstance(tree, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    body: list[ast.AST] = [tree.body] if isinstance(tree, ast.Lambda) else list(tree.body)
    elsewhere = declared(body, ast.Global) | declared(body, ast.Nonlocal)
    return frozenset(set(parameter_names(tree.args)) | assigned_names(body)) - elsewhere


def names_shared(tree: ast.FunctionDef) -> set[str]:
    """Variables of enclosing functions that a function, or one nested in it, assigns."""
    body: list[ast.AST] = list(tree.body)
    out = declared(body, ast.Nonlocal) & assigned_names(body)
    for n in ast.walk(tree):
        if isinstance(n, ast.FunctionDef) and n is not tree:
            out |= names_shared(n) - local_names(tree)
    return out


def cleans_up(tree: ast.AST) -> bool:
    """Tell whether there is a yield in a try or with statement."""
    around = [n for n in ast.walk(tree) if isinstance(n, (ast.Try, ast.With))]
    return any(isinstance(n, (ast.Yield, ast.YieldFrom)) for a in around for n in ast.walk(a))


def yields(tree: ast.AST) -> bool:
    """Tell whether this is a generator function."""
    stack: list[ast.AST] = list(tree.body) if isinstance(tree, ast.FunctionDef) else []
    while stack:
        n = stack.pop()
        if isinstance(n, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            stack.extend(ast.iter_child_nodes(n))
    return False


def surely_bound(body: Sequence[ast.stmt]) -> set[str]:
    """Names that a run of these statements to their end, or to a jump of their loop, certainly has bound."""
    out: set[str] = set()
    for s in body:
        if any(isinstance(x, (ast.Break, ast.Continue)) for x in own_statements([s])):
            break
        match s:
            case ast.Assign(targets=targets):
                out |= assigned_names(targets)
            case ast.AnnAssign(target=target, value=ast.expr()):
                out |= assigned_names(target)
            case ast.If(body=then, orelse=orelse):
                out |= surely_bound(then) & surely_bound(orelse)
    return out - maybe_deleted(body)


def maybe_deleted(body: Sequence[ast.stmt]) -> set[str]:
    """Names that these statements may delete."""
    every = [x for s in body for x in ast.walk(s)]
    handlers = [n for h in every if isinstance(h, ast.ExceptHandler) for n in names_deleted(h)]
    return assigned_names(x for x in every if isinstance(x, ast.Delete)).union(handlers)


def own_statements(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Statements of a loop body that belong to this loop: nested loops are left out, but not their else clauses."""
    out: list[ast.stmt] = []
    for s in body:
        out.append(s)
        if isinstance(s, (ast.For, ast.While)):
            out.extend(own_statements(s.orelse))
        elif not isinstance(s, ast.FunctionDef):
            for child in ast.iter_child_nodes(s):
                if isinstance(child, ast.stmt):
                    out.extend(own_statements([child]))
                elif isinstance(child, (ast.ExceptHandler, ast.match_case)):
                    out.extend(own_statements(child.body))
    return out


def ways(tree: ast.AST) -> Iterator[tuple[ast.AST, ...]]:
    """From the tree down to each node in it, itself first."""
    yield (tree,)
    for child in ast.iter_child_nodes(tree):
        for way in ways(child):
            yield (tree, *way)
