"""Other processes and threads: the cache on disk is never stale, forked children work, functions pickle."""

from __future__ import annotations

import concurrent.futures
import os
import pickle
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

from tests import oracle
from tests.values import grid

pytestmark = pytest.mark.skipif(oracle.IDENTITY, reason="needs the compiler")
ROOT = str(Path(__file__).resolve().parents[2])


def run(folder: Path, script: str = "main.py", **environment: str) -> str:
    """What a new Python process prints, with a cache folder of its own in `folder`."""
    env = (
        os.environ
        | {"PYTHONPATH": ROOT, "SOL_CACHE_DIR": str(folder / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
        | environment
    )
    done = subprocess.run([sys.executable, script], cwd=folder, env=env, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, f"exit status {done.returncode}\n{done.stdout}\n{done.stderr[-3000:]}"
    return done.stdout.strip()


def write(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(textwrap.dedent(text))


MAIN = """
    import numpy as np
    import soljit as sol
    import helper

    @sol.jit(strict=True)
    def f(a):
        return helper.g(a) * helper.K + helper.TABLE[0]

    print(f(np.arange(3.0)).tolist())
"""
HELPER = """
    import numpy as np
    K = 2.0
    TABLE = np.array([10.0, 20.0])

    def g(a):
        return a + 1
"""


def test_the_cache_sees_every_change(tmp_path: Path) -> None:
    write(tmp_path, "main.py", MAIN)
    write(tmp_path, "helper.py", HELPER)
    assert run(tmp_path) == "[12.0, 14.0, 16.0]"
    assert run(tmp_path) == "[12.0, 14.0, 16.0]"  # from the cache
    write(tmp_path, "helper.py", HELPER.replace("K = 2.0", "K = 3.0"))
    assert run(tmp_path) == "[13.0, 16.0, 19.0]"
    write(tmp_path, "helper.py", HELPER.replace("a + 1", "a - 1"))
    assert run(tmp_path) == "[8.0, 10.0, 12.0]"
    write(tmp_path, "helper.py", HELPER.replace("10.0, 20.0", "-10.0, 20.0"))
    assert run(tmp_path) == "[-8.0, -6.0, -4.0]"
    write(tmp_path, "helper.py", HELPER.replace("K = 2.0", "K = 2"))
    assert run(tmp_path) == "[12.0, 14.0, 16.0]"
    write(tmp_path, "main.py", MAIN.replace("helper.TABLE[0]", "helper.TABLE[1]"))
    write(tmp_path, "helper.py", HELPER)
    assert run(tmp_path) == "[22.0, 24.0, 26.0]"


def test_recursion_from_the_cache(tmp_path: Path) -> None:
    write(
        tmp_path,
        "main.py",
        """
        import soljit as sol

        @sol.jit(strict=True)
        def fib(n):
            return n if n < 2 else fib(n - 1) + fib(n - 2)

        print(fib(15))
        """,
    )
    assert [run(tmp_path), run(tmp_path)] == ["610", "610"]


def test_a_second_process_does_not_compile(tmp_path: Path) -> None:
    """A compiler that writes down each of its runs is not asked again. (Another compiler would mean another cache.)"""
    write(tmp_path, "main.py", MAIN)
    write(tmp_path, "helper.py", HELPER)
    compiler, log = tmp_path / "compiler", tmp_path / "log"
    compiler.write_text(f'#!/bin/sh\necho "$@" >> {log}\nexec c++ "$@"\n')
    compiler.chmod(0o755)
    first = run(tmp_path, SOL_CXX=str(compiler))
    runs = log.read_text()
    assert ".cpp" in runs
    assert run(tmp_path, SOL_CXX=str(compiler)) == first and log.read_text() == runs


def test_a_corrupted_cache_is_survived(tmp_path: Path) -> None:
    write(tmp_path, "main.py", MAIN)
    write(tmp_path, "helper.py", HELPER)
    first = run(tmp_path)
    files = [p for p in (tmp_path / "cache").rglob("*") if p.is_file()]
    assert files
    for damage in (b"", b"garbage" * 50):
        for p in files:
            if p.exists():
                p.chmod(0o644)
                p.write_bytes(damage)
        assert run(tmp_path) == first


def test_without_a_usable_cache_folder(tmp_path: Path) -> None:
    write(tmp_path, "main.py", MAIN)
    write(tmp_path, "helper.py", HELPER)
    (tmp_path / "cache").write_text("not a folder")
    assert run(tmp_path) == "[12.0, 14.0, 16.0]"


def test_processes_that_compile_the_same_function(tmp_path: Path) -> None:
    write(tmp_path, "main.py", MAIN)
    write(tmp_path, "helper.py", HELPER)
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        assert set(pool.map(lambda _: run(tmp_path), range(3))) == {"[12.0, 14.0, 16.0]"}


def test_without_a_compiler_python_runs_the_function(tmp_path: Path) -> None:
    write(tmp_path, "main.py", MAIN.replace("(strict=True)", ""))
    write(tmp_path, "helper.py", HELPER)
    assert run(tmp_path, SOL_CXX="/nonexistent/compiler", PYTHONWARNINGS="ignore") == "[12.0, 14.0, 16.0]"


FORK = """
    import os
    import numpy as np
    import soljit as sol

    @sol.jit(strict=True)
    def f(a):
        return (a * 2 + 1).sum()

    @sol.jit(strict=True)
    def g(a):
        return a.max() - a

    a = np.arange(300_000.0)
    want = float((a * 2 + 1).sum())
    assert np.isclose(f(a), want)          # the parent has used threads
    pid = os.fork()
    if pid == 0:
        ok = np.isclose(f(a), want) and g(a)[0] == a[-1]   # known and new functions in the child
        os._exit(0 if ok else 7)
    _, status = os.waitpid(pid, 0)
    assert np.isclose(f(a), want)
    print(os.waitstatus_to_exitcode(status))
"""


def test_a_forked_child(tmp_path: Path) -> None:
    write(tmp_path, "main.py", FORK)
    assert run(tmp_path) == "0"


MULTIPROCESSING = """
    import multiprocessing
    import numpy as np
    import soljit as sol

    @sol.jit(strict=True)
    def f(a, k):
        return (a * k).sum()

    def work(k):
        return float(f(np.arange(100_000.0), float(k)))

    if __name__ == "__main__":
        first = work(1)
        for method in ("fork", "spawn"):
            with multiprocessing.get_context(method).Pool(2) as pool:
                print([np.isclose(x, first * k) .item() for k, x in enumerate(pool.map(work, range(4)))])
                print(np.isclose(pool.apply(f, (np.arange(10.0), 2.0)), 90.0))
"""


def test_multiprocessing(tmp_path: Path) -> None:
    write(tmp_path, "main.py", MULTIPROCESSING)
    assert run(tmp_path) == "\n".join(["[True, True, True, True]", "True"] * 2)


def scaled(a: np.ndarray, k: float) -> Any:
    return a * k


jitted_scaled = None if oracle.IDENTITY else oracle.compiled(scaled)


def many_kinds(a: Any, b: Any) -> Any:
    return a + b * 2


def test_threads_that_compile_at_once() -> None:
    f = oracle.compiled(many_kinds)
    kinds = [np.arange(4).astype(t) for t in ("f8", "f4", "i4", "i8", "u1", "c16")]
    jobs = [(x, y) for x in kinds[:3] for y in kinds] * 2
    want = [many_kinds(x, y) for x, y in jobs]
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        got = list(pool.map(lambda p: f(*p), jobs))
    for w, g in zip(want, got):
        assert w.dtype == g.dtype
        assert np.array_equal(w, g)


def test_pickling() -> None:
    import soljit as sol

    module = sys.modules[__name__]
    original = module.scaled
    try:
        module.scaled = sol.jit(original)  # as a decorator would
        again = pickle.loads(pickle.dumps(module.scaled))
        assert np.array_equal(again(grid(3), 2.0), grid(3) * 2)
    finally:
        module.scaled = original


def test_looks_like_the_function() -> None:
    import inspect

    assert jitted_scaled is not None
    assert jitted_scaled.__name__ == "scaled"
    assert jitted_scaled.__module__ == __name__
    assert str(inspect.signature(jitted_scaled)) == str(inspect.signature(scaled))
    assert jitted_scaled.__wrapped__ is scaled or jitted_scaled.python is scaled


LESSER = """
    import numpy as np
    import soljit as sol

    @sol.jit(strict=True)
    def f(a, b, z, w, x):
        return a @ b, b.T @ a.T, z * w, np.abs(z), np.exp(x), np.sin(x), np.log(np.abs(x))

    rng = np.random.default_rng(1)
    z, w = (rng.normal(size=200) + 1j * rng.normal(size=200) for _ in range(2))
    x = rng.normal(size=200)
    for kind, pair in (("float64", "complex128"), ("float32", "complex64")):
        for m, n, p in [(2, 3, 2), (3, 7, 4), (3, 8, 9), (8, 8, 8), (5, 4, 16), (12, 2, 17)]:
            args = [v.astype(kind) for v in (rng.normal(size=(m, n)), rng.normal(size=(n, p)))]
            args += [z.astype(pair), w.astype(pair), x.astype(kind)]
            for got, want in zip(f(*args), f.__wrapped__(*args)):
                if got.tobytes() != want.tobytes():
                    print(kind, m, n, p, np.abs(got - want).max())
"""


WIDE = "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR"  # what NumPy before 2.4 calls X86_V4
NAMES = {"X86_V4": "X86_V4 AVX512_ICL", "X86_V3": "X86_V3"}
if "X86_V4" not in _multiarray_umath.__cpu_features__:
    NAMES = {"X86_V4": WIDE, "X86_V3": "AVX2 FMA3"}


@pytest.mark.parametrize(
    "core, without", [("Haswell", ["X86_V4"]), ("Nehalem", ["X86_V3", "X86_V4"])], ids=["avx2", "sse"]
)
def test_lesser_processors_have_numpys_bits_too(tmp_path: Path, core: str, without: list[str]) -> None:
    """NumPy and its BLAS as they are on processors without AVX-512 (elsewhere the names mean nothing)."""
    write(tmp_path, "main.py", LESSER)
    off = " ".join(NAMES[x] for x in without)
    limits = {"OPENBLAS_CORETYPE": core, "NPY_DISABLE_CPU_FEATURES": off, "PYTHONWARNINGS": "ignore"}
    assert run(tmp_path, **limits) == ""
