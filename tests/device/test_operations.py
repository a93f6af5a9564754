"""Every operation on every type is one text on a processor and on a device: NVRTC compiles it, and the layer of devices gives the same bits."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

from soljit.base.errors import InternalError
from soljit.ir.ops import OPS
from soljit.ir.types import ALL, DType
from tests.codegen.harness import features
from tests.codegen.test_operations import differing, values
from tests.device import arithmetic
from tests.device.bounds import COMPLEX, ulps
from tests.device.nvrtc import compile_kernels

HEAD = '#include "soljit/numbers.h"\n'
OWN = frozenset({"exp", "exp2", "sqrt"})  # of complex numbers: the device's own functions, and what is made of them


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
    assert {n for names in refused.values() for n in names} >= {"log", "sin", "pow", "threads"}
    text = HEAD + "".join(arithmetic.text(t, refused=True) for t, names in refused.items() if names)
    with pytest.raises(InternalError) as e:
        compile_kernels(text, "sm_90", "strict")
    lines = text.splitlines()
    wrong = {int(n) for n in re.findall(r"kernels\.cu\((\d+)\): error", str(e.value))}
    accepted = [line for k, line in enumerate(lines, 1) if ";  // " in line and k not in wrong]
    assert not accepted, accepted


@pytest.mark.parametrize("t", ALL, ids=str)
def test_the_layer_of_devices_gives_the_bits_of_the_layer_of_processors(t: DType) -> None:
    fma = features().fma
    pairs = np.array(list(itertools.product(values(t), values(t))), t.numpy)
    x, y = np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])
    args = (x, y, np.roll(y, 7))
    host, device = (arithmetic.computed_by_gcc(t, d, args, fma) for d in (False, True))
    wrong = []
    for name, want in host.items():
        if name.startswith("to ") and name[3] in "iu" and t.kind in "fc":  # what does not fit has no bits of NumPy's
            with np.errstate(all="ignore"):
                fits = np.abs(x.real) < 2.0 ** (8 * want.itemsize - 1)
            want, got = want[fits], device[name][fits]
        else:
            got = device[name]
        if t.is_complex and name in COMPLEX and name in OWN:
            bad = far(got, want, ulps(name, t))
        else:
            bad = differing(got, want, "")
        if bad.any():
            k = int(np.argmax(bad))
            wrong.append(
                f"{name}({x[k]}, {y[k]}) is {want[k]} on the host, {got[k]} on the device ({int(bad.sum())} cases)"
            )
    assert not wrong, "\n".join(wrong)


def far(got: np.ndarray, want: np.ndarray, most: int) -> np.ndarray:
    """Which numbers differ by more than `most` units of their larger part?"""
    with np.errstate(all="ignore"):
        unit = np.spacing(np.maximum(np.abs(want.real), np.abs(want.imag)))
        out = np.zeros(got.shape, bool)
        for g, w in ((got.real, want.real), (got.imag, want.imag)):
            out |= ~((g == w) | (np.isnan(g) & np.isnan(w)) | (np.abs(g - w) <= most * unit))
    return out


def test_every_operation_is_tried() -> None:
    tried = {n for t in ALL for refused in (False, True) for n in arithmetic.codes(t, refused)}
    assert OPS.keys() <= tried
