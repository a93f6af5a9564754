"""Scalars that are read before they are written, and those that are read later."""

from __future__ import annotations

from soljit.analysis.flow.liveness import assigned, exposed, live_after
from soljit.ir.core.nodes import Loop, Program
from soljit.ir.text.parser import from_text
from soljit.ir.walk import walk


def program(body: str) -> Program:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return from_text(f"def f(n: i64, c: b1) -> scalar(f64):\n    s: f64\n    t: f64\n{lines}    return s\n")


def test_written_first_on_every_way() -> None:
    p = program("if c:\n    s = 1.0\nelse:\n    s = 2.0\nt = s")
    assert "s" not in exposed(p.body)
    assert assigned(p.body) >= {"s", "t"}


def test_written_on_one_way_only() -> None:
    p = program("if c:\n    s = 1.0\nt = s")
    assert "s" in exposed(p.body)
    assert "s" not in assigned(p.body)


def test_a_loop_may_not_run() -> None:
    assert "s" in exposed(program("for i in range(0, n):\n    s = 1.0\nt = s").body)
    assert "s" not in exposed(program("for i in range(0, 3):\n    s = 1.0\nt = s").body)


def test_what_stands_behind_a_break_need_not_run() -> None:
    p = program("for i in range(0, 3):\n    if c:\n        break\n    s = 1.0\nt = s")
    assert "s" in exposed(p.body)


def test_an_arm_that_raises_assigns_all() -> None:
    p = program('if c:\n    raise builtins.ValueError("x")\nelse:\n    s = 2.0\nt = s')
    assert "s" not in exposed(p.body)


def test_live_after_loops() -> None:
    p = program("s = 0.0\nfor i in range(0, n):\n    t = 1.0\n    s = s + t\nfor j in range(0, n):\n    t = 2.0")
    live = {n.var: live_after(p)[n] for n in walk(p.body) if isinstance(n, Loop)}
    assert live["i"] == {"s"}
    assert live["j"] == {"s"}


def test_live_in_the_next_round_of_the_outer_loop() -> None:
    p = program("t = 0.0\nfor i in range(0, n):\n    s = t\n    for j in range(0, n):\n        t = 2.0")
    inner = next(n for n in walk(p.body) if isinstance(n, Loop) and n.var == "j")
    assert "t" in live_after(p)[inner]
