"""The interpreter against NumPy, and the promises that it holds programs to."""

import numpy as np
import pytest

from soljit.base.errors import InternalError
from soljit.ir.callbacks.templates import assemble
from soljit.ir.interpret.interpreter import call, run
from soljit.ir.text.parser import from_text
from tests.ir import programs

rng = np.random.default_rng(0)


def one_expression(text, dtype="f64"):
    """The value of an expression over x, y: f64, z: c128, k, m: i64, s: i8, t: b1."""
    head = "def p(x: f64, y: f64, z: c128, k: i64, m: i64, s: i8, t: b1)"
    p = from_text(f"{head} -> scalar({dtype}):\n    return {text}\n")
    return run(p, [1.5, -2.25, 1 - 2j, 7, -3, -128, True])[0]


@pytest.mark.parametrize(
    "text, dtype, value",
    [
        ("x + y * 2.0 - 0.5", "f64", 1.5 - 4.5 - 0.5),
        ("x // y", "f64", -1.0),
        ("x / 0.0", "f64", np.inf),
        ("k // m", "i64", -3),
        ("k % m", "i64", -2),
        ("k // 0", "i64", 0),
        ("-s", "i8", np.int8(-128)),
        ("s - i8(1)", "i8", np.int8(127)),
        ("sub_overflows(s, i8(1))", "b1", True),
        ("k << 70", "i64", 0),
        ("m >> 70", "i64", -1),
        ("i64(x)", "i64", 1),
        ("i8(k * 100)", "i8", np.int64(700).astype(np.int8)),
        ("f64(z)", "f64", 1.0),
        ("abs(z)", "f64", np.abs(1 - 2j)),
        ("z * complex(x, 0.0)", "c128", (1 - 2j) * 1.5),
        ("x if t else y", "f64", 1.5),
        ("not t or x < y", "b1", False),
        ("min(x, f64('nan'))", "f64", np.nan),
        ("fmin(x, f64('nan'))", "f64", 1.5),
        ("f64(f32(0.1))", "f64", float(np.float32(0.1))),
        ("copysign(x, -0.0)", "f64", -1.5),
    ],
)
def test_expressions_mean_what_numpy_means(text, dtype, value):
    text = text.replace("'", '"')
    if text == "f64(f32(0.1))":
        text = "cast(f64, f32(0.1))"
    got = one_expression(text, dtype)
    np.testing.assert_equal(got, value)
    assert type(got) is type(np.dtype(got.dtype).type(value))


def test_lazy_operations_do_not_evaluate_what_they_do_not_need():
    text = "def p(A: f64[0], k: i64) -> scalar(f64):\n    return A[k] if k < 0 and A[k] > 0.0 else 1.0\n"
    assert run(from_text(text), [np.zeros(0), 5])[0] == 1.0


def test_gemm():
    a, b, c = rng.random((4, 5)), rng.random((5, 3)), rng.random((4, 3))
    expected = 1.5 * (a @ b) + c
    result = call(from_text(programs.GEMM), [1.5, a, b, c])
    assert result is c
    np.testing.assert_allclose(c, expected)


def test_control_flow():
    inf = float("inf")
    program = from_text(programs.CONTROL)
    assert run(program, [3, 2.0]) == [3, 3.0]
    assert isinstance(run(program, [3, 2.0])[0], int) and isinstance(run(program, [3, 2.0])[1], np.float64)
    with pytest.raises(ValueError, match="^bad 9.0 and 6$"):
        run(program, [9, 2.0])
    with pytest.raises(ValueError, match="^bad nan and 6$"):
        run(program, [9, float("nan")])
    assert run(program, [0, 1.0]) == [0, inf]


def test_layouts_views_refs_and_casts():
    n = 5
    x = np.arange(n, dtype=float)
    base = (np.arange(50) + 1j).astype(np.complex64)
    y = np.lib.stride_tricks.as_strided(base, (n, n), (8, 16))
    run(from_text(programs.LAYOUTS), [x, y, None, 4])


def program(body, head="def p(A: f64[N, M]) -> array(f64, 2)"):
    lines = body.strip("\n").splitlines()
    return from_text("\n".join(["@symbols(N=A.shape[0], M=A.shape[1])", f"{head}:", *lines]))


def test_views_look_at_the_same_memory():
    p = program(
        """
    v: c128[N].view(A, 1).strides(2)
    r: f64[:].ref("A", A)
    v[1] = c128(7.0, 8.0)
    bind(r, A[N - 1:-1:-1, 0])
    r[0] = -1.0
    return A[0:N, 0:M].axes(1, 0)
"""
    )
    a = np.zeros((5, 4))
    (t,) = run(p, [a])
    assert a.ravel()[6:8].tolist() == [7.0, 8.0]
    assert a[4, 0] == -1
    assert t.base is a and t.shape == (4, 5) and t.strides == (8, 32)


def test_memlets_can_insert_dimensions_and_walk_backwards():
    p = program(
        """
    return A[N - 1:-1:-2, 1:M].axes(1, -1, 0)
""",
        "def p(A: f64[N, M]) -> array(f64, 3)",
    )
    a = rng.random((5, 4))
    np.testing.assert_array_equal(run(p, [a])[0], a[::-2, 1:].T[:, None, :])
    assert run(p, [a[:0]])[0].shape == (3, 1, 0)


@pytest.mark.parametrize(
    "wcr, expected",
    [("add", 10.0), ("mul", 24.0), ("min", 1.0), ("max", 4.0)],
)
def test_writes_combine(wcr, expected):
    sign = {"add": "+", "mul": "*"}.get(wcr)
    write = f"s {sign}= A[i]" if sign else f"s = wcr.{wcr}(A[i])"
    text = f"""
def p(A: f64[4]) -> scalar(f64):
    s: f64
    s = A[3]
    with map(i=range(0, 3)):
        {write}
    return s
"""
    assert run(from_text(text), [np.array([1.0, 2, 3, 4])])[0] == expected


def test_library_operations():
    p = program(
        """
    B: f64[N, N]
    alloc(B)
    lib.matmul(outs=[B[0:N, 0:N]], ins=[A[0:N, 0:M], A[0:N, 0:M].axes(1, 0)])
    lib.matmul(outs=[B[0:N, 0:N]], ins=[B[0:N, 0:N], B[0:N, 0:N], 2.0, -1.0], attrs={"triangle": "lower"})
    lib.ger(outs=[B[0:N, 0:N]], ins=[0.5, B[0:N, 0], B[0, 0:N]])
    lib.matmul(outs=[B[0, 0:N]], ins=[A[0:N, 0:M], A[0, 0:M]])
    lib.matmul(outs=[B[1, 1]], ins=[A[0, 0:M], A[0, 0:M]])
    return B[0:N, 0:N]
"""
    )
    a = rng.random((3, 2))
    b = a @ a.T
    b = np.where(np.tri(3) != 0, 2 * (b @ b) - b, b)
    b = b + 0.5 * np.outer(b[:, 0], b[0])
    b[0], b[1, 1] = a @ a[0], a[0] @ a[0]
    np.testing.assert_allclose(run(p, [a])[0], b)


def test_matmul_with_an_empty_inner_dimension_is_beta_times_out():
    p = program(
        """
    B: f64[N, N]
    alloc(B, zero=True)
    B[0, 0] = 3.0
    lib.matmul(outs=[B[0:N, 0:N]], ins=[A[0:N, 0:M], A[0:N, 0:M].axes(1, 0), f64("nan"), 2.0])
    return B[0:N, 0:N]
"""
    )
    np.testing.assert_array_equal(run(p, [np.zeros((2, 0))])[0], [[6.0, 0], [0, 0]])


def test_calls_callbacks_and_the_structure_of_the_result():
    a = np.array([[2.0, 1.0], [1.0, 3.0]])
    seen = []

    def opaque(x, pair, *rest, **more):
        seen.append((x is not None, pair, rest))
        x[0, 0] = 5.0

    p = from_text(programs.CALLS.replace("t, memlet(A[0, 0])", "t").replace(".axes(1, -1, 0)\n", "\n"))
    (w, inner, text, obj, none) = call(p, [a, 10, opaque])
    np.testing.assert_allclose(w, np.linalg.eigvalsh([[2.0, 1.0], [1.0, 3.0]]))
    assert a[0, 0] == 5.0 and seen[0][1] == [1, 10] and np.isnan(seen[0][2][0])
    triangle = np.tril(2.0 * (a @ a) + 5.0 * (a @ a.T) + 55.0 * np.outer(a[0], a[:, 1]))
    np.testing.assert_allclose(np.tril(inner["k"]), triangle)
    assert (text, obj, none) == ("a'b", opaque, None)


def test_a_callback_result_of_another_type_is_a_type_error():
    text = """
def p(z: c128) -> scalar(f32):
    x: f32
    r: f32[:].ref("C")
    callback("numpy.{}", outs=[{}], ins=[z], args=[{{"$": 0}}])
    return x
"""
    assert run(from_text(text.format("real", "x")), [1.5 + 1j]) == [1.5]
    with pytest.raises(TypeError, match="a result is a complex128, expected was a number of type float32"):
        run(from_text(text.format("conjugate", "x")), [1.5 + 1j])
    with pytest.raises(TypeError, match="a result is a float64, expected was a number of type float32"):
        run(from_text(text.format("real", "x")), [0.1])
    with pytest.raises(TypeError, match="a result is a 1-dimensional array of complex128, expected was a 1-dim"):
        run(from_text(text.format("atleast_1d", "r")), [0.1])
    with pytest.raises(TypeError, match="2 results were expected, not 1"):
        run(from_text(text.format("real", "x, r")), [0.1])


def test_an_exception_of_a_callback_goes_through():
    p = from_text('def p():\n    callback("numpy.zeros", outs=[], ins=[], args=[{"tuple": [-1]}])\n')
    with pytest.raises(ValueError, match="negative dimensions"):
        run(p, [])


def test_maps_run_backwards_and_private_containers_are_poisoned():
    head = "def p(A: f64[N, M]) -> array(f64, 2)"
    wrong = """
    s: f64
    s = 0.0
    with map(i=range(0, N)), private(s):
        s += A[i, 0]
        A[i, 0] = s
    return A[0:N, 0:M]
"""
    a = np.ones((3, 1))
    run(program(wrong, head), [a])
    assert np.isnan(a).all()
    order = """
    s: f64
    s = 0.0
    with map(i=range(0, N), j=range(0, i + 1)):
        A[i, 0] = s
        s += 1.0
    return A[0:N, 0:M]
"""
    run(program(order, head), [a])
    assert a.ravel().tolist() == [5.0, 4.0, 2.0]


@pytest.mark.parametrize(
    "body, message",
    [
        ("A[N, 0] = 1.0", r"A\[N, 0\]: subscript 3 is out of bounds for length 3"),
        ("A[-1, 0] = 1.0", r"A\[-1, 0\]: subscript -1 is out of bounds"),
        ("copy(A[0:N, 0], A[1:N + 1, 0])", r"range\(1, 4\) is out of bounds for length 3"),
        ("copy(A[0:N, 0], A[1:N, 0])", r"copy of A\[1:N, 0\] \(2,\) to A\[0:N, 0\] \(3,\)"),
        ("A[0, 0] = f32(1.0)", r"A\[0, 0\] holds float64 and is given float32"),
        ("n: i64 = undefined", "symbol undefined has no value here"),
    ],
)
def test_broken_promises_are_internal_errors(body, message):
    with pytest.raises(InternalError, match=message):
        run(program(f"    {body}\n    return A[0:N, 0:M]"), [np.zeros((3, 3))])


def test_temporaries_must_be_allocated_and_refs_bound():
    t = program("    t: f64[N]\n    t[0] = 1.0\n    return A[0:N, 0:M]")
    with pytest.raises(InternalError, match="t is used before it is allocated"):
        run(t, [np.zeros((3, 3))])
    r = program('    t: f64[:].ref("C", A)\n    t[0] = 1.0\n    return A[0:N, 0:M]')
    with pytest.raises(InternalError, match="t is used before it is bound"):
        run(r, [np.zeros((3, 3))])
    c = program('    t: f64[:].ref("C", A)\n    bind(t, A[0:N, 0])\n    return A[0:N, 0:M]')
    with pytest.raises(InternalError, match="t cannot be bound to a 1-dimensional array"):
        run(c, [np.zeros((3, 3))])


def test_guards_and_declared_layouts_must_hold():
    p = from_text("@symbols(N=A.shape[0])\n@guards(N >= 2)\ndef p(A: f64[N, 3]):\n    return\n")
    run(p, [np.zeros((2, 3))])
    with pytest.raises(InternalError, match="the guard N >= 2 does not hold"):
        run(p, [np.zeros((1, 3))])
    with pytest.raises(InternalError, match=r"has the shape \(2, 4\), declared is \(2, 3\)"):
        run(p, [np.zeros((2, 4))])
    with pytest.raises(InternalError, match=r"has the strides \(1, 2\), declared are \(3, 1\)"):
        run(p, [np.zeros((3, 2)).T])


def test_a_recursive_function():
    text = 'def p(n: i64) -> python(i64):\n    z: i64\n    call("fib", outs=[z], ins=[n])\n    return z\n\n\n'
    assert run(from_text(text + programs.CALLS.split("\n\n\n")[1]), [15]) == [610]


def test_methods_of_object_arguments_are_called():
    text = """
def p(rng: object) -> scalar(f64):
    x: f64
    callback("param:rng.uniform", outs=[x], ins=[2.0], args=[{"$": 0, "weak": True}, {"$": 0}])
    return x
"""
    assert run(from_text(text), [np.random.default_rng(1)]) == [2.0]


def test_messages_keep_other_braces_and_print_as_numpy_does():
    text = """
def p(x: f32, n: i64):
    raise builtins.KeyError("{x} {} {0} {0!s} {1!r} {{1}}", x, n)
"""
    with pytest.raises(KeyError) as caught:
        run(from_text(text), [0.1, 7])
    assert caught.value.args == ("{x} {} 0.10000000149011612 0.1 7 {7}",)


def test_assembled_results():
    tree = {"namedtuple": ["numpy.linalg._linalg.EighResult", [{"leaf": 1}, {"list": [{"leaf": 0}, None]}]]}
    result = assemble(tree, [1, 2], {})
    assert result.eigenvalues == 2 and result.eigenvectors == [1, None]
    constants = {"tuple": [{"const": {"complex": [1.0, -0.0]}}, {"const": {"dtype": "f32"}}, {"param": "a"}]}
    z, dtype, a = assemble(constants, [], {"a": "A"})
    assert repr(z) == "(1-0j)" and dtype == np.float32 and a == "A"
    with pytest.raises(InternalError, match="unknown structure"):
        assemble({"leaves": 1}, [], {})


def test_alternatives_of_the_result():
    p = from_text(programs.ALTERNATIVES)
    a = np.array([1.5, 2.5])
    assert call(p, [a, 0]) == (1.5,)
    assert call(p, [a, 1])[0] is a or np.shares_memory(call(p, [a, 1])[0], a)
    assert [x if isinstance(x, str) else x.tolist() for x in call(p, [a, 2])[0]] == [[1.5, 2.5], "none"]
    assert call(p, [a, 9]) == (None,)
