"""What is known of objects in attributes of instances that nobody else sees."""

from __future__ import annotations

from soljit.analysis.flow.own_instances import Held, own_variables, single
from soljit.analysis.flow.program_point import facts_of
from soljit.ir.core.nodes import Program
from soljit.ir.text.parser import from_text

PROGRAM = """
@structure({{"leaf": 0}})
def f(n: i64) -> scalar(f64):
    outer: obj[()].ref("C")
    inner: obj[()].ref("C")
    read: obj[()].ref("C")
    x: f64
    callback("soljit.support.objects.new", outs=[outer], ins=[], args=[{{"name": "m.Outer"}}], effects=[], result={{"object": "m.Outer"}})
    for i in range(0, n):
{body}
    return x
"""
MAKE = 'callback("soljit.support.objects.new", outs=[inner], ins=[], args=[{"name": "m.Inner"}], effects=[], result={"object": "m.Inner"})'
PUT = 'callback("builtins.setattr", outs=[], ins=[memlet(outer[()]), memlet(inner[()])], args=[{"$": 0}, "held", {"$": 1}], effects=[outer, inner])'
READ = 'callback("builtins.getattr", outs=[read], ins=[memlet(outer[()])], args=[{"$": 0}, "held"], effects=[outer], result={"object": "m.Inner"})'
USE = 'callback("builtins.getattr", outs=[x], ins=[memlet(read[()])], args=[{"$": 0}, "x"], effects=[read], result={"numpy": "f64"})'


def program(*lines: str) -> Program:
    return from_text(PROGRAM.format(body="\n".join(f"        {x}" for x in lines)))


def names(p: Program) -> dict[str, str]:
    held = Held(facts_of(p), objects=set(own_variables(p).alone), single=single(p))
    held.region(p.body, frozenset())
    return held.names()


def test_what_is_read_is_what_was_put_there() -> None:
    assert names(program(MAKE, PUT, READ, USE)) == {"read": "inner"}


def test_used_when_the_name_stands_for_another_object() -> None:
    """What a round reads is the object of this round; what it uses first is that of the round before, which has no name any more."""
    assert names(program(USE, MAKE, PUT, READ)) == {}
