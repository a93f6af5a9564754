"""The verifier accepts right programs and names each fault in a whole sentence."""

import pytest

from soljit.base.errors import InternalError
from soljit.base.place import Loc
from soljit.ir.core.data import Array, Scalar
from soljit.ir.core.expr import Const, Load, Memlet, Op, Sym, const
from soljit.ir.core.nodes import Let, Program, Region, Tasklet
from soljit.ir.core.types import f32, f64, i8
from soljit.ir.text.parser import from_text
from soljit.ir.verify.program import check, faults
from tests.ir import programs

RIGHT = {k: v for k, v in programs.ALL.items() if k != "calls"} | {
    "calls": programs.CALLS.replace("t, memlet(A[0, 0])", "t").replace(".axes(1, -1, 0)\n", "\n"),
    "while_true": """
def p(n: i64) -> python(i64):
    s: i64
    s = n
    while True:
        if s > 3:
            return s
        s += 1
""",
    "both_arms": """
def p(n: i64) -> python(i64):
    if n > 0:
        return n
    else:
        raise builtins.ValueError("no {0}", n)
""",
}


@pytest.mark.parametrize("name", RIGHT)
def test_right_programs_have_no_faults(name):
    program = from_text(RIGHT[name])
    assert faults(program) == []
    assert check(program) is program


HEAD = """
@symbols(N=A.shape[0])
def p(A: f64[N, 4], R: f64[N].readonly(), x: f64, k: i64, o: object) -> array(f64, 1):
    s: f64
    j: i64
    t: f64[N]
    v: f64[m].view(t, 0).strides(1)
    r: f64[:].ref("C", t)
"""

WRONG = {
    "s = x + 1": "x + 1 mixes f64 and i64",
    "s = f64(sqrt(k))": "sqrt takes no i64: sqrt(k)",
    "s = typed(f32, x + x)": [
        "what is written to s, typed(f32, x + x) is f32, not f64",
        "add of f64 gives f64, not f32",
    ],
    "s = 1.0 if x else 2.0": "the condition of 1.0 if x else 2.0 is f64, not b1",
    "s = k": "what is written to s, k is i64, not f64",
    "j = y": "symbol y is not defined here",
    's = sym("k", f64)': "symbol k is i64 but used as f64",
    "s = const(1, f64)": "the constant 1 cannot be f64",
    "j = i64(i8(300))": "the constant 300 does not fit i8",
    "A[k] = x": "A[k] has 1 subscripts, A has 2 dimensions",
    "A[0, x] = x": "the subscript x is f64, not i64",
    "copy(A[0:N, 0], A[0:N, 0:4])": (
        "what is copied to A[0:N, 0], A[0:N, 0:4] is 2-dimensional f64, not 1-dimensional f64"
    ),
    "tasklet(A[0:N, 0], x)": "A[0:N, 0] is not one element",
    "R[0] = x": "R[0] is written, but R is read-only",
    "s = wcr.land(x)": "s of type f64 cannot be combined with land",
    "s = wcr.avg(x)": "s of type f64 cannot be combined with avg",
    "copy(A[0:N, 0], A[0:N, 1].axes(1))": "the axes (1,) of A[0:N, 1].axes(1) are not its ranged dimensions",
    "t[0] = x": "t is used before it is allocated",
    "r[0] = x": "r is never bound",
    "bind(t, A[0:N, 0])": "t is bound but is no Ref",
    "bind(r, A[0:N, 0:4])": "what r is bound to, A[0:N, 0:4] is 2-dimensional f64, not 1-dimensional f64",
    "alloc(A)": "A is allocated but is no transient array",
    "j = A.shape[2]": "A.shape[2]: A has 2 dimensions",
    "break": "Break stands in no loop",
    "if k:\n        pass": "the condition k is i64, not b1",
    "while x > k:\n        pass": "x > k mixes f64 and i64",
    "for k in range(0, 3):\n        pass": "symbol k is defined again",
    "for s in range(0, 3):\n        pass": "s is a symbol and a container",
    "for i in range(0, 3, 0):\n        pass": "range(0, 3, 0) has the step 0",
    "for i in range(0, x):\n        pass": "the bound x is f64, not i64",
    "with map(i=range(0, N)):\n        continue": "Continue stands in no loop",
    "with map(i=range(0, N)):\n        raise builtins.ValueError": "Raise leaves a Map",
    "with map(i=range(0, N)):\n        return A[0:N, 0]": "Return leaves a Map",
    'with map(i=range(0, N)), schedule("threads", "seq"):\n        s = x': (
        "a map with 1 variables has the schedule threads, seq"
    ),
    'with map(i=range(0, N), q=range(0, N)), schedule("seq", "threads"):\n        s = x': (
        "the schedule seq, threads: threads share outer variables only"
    ),
    'with map(i=range(0, N), q=range(0, N)), schedule("lanes", "seq"):\n        s = x': (
        "the schedule lanes, seq: only the innermost variable runs in lanes"
    ),
    'with map(i=range(0, N)), schedule("unrolled"):\n        s = x': (
        "the schedule unrolled: the number of iterations of an unrolled loop is not constant"
    ),
    'with map(i=range(0, N)), schedule("threads"), parts(s.wcr("add")):\n        s = x': (
        "threads have parts of s, into which nothing is combined so"
    ),
    'with map(i=range(0, N)), schedule("seq"), watched():\n        s = x': [
        "a map has parts or is watched, but not on threads",
        "a map is watched without a least amount of work",
    ],
    'with map(i=range(0, N)), schedule("seq"), until(s.wcr("lor")):\n        s = x': (
        "the map ends with s, into which nothing is combined so"
    ),
    'with map(i=range(0, N)), schedule("seq"), blocks(2):\n        s = x': "2 of 1 loops are blocks",
    'with map(i=range(0, N)), schedule("seq"), blocks(1), in_place(2):\n        s = x': [
        "blocks of 2 loops are read in place, 1 are blocks",
        "blocks of computed terms are read in place",
    ],
    'with map(i=range(0, N)), schedule("seq"), blocks(1), buffered(N, 1):\n        s = x': (
        "2 of 1 loops read through a buffer, 1 are blocks"
    ),
    'with map(i=range(0, N)), schedule("seq"), buffered(2):\n        s = x': (
        "1 of 1 loops read through a buffer, 0 are blocks"
    ),
    'with map(i=range(0, N)), schedule("seq"), blocks(1):\n        for q in range(0, 3):\n            s = x': (
        "a map whose body has loops is cut into blocks or pieces"
    ),
    'with map(i=range(0, N)), schedule("seq"), divisors(k, i, j):\n        j = 1\n        s = x': [
        "the divisor i is no 64-bit integer that stays the same in all iterations",
        "the divisor j is no 64-bit integer that stays the same in all iterations",
        "symbol i is not defined here",
    ],
    "with loop(i=range(0, N)), words():\n        s = x": "a loop over words is no branch on an element of a mask",
    "with loop(i=range(0, N)), divisors(x):\n        s = x": (
        "the divisor x is no 64-bit integer that stays the same in all iterations"
    ),
    'with map(i=range(0, N)), schedule("gpu"):\n        s = x': "the schedule gpu is unknown",
    "with map(i=range(0, N)), private(A):\n        s = x": "A cannot be private to a map",
    "with map(i=range(0, N)), when(i > 3):\n        s = x": "symbol i is not defined here",
    "return A[0:N, 0:4]": "the result A[0:N, 0:4] is 2-dimensional f64, not 1-dimensional f64",
    "return x": ["x is returned as array", "the result x is a single value, not 1-dimensional f64"],
    "return A[0:N, 0], x": "2 values are returned for 1 results",
    "lib.fft(outs=[A[0:N, 0]], ins=[A[0:N, 1]])": "there is no fft of operands with 1 dimensions",
    "lib.matmul(outs=[A[0:N, 0]], ins=[A[0:N, 0], A[0:N, 1]])": "matmul of 1 and 1 dimensions gives 0, not 1",
    'call("g", outs=[], ins=[])': "there is no function g",
    'callback("f", outs=[A], ins=[])': "A receives a result but is no Scalar or Ref",
    'callback("f", outs=[], ins=[x], args=[[{"$": 1}]])': "f is given operand 1, which does not exist",
    'callback("f", outs=[], ins=[x], effects=[A])': "f writes A, which it is not given, and which stands for no Python objects",
    'callback("param:A", outs=[], ins=[])': "param:A names no object parameter",
    "alloc(t)\n    s = v[0]": "v, declared with m, is used where m is not defined",
    "if x > 0.0:\n        alloc(t)\n    t[0] = 1.0": "t is used before it is allocated",
    "if x > 0.0:\n        y: f64 = x\n    j = i64(y)": "symbol y is not defined here",
}


@pytest.mark.parametrize("body", WRONG)
def test_each_fault_is_named(body):
    text = f"{HEAD}    {body}\n" + ("" if body.startswith("return") else "    return A[0:N, 0]\n")
    found = faults(from_text(text))
    sentences = [f.removeprefix("p: ") for f in found]
    expected = WRONG[body]
    assert sentences == ([expected] if isinstance(expected, str) else expected)


def test_an_undeclared_container():
    program = Program("p", body=Region((Tasklet(Memlet("a", (const(0),)), Load(Memlet("b"), f64)),)))
    assert faults(program) == ["p: container a is not declared", "p: container b is not declared"]


def test_results_on_every_path():
    text = "def p(n: i64) -> python(i64):\n    while n > 0:\n        return n\n"
    assert faults(from_text(text)) == ["p: the end is reached without a Return"]
    text = "def p(n: i64) -> python(i64):\n    while True:\n        if n > 1:\n            break\n"
    assert faults(from_text(text)) == ["p: the end is reached without a Return"]


@pytest.mark.parametrize(
    "text, expected",
    [
        (
            "@symbols(N=A.shape[1])\ndef p(A: f64[N]):\n    pass",
            "symbol N is A.shape[1], which is no size of an argument",
        ),
        ("def p(A: f64[N]):\n    pass", "A, declared with N, is used where N is not defined"),
        (
            "@guards(A[0] > 0.0)\ndef p(A: f64[2]):\n    pass",
            "the guard A[0] > 0.0 depends on the contents of an array",
        ),
        ("def p():\n    a: f64[2].strides(1, 2)\n    pass", "a has 1 dimensions and 2 strides"),
        ("def p():\n    a: f64[2].argument()\n    pass", "a is declared as an argument but is no parameter"),
        ("def p():\n    a: f64[2].view(b, 0).strides(1)\n    pass", "a looks at b, which is not declared"),
        ('def p():\n    a: f64[:].ref("K")\n    pass', "a has the unknown order K"),
        (
            '@structure({"tuple": [{"leaf": 1}]})\ndef p():\n    pass',
            "the structure names the leaf 1, which is not returned",
        ),
        (
            '@structure({"param": "q"})\ndef p():\n    pass',
            "the structure names the parameter q, which does not exist",
        ),
        (
            "def p() -> array(f64, 1, base=q):\n    raise builtins.ValueError",
            "a result is q, which is no array parameter",
        ),
        ("def p(n: i64):\n    n: f64\n    pass", "n is a symbol and a container"),
    ],
)
def test_faults_of_declarations(text, expected):
    assert faults(from_text(text + "\n")) == [f"p: {expected}"]


def test_all_faults_are_told_at_once_with_their_lines():
    wrong = Op("add", (Const(1.0, f64), Const(1.0, f32)), f64)
    nodes = (
        Let("a", wrong, loc=Loc("f.py", 3)),
        Let("b", Sym("c", i8), loc=Loc("f.py", 4)),
        Region((), loc=Loc("f.py", 5)),
    )
    program = Program("p", data={"x": Scalar(f64), "y y": Array(f64, ())}, body=Region(nodes))
    with pytest.raises(InternalError) as caught:
        check(program)
    assert str(caught.value).splitlines() == [
        "4 faults in the IR of p:",
        "  p: 'y y' is no name",
        "  p, line 3: 1.0 + f32(1.0) mixes f64 and f32",
        "  p, line 4: symbol c is not defined here",
        "  p, line 5: a region stands directly in a region",
    ]


def test_calls_fit_their_functions():
    call = "def p(x: f64, A: f64[2]):\n    s: i64\n    {}\n\n\ndef g(n: i64, B: f64[2]) -> python(i64):\n    return n\n"
    assert faults(from_text(call.format('call("g", outs=[s], ins=[1, A[0:2]])'))) == []
    assert faults(from_text(call.format('call("g", outs=[s], ins=[x, A[0:2]])'))) == [
        "p: the argument n x is f64, not i64"
    ]
    assert faults(from_text(call.format('call("g", outs=[], ins=[1])'))) == [
        "p: g takes 2 arguments, not 1",
        "p: g gives 1 results, not 0",
    ]
