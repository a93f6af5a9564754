"""Recipes as text and as JSON: what is written is read back, and what is not understood is said in a sentence."""

from __future__ import annotations

import json

import pytest

from soljit.base.errors import ScheduleError
from soljit.schedule.address import Address
from soljit.schedule.recipe import Recipe, Step
from soljit.schedule.steps import FORMS
from soljit.schedule.text import from_text, to_text

TEXT = """\
function(f, line=10)
fuse(L12.i0, L13.i0[2], loops=1)
contract(lap, L12.i0)
contract('L3')
interchange(L12.i.j, j, i)
tile(L12.i.j, i=128, j=8)
map(fib.L5.k)
map(L0.k)
parallel(L12.i0, pieces='equal', when='60000 <= n')
"""


def test_text_is_read_back() -> None:
    recipe = from_text(TEXT, first=1)
    assert to_text(recipe, "f", 10) == TEXT
    assert recipe.lines == (2, 3, 4, 5, 6, 7, 8, 9)


def test_json_is_read_back() -> None:
    recipe = from_text(TEXT, first=1)
    assert Recipe.from_json(json.loads(json.dumps(recipe.to_json()))) == recipe


def test_every_form_is_read_as_it_is_documented() -> None:
    for name, form in FORMS.items():
        recipe = from_text(form.usage, first=1)
        assert [s.name for s in recipe] == [name]
        assert to_text(recipe, "f", 1) == f"function(f, line=1)\n{form.usage}\n".replace('"', "'")


def test_lines_count_from_the_def() -> None:
    here, moved = from_text("map(L14.i)", first=10), from_text("function(f, line=110)\nmap(L114.i)", first=10)
    assert here == moved
    assert here.steps == (Step("map", (Address(4, ("i",)),)),)
    assert to_text(here, "f", 20) == "function(f, line=20)\nmap(L24.i)\n"


def test_equal_recipes_are_equal_values() -> None:
    plain = from_text("tile(L2.i.j, i=4, j=8)\nmap(L3.i)", first=1)
    other = from_text("# a remark\n\ntile( L2.i.j , j=8, i=4 )\nmap(L3.i); map(L3.i)", first=1)
    assert plain == other
    assert hash(plain) == hash(other)
    assert repr(plain) == repr(other)
    assert plain != from_text("map(L3.i)\ntile(L2.i.j, i=4, j=8)", first=1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "foo(L1.i)",
            "line 1 of the schedule: there is no step 'foo'; there are " + ", ".join(sorted(FORMS)),
        ),
        (
            "map(L1.i)\nfuse(L1.i)",
            "line 2 of the schedule: fuse is written fuse(L14.i, L15.i), which takes 2 operands, not 1",
        ),
        (
            "map(x)",
            "line 1 of the schedule: map is written map(L14.i): operand 1 is the address of a loop, as in L14.i",
        ),
        (
            "inline(L1.i)",
            "line 1 of the schedule: inline is written inline(lap): operand 1 is the name of an array",
        ),
        ("map(L3.i, a=3)", "line 1 of the schedule: map has no option 'a'; it has none"),
        ("fuse(L3.i, L4.i, a=3)", "line 1 of the schedule: fuse has no option 'a'; it has loops"),
        ("delay(L3.i, steps=0)", "line 1 of the schedule: steps= of delay is a positive number, not 0"),
        (
            "map(L3.i, turn=2)",
            "line 1 of the schedule: there is no turn= any more: steps are taken in the order in which they are written",
        ),
        ("x = 3", "line 1 of the schedule: each line is a step, like fuse(L14.i, L15.i), not 'x = 3'"),
        ("map(L3)", "line 1 of the schedule: an address is a line and the variables of its loop, like L14.i.j, not L3"),
        (
            "map(L3.i + 1)",
            "line 1 of the schedule: operands are addresses like L14.i and names, not 'L3.i + 1'",
        ),
        ("map(L3.i)\nfunction(f, line=3)", "line 2 of the schedule: function(…) stands on top"),
        (
            "function(3)",
            "line 1 of the schedule: the first line is function(name, line=number), not 'function(3)'",
        ),
        (
            "parallel(L3.i, when=n > 3)",
            "line 1 of the schedule: options are numbers, texts and names, not 'n > 3'",
        ),
    ],
)
def test_what_is_not_understood_is_said(text: str, message: str) -> None:
    with pytest.raises(ScheduleError) as found:
        from_text(text, first=1)
    assert str(found.value) == message


def test_json_that_is_no_recipe_is_refused() -> None:
    for data in ({}, [3], [{"step": "map"}], [{"step": "map", "on": [{"line": 3}], "with": {}}]):
        with pytest.raises(ScheduleError):
            Recipe.from_json(data)
    on = [{"line": 3, "names": ["i"], "count": 1, "function": ""}]
    with pytest.raises(ScheduleError, match="no turn= any more"):
        Recipe.from_json([{"step": "map", "on": on, "with": {"turn": 2}}])
