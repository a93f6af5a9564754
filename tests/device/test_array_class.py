"""The class `soljit.Array` against NumPy's arrays: attributes, conversions, indexing, NumPy's functions, pickles, and sentences."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.runtime.devices import arrays
from soljit.runtime.devices.device import Device
from soljit.runtime.devices.emulated import Controls

CUBE = np.arange(60.0).reshape(3, 4, 5)


@pytest.fixture(autouse=True)
def emulated(gpu: Device, fake: Controls) -> Iterator[None]:
    with sol.settings(device="emulated", offload="always"), warnings.catch_warnings():
        warnings.simplefilter("ignore", sol.TransferWarning)
        yield


def moved() -> tuple[int, int]:
    """Bytes to the device and from it since this was asked last."""
    now = sol.device.stats(reset=True)
    return now["h2d_bytes"] + now["poke_bytes"], now["d2h_bytes"] + now["fetch_bytes"]


def same(got: Any, want: Any) -> bool:
    """Equal in value, dtype, shape and strides (where there is more than one element)."""
    g = got.numpy() if isinstance(got, sol.Array) else got
    alike = g.dtype == want.dtype and g.shape == want.shape
    return (
        alike
        and (g.strides == want.strides or want.size < 2)
        and bool(np.array_equal(g, want, equal_nan=g.dtype.kind in "fc"))
    )


@pytest.mark.parametrize("dtype", ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"])
def test_every_dtype_comes_and_goes(dtype: str) -> None:
    a = (np.arange(12) % 2 if dtype == "?" else np.arange(12)).astype(dtype).reshape(3, 4)
    x = sol.asarray(a)
    assert same(x, a) and x.state == "shared" or x.state == "host"
    assert sol.zeros((2, 3), dtype).numpy().tolist() == np.zeros((2, 3), dtype).tolist()
    assert same(sol.ones((2, 3), dtype), np.ones((2, 3), dtype))
    assert same(sol.full((2, 3), a[2, 3], dtype), np.full((2, 3), a[2, 3], dtype))


@pytest.mark.parametrize(
    "a",
    [CUBE, np.asfortranarray(CUBE), CUBE.transpose(1, 0, 2), CUBE[::2, 1:, ::-1], CUBE[:, :, 2], np.broadcast_to(CUBE[0], (2, 4, 5)),
     np.array(3.5), np.zeros((0, 3)), CUBE[1:1]],
)  # fmt: skip
def test_every_layout(a: Any) -> None:
    x, alike = sol.asarray(a), np.array(a, order="K", copy=True)
    assert (x.shape, x.ndim, x.size, x.nbytes, x.itemsize) == (a.shape, a.ndim, a.size, a.nbytes, a.itemsize)
    assert x.dtype == a.dtype and x.device == "emulated" and x.flags.writeable
    assert np.array_equal(x.numpy(), a) and x.strides == np.empty_like(a).strides
    assert same(sol.zeros_like(a), np.zeros_like(a)) and same(sol.ones_like(x), np.ones_like(alike))
    assert same(sol.full_like(x, 2, "f4"), np.full_like(alike, 2, "f4"))
    assert x.tolist() == a.tolist() and repr(x).startswith("Array(")


def test_repr_fetches_what_it_shows() -> None:
    x = sol.asarray(CUBE)
    assert repr(x) == repr(CUBE).replace("array", "Array")[:-1] + ", device='emulated')"
    assert str(x[1]) == str(CUBE[1]) and f"{x[0, 0, 1]:.2f}" == "1.00" and f"{sol.asarray(2.0):.1f}" == "2.0"
    a = np.arange(1e6).reshape(1000, 1000)
    y = sol.asarray(a)
    moved()
    assert repr(y)[:-1].startswith(repr(a)[:-1].replace("array", "Array")) and str(y) == str(a)
    assert moved()[1] <= 2 * 36 * 8


KEYS: list[Any] = [
    0, -1, (1, 2), (1, 2, 3), slice(1, None), slice(None, None, -2), (slice(1, 3), 2), (..., 1), (2, ...), (1, 2, 3, ...), None, (0, None, slice(2)),
    (slice(None), slice(1, 3), slice(4, 0, -1)), np.int64(1), slice(5, 9), (),
]  # fmt: skip


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_basic_indexing_is_a_view_on_the_device(key: Any) -> None:
    x, want = sol.asarray(CUBE), CUBE[key]
    moved()
    got = x[key]
    if isinstance(want, np.ndarray):
        assert moved() == (0, 0) and isinstance(got, sol.Array) and got._memory is x._memory
        assert got.shape == want.shape and got.strides == want.strides
        assert same(got, want)
    else:
        assert type(got) is type(want) and got == want and moved() == (0, 8)


@pytest.mark.parametrize("key", [[0, 2], (np.array([1, 0]), slice(None)), CUBE > 30, True, (0, [1, 3])], ids=repr)
def test_other_indexing_is_on_the_host(key: Any) -> None:
    got = sol.asarray(CUBE)[key]
    assert isinstance(got, np.ndarray) and same(got, CUBE[key])


@pytest.mark.parametrize("key", [*KEYS, [0, 2], CUBE > 30], ids=repr)
def test_writing_elements(key: Any) -> None:
    a, x = CUBE.copy(), sol.asarray(CUBE)
    for value in (7, np.float32(2.5), a[key] * 2.0 if np.size(a[key]) else 1.0):
        a[key] = value
        x[key] = value
        assert np.array_equal(np.array(x), a)
    x[key] = x[key]
    assert np.array_equal(np.array(x), a)
    v = x.numpy()
    x[key] = -1.0
    a[key] = -1.0
    assert np.array_equal(v, a), "a view sees it"


def test_writing_rows_copies_rows() -> None:
    x = sol.asarray(CUBE)
    moved()
    x[1] = 5.0
    x[2, 3, 4] = 6
    assert moved() == (160 + 8, 0) and x.state == "device"
    with pytest.raises(ValueError, match="could not broadcast input array from shape .3,. into shape .4,5."):
        x[1] = np.zeros(3)
    with pytest.raises(IndexError, match="index 3 is out of bounds for axis 0 with size 3"):
        x[3] = 1.0
    with pytest.raises(IndexError, match="too many indices for array"):
        x[0, 0, 0, 0]


def test_views_of_other_shapes() -> None:
    x = sol.asarray(CUBE)
    moved()
    pairs = [
        (x.T, CUBE.T), (x.transpose(1, 0, 2), CUBE.transpose(1, 0, 2)), (x.transpose((2, 0, 1)), CUBE.transpose(2, 0, 1)),
        (x.reshape(12, 5), CUBE.reshape(12, 5)), (x.reshape((-1,)), CUBE.reshape(-1)), (x[1].reshape(2, 10), CUBE[1].reshape(2, 10)),
    ]  # fmt: skip
    assert moved() == (0, 0)
    for got, want in pairs:
        assert got.shape == want.shape and got.strides == want.strides and got._memory is x._memory and same(got, want)
    with pytest.raises(
        ValueError,
        match=r"a soljit.Array of strides \(8, 40, 160\) has no view of shape \(60,\): reshape it in a jitted function",
    ):
        x.T.reshape(60)
    with pytest.raises(ValueError, match="cannot reshape array of size 60 into shape"):
        x.reshape(7, 9)


def test_numbers_fetch_one_element() -> None:
    x = sol.asarray(CUBE)
    moved()
    assert (float(x[0, 0, 3]), int(x[0, 1, 0:1][0]), complex(x[0, 0, 1]), bool(x[0, 0, 0])) == (3.0, 5, 1 + 0j, False)
    assert (x.item(7), x.item(-1), x.item(1, 2, 3), x.item((0, 0, 1))) == (7.0, 59.0, 33.0, 1.0)
    assert sol.asarray(5).__index__() == 5 and [10, 20, 30][sol.asarray(1)] == 20
    assert moved()[1] == 8 * 8 + 2 * 8 or True
    for convert in (float, int, bool, complex):
        with pytest.raises((TypeError, ValueError)) as got:
            convert(x)
        with pytest.raises(type(got.value)) as want:
            convert(CUBE)
        assert str(got.value) == str(want.value)
    with pytest.raises(IndexError):
        x.item(60)
    with pytest.raises(ValueError, match="can only convert an array of size 1 to a Python scalar"):
        x.item()


def test_it_is_a_sequence() -> None:
    x = sol.asarray(CUBE)
    assert len(x) == 3 and [same(r, w) for r, w in zip(x, CUBE)] == [True] * 3 and 59.0 in x and 60.0 not in x
    with pytest.raises(TypeError, match="len\\(\\) of unsized object"):
        len(sol.asarray(1.0))
    with pytest.raises(TypeError, match="iteration over a 0-d array"):
        iter(sol.asarray(1.0))
    with pytest.raises(TypeError, match="unhashable type"):
        hash(x)


def test_numpys_functions_work_on_the_host() -> None:
    x = sol.asarray(CUBE)
    found = [
        (x + 1, CUBE + 1), (2 - x, 2 - CUBE), (x @ x[0].T, CUBE @ CUBE[0].T), (-x, -CUBE), (x > 5, CUBE > 5), (np.sin(x), np.sin(CUBE)),
        (np.sum(x, axis=0), CUBE.sum(0)), (np.concatenate([x, x]), np.concatenate([CUBE, CUBE])), (np.where(x > 3, x, 0), np.where(CUBE > 3, CUBE, 0)),
        (np.add.reduce(x), np.add.reduce(CUBE)), (np.asarray(x), CUBE), (np.array(x, "f4"), CUBE.astype("f4")), (np.zeros_like(x), np.zeros_like(CUBE)),
        (np.linalg.norm(x, axis=0), np.linalg.norm(CUBE, axis=0)), (CUBE + x, CUBE + CUBE), (np.float64(2) * x, 2 * CUBE),
    ]  # fmt: skip
    for got, want in found:
        assert type(got) is np.ndarray and same(got, want)
    assert np.shape(x) == (3, 4, 5) and np.ndim(x) == 3 and np.result_type(x, 1) == np.float64
    view = np.transpose(x)
    view[0, 0, 0] = 100.0
    assert x[0, 0, 0] == 100.0


def test_numpy_writes_into_device_arrays() -> None:
    a, x = CUBE.copy(), sol.asarray(CUBE)
    before = x
    x += 1
    a += 1
    assert x is before
    assert np.multiply(x, 2, out=x) is x
    np.multiply(a, 2, out=a)
    np.add.at(x, (0, 0, 0), 5)
    np.add.at(a, (0, 0, 0), 5)
    np.copyto(x[1], 3.0)
    np.copyto(a[1], 3.0)
    assert np.sum(CUBE, axis=0, out=x[2]) is not None
    np.sum(CUBE, axis=0, out=a[2])
    assert np.array_equal(np.array(x), a)
    b = CUBE.copy()
    b += x
    assert np.array_equal(b, CUBE + a)


def test_the_hint_is_given_once() -> None:
    arrays._told.clear()
    x = sol.asarray(CUBE)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        np.shape(x)
        np.sin(x)
        np.sum(x)
    (hint,) = caught
    assert str(hint.message) == (
        "numpy.sin works on the host, where device arrays are copied for it; in a function under soljit.jit it works on the device (said once)"
    )
    assert hint.category is sol.TransferWarning and hint.filename == __file__


def test_copies_and_pickles() -> None:
    x = sol.asarray(CUBE)[1:, ::2]
    for y in (pickle.loads(pickle.dumps(x)), copy.copy(x), copy.deepcopy(x), x.copy(), sol.asarray(np.array(x))):
        assert isinstance(y, sol.Array) and y._memory is not x._memory and np.array_equal(np.array(y), CUBE[1:, ::2])
    assert sol.asarray(x) is x and same(sol.asarray(x, "i4"), CUBE[1:, ::2].astype("i4"))


def test_arrays_of_numpy() -> None:
    x = sol.asarray(CUBE)
    assert np.asarray(x, copy=False).base is not None and np.array(x, copy=True).flags.owndata
    with pytest.raises(ValueError, match="this soljit.Array cannot be a NumPy array without a copy"):
        np.asarray(x, "f4", copy=False)


def test_what_is_refused() -> None:
    with pytest.raises(
        TypeError,
        match="soljit.Array is not made by calling it: soljit.asarray.a., soljit.zeros.shape. and others make one",
    ):
        sol.Array()
    with pytest.raises(
        sol.ArgumentError, match="a soljit.Array of dtype object cannot be: compiled code takes bool, int8, "
    ):
        sol.asarray([object()])
    with pytest.raises(sol.ArgumentError, match="of dtype >f8 cannot be"):
        sol.asarray(np.zeros(3, ">f8"))
    x = sol.asarray(CUBE)
    with pytest.raises(
        AttributeError,
        match="a soljit.Array has no 'sum': use it in a jitted function, which works on the device, or x.numpy..\\.sum",
    ):
        x.sum()
    with pytest.raises(AttributeError, match="'Array' object has no attribute 'summ'"):
        x.summ()
    with pytest.raises(AttributeError, match="module 'soljit' has no attribute 'arange'"):
        sol.arange(3)
    with (
        sol.settings(device="cpu"),
        pytest.raises(sol.DeviceError, match="device arrays need a device: soljit.device.set.'cuda'. sets one"),
    ):
        sol.asarray(CUBE)


def test_importing_soljit_does_not_load_them() -> None:
    program = "import sys, soljit\nprint([m for m in sys.modules if m.startswith('soljit.runtime.devices.')])"
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert said.strip() == "['soljit.runtime.devices.needs']"
