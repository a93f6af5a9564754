"""Calls from compiled code back into Python."""

from __future__ import annotations

import gc
import sys
import threading
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.runtime.variants.variant import CallbackTable, LeafRecord
from tests.runtime.handmade import LEAF, f64_scalar, handmade

VECTOR = LeafRecord("array", "f64", 1)
MATRIX = LeafRecord("array", "f64", 2)
KEPT: list[Any] = []


def keep(*args: Any) -> float:
    """A callee that keeps its operands."""
    KEPT.extend(args)
    return 1.0


def boom(*args: Any) -> None:
    raise KeyError("boom")


def threads(x: Any) -> float:
    """A callee that needs the GIL for another thread."""
    out: list[float] = []
    t = threading.Thread(target=lambda: out.append(float(x.sum())))
    t.start()
    t.join()
    return out[0]


def here(name: str) -> str:
    return f"{__name__}.{name}"


# passes its argument (words 0..2) on and gives the scalar result back
PASS_ON = """
EXPORT int32_t sol_kernel(sol_frame* f) {
  int64_t in[16] = {f->in[0], 0, f->in[1], f->in[2]};
  return f->services->callback(f, 0, in, f->out);
}
"""


def test_scalar_result() -> None:
    table = CallbackTable("numpy.linalg.norm", ({"$": 0},), {}, (VECTOR,), (LeafRecord("scalar", "f64"),))

    @handmade(PASS_ON, [f64_scalar], LEAF, callbacks=[table])
    def norm(a: Any) -> Any: ...

    assert norm(np.array([3.0, 4.0])) == 5
    assert norm(np.array([3.0, 9.0, 4.0])[::2]) == 5


def test_argument_arrives_as_itself() -> None:
    table = CallbackTable(here("keep"), ({"$": 0},), {}, (VECTOR,), (LeafRecord("scalar", "f64"),))

    @handmade(PASS_ON, [f64_scalar], LEAF, callbacks=[table])
    def f(a: Any) -> Any: ...

    a = np.ones(3)
    KEPT.clear()
    f(a)
    assert KEPT[0] is a
    KEPT.clear()


LOCAL = """
EXPORT int32_t sol_kernel(sol_frame* f) {
  double small[4] = {1, 2, 3, 4};
  sol_buffer* b = fresh(16);
  ((double*)b->data)[0] = 10; ((double*)b->data)[1] = 20;
  int64_t in[16] = {(int64_t)small, 0, 4, 8, (int64_t)b->data, (int64_t)b, 2, 8, f->in[0] + 8, 0, 2, 8};
  int32_t status = f->services->callback(f, 0, in, f->out);
  small[0] = -1;
  if (--b->refs == 0) f->services->drop(b);
  return status;
}
"""


@pytest.mark.parametrize("result", [None, "float"])  # a declared result is looked at by the dispatcher itself
def test_kept_operands_stay_alive(result: Any) -> None:
    outs = (LeafRecord("scalar", "f64"),)
    table = CallbackTable(here("keep"), ({"$": 0}, {"$": 1}, {"$": 2}), {}, (VECTOR,) * 3, outs, result=result)

    @handmade(LOCAL, [f64_scalar], LEAF, callbacks=[table])
    def f(a: Any) -> Any: ...

    KEPT.clear()
    a = np.arange(4.0)
    f(a)
    local, buffer, part = KEPT
    assert local.tolist() == [1, 2, 3, 4] and local.flags.owndata
    assert buffer.tolist() == [10, 20] and part.tolist() == [1, 2] and part.base is a
    KEPT.clear()


def test_kept_operands_in_a_list() -> None:
    operands = [{"$": 0}, {"tuple": [{"$": 1}, {"$": 0}]}]
    outs = (LeafRecord("scalar", "f64"),)
    table = CallbackTable(here("keep"), (operands, {"$": 2}), {}, (VECTOR,) * 3, outs, result="float")

    @handmade(LOCAL, [f64_scalar], LEAF, callbacks=[table])
    def f(a: Any) -> Any: ...

    KEPT.clear()
    f(np.arange(4.0))
    (local, (buffer, again)), part = KEPT
    assert local.tolist() == again.tolist() == [1, 2, 3, 4]
    assert buffer.tolist() == [10, 20] and part.tolist() == [1, 2]
    KEPT.clear()


RETURN_ARRAY = """
EXPORT int32_t sol_kernel(sol_frame* f) {
  int64_t in[16] = {f->in[0], 0, f->in[1], f->in[2], f->in[3], f->in[4]};
  return f->services->callback(f, 0, in, f->out);
}
"""


@pytest.mark.parametrize("result", [None, {"array": ["f64", 2]}])
def test_array_result_is_returned_as_it_is(result: Any) -> None:
    outs = (MATRIX._replace(order="C"),)
    table = CallbackTable("numpy.linalg.inv", ({"$": 0},), {}, (MATRIX,), outs, result=result)

    @handmade(RETURN_ARRAY, [MATRIX], LEAF, callbacks=[table])
    def inverse(a: Any) -> Any: ...

    a = np.array([[2.0, 0], [1, 4]])
    b = inverse(a)
    assert np.array_equal(b, np.linalg.inv(a)) and b.base is None and b.flags.owndata
    assert sys.getrefcount(b) == 2
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        inverse(np.zeros((2, 2)))


def test_array_result_is_dropped_by_the_kernel() -> None:
    body = RETURN_ARRAY.replace(
        "return f->services->callback(f, 0, in, f->out);",
        """int64_t out[8]; int32_t s = f->services->callback(f, 0, in, out); if (s) return s;
           put(f->out, ((double*)out[0])[0]); sol_buffer* b = (sol_buffer*)out[1];
           if (--b->refs == 0) f->services->drop(b); return SOL_OK;""",
    )
    table = CallbackTable("numpy.linalg.inv", ({"$": 0},), {}, (MATRIX,), (MATRIX,))

    @handmade(body, [f64_scalar], LEAF, callbacks=[table])
    def first(a: Any) -> Any: ...

    a = np.diag([4.0, 2.0])
    for _ in range(300):
        assert first(a) == 0.25
    gc.collect()
    blocks = sys.getallocatedblocks()
    for _ in range(1000):
        first(a)
    gc.collect()  # empties free lists, too
    assert sys.getallocatedblocks() < blocks + 100


def test_order_is_made_as_declared() -> None:
    def calling(name: str) -> Any:
        table = CallbackTable(name, ({"$": 0},), {}, (MATRIX,), (LeafRecord("array", "f64", 2, order="C"),))

        @handmade(RETURN_ARRAY, [MATRIX], LEAF, callbacks=[table])
        def f(a: Any) -> Any: ...

        return f

    b = calling("numpy.asfortranarray")(np.arange(6.0).reshape(2, 3))
    assert b.flags.c_contiguous and b.tolist() == [[0, 1, 2], [3, 4, 5]]
    with pytest.raises(TypeError, match="in another memory order than C"):  # what is written into a copy would be lost
        calling("numpy.transpose")(np.arange(6.0).reshape(2, 3))


def test_wrong_results_are_errors() -> None:
    wrong = [(np.shape, "returned 2 values"), (np.abs, "array of dtype float64, 2-d"), (np.isnan, "bool")]
    for function, _ in wrong:
        leaf = LeafRecord("array", "f64", 1)
        table = CallbackTable(f"numpy.{function.__name__}", ({"$": 0},), {}, (MATRIX,), (leaf,))

        @handmade(RETURN_ARRAY, [VECTOR], LEAF, callbacks=[table])
        def f(a: Any) -> Any: ...

        with pytest.raises(TypeError, match="where compiled code expects"):
            f(np.ones((2, 3)))


def test_exceptions_go_through() -> None:
    table = CallbackTable(here("boom"), (), {}, (VECTOR,), ())

    @handmade(PASS_ON, callbacks=[table])
    def f(a: Any) -> Any: ...

    for _ in range(3):
        with pytest.raises(KeyError, match="boom"):
            f(np.ones(1))


def test_the_gil_is_free_to_others() -> None:
    table = CallbackTable(here("threads"), ({"$": 0},), {}, (VECTOR,), (LeafRecord("scalar", "f64"),))

    @handmade(PASS_ON, [f64_scalar], LEAF, callbacks=[table])
    def f(a: Any) -> Any: ...

    assert f(np.ones(5)) == 5


def test_templates() -> None:
    body = """
    EXPORT int32_t sol_kernel(sol_frame* f) { int64_t in[2] = {5}; put(in + 1, 2.5f);
      return f->services->callback(f, 0, in, f->out); }
    """
    ins = (LeafRecord("python", "i64"), LeafRecord("scalar", "f32"))
    template = ({"tuple": [{"$": 0}, {"slice": [None, {"$": 0}, None]}]}, [{"dtype": "f32"}, {"complex": [0, 1]}])
    table = CallbackTable(here("keep"), template, {"e": {"ellipsis": True}, "x": {"$": 1}}, ins, ())

    @handmade(body, callbacks=[table])
    def f() -> Any: ...

    with pytest.raises(TypeError, match="unexpected keyword argument"):
        f()
    KEPT.clear()

    @handmade(body, callbacks=[table._replace(kwargs={}, args=(*template, {"$": 1}))])
    def g() -> Any: ...

    g()
    assert KEPT[0] == (5, slice(None, 5, None)) and type(KEPT[0][0]) is int
    assert KEPT[1] == [np.dtype("f4"), 1j] and KEPT[2] == np.float32(2.5) and type(KEPT[2]) is np.float32
    KEPT.clear()


def test_object_parameters() -> None:
    body = """
    EXPORT int32_t sol_kernel(sol_frame* f) {
      int64_t in[2] = {f->in[0], 3};
      return f->services->callback(f, 0, in, f->out);
    }
    """

    class Callee:
        def __call__(self, k: int) -> float:
            return k + 0.5

    ins = (LeafRecord("object"), LeafRecord("scalar", "i64"))
    table = CallbackTable("param:p0", ({"$": 0},), {}, ins, (LeafRecord("scalar", "f64"),))

    @handmade(body, [f64_scalar], LEAF, callbacks=[table])
    def f(o: Any) -> Any: ...

    assert f(Callee()) == 3.5


def test_shortcuts_in_a_try() -> None:
    """The status of a call that the program would handle is 0 where the call succeeds, also for items and appends."""

    def f(n: int) -> Any:
        out: list[Any] = []
        table: dict[str, int] = {}
        for k in range(n):
            try:
                out.append(k * 2)
                table["x"] = k
                out[0] = len(out)
                if table["x"] in table.values():
                    out[-1] += 1
            except ValueError as e:
                out.append(str(e))
        return out, table

    for n in (0, 1, 5):
        assert sol.jit(f, strict=True)(n) == f(n)
