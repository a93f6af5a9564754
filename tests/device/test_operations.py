"""Every operation on every type is one text on a processor and on a device: NVRTC compiles it, and the layer of devices gives the same bits."""

from __future__ import annotations

import os
import re
from collections.abc import Callable

import numpy as np
import pytest

from soljit.base.errors import InternalError
from soljit.base.settings import current
from soljit.ir.core.ops import OPS
from soljit.ir.core.types import ALL, DType, c64, c128
from soljit.runtime.build.toolchain import toolchain
from soljit.runtime.devices import emulated
from soljit.runtime.devices.device import Device, find_device, why_not
from soljit.runtime.devices.images import image_id
from soljit.runtime.store.cache import open_cache
from tests.codegen.harness import features
from tests.codegen.test_operations import differing
from tests.device import arithmetic
from tests.device.bounds import CUDA, NUMPY, ulps
from tests.device.nvrtc import compile_kernels
from tests.device.sessions import Session, controls

HEAD = '#include "soljit/kernel.h"\n'
OWN = dict.fromkeys(
    ("exp", "exp2", "sqrt", "log", "log2", "log10", "pow"), 4
)  # of complex numbers: the device's own functions, and what is made of them


@pytest.mark.share(0.4)
@pytest.mark.parametrize("t", ALL, ids=str)
@pytest.mark.parametrize(
    "fp", ["strict", pytest.param("contract", marks=pytest.mark.slow), pytest.param("fast", marks=pytest.mark.slow)]
)
def test_nvrtc_compiles_every_operation(t: DType, fp: str) -> None:
    image = compile_kernels(HEAD + arithmetic.text(t), "sm_90", fp)
    assert image.data[:4] == b"\x7fELF"
    assert image.resources.keys() == {f"operations_{t}"}
    assert "warning" not in image.log, image.log


def test_nvrtc_has_none_of_the_operations_that_are_refused() -> None:
    refused = {t: list(arithmetic.codes(t, refused=True)) for t in ALL}
    assert {n for names in refused.values() for n in names} >= {"sin", "arccosh", "threads"}
    text = HEAD + "".join(arithmetic.text(t, refused=True) for t, names in refused.items() if names)
    with pytest.raises(InternalError) as e:
        compile_kernels(text, "sm_90", "strict")
    lines = text.splitlines()
    wrong = {int(n) for n in re.findall(r"kernels\.cu\((\d+)\): error", str(e.value))}
    accepted = [line for k, line in enumerate(lines, 1) if ";  // " in line and k not in wrong]
    assert not accepted, accepted


@pytest.mark.share(0.3)
@pytest.mark.parametrize("t", ALL, ids=str)
def test_the_layer_of_devices_gives_the_bits_of_the_layer_of_processors(t: DType) -> None:
    args = arithmetic.arguments(t)
    host, device = (arithmetic.computed_by_gcc(t, d, args, features().fma) for d in (False, True))
    assert not (wrong := differences(t, args, host, device, lambda name: OWN.get(name, 0) if t.is_complex else 0)), (
        wrong
    )


@pytest.mark.share(0.3)
@pytest.mark.parametrize("t", ALL, ids=str)
def test_the_emulated_device_gives_the_bits_of_the_processor_or_some_ulps_more(t: DType) -> None:
    """Once with the C library's functions, once with functions that are as wrong as CUDA's may be."""
    gpu, control = find_device("emulated"), controls().library
    control.sol_fake_ulps(0)
    plain = on_device(gpu, t)
    control.sol_fake_ulps(1)
    try:
        wrong = on_device(gpu, t)
    finally:
        control.sol_fake_ulps(os.environ.get("SOL_EMULATOR_ULPS") == "1")
    changed = {
        name for name in plain if not np.array_equal(plain[name], wrong[name], equal_nan=plain[name].dtype.kind in "fc")
    }
    assert all(ulps(name, t, features().fma) or name in ("sin", "cos") for name in changed)
    assert t.name not in ("f32", "f64") or changed >= {"tan", "pow", "libm_exp", "hypot"}


@pytest.mark.parametrize("t", ALL, ids=str)
def test_a_gpu_gives_the_bits_of_the_processor_or_some_ulps_more(t: DType) -> None:
    if why := why_not("cuda"):
        pytest.skip(why)
    on_device(find_device("cuda"), t)


def on_device(gpu: Device, t: DType) -> dict[str, np.ndarray]:
    """The results of every code on a device, compared with those of the processor."""
    fma, args = features().fma, arithmetic.arguments(t)
    host = arithmetic.computed_by_gcc(t, False, args, fma)
    device = computed_by(gpu, t, args, fma)
    assert not (wrong := differences(t, args, host, device, lambda name: ulps(name, t, fma))), wrong
    return device


@pytest.mark.parametrize("t", [c64, c128], ids=str)
def test_the_devices_own_functions_of_complex_numbers(t: DType) -> None:
    """Next to where they overflow, where parts vanish, and everywhere else."""
    single = t.size == 8
    edge = (-104, -87, 88.5, 89.3, 105, 120) if single else (-746, -708, 709.5, 710.3, 740, 772, 774)
    sizes = (
        (1e-45, 1e-38, 3e-30, 1e-20, 1e19, 9e37, 3.4e38) if single else (5e-324, 1e-308, 1e-200, 1e154, 5e307, 1.7e308)
    )
    random = np.random.default_rng(1)
    parts = [0.0, -0.0, 1.0, np.inf, -np.inf, np.nan, *edge, *sizes, *(-s for s in sizes)]
    grid = [complex(a, b) for a in parts for b in (*parts, np.pi / 2, 3 * np.pi / 2, 1e5)]
    many = random.normal(size=2000) * 10 ** random.uniform(-3, 2, 2000) + 1j * random.normal(size=2000)
    with np.errstate(all="ignore"):
        x = np.concatenate([grid, many]).astype(t.numpy)
        exact = {f.__name__: f(x.astype(np.complex128)) for f in (np.exp, np.sqrt, np.log)}
        got = arithmetic.computed_by_gcc(t, True, (x, x, x), features().fma)
        for name, want in exact.items():
            bad = far(got[name], want.astype(t.numpy), 4)
            k = int(np.argmax(bad))
            assert not bad.any(), f"{name}({x[k]}) is {want[k]}, not {got[name][k]} ({int(bad.sum())} cases)"


@pytest.mark.parametrize("t", [c64, c128], ids=str)
def test_powers_of_complex_numbers_on_the_device_are_numpys(t: DType) -> None:
    """Of every pair of special values, whole exponents, and everything else."""
    tiny, huge = (1e-38, 3e38) if t.size == 8 else (1e-308, 1.7e308)
    parts = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -3.0, np.inf, -np.inf, np.nan, tiny, -tiny, huge, -huge]
    special = np.array([complex(a, b) for a in parts for b in parts])
    pairs = np.array(np.meshgrid(special, special)).reshape(2, -1)
    random, many = np.random.default_rng(3), 5000
    base, exponent = random.normal(size=(2, many)) + 1j * random.normal(size=(2, many))
    base *= 10 ** random.uniform(-3, 3, many)
    exponent *= 10 ** random.uniform(-2, 1, many)
    with np.errstate(all="ignore"):
        x = np.concatenate([pairs[0], base, base, base]).astype(t.numpy)
        y = np.concatenate([pairs[1], exponent, random.integers(-120, 120, many), np.full(many, 0.5)]).astype(t.numpy)
        got = arithmetic.computed_by_gcc(t, True, (x, y, x), features().fma)["pow"]
        bad = far_powers(x, y, got, want := np.power(x, y), OWN["pow"])
    k = int(np.argmax(bad))
    assert not bad.any(), f"{x[k]} ** {y[k]} is {want[k]}, not {got[k]} ({int(bad.sum())} cases)"


def computed_by(gpu: Device, t: DType, args: tuple[np.ndarray, ...], fma: bool) -> dict[str, np.ndarray]:
    """The results of every code on a device."""
    text, n = f'#include "soljit/kernel.h"\n{arithmetic.text(t, fma)}', len(args[0])
    if gpu.kind == "emulated":
        tools, cache = toolchain(), open_cache(current())
        data = emulated.compile_kernels(text, "strict", tools, cache, checked=False).data
    else:
        data = compile_kernels(text, gpu.arch, "strict").data
    number = int(image_id(text, "strict")[:16], 16)
    gpu.provide(number, data)
    out = np.zeros(16 * n * len(arithmetic.codes(t)), np.uint8)
    with Session(gpu, number, [f"operations_{t}"]) as s:
        places = s.mirrors(out, *args)
        assert [s.arrive(k) for k in range(4)] == [0] * 4
        given = [*(("uint64_t", at) for at in places), ("int64_t", n)]
        assert s.launch(0, (3, 1, 1, 64, 1, 1), *given) == 0
        assert s.leave(0) == 0, s.failure()
    return arithmetic.results(t, out, n)


def differences(
    t: DType,
    args: tuple[np.ndarray, ...],
    host: dict[str, np.ndarray],
    device: dict[str, np.ndarray],
    most: Callable[[str], int],
) -> str:
    """Where results differ by more units than they may."""
    wrong = []
    for name, want in host.items():
        got, units = device[name], most(name)
        beside = np.fmax(abs(args[0]), abs(args[1])) if name.startswith("logaddexp") else None
        if t.is_complex and name == "pow":
            bad = far_powers(args[0], args[1], got, want, units)
        else:
            bad = far(got, want, units, beside) if units else differing(got, want, "")
        if t.name == "f32" and name in ("sin", "cos") and not units:  # what is larger is left to the C library
            bad &= np.abs(args[0]) < 7e4
            bad |= far(got, want, CUDA[name][1] + NUMPY[1])
        if bad.any():
            k = int(np.argmax(bad))
            these = ", ".join(str(a[k]) for a in args)
            wrong.append(f"{name}({these}) is {want[k]}, on the device {got[k]} ({int(bad.sum())} cases)")
    return "\n".join(wrong)


def far(got: np.ndarray, want: np.ndarray, most: int, beside: np.ndarray | None = None) -> np.ndarray:
    """Which numbers differ by more than `most` units of their larger part, or of a number beside it that is larger still?"""
    with np.errstate(all="ignore"):
        size = np.fmax(np.abs(want.real), np.abs(want.imag))
        unit = np.spacing(np.fmin(size if beside is None else np.fmax(size, beside), np.finfo(want.dtype).max))
        out = np.zeros(got.shape, bool)
        for g, w in ((got.real, want.real), (got.imag, want.imag)):
            out |= ~((g == w) | (np.isnan(g) & np.isnan(w)) | (np.abs(g - w) <= most * unit))
    return out


def far_powers(x: np.ndarray, y: np.ndarray, got: np.ndarray, want: np.ndarray, most: int) -> np.ndarray:
    """Which of the powers `x ** y` differ by more than `most` units of their absolute value, and as many for each unit of `y * log(x)`?

    Powers are exp(y * log(x)), NumPy's, too: what is wrong in the logarithm is as wrong in the power as its product with y is large. Where that is
    wrong by a whole turn the angle is not known.
    """
    with np.errstate(all="ignore"):
        turned = np.abs(y.astype(np.clongdouble) * np.log(x.astype(np.clongdouble)))
        units = most * (1 + np.where(np.isfinite(turned), turned, 0)) * np.finfo(want.dtype).eps
        size = np.abs(want.astype(np.clongdouble))
        unknown = units > 1
        out = np.zeros(got.shape, bool)
        for g, w in ((got.real, want.real), (got.imag, want.imag)):
            near = np.abs(g.astype(np.longdouble) - w) <= units * size + np.finfo(want.dtype).tiny
            alike = (g == w) | (np.isnan(g) & np.isnan(w)) | (np.isfinite(g) & np.isfinite(w) & near)
            out |= ~(alike | unknown & (np.isfinite(g) == np.isfinite(w)) & (np.isnan(g) == np.isnan(w)))
    return out


def test_every_operation_is_tried() -> None:
    tried = {n for t in ALL for refused in (False, True) for n in arithmetic.codes(t, refused)}
    assert OPS.keys() <= tried
