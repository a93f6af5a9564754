"""Which side of a pair is current where, and which one is needed."""

from __future__ import annotations

from soljit.analysis.device.current import UNWRITTEN
from soljit.analysis.device.pairs import escaping, pairs_of, touches
from soljit.analysis.device.residency import current_before, needed_after
from soljit.ir.core.nodes import Branch, Callback, Copy, Loop, Map, Node, Program, Return, Tasklet, While
from soljit.ir.text.parser import from_text
from soljit.ir.walk import walk
from soljit.ir.walk.spaces import DEVICE, HOST

HEAD = """
@symbols(N=A.shape[0])
def f(A: f64[N], B: f64[N].alias("g"), C: f64[N].alias("g"), x: f64, n: i64, o: object) -> scalar(f64):
    v: f64[N].view(A, 0).strides(1)
    A_dev: f64[N].storage("cuda").mirror(A)
    B_dev: f64[N].storage("cuda").mirror(B)
    t: f64[N]
    t_dev: f64[N].storage("cuda").mirror(t)
    s: f64
    s_dev: f64[()].storage("cuda").mirror(s)
    held_by_objects: obj[()].ref("C", t)
    alloc(A_dev)
    alloc(B_dev)
    alloc(t)
    alloc(t_dev)
    alloc(s_dev)
"""
KERNEL = """
with map(i=range(0, N)), schedule("grid"):
    A_dev[i] = x
"""
UP = "copy(A_dev[0:N], A[0:N])\n"
DOWN = "copy(A[0:N], A_dev[0:N])\n"
END = "\nreturn 0.0"


def program(body: str) -> Program:
    lines = (body + END).strip("\n").split("\n")
    return from_text(HEAD + "".join(f"    {line}\n" for line in lines))


def the(p: Program, kind: type[Node], k: int = -1) -> Node:
    return [n for n in walk(p.body) if isinstance(n, kind)][k]


def current(body: str, kind: type[Node] = Return, home: str = "A") -> set[str]:
    p = program(body)
    return set(current_before(p)[the(p, kind)][home])


def needed(body: str, kind: type[Node] = Map, home: str = "A") -> dict[str, str]:
    p = program(body)
    return {space: why.deed for space, why in needed_after(p)[the(p, kind)].get(home, {}).items()}


def test_writes_make_the_other_side_old() -> None:
    assert current("") == {HOST}
    assert current(UP) == {HOST, DEVICE}
    assert current(UP + KERNEL) == {DEVICE}
    assert current(KERNEL) == {DEVICE}  # all of it
    assert current(KERNEL.replace("0, N", "1, N")) == set()  # neither side has all
    assert current(UP + KERNEL + DOWN) == {HOST, DEVICE}
    assert current(UP + "A[0] = x") == current(UP + "v[0] = x") == {HOST}
    assert current(UP + "copy(A_dev[0:n], A[0:n])") == {HOST, DEVICE}
    assert current("copy(A_dev[0:n], A[0:n])") == {HOST}


def test_fresh_memory_has_any_value() -> None:
    assert current("", home="t") == {HOST, DEVICE, UNWRITTEN}
    assert current("t[0] = x", home="t") == {HOST}
    assert current("with map(i=range(1, N)), schedule('grid'):\n    t_dev[i] = x", home="t") == {DEVICE}
    assert current("", home="s") == {HOST, DEVICE, UNWRITTEN}
    assert current("s = x", home="s") == {HOST}


def test_ways_meet() -> None:
    assert current(f"if n > 0:\n    {UP}") == {HOST}
    assert current(f"if n > 0:\n    {UP}else:\n    {UP}") == {HOST, DEVICE}
    assert current(f"{UP}for k in range(0, n):\n    A[k] = x") == {HOST}
    assert current(f"for k in range(0, n):\n    {UP}") == {HOST}
    assert current(f"for k in range(0, 3):\n    {UP}") == {HOST, DEVICE}
    assert current(f"while True:\n    {UP}    break") == {HOST, DEVICE}
    assert current(f"while True:\n    if x > 0.0:\n        break\n    {UP}") == {HOST}
    assert current(f"{UP}if n > 0:\n    A[0] = x\n    return 1.0") == {HOST, DEVICE}


def test_calls_and_overlapping_arguments_touch_what_they_may_reach() -> None:
    call = 'callback("param:o.step", outs=[], ins=[], effects=[held_by_objects])'
    p = program(call)
    assert {(t.home, t.space, t.reads, t.writes) for t in touches(p, the(p, Callback))} == {("t", HOST, True, True)}
    assert escaping(p) == {"A", "B", "t"}
    assert current("copy(B_dev[0:N], B[0:N])\nC[0] = x", home="B") == {HOST}
    assert pairs_of(p).held == {"t"}


def test_what_is_read_before_it_is_written_whole_is_needed() -> None:
    assert needed(KERNEL) == {HOST: "escapes"}
    assert needed(KERNEL + DOWN) == {DEVICE: "copy"}
    assert needed(UP + KERNEL + DOWN, Copy) == {HOST: "escapes"}
    assert needed("s = x\ns = A[0]\n" + UP + KERNEL + DOWN + "s = x", Tasklet) == {HOST: "escapes"}
    assert needed(KERNEL, home="t") == {HOST: "escapes"}
    p = program(UP + KERNEL + DOWN)
    assert not needed_after(p)[the(p, Copy, 0)]["A"].keys() & {DEVICE}
    p = program(UP + KERNEL.replace("0, N", "1, N") + DOWN)
    assert needed_after(p)[the(p, Copy, 0)]["A"][DEVICE].deed == "part"
    p = program(UP + KERNEL.replace("= x", "= A_dev[i] + x") + DOWN)
    assert needed_after(p)[the(p, Copy, 0)]["A"][DEVICE].deed == "read"


def test_conditions_and_loops_need_what_they_read() -> None:
    p = program("s = x\nwhile s > 0.0:\n    copy(s, s_dev)")
    assert needed_after(p)[the(p, Copy)]["s"][HOST].node is the(p, While)
    p = program(f"{DOWN}if A[0] > x:\n    s = x")
    assert needed_after(p)[the(p, Copy)]["A"][HOST].node is the(p, Branch)
    p = program(f"for k in range(0, n):\n    {UP}    s = A[0]")
    assert needed_after(p)[the(p, Loop)]["A"].keys() == {HOST}
    p = program(f"{UP}for k in range(0, n):\n    if n > 3:\n        continue\n    {DOWN}    break")
    assert needed_after(p)[the(p, Copy, 0)]["A"].keys() == {HOST, DEVICE}


def test_an_argument_that_the_host_writes_must_be_home_before() -> None:
    """Else an exception would bring the old elements of the device home over the new ones."""
    host = "with map(j=range(0, N)):\n    {} = x\n"
    assert needed(KERNEL + DOWN + host.format("A[j]") + "s = x", Copy) == {HOST: "write"}
    p = program("copy(t[0:N], t_dev[0:N])\n" + host.format("t[j]"))
    assert needed_after(p)[the(p, Copy)]["t"] == {}


def test_an_exception_needs_nothing() -> None:
    p = program(f'{DOWN}raise builtins.ValueError("{{0}}", n)')
    assert needed_after(p)[the(p, Copy)].get("A", {}) == {}
    assert needed_after(p)[the(p, Copy)]["t"].keys() == {HOST}  # somebody else holds it


VARIABLES = """
@symbols(N=A.shape[0])
def f(A: f64[N], B: f64[N], n: i64) -> array(f64, 1, base=A):
    u: f64[:].ref("C", A, B)
    v: f64[:].ref("C", A, B)
    t: f64[N]
    A_dev: f64[N].storage("cuda").mirror(A)
    B_dev: f64[N].storage("cuda").mirror(B)
    t_dev: f64[N].storage("cuda").mirror(t)
    u_dev: f64[:].ref("C", A_dev, B_dev).storage("cuda").mirror(u)
    v_dev: f64[:].ref("C", A_dev, B_dev).storage("cuda").mirror(v)
    alloc(A_dev)
    alloc(B_dev)
"""
TO_A = "bind(u_dev, A_dev[0:N])\nbind(u, A[0:N])\n"
TO_B = "bind(v_dev, B_dev[0:N])\nbind(v, B[0:N])\n"
UP_U = "copy(u_dev[0:u.shape[0]], u[0:u.shape[0]])\n"
DOWN_U = "copy(u[0:u.shape[0]], u_dev[0:u.shape[0]])\n"
WRITE = 'with map(i=range(0, N)), schedule("grid"):\n    {0}_dev[i] = 1.0\n'
PART = 'with map(i=range(1, N)), schedule("grid"):\n    {0}_dev[i] = 1.0\n'
MAYBE = "if n == 1:\n    bind(u_dev, B_dev[0:N])\n    bind(u, B[0:N])\n"
END_U = "return u[0:N]"


def state(body: str) -> dict[str, set[str]]:
    """What is current in front of the Return."""
    lines = (body + END_U).strip("\n").split("\n")
    p = from_text(VARIABLES + "".join(f"    {line}\n" for line in lines))
    return {k: set(v) - {UNWRITTEN} for k, v in current_before(p)[the(p, Return)].items()}


def test_what_is_done_under_one_name_counts_for_all_that_may_show_the_memory() -> None:
    assert state(TO_A)["u"] == {HOST}
    assert state(TO_A + UP_U)["A"] == {HOST, DEVICE}
    assert state(UP + TO_A)["u"] == {HOST, DEVICE}
    after = state(UP + TO_A + TO_B + WRITE.format("u"))
    assert (after["A"], after["u"], after["B"], after["v"]) == ({DEVICE}, {DEVICE}, {HOST}, {HOST})
    assert state(UP + TO_A + MAYBE + PART.format("u"))["B"] == set()
    assert state(UP + TO_A + MAYBE + PART.format("u"))["A"] == {DEVICE}


def test_an_argument_is_home_only_if_it_is_copied_by_its_own_name() -> None:
    after = state(UP + TO_A + WRITE.format("u") + DOWN_U)
    assert (after["u"], after["A"]) == ({HOST, DEVICE}, {DEVICE})
    assert state(UP + TO_A + WRITE.format("u") + DOWN)["u"] == {HOST, DEVICE}


def test_memory_that_is_made_anew_is_another_one() -> None:
    made = "alloc(t)\nalloc(t_dev)\n"
    to_t = "bind(u_dev, t_dev[0:N])\nbind(u, t[0:N])\n"
    after = state(made + WRITE.format("t") + to_t + made)
    assert after["u"] == {DEVICE}
    assert state(made + WRITE.format("t") + to_t + made + WRITE.format("t") + "copy(t[0:N], t_dev[0:N])\n")["u"] == {
        DEVICE
    }
    assert state(made + WRITE.format("t") + to_t + "copy(t[0:N], t_dev[0:N])\n")["u"] == {HOST, DEVICE}


def test_a_name_that_leaves_its_memory_leaves_word_of_what_it_did() -> None:
    moved = "bind(v_dev, u_dev[0:N])\nbind(v, u[0:N])\n"
    after = state(
        UP
        + "copy(B_dev[0:N], B[0:N])\n"
        + TO_A
        + WRITE.format("u")
        + moved
        + MAYBE.replace("if n == 1:\n    ", "").replace("\n    ", "\n")
    )
    assert (after["A"], after["v"], after["u"]) == ({DEVICE}, {DEVICE}, {HOST, DEVICE})
