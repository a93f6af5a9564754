"""What is found out about the C++ compiler by running it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from soljit.runtime.build.toolchain import LEAN, Toolchain, toolchain, words_of

USES_EVERYTHING = """
#include <cmath>
#include <cstdlib>
extern "C" void* memory(double x) { return std::malloc((std::size_t)std::exp(x)); }
extern "C" _Complex long double product(_Complex long double x, _Complex long double y) { return x * y; }
extern "C" double sum(const double* x, long n) {
  double s = 0;
  #pragma omp parallel for reduction(+ : s)
  for (long i = 0; i < n; ++i) s += x[i];
  return s;
}
"""


def compiler_that_refuses(folder: Path, *words: str) -> str:
    """A compiler that does not know these words."""
    path = folder / "g++"
    pattern = "|".join(f"*{w}*" for w in words)
    path.write_text(f'#!/bin/sh\ncase "$*" in {pattern}) exit 1;; esac\nexec "{toolchain().path}" "$@"\n')
    path.chmod(0o755)
    return str(path)


def built(tools: Toolchain, folder: Path) -> str:
    """A library of a kernel that needs all that kernels may need: its bytes."""
    source, target = folder / "kernel.cpp", folder / "kernel.so"
    source.write_text(USES_EVERYTHING)
    flags = (*tools.flags(openmp=tools.openmp is not None), "-Wl,--no-undefined")
    subprocess.run([tools.path, *words_of(str(source), str(target), flags)], check=True)
    return target.read_bytes().decode("latin-1")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere libraries are linked as the compiler does it")
def test_kernels_are_linked_without_the_library_of_cpp(tmp_path: Path) -> None:
    tools = toolchain()
    assert tools.lean in LEAN
    assert "libstdc++" not in built(tools, tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere libraries are linked as the compiler does it")
@pytest.mark.parametrize("refused", [("-nostdlib++",), ("-nostdlib++", "-nodefaultlibs")], ids=" ".join)
def test_compilers_that_refuse_to_leave_it_out(tmp_path: Path, refused: tuple[str, ...]) -> None:
    tools = toolchain(compiler_that_refuses(tmp_path, *refused))
    assert tools.lean == (LEAN[1] if len(refused) == 1 else ())
    assert tools.openmp == toolchain().openmp
    built(tools, tmp_path)


def test_libraries_stand_behind_what_needs_them() -> None:
    assert words_of("a.cpp", "a.so", ("-O3", "-lm", "-shared")) == ("-O3", "-shared", "a.cpp", "-o", "a.so", "-lm")
