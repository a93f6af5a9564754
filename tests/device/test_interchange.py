"""Arrays of other libraries: `__cuda_array_interface__` and DLPack in both directions. The other library is the fake driver, asked past the layer."""

from __future__ import annotations

import dataclasses
import gc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.runtime.devices import dlpack, interchange
from soljit.runtime.devices.device import Device, find_device
from soljit.runtime.devices.emulated import Controls
from tests.device import sessions
from tests.device.fake import Fake
from tests.device.fake import fake as driver

GRID = np.arange(12.0).reshape(3, 4)


@pytest.fixture(autouse=True)
def cuda(gpu: Device, fake: Controls) -> Iterator[Device]:
    """The fake driver stands for CUDA's: the device is called "cuda", and others may know its addresses."""
    with sol.settings(device="cuda", cuda_driver=sessions.driver(), offload="always"):
        yield find_device("cuda")
        gc.collect()


@pytest.fixture
def others() -> Iterator[Fake]:
    """Another library: it takes memory by itself."""
    f = driver()
    f.must(f.cu.cuCtxPushCurrent_v2(f.context))
    yield f
    gc.collect()
    f.must(f.cu.cuCtxPopCurrent_v2(f.cu_ffi.new("void**")))


class Tensor:
    """An array of the other library with `__cuda_array_interface__`."""

    def __init__(self, f: Fake, a: Any, **more: Any) -> None:
        self.f, self.like = f, np.ascontiguousarray(a)
        self.at = f.up(self.like)
        self.__cuda_array_interface__ = {
            "version": 3,
            "shape": a.shape,
            "typestr": a.dtype.str,
            "data": (self.at, False),
            "strides": None,
            **more,
        }

    def now(self) -> Any:
        self.f.wait()
        return self.f.down(self.at, self.like)

    def write(self, a: Any) -> None:
        self.f.wait()
        self.f.must(self.f.cu.cuMemcpyHtoD_v2(self.at, self.f.pointer(a), a.nbytes))

    def __del__(self) -> None:
        self.f.wait()
        self.f.must(self.f.cu.cuMemFree_v2(self.at))


class Capsule:
    """An array of the other library with `__dlpack__`."""

    def __init__(
        self, tensor: Tensor, like: Any = None, kind: tuple[int, int] = (2, 0), versioned: bool = True
    ) -> None:
        self.tensor, self.like, self.kind, self.versioned = (
            tensor,
            tensor.like if like is None else like,
            kind,
            versioned,
        )

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.kind

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None) -> Any:
        offset = self.like.ctypes.data - self.tensor.like.ctypes.data
        return dlpack.capsule(self.like, self.tensor.at + offset, self.kind, self.tensor, self.versioned)


def moved() -> tuple[int, int]:
    now = sol.device.stats(reset=True)
    return now["h2d_calls"] + now["poke_calls"], now["d2h_calls"] + now["fetch_calls"]


@sol.jit(strict=True)
def doubled(x: Any) -> Any:
    return x * 2.0


@sol.jit(strict=True)
def bump(x: Any) -> None:
    x += 1.0


@sol.jit(strict=True)
def shift(x: Any, y: Any) -> None:
    x[1:] = y[:-1] + 1.0


@sol.jit(strict=True)
def fold(x: Any) -> Any:
    s = 0.0
    for i in range(len(x)):
        s = s * 0.5 + x[i]
        x[i] = s
    return s


# --- from another library -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["interface", "dlpack", "old dlpack"])
def test_a_tensor_is_taken_in_place(others: Fake, way: str) -> None:
    t = Tensor(others, GRID)
    x = sol.asarray(t if way == "interface" else Capsule(t, versioned=way == "dlpack"))
    moved()
    y = doubled(x)
    bump(x)
    assert moved() == (0, 0) and np.array_equal(t.now(), GRID + 1.0) and np.array_equal(np.array(y), GRID * 2.0)
    t.write(GRID * 3.0)
    assert np.array_equal(np.array(doubled(x)), GRID * 6.0), "the other library may write at any time"
    assert np.array_equal(x.numpy(), GRID * 3.0) and x.tolist() == (GRID * 3.0).tolist()
    x[1] = 7.0
    x[:, 2] = 8.0
    np.add(x, 1.0, out=x)
    want = GRID * 3.0
    want[1] = 7.0
    want[:, 2] = 8.0
    assert np.array_equal(t.now(), want + 1.0)
    assert np.array_equal(np.array(doubled(x[1:, ::2])), 2.0 * (want + 1.0)[1:, ::2])


def test_the_host_reads_and_writes_a_tensor(others: Fake) -> None:
    a = np.linspace(0, 1, 300)
    t = Tensor(others, a)
    assert fold(sol.asarray(t)) == fold.python(a) and np.array_equal(t.now(), a)
    t.write(a * 2.0)
    a *= 2.0
    assert fold(sol.asarray(t)) == fold.python(a) and np.array_equal(t.now(), a)


def test_strides(others: Fake) -> None:
    t = Tensor(others, GRID)
    for view in (GRID.T, GRID[::2, 1:], GRID[:, ::-1], GRID[::-1]):
        offset = view.ctypes.data - GRID.ctypes.data
        i = {
            "version": 3,
            "shape": view.shape,
            "typestr": "<f8",
            "data": (t.at + offset, False),
            "strides": view.strides,
        }
        x = sol.asarray(type("View", (), {"__cuda_array_interface__": i, "keeps": t})())
        assert x.strides == view.strides and np.array_equal(np.array(doubled(x)), view * 2.0)
        like = t.like.ravel()[offset // 8 :]
        y = sol.asarray(Capsule(t, np.lib.stride_tricks.as_strided(like, view.shape, view.strides)))
        assert y.strides == view.strides and np.array_equal(np.array(y), view)
        assert y._memory is x._memory, "one memory, so that it is seen that they overlap"


def test_tensors_that_overlap(others: Fake) -> None:
    a = np.arange(1000.0)
    t = Tensor(others, a)
    x, y = sol.asarray(t), sol.asarray(Capsule(t))
    shift(x, y)
    shift.python(a, a)
    assert np.array_equal(t.now(), a)
    shift(x[100:], y[:-100])
    shift.python(a[100:], a[:-100])
    assert np.array_equal(t.now(), a)


def test_read_only_tensors(others: Fake) -> None:
    t = Tensor(others, GRID)
    t.__cuda_array_interface__["data"] = (t.at, True)
    read = t.like.view()
    read.flags.writeable = False
    for x in (sol.asarray(t), sol.asarray(Capsule(t, read))):
        assert np.array_equal(np.array(doubled(x)), GRID * 2.0)
        with pytest.raises(ValueError, match="read-only"):
            bump(x)
        with pytest.raises(ValueError, match="read-only"):
            x[0] = 1.0
    assert np.array_equal(t.now(), GRID)


def test_a_tensor_lives_as_long_as_something_shows_it(others: Fake) -> None:
    t = Tensor(others, GRID)
    x = sol.asarray(t)
    del t
    y = x[1:]
    del x
    gc.collect()
    assert np.array_equal(np.array(doubled(y)), GRID[1:] * 2.0)
    live = others.library.sol_fake_live() if hasattr(others.library, "sol_fake_live") else None
    del y
    gc.collect()
    assert live is None or others.library.sol_fake_live() < live


def test_capsules_are_used_once(others: Fake) -> None:
    t = Tensor(others, GRID)
    capsule = Capsule(t).__dlpack__()
    opened = dlpack.opened(capsule)
    with pytest.raises(sol.ArgumentError, match="a DLPack capsule can be used once only, and this one was used"):
        dlpack.opened(capsule)
    with pytest.raises(sol.ArgumentError, match="a DLPack capsule"):
        dlpack.opened("no capsule")
    del opened, capsule
    assert not dlpack._exported
    never = Capsule(t).__dlpack__()
    assert len(dlpack._exported) == 1
    del never
    assert not dlpack._exported, "nobody used it"


def test_empty_tensors(others: Fake) -> None:
    i = {"version": 3, "shape": (0, 3), "typestr": "<f4", "data": (0, False), "strides": None}
    x = sol.asarray(type("Empty", (), {"__cuda_array_interface__": i})())
    assert x.shape == (0, 3) and x.dtype == np.float32 and np.array(doubled(x)).shape == (0, 3)


def test_streams(others: Fake) -> None:
    t = Tensor(others, GRID, stream=2)
    others.library.sol_fake_reset()
    sol.asarray(t)
    t.__cuda_array_interface__["stream"] = 0
    with pytest.raises(sol.ArgumentError, match="stream 0"):
        sol.asarray(t)


class Numpys:
    """A tensor of the host's, as torch has them."""

    def __init__(self, a: Any, kind: tuple[int, int] = (1, 0)) -> None:
        self.a, self.kind = a, kind

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.kind

    def __dlpack__(self, **options: Any) -> Any:
        return self.a.__dlpack__(**options)


def test_tensors_of_the_host_are_copied() -> None:
    x = sol.asarray(Numpys(GRID))
    assert isinstance(x, sol.Array) and np.array_equal(np.array(doubled(x)), GRID * 2.0) and x.dtype == GRID.dtype


@pytest.mark.parametrize("kind", [(2, 3), (10, 0), (8, 0)])
def test_tensors_of_other_devices(kind: tuple[int, int]) -> None:
    with pytest.raises(
        sol.DeviceError,
        match=rf"a Numpys on DLPack's device \({kind[0]}, {kind[1]}\) is not on the device 'cuda' that is set",
    ):
        sol.asarray(Numpys(GRID, kind))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"version": 1}, "of version 1 of __cuda_array_interface__, is not taken"),
        ({"mask": object()}, "with a mask"),
        ({"typestr": "<M8[s]"}, "an array of dtype datetime64.s. of another library is not taken"),
        ({"typestr": ">f8"}, "an array of dtype >f8 of another library is not taken"),
        ({"data": (4096, False)}, "the address 0x1000 is no memory of the device 'cuda'"),
        ({"shape": None}, "cannot be read"),
        ({"shape": (3, -1)}, "cannot be read"),
        ({"strides": (8,)}, "cannot be read"),
        ({"data": None}, "cannot be read"),
        ({"typestr": "f9"}, "cannot be read"),
        ({"shape": (1 << 40,)}, "is larger than the memory"),
    ],
)
def test_tensors_that_make_no_sense(others: Fake, change: dict[str, Any], sentence: str) -> None:
    t = Tensor(others, GRID, **change)
    with pytest.raises((sol.ArgumentError, sol.DeviceError), match=sentence):
        sol.asarray(t)


def test_addresses_that_are_not_aligned(others: Fake) -> None:
    t = Tensor(others, GRID)
    t.__cuda_array_interface__ |= {"data": (t.at + 4, False), "shape": (2,)}
    with pytest.raises(sol.ArgumentError, match="not aligned to its float64 elements"):
        sol.asarray(t)


# --- to another library -------------------------------------------------------------------------------------------------------


@pytest.fixture
def real(cuda: Device) -> Iterator[Any]:
    """Makes an Array whose device says that it is a GPU."""

    def made(a: Any) -> sol.Array:
        x = sol.asarray(a)
        x._memory.device = dataclasses.replace(x._memory.device, arch="sm_90")
        return x

    yield made


def test_an_array_is_shown_in_place(real: Any, others: Fake) -> None:
    x = real(GRID)
    bump(x)
    view = x[1:, ::-1]
    i = view.__cuda_array_interface__
    at = x.__cuda_array_interface__["data"][0]
    assert i == {
        "version": 3,
        "shape": (2, 4),
        "strides": (32, -8),
        "typestr": "<f8",
        "data": (at + 32 + 24, False),
        "stream": None,
    }
    assert np.array_equal(others.down(at, GRID), GRID + 1.0)
    others.must(others.cu.cuMemcpyHtoD_v2(at, others.pointer(GRID), GRID.nbytes))
    assert np.array_equal(np.array(doubled(x)), GRID * 2.0), "what the other library writes counts"
    y = sol.asarray(type("Tensor", (), {"__cuda_array_interface__": i, "keeps": x})())
    assert y._memory is x._memory and np.array_equal(np.array(y), GRID[1:, ::-1])


@pytest.mark.parametrize("version", [None, (1, 0), (2, 5)])
def test_a_capsule_of_an_array(real: Any, version: Any) -> None:
    x = real(GRID)
    view = x[:, 1:]
    assert view.__dlpack_device__() == (2, 0)
    opened = dlpack.opened(view.__dlpack__(stream=1, max_version=version))
    assert (opened.shape, opened.strides, opened.dtype, opened.device) == ((3, 3), (32, 8), GRID.dtype, (2, 0))
    assert opened.at == x.__cuda_array_interface__["data"][0] + 8 and not opened.read_only
    used = sol.device.memory().used
    del x, view
    gc.collect()
    assert sol.device.memory().used == used, "the capsule's user holds it"
    del opened
    gc.collect()
    assert sol.device.memory().used == used - 96


def test_what_cannot_be_shown(real: Any) -> None:
    x = real(GRID)
    v = x.numpy()
    with pytest.raises(
        sol.DeviceError,
        match="cannot be shown to another library while there are NumPy arrays over its elements: delete those first",
    ):
        x.__dlpack__()
    del v
    x.__dlpack__()
    with pytest.raises(BufferError, match=r"cannot be exported to DLPack's device \(2, 1\)"):
        x.__dlpack__(dl_device=(2, 1), max_version=(1, 0))
    x._host.flags.writeable = False
    with pytest.raises(BufferError, match="a read-only soljit.Array needs DLPack 1.0 or newer"):
        x.__dlpack__()
    assert dlpack.opened(x.__dlpack__(max_version=(1, 0))).read_only


def test_numpy_takes_an_array_by_dlpack(real: Any) -> None:
    x = sol.asarray(GRID)
    assert x.__dlpack_device__() == (1, 0), "the emulated device's memory is shown as the host's"
    a = np.from_dlpack(x)
    assert np.array_equal(a, GRID)
    a[0, 0] = 50.0
    assert x[0, 0] == 50.0 and not hasattr(x, "__cuda_array_interface__")
    b = real(GRID).__dlpack__(dl_device=(1, 0), max_version=(1, 0))
    assert np.array_equal(np.from_dlpack(Given(b, (1, 0))), GRID)


class Given:
    def __init__(self, capsule: Any, kind: tuple[int, int]) -> None:
        self.capsule, self.kind = capsule, kind

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.kind

    def __dlpack__(self, **options: Any) -> Any:
        return self.capsule


@pytest.mark.parametrize("dtype", ["?", "i1", "i8", "u4", "f2", "f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("versioned", [False, True])
def test_numpy_reads_these_capsules(dtype: str, versioned: bool) -> None:
    a = (np.arange(24) % 2 if dtype == "?" else np.arange(24)).astype(dtype).reshape(2, 3, 4)[:, ::2, ::-1]
    b = np.from_dlpack(Given(dlpack.capsule(a, a.ctypes.data, (1, 0), a, versioned), (1, 0)))
    assert np.array_equal(a, b) and (a.dtype, a.strides) == (b.dtype, b.strides) and np.shares_memory(a, b)
    del b
    gc.collect()
    assert not dlpack._exported
    opened = dlpack.opened(a.__dlpack__(max_version=(1, 0)) if versioned else a.__dlpack__())
    assert (opened.shape, opened.strides, opened.dtype, opened.at) == (a.shape, a.strides, a.dtype, a.ctypes.data)


def test_imported_says_what_is_of_the_host(cuda: Device) -> None:
    assert (
        interchange.imported(GRID, cuda) is None
        and interchange.imported(3.0, cuda) is None
        and interchange.imported([1, 2], cuda) is None
    )
