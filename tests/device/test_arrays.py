"""Device arrays as arguments and results of jitted functions: what is copied, what is current where, and when memory goes back."""

from __future__ import annotations

import gc
import os
import threading
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.runtime.devices.device import Device
from soljit.runtime.devices.emulated import Controls

ALWAYS: dict[str, Any] = {"device": "emulated", "offload": "always", "strict": True}


@pytest.fixture(autouse=True)
def emulated(gpu: Device, fake: Controls) -> Iterator[None]:
    """The emulated device is set, and nothing has been counted."""
    with sol.settings(device="emulated", offload="always"):
        yield


def jit(f: Callable[..., Any]) -> Any:
    return sol.jit(**ALWAYS)(f)


def moved() -> tuple[int, int]:
    """Uploads and downloads of arrays since this was asked last; fetches and pokes count, too."""
    now = sol.device.stats(reset=True)
    return now["h2d_calls"] + now["poke_calls"], now["d2h_calls"] + now["fetch_calls"]


def made(n: int = 300) -> tuple[Any, Any]:
    """A NumPy array and a device array of the same elements."""
    a = np.linspace(-1, 2, n)
    x = sol.asarray(a)
    moved()
    return a, x


def equal(x: Any, a: Any) -> bool:
    """The same elements, without a change of state."""
    b = x._memory.read(x._host) if isinstance(x, sol.Array) else x
    return bool(np.array_equal(b, a)) and b.dtype == a.dtype and b.shape == a.shape


@jit
def doubled(x: Any) -> Any:
    return x * 2.0


@jit
def rooted(x: Any) -> Any:
    return np.sqrt(x * x + 1.0)


@jit
def sloped(x: Any) -> Any:
    return x[1:] - x[:-1]


@jit
def scale(x: Any, k: float) -> None:
    x[:] = x * k


@jit
def fill_inside(x: Any) -> None:
    x[1:-1] = 5.0


@jit
def fill_all(x: Any) -> None:
    x[:] = 7.0


@jit
def total(x: Any) -> Any:
    return x.sum()


# --- what is copied -----------------------------------------------------------------------------------------------------------


def test_a_pipeline_copies_nothing_before_somebody_looks() -> None:
    a, x = made()
    y = sloped(rooted(doubled(x)))
    assert moved() == (0, 0) and y.state == "device"
    want = sloped.python(rooted.python(doubled.python(a)))
    found = y.numpy()
    assert moved() == (0, 1)
    assert np.array_equal(found, want) and isinstance(y, sol.Array)
    with sol.device.trace() as t:
        sloped(rooted(doubled(a)))
    assert [e.kind for e in t.events if "load" in e.kind] == ["upload", "download"] * 3, "NumPy arrays go and come"


def test_arguments_are_changed_on_the_device() -> None:
    a, x = made()
    scale(x, 3.0)
    scale.python(a, 3.0)
    fill_inside(x)
    fill_inside.python(a)
    assert moved() == (0, 0) and x.state == "device" and equal(x, a)


def test_a_number_is_a_fetch() -> None:
    a, x = made()
    assert float(total(x)) == pytest.approx(total.python(a))
    assert moved() == (0, 1)


@jit
def with_a_host_island(x: Any) -> Any:
    x[:] = x + 1.0
    s = 0.0
    for i in range(len(x)):
        s = s * 0.5 + x[i]
    x[:] = x * s
    return s


def test_a_host_island_gets_what_it_reads() -> None:
    a, x = made()
    assert with_a_host_island(x) == with_a_host_island.python(a)
    assert moved() == (0, 1) and x.state == "device" and equal(x, a)


@jit
def read_first(x: Any, y: Any) -> Any:
    s = 0.0
    for i in range(len(x)):
        s = s * 0.5 + x[i]
    y[:] = y + x * s
    return s


def test_host_code_that_reads_first() -> None:
    (a, x), (b, y) = made(), made()
    scale(x, 2.0)
    scale.python(a, 2.0)
    assert read_first(x, y) == read_first.python(a, b)
    assert moved() == (0, 1) and (x.state, y.state) == ("both", "device") and equal(y, b)


@jit
def written_on_the_host(x: Any) -> Any:
    x[:] = x + 1.0
    for i in range(1, len(x)):
        x[i] = x[i - 1] * 0.5 + x[i]
    return x * 2.0


def test_host_code_that_writes() -> None:
    a, x = made()
    y = written_on_the_host(x)
    b = written_on_the_host.python(a)
    assert equal(x, a) and equal(y, b) and (x.state, y.state) == ("host", "device")
    scale(x, 2.0)
    scale.python(a, 2.0)
    assert equal(x, a) and x.state == "device"


@jit
def indexed_on_the_host(x: Any, at: Any) -> Any:
    """`at` is used by host code only."""
    k = 0
    for _ in range(5):
        k = at[k]
    at[0] = k
    return x * k


def test_an_array_that_only_host_code_uses() -> None:
    a, x = made(10)
    b = np.array([3, 0, 1, 2, 4])
    i = sol.asarray(b)
    c = b.copy()
    moved()
    assert equal(indexed_on_the_host(x, i), indexed_on_the_host.python(a, c))
    assert equal(i, c) and i.state == "host" and x.state == "device"


@jit
def some_on_the_host(n: int) -> Any:
    out = np.zeros(n)
    out[1:] = np.arange(1, n) * 2.0
    for i in range(1, n):
        out[i] = out[i - 1] + out[i]
    return out, out[::2], np.ones(n) * n


def test_results_of_the_host_and_of_the_device() -> None:
    with sol.settings(results="device"):
        keep = sol.jit(**ALWAYS)(some_on_the_host.python)
        x, y, z = keep(9)
    a, b, c = some_on_the_host.python(9)
    assert equal(x, a) and equal(y, b) and equal(z, c)
    assert isinstance(y, sol.Array) and y._memory is x._memory and z.state == "device"


# --- states -------------------------------------------------------------------------------------------------------------------


def test_a_view_on_the_host_is_shared_as_long_as_it_lives() -> None:
    a, x = made()
    v = x.numpy()
    assert x.state == "shared" and moved() == (0, 1)
    scale(x, 3.0)
    scale.python(a, 3.0)
    assert np.array_equal(v, a) and moved() == (1, 1)
    w = v[5:]
    del v
    w[0] = a[5] = 9.0
    scale(x, 2.0)
    scale.python(a, 2.0)
    assert np.array_equal(w, a[5:]) and moved() == (1, 1)
    del w
    assert x.state == "host"
    scale(x, 2.0)
    scale(x, 2.0)
    scale.python(a, 4.0)
    assert moved() == (1, 0) and x.state == "device" and equal(x, a)


def test_a_memoryview_is_a_view_too() -> None:
    a, x = made(8)
    m = memoryview(x.numpy())
    scale(x, 2.0)
    assert list(m) == list(a * 2.0) and x.state == "shared"
    m[0] = 5.0
    assert float(doubled(x)[0]) == 10.0
    del m
    assert x.state == "host"


def test_looking_leaves_the_device_current() -> None:
    a, x = made()
    scale(x, 2.0)
    assert np.array(x).sum() == (a * 2.0).sum() and x.state == "both"
    moved()
    scale(x, 2.0)
    assert moved() == (0, 0) and x.state == "device"


def test_what_nobody_wrote_is_not_copied() -> None:
    x = sol.empty(100)
    moved()
    fill_all(x)
    assert moved() == (0, 0) and equal(x, np.full(100, 7.0))
    y = sol.zeros(100)
    assert moved() == (0, 1) and y.state == "device"
    assert equal(doubled(y), np.zeros(100)) and moved() == (0, 1)


def test_a_part_that_is_written_whole() -> None:
    """The device has nothing of the array, and a kernel writes all of a view of it."""
    a, x = made()
    x.numpy()[0] = a[0] = 4.0
    assert x.state == "host"
    moved()
    fill_all(x[10:20])
    fill_all.python(a[10:20])
    assert equal(x, a)
    scale(x, 2.0)
    scale.python(a, 2.0)
    assert equal(x, a)
    x.numpy()[0] = a[0] = 5.0
    fill_all(x[::2])
    fill_all.python(a[::2])
    assert equal(x, a)
    x.numpy()[0] = a[0] = 5.0
    moved()
    fill_all(x)
    fill_all.python(a)
    assert moved() == (0, 0) and equal(x, a)


# --- views and aliasing ---------------------------------------------------------------------------------------------------------


@jit
def add(x: Any, y: Any) -> Any:
    x += y
    return x


def test_views_share_memory_on_the_device() -> None:
    a, x = made()
    y, b = x[100:200], a[100:200]
    scale(y, 5.0)
    scale.python(b, 5.0)
    scale(x[::-3], 2.0)
    scale.python(a[::-3], 2.0)
    assert moved() == (0, 0) and equal(x, a) and equal(y, b)
    assert add(x[:100], x[200:])._memory is x._memory
    add.python(a[:100], a[200:])
    assert equal(x, a) and moved()[0] == 0


@pytest.mark.parametrize("at", [slice(None), slice(1, None), slice(None, None, -1), slice(0, 150)])
def test_overlapping_arguments(at: slice) -> None:
    a, x = made()
    scale(x, 2.0)
    scale.python(a, 2.0)
    y, b = x[at], a[at]
    rest, same = x[: len(y)], a[: len(b)]
    got = add(rest, y)
    want = add.python(same, b)
    assert equal(x, a) and equal(got, want)
    assert (got is rest) == (want is same)


def test_the_same_array_twice() -> None:
    a, x = made()
    assert add(x, x) is x
    add.python(a, a)
    assert equal(x, a)


@jit
def parts(x: Any) -> Any:
    return x, x[2:], x.reshape(10, -1).T, x[3]


def test_results_that_are_arguments_and_views_of_them() -> None:
    a, x = made()
    got, want = parts(x), parts.python(a)
    assert got[0] is x and [type(g) for g in got] == [sol.Array, sol.Array, sol.Array, np.float64]
    for g, w in zip(got[:3], want):
        assert equal(g, w) and g._memory is x._memory and g.strides == w.strides
    scale(got[1], 2.0)
    a[2:] *= 2.0
    assert equal(x, a)


@jit
def one_of_each(x: Any, y: Any) -> Any:
    x[:] = y * 2.0
    s = 0.0
    for i in range(len(y)):
        s += y[i]
        y[i] = s
    return s


def test_two_parts_of_one_array_of_which_one_is_written_on_the_host() -> None:
    a, x = made()
    scale(x, 2.0)
    scale.python(a, 2.0)
    assert one_of_each(x[:150], x[150:]) == one_of_each.python(a[:150], a[150:])
    assert equal(x, a)
    assert one_of_each(x[150:], x[:150]) == one_of_each.python(a[150:], a[:150])
    assert equal(x, a)


@jit
def both_parts(x: Any, y: Any) -> None:
    x[:] = 3.0
    y[1:] = y[1:] * 2.0


def test_two_parts_of_which_the_device_has_neither() -> None:
    a, x = made()
    x.numpy()[:] = a
    both_parts(x[:100], x[100:])
    both_parts.python(a[:100], a[100:])
    assert equal(x, a)
    x.numpy()[:] = a
    both_parts(x[100:], x[:100])
    both_parts.python(a[100:], a[:100])
    assert equal(x, a)


def test_read_only_views() -> None:
    a, x = made()
    x._host.flags.writeable = False
    a.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        scale(x, 2.0)
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 1.0
    assert not x.numpy().flags.writeable and equal(doubled(x), a * 2.0)


# --- containers, captured values, other ways to run -------------------------------------------------------------------------------


@dataclass
class Fields:
    u: Any
    v: Any


@jit
def advanced(f: Any) -> Any:
    f.u[:] = f.u + f.v
    return f.u * 2.0


def test_arrays_in_instances_and_tuples() -> None:
    (a, x), (b, y) = made(), made()
    f = Fields(x, y)
    r = advanced(f)
    a += b
    assert f.u is x and equal(r, a * 2.0) and equal(x, a) and moved()[0] == 0 and x.state == "device"


WEIGHTS: Any = None


@jit
def weighted(x: Any) -> Any:
    return x * WEIGHTS


def test_captured_arrays() -> None:
    global WEIGHTS
    a, x = made()
    WEIGHTS = sol.asarray(a + 1.0)
    moved()
    assert equal(weighted(x), a * (a + 1.0))
    assert moved() == (0, 1), "the test itself reads"
    assert isinstance(weighted(a), sol.Array)
    WEIGHTS = a
    assert isinstance(weighted(a), np.ndarray)
    WEIGHTS = None


@sol.jit(device="cpu", strict=True)
def on_the_processor(x: Any, y: Any) -> Any:
    x += y
    return x * 2.0


@sol.jit(device="cpu", strict=True)
def read_by_the_processor(x: Any) -> Any:
    return x + 1.0, x[::2]


def test_programs_of_the_processor() -> None:
    (a, x), (b, y) = made(), made()
    scale(x, 2.0)
    a *= 2.0
    r = on_the_processor(x, y)
    a += b
    assert isinstance(r, sol.Array) and equal(r, a * 2.0) and equal(x, a) and x.state == "host"
    scale(r, 2.0)
    assert equal(r, a * 4.0)
    moved()
    p, q = read_by_the_processor(r)
    assert moved() == (0, 1) and r.state == "both" and q._memory is r._memory
    assert equal(p, a * 4.0 + 1.0) and equal(q, (a * 4.0)[::2])
    assert type(on_the_processor(a, y)) is sol.Array, "any device array among the arguments"


@sol.jit(device="emulated", offload="always")
def calls_python(x: Any) -> Any:
    y = x * 2.0
    SEEN.append((type(x), x.sum()))
    return y, x


SEEN: list[Any] = []


def test_programs_that_call_python() -> None:
    a, x = made()
    for _ in range(3):
        SEEN.clear()
        y, same = calls_python(x)
        assert same is x and equal(y, a * 2.0) and SEEN == [(np.ndarray, a.sum())]


@sol.jit(device="emulated", offload="always")
def in_plain_python(x: Any, n: int) -> Any:
    class Inner:  # not compiled
        k = n

    x += Inner.k
    return x, x[1:], x * 2.0, "text"


def test_plain_python_gets_views() -> None:
    a, x = made()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sol.FallbackWarning)
        got = in_plain_python(x, 3)
    want = in_plain_python.python(a, 3)
    assert got[0] is x and all(isinstance(g, sol.Array) for g in got[:3])
    assert all(equal(g, w) for g, w in zip(got[:3], want)) and got[1]._memory is x._memory


def test_interpreted_programs() -> None:
    f = sol.jit(target="interpreter", strict=True)(add.python)
    a, x = made(20)
    assert f(x, x[::-1].copy()) is x
    a += a[::-1].copy()
    assert equal(x, a)


def test_another_device_is_set() -> None:
    a, x = made()
    with sol.settings(device="cpu"):
        y = sol.jit(strict=True)(doubled.python)(x)
        assert isinstance(y, sol.Array) and y.state == "host" and y.device == "emulated"
        with pytest.raises(sol.DeviceError, match="device arrays need a device: soljit.device.set"):
            sol.zeros(3)
    assert equal(doubled(y), a * 4.0)


def test_results_stay_on_the_device_if_that_is_set() -> None:
    a, _ = made()
    keep = sol.jit(**ALWAYS, results="device")(doubled.python)
    assert type(keep(a)) is sol.Array and type(doubled(a)) is np.ndarray
    free = sol.jit(strict=True)(doubled.python)
    assert type(free(a)) is np.ndarray
    with sol.settings(results="device"):
        moved()
        y = free(free(a))
        assert type(y) is sol.Array and moved() == (1, 0) and equal(y, a * 4.0)
    assert type(free(a)) is np.ndarray
    with pytest.raises(ValueError, match="results is one of 'host', 'device', not 'moon'"):
        sol.device.set("emulated", results="moon")


# --- exceptions -----------------------------------------------------------------------------------------------------------------


@jit
def breaks_off(x: Any, y: Any, n: int) -> Any:
    x[:] = x + 1.0
    y[0] = 4.0
    if n > 3:
        raise ValueError(f"{n} is too much")
    x[:] = x * 2.0
    return x * y


def test_exceptions_leave_what_was_done() -> None:
    (a, x), (b, y) = made(), made()
    with pytest.raises(ValueError, match="5 is too much"):
        breaks_off(x, y, 5)
    with pytest.raises(ValueError, match="5 is too much"):
        breaks_off.python(a, b, 5)
    assert equal(x, a) and equal(y, b)
    assert equal(breaks_off(x, y, 1), breaks_off.python(a, b, 1)) and equal(x, a) and equal(y, b)


@jit
def gathered(x: Any, at: Any) -> Any:
    x[:] = x + 1.0
    y = x[at]
    y *= 2.0
    return y


def test_an_index_error_after_a_kernel() -> None:
    a, x = made()
    i = sol.asarray(np.array([1, 5, 3]))
    assert equal(gathered(x, i), gathered.python(a, np.array([1, 5, 3])))
    with pytest.raises(IndexError):
        gathered(x, sol.asarray(np.array([1, 999])))
    with pytest.raises(IndexError):
        gathered.python(a, np.array([1, 999]))
    assert equal(x, a)


def test_failures_of_the_device(fake: Controls) -> None:
    a, x = made()
    fake.library.sol_fake_fail(2, 2, 801)  # the second launch
    with pytest.raises(sol.DeviceError):
        sloped(rooted(doubled(x)))
    assert equal(sloped(x), sloped.python(a))
    fake.library.sol_fake_memory(sol.device.memory().used)
    try:
        with pytest.raises(MemoryError):
            doubled(x)
        with pytest.raises(MemoryError, match="no memory for an array of 800 bytes on the device"):
            sol.zeros(100)
    finally:
        fake.library.sol_fake_memory(2 << 30)
    assert equal(doubled(x), a * 2.0)


# --- memory -----------------------------------------------------------------------------------------------------------------------


def test_memory_goes_back() -> None:
    gc.collect()
    before = sol.device.memory().used
    _, x = made()
    assert sol.device.memory().used == before + 2400
    y = sloped(doubled(x))
    assert sol.device.memory().used == before + 2400 + 2392
    v = y[3:]
    del y
    assert sol.device.memory().used == before + 2400 + 2392, "a view holds it"
    n = v.numpy()
    del v
    assert sol.device.memory().used == before + 2400 + 2392, "so does a view on the host"
    del n, x
    assert sol.device.memory().used == before
    some = [doubled(sol.zeros(50)) for _ in range(20)]
    del some
    sol.device.empty_cache()
    assert sol.device.memory().used == before


@jit
def either(x: Any, n: int) -> Any:
    y = x * 2.0
    z = x * 3.0
    if n > 0:
        return y
    return z + y


def test_memory_of_results_that_are_not_returned_goes_back() -> None:
    gc.collect()
    a, x = made()
    before = sol.device.memory().used
    for n in (1, 0, 1):
        r = either(x, n)
        assert equal(r, either.python(a, n))
        del r
        assert sol.device.memory().used == before


def test_emptying_the_cache_keeps_arrays() -> None:
    a, x = made()
    y = doubled(x)
    sol.device.empty_cache()
    assert equal(y, a * 2.0) and equal(x, a)


def test_empty_arrays_and_arrays_without_axes() -> None:
    x = sol.asarray(np.zeros((3, 0, 4)))
    assert equal(doubled(x), np.zeros((3, 0, 4)))
    y = sol.asarray(np.array(2.5))
    assert float(doubled(y)) == 5.0
    z = sol.asarray(np.zeros(1))
    fill_all(z)
    assert float(z[0]) == 7.0


# --- threads, forks -----------------------------------------------------------------------------------------------------------------


def test_threads() -> None:
    _, x = made()
    good: list[bool] = []

    def work(k: int) -> None:
        a = np.linspace(0, k, 200)
        y = sol.asarray(a)
        for _ in range(10):
            y = rooted(y)
            a = rooted.python(a)
            doubled(x)
        good.append(equal(y, a))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert good == [True] * 4


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_child() -> None:
    a, x = made()
    y = doubled(x)
    np.array(x)
    assert (x.state, y.state) == ("both", "device")
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks in processes with threads
        child = os.fork()
    if child == 0:
        said = "nothing"
        try:
            good = equal(x, a) and np.array_equal(doubled(x).numpy(), a * 2.0)
            try:
                y.numpy()
            except sol.DeviceError as e:
                said = f"{good} {e}"
            del x, y
        finally:
            os.write(writing, said.encode())
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as f:
        said = f.read()
    os.waitpid(child, 0)
    assert said == (
        "True what this array holds is on the device 'emulated' only: CUDA does not work in a forked process whose parent has used it"
    )
    assert equal(y, a * 2.0)
