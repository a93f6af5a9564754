"""Globals, closure variables, special methods and containers of another module that change between two calls: nothing is stale."""

from __future__ import annotations

import linecache
from collections.abc import Sequence
from typing import Any

import pytest

import soljit as sol
from tests.differential import elsewhere
from tests.differential.elsewhere import operand

FUNCTIONS = """
    helper(x), plain(x), outer(x), elsewhere.helper(x), decorated(x), decorated_jitted(x), jitted_decorated(x), recursive(2)
    with_default(x), g(x), h(x), bound(x), bound_jitted(x), partial(), in_tuple[0](x), in_tuple[1](x), by_name['helper'](x)
    sum(map(helper, range(3))), max([1, 2, 3], key=lambda v: -helper(v)), (lambda f: f(x))(helper), [f(x) for f in in_tuple]
    operand.method(x), operand.jitted_method(x), operand.prop, operand.static(x), operand.of_class(x), Operand(2).method(x)
"""
OPERATIONS = """
    len(operand), bool(operand), 1 if operand else 2, not operand, operand and 5, operand[x], operand[1:3], x in operand
    operand == 4, operand != 4, operand < x, operand >= operand, -operand, ~operand, operand + x, x + operand, operand**2
    abs(operand), float(operand), int(operand), round(operand), divmod(operand, x), str(operand), f"{operand}", operand(x)
    list(operand), [*operand], [v for v in operand], sum(operand), max(operand), any(operand), next(iter(operand))
    sorted(operand), min(operand, key=lambda v: -v), [a * b for a, b in zip(operand, [1, 2])], tuple(operand)
"""
OF_CONTAINERS = (
    "len({0}), bool({0}), 1 if {0} else 2, 1 in {0}, [v for v in {0}], sum({0}), list({0}), {0}[1] if {0} else 0"
)


def compiled(expressions: str, target: str) -> Any:
    """The expressions as a tuple, as a function and compiled."""
    lines = [s.strip() for s in expressions.strip().split("\n")]
    text = "def f(x):\n    return (\n" + "".join(f"        {line},\n" for line in lines) + "    )\n"
    name = f"<elsewhere {abs(hash(text))}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space = {k: v for k, v in vars(elsewhere).items() if k != "K"} | {"elsewhere": elsewhere, "__name__": __name__}
    exec(compile(text, name, "exec"), space)  # noqa: S102 (the text above)
    f = space["f"]
    return f, sol.jit(strict=True, target=target)(f)


def compare(expressions: str, target: str, values: Sequence[Any]) -> None:
    f, jitted = compiled(expressions, target)
    try:
        for k in values:
            elsewhere.K = k
            elsewhere.set_z(k / 2)
            elsewhere.fill(int(k))
            want = f(2)
            assert repr(jitted(2)) == repr(want), k
    finally:
        elsewhere.K = 3
        elsewhere.set_z(1)
        elsewhere.fill(2)


@pytest.mark.parametrize("target", ["openmp", "null"])
def test_functions(target: str) -> None:
    compare(FUNCTIONS, target, (3, 5, 2.5, 3))


def test_special_methods_of_an_instance() -> None:
    compare(OPERATIONS, "null", (3, 5, 2.5, 3))


@pytest.mark.parametrize("name", ["numbers", "table", "deque", "ints", "octets", "counter", "ordered", "default"])
def test_containers(name: str) -> None:
    compare(OF_CONTAINERS.format(name), "null", (2, 5, 0, 3))


def test_an_instance_is_itself() -> None:
    def f() -> Any:
        return operand is elsewhere.operand

    assert sol.jit(strict=True, target="null")(f)() is True


def test_methods_of_a_local_class() -> None:
    def local() -> Any:
        z: Any = 1

        class Local:
            def method(self) -> Any:
                return z

        def set_z(value: Any) -> None:
            nonlocal z
            z = value

        return Local(), set_z

    instance, set_z = local()

    def f(a: Any) -> Any:
        return a.method()

    jitted = sol.jit(strict=True, target="null")(f)
    for value in (1, 2, 2.5):
        set_z(value)
        assert jitted(instance) == value


OBJECTS = """
    elsewhere.rng.random(2), elsewhere.rng.integers(0, 10, x), elsewhere.rng.permutation(3), elsewhere.draw(size=2)
    elsewhere.state.rand(2), elsewhere.state.randint(9), elsewhere.uniform(), elsewhere.python.random()
    next(elsewhere.counted), next(elsewhere.items), elsewhere.flat[x], elsewhere.append(x), len(elsewhere.numbers)
    elsewhere.polynomial(x), elsewhere.poly(x), elsewhere.poly.roots, elsewhere.third * x, float(elsewhere.third)
    elsewhere.day.year + x, elsewhere.total(x)
"""


@pytest.mark.parametrize("target", ["openmp", "null"])
def test_objects_that_remember(target: str) -> None:
    f, jitted = compiled(OBJECTS, target)
    for _ in range(2):
        elsewhere.start()
        want = [repr(f(2)), repr(f(3))]
        elsewhere.start()
        assert [repr(jitted(2)), repr(jitted(3))] == want
