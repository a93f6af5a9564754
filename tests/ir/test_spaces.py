"""Device memory in the IR: what stands in the text, what the verifier refuses, and what the interpreter makes visible."""

import numpy as np
import pytest

from soljit.base.errors import InternalError
from soljit.ir.interpret.interpreter import run
from soljit.ir.interpret.journal import Journal
from soljit.ir.text import codec
from soljit.ir.text.parser import from_text
from soljit.ir.text.printer import to_text
from soljit.ir.verify.program import faults

SCALE = """
@symbols(N=A.shape[0])
def scale(A: f64[N], x: f64):
    A_dev: f64[N].storage("cuda").mirror(A)
    alloc(A_dev)
    copy(A_dev[0:N], A[0:N])
    with map(i=range(0, N)), schedule("grid"), threads(256):
        A_dev[i] = A_dev[i] * x
    copy(A[0:N], A_dev[0:N])
"""


def test_text_and_json_keep_the_device():
    program = from_text(SCALE)
    assert faults(program) == []
    assert to_text(program) == SCALE[1:]
    assert codec.equal(codec.from_json(codec.to_json(program)), program)


def test_a_kernel_runs_on_copies_that_the_program_makes():
    a, journal = np.arange(4.0), Journal()
    run(from_text(SCALE), [a, 3.0], journal)
    np.testing.assert_array_equal(a, 3 * np.arange(4.0))
    assert journal.lines() == [
        "allocate A_dev: float64[4], 32 bytes",
        "upload A[0:N] to A_dev[0:N]: float64[4], 32 bytes",
        "launch i=range(0, N) on the device: 4 iterations",
        "download A_dev[0:N] to A[0:N]: float64[4], 32 bytes",
    ]
    assert journal.counts() == {
        "uploads": 1,
        "uploaded bytes": 32,
        "launches": 1,
        "downloads": 1,
        "downloaded bytes": 32,
    }


@pytest.mark.parametrize(
    "gone, element", [("    copy(A_dev[0:N], A[0:N])\n", np.nan), ("    copy(A[0:N], A_dev[0:N])\n", 1.0)]
)
def test_a_missing_transfer_is_a_wrong_number(gone, element):
    a = np.ones(3)
    run(from_text(SCALE.replace(gone, "")), [a, 3.0])
    np.testing.assert_array_equal(a, [element] * 3)


@pytest.mark.parametrize(
    "old, new, fault",
    [
        ("A_dev[i] = A_dev[i] * x", "A[i] = x", "A is memory of the host, touched by a kernel"),
        ("A_dev[i] = A_dev[i] * x", "A_dev[i] = A[i] * x", "A is memory of the host, touched by a kernel"),
        (', schedule("grid"), threads(256)', "", "A_dev is memory of the device, touched by host code"),
        ('"grid"', '"block"', "a block map stands in no kernel"),
        ("threads(256)", "threads(2048)", "a kernel has 2048 threads a block"),
        ("A: f64[N],", "A: f64[N].readonly(),", "A_dev mirrors a read-only argument and is written"),
        (".mirror(A)", ".mirror(x)", "A_dev mirrors x, which is no host memory of its dtype, shape and strides"),
        ('f64[N].storage("cuda")', 'f64[N, 1].storage("cuda")', "A_dev mirrors A, which is no host memory of its dtype"),
        ('.storage("cuda").mirror', ".mirror", "A_dev mirrors A but is no device memory"),
        ("    alloc(A_dev)\n", "", "A_dev is used before it is allocated"),
    ],
)  # fmt: skip
def test_memory_in_the_wrong_place_is_a_fault(old, new, fault):
    assert old in SCALE
    assert any(fault in f for f in faults(from_text(SCALE.replace(old, new))))


def test_the_interpreter_refuses_memory_of_the_other_side():
    with pytest.raises(InternalError, match="A is memory that cannot be touched from here"):
        run(from_text(SCALE.replace("A_dev[i] * x", "A[i] * x")), [np.ones(2), 1.0])
    with pytest.raises(InternalError, match="A_dev is memory that cannot be touched from here"):
        run(from_text(SCALE.replace(', schedule("grid"), threads(256)', "")), [np.ones(2), 1.0])


RAISING = """
@symbols(N=A.shape[0])
def scale(A: f64[N], B: f64[N], k: i64):
    A_dev: f64[N].storage("cuda").mirror(A)
    B_dev: f64[N].storage("cuda").mirror(B)
    alloc(A_dev)
    alloc(B_dev)
    copy(A_dev[0:N], A[0:N])
    copy(B_dev[0:N], B[0:N])
    for t in range(0, 5):
        with map(i=range(0, N)), schedule("grid"):
            A_dev[i] = A_dev[i] + B_dev[i]
        if t == k:
            raise builtins.ValueError("{0}", t)
    copy(A[0:N], A_dev[0:N])
"""


@pytest.mark.parametrize("k, times", [(2, 3), (9, 5)])
def test_an_exception_leaves_the_arguments_as_the_program_made_them(k, times):
    a, b = np.zeros(3), np.ones(3)
    if k < 5:
        with pytest.raises(ValueError, match="2"):
            run(from_text(RAISING), [a, b, k])
    else:
        run(from_text(RAISING), [a, b, k])
    np.testing.assert_array_equal(a, [times] * 3)
    np.testing.assert_array_equal(b, [1] * 3)


def test_a_mirror_lies_as_its_argument():
    """Any strides: memory of a mirror begins where its lowest element lies."""
    program = from_text("""
@symbols(N=A.shape[0], M=A.shape[1], s0=A.strides[0], s1=A.strides[1])
def scale(A: f64[N, M].strides(s0, s1)):
    A_dev: f64[N, M].strides(s0, s1).storage("cuda").mirror(A)
    alloc(A_dev)
    copy(A_dev[0:N, 0:M], A[0:N, 0:M])
    with map(i=range(0, N), j=range(0, M)), schedule("grid", "grid"):
        A_dev[i, j] = A_dev[i, j] + f64(i)
    copy(A[0:N, 0:M], A_dev[0:N, 0:M])
""")
    whole = np.arange(60.0).reshape(6, 10)
    for a in (whole[::-2, ::3], whole[::2, ::-1], whole[::-1, ::-1], whole.T[::-3], whole[:0, ::-1]):
        expected = a + np.arange(len(a))[:, None]
        run(program, [a])
        np.testing.assert_array_equal(a, expected)


SWAPPING = """
@symbols(N=A.shape[0])
def swap(A: f64[N], B: f64[N], k: i64):
    u: f64[:].ref("C", A, B)
    A_dev: f64[N].storage("cuda").mirror(A)
    B_dev: f64[N].storage("cuda").mirror(B)
    u_dev: f64[:].ref("C", A_dev, B_dev).storage("cuda").mirror(u)
    alloc(A_dev)
    alloc(B_dev)
    copy(A_dev[0:N], A[0:N])
    bind(u_dev, A_dev[0:N])
    bind(u, A[0:N])
    if k == 1:
        copy(B_dev[0:N], B[0:N])
        bind(u_dev, B_dev[0:N])
        bind(u, B[0:N])
    with map(i=range(0, N)), schedule("grid"), threads(256):
        u_dev[i] = u_dev[i] + 1.0
    if k == 2:
        raise builtins.ValueError("{0}", k)
    copy(u[0:u.shape[0]], u_dev[0:u.shape[0]])
"""


def test_array_variables_may_have_mirrors():
    program = from_text(SWAPPING)
    assert faults(program) == []
    assert to_text(program) == SWAPPING[1:]
    assert codec.equal(codec.from_json(codec.to_json(program)), program)
    for k, changed in ((0, [1, 0]), (1, [0, 1]), (2, [1, 0])):
        a, b = np.zeros(3), np.zeros(3)
        if k == 2:
            with pytest.raises(ValueError, match="2"):
                run(program, [a, b, k])
        else:
            run(program, [a, b, k])
        assert [a[0], b[0]] == changed


@pytest.mark.parametrize(
    "old, new, fault",
    [
        ("bind(u_dev, B_dev[0:N])", "bind(u_dev, B[0:N])", "u_dev is bound to B, which lies in another memory"),
        ("bind(u, B[0:N])", "bind(u, B_dev[0:N])", "u is bound to B_dev, which lies in another memory"),
        ("bind(u_dev, B_dev[0:N])", "bind(u_dev, A_dev[0:N])", "u is bound, and u_dev not to the mirror of the same"),
        ("bind(u_dev, B_dev[0:N])", "bind(u_dev, B_dev[1:N])", "u is bound, and u_dev not to the mirror of the same"),
        ("        bind(u_dev, B_dev[0:N])\n", "", "u is bound, and u_dev not to the mirror of the same"),
        ("        bind(u, B[0:N])\n", "", "u_dev is bound, and u is not"),
        ('.storage("cuda").mirror(u)', ".mirror(u)", "u_dev mirrors u but is no device memory"),
        (".mirror(u)", ".mirror(A)", "u_dev mirrors A, which is no such array variable of the host"),
        ("u_dev[i] + 1.0", "u[i] + 1.0", "u is memory of the host, touched by a kernel"),
    ],
)
def test_array_variables_and_their_mirrors_are_bound_together(old, new, fault):
    assert old in SWAPPING
    assert any(fault in f for f in faults(from_text(SWAPPING.replace(old, new))))
