"""Parts of libraries that many programs have, such as the products of a type: compiled once, kept, linked to each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.base.settings import Settings, current
from soljit.runtime.build import toolchain
from soljit.runtime.store.cache import open_cache

A = np.arange(30.0).reshape(5, 6)


def matrices(a: Any, b: Any) -> Any:
    return a @ b + 1


def vectors(a: Any, b: Any) -> Any:
    return b @ a @ b, a @ b


def halves(a: Any) -> Any:
    return a @ a.T


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The object files that are compiled, in a cache of the test's own."""
    made: list[str] = []
    run = toolchain.run

    def watched(words: Any, *args: Any) -> Any:
        if "-c" in words:
            made.append(words[words.index("-o") + 1])
        return run(words, *args)

    monkeypatch.setattr(toolchain, "run", watched)
    with sol.settings(cache_dir=str(tmp_path / "cache")):
        yield made


def compared(f: Any, *args: Any) -> None:
    """The function as compiled, beside NumPy."""
    for got, want in zip(sol.jit(f, strict=True)(*args), f(*args), strict=True):
        np.testing.assert_array_equal(got, want)


def test_products_of_a_type_are_compiled_once(parts: list[str], tmp_path: Path) -> None:
    compared(matrices, A, A.T.copy())
    compared(vectors, A[:5, :5], A[0, :5])
    compared(halves, A)
    assert len(parts) == 1
    compared(matrices, A + 1j, A.T + 1j)
    assert len(parts) == 2
    compared(matrices, A.astype(int), A.T.astype(int))  # not the BLAS's
    assert len(parts) == 2
    assert len([*tmp_path.rglob("*.o")]) == 2


@pytest.mark.parametrize("content", [b"", b"\x7fELF, once"], ids=["cut off", "another"])
def test_a_damaged_part_is_made_again(parts: list[str], tmp_path: Path, content: bytes) -> None:
    compared(matrices, A, A.T.copy())
    (kept,) = tmp_path.rglob("*.o")
    kept.write_bytes(content)
    compared(halves, A)
    assert len(parts) == 2


def test_where_nothing_can_be_kept(parts: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Any, name: str, content: bytes) -> str:
        raise OSError(28, "No space left on device")

    cache = open_cache(current())
    monkeypatch.setattr(type(cache), "put", full)
    tools = toolchain.toolchain()
    assert toolchain.compile_part(tools, "int one = 1;", tools.flags(), cache).startswith(b"\x7fELF")
    assert len(parts) == 1


def test_a_part_that_does_not_compile(tmp_path: Path) -> None:
    cache, tools = open_cache(Settings(cache_dir=str(tmp_path / "cache"))), toolchain.toolchain()
    with pytest.raises(sol.ToolchainError, match="(?s)the C.. compiler failed .*error"):
        toolchain.compile_part(tools, "this is no program", tools.flags(), cache)
    (source,) = tmp_path.rglob("*.cpp")
    assert "this is no program" in source.read_text()
    assert not [*tmp_path.rglob("*.o")]
