"""What the threads of a parallel region use: nothing that C++ hands to them by address is also used outside of the region.

g++ takes a variable whose address has left the function for one that any store may change, also in the loops that run without threads.
"""

from __future__ import annotations

import re

import numpy as np

from soljit.codegen.emit import emit
from soljit.ir.text.parser import from_text
from tests.codegen.harness import features, finished
from tests.codegen.test_programs import both

SHARED = """\
@symbols(N=A.shape[0], M=A.shape[1])
def shared(A: c128[N, M], K: i64[N, M], z: c128, h: f16, k: i64) -> (array(f64, 2),):
    w: c128
    flag: b1
    R: f64[N, M]
    alloc(R)
    w = z * z
    flag = k > 2
    while flag:
        with map(i=range(0, N), j=range(0, M)), schedule("threads", "lanes"), when(N * M > 4):
            A[i, j] = A[i, j] * w + z
            K[i, j] = K[i, j] % k + i64(flag)
            R[i, j] = f64(h) + f64(K[i, j] // k)
        w = w * z
        flag = abs(w) > 0.01
    return R[0:N, 0:M]
"""
PARALLEL = "#pragma omp parallel"
DECLARED = re.compile(r"\b(sol_(?:c128|c64|f16|divisor)|bool) (\w+)(?= ?[=;,(){])")


def _regions(text: str) -> list[tuple[str, str]]:
    """For each parallel region what stands before it, and its block."""
    found = []
    for m in re.finditer(PARALLEL, text):
        end, depth = text.index("{", m.end()) + 1, 1
        while depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        found.append((text[: m.start()], text[m.end() : end]))
    return found


def test_threads_share_copies_of_structures() -> None:
    text = emit(finished(from_text(SHARED)), features=features()).text
    regions = _regions(text)
    assert regions
    for before, block in regions:
        outside, inside = ({m[2]: m[1] for m in DECLARED.finditer(t)} for t in (before, block))
        assert {"sol_c128", "sol_f16", "sol_divisor", "bool"} <= {*outside.values()}
        assert {"sol_c128", "sol_f16", "sol_divisor", "bool"} <= {*inside.values()}
        for name in outside:
            used = re.search(rf"\b{name}\b", block)
            assert not used or name in inside or name.endswith("_shared"), f"{name} is shared with the threads"
        for name in (n for n in outside if n.endswith("_shared")):
            assert len(re.findall(rf"\b{name}\b", text)) == 2, f"{name} is used elsewhere"


def test_copies_have_the_values_of_their_turn() -> None:
    rng = np.random.default_rng(3)
    a = rng.random((40, 30)) + 1j
    k = rng.integers(-50, 50, (40, 30))
    want, got = both(SHARED, a, k, 0.5 + 0.6j, np.float16(1.5), 7)
    np.testing.assert_array_equal(want[0], got[0])
