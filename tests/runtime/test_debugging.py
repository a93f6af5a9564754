"""What SOL_DEBUG and SOL_DUMP print: of a compilation, and of what was found in the cache."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import soljit as sol


def total(a):  # type: ignore[no-untyped-def]
    return (a * 2).sum()


def said(capsys: pytest.CaptureFixture[str], **settings: object) -> str:
    """What a call of a new jitted function prints."""
    with sol.settings(target="null", **settings):  # type: ignore[arg-type]
        assert sol.jit(total, strict=True)(np.arange(4.0)) == 12  # type: ignore[call-overload]
    return capsys.readouterr().err


@pytest.fixture
def cache(tmp_path: Path) -> str:
    """A new cache."""
    return str(tmp_path / "cache")


LEVELS = [  # from which level on a text is printed
    (1, "soljit: total: "),
    (2, "soljit: total: optimize: "),
    (4, "soljit: total: program as lowered\n@symbols"),
    (4, "soljit: total: program as optimized\n@symbols"),
    (5, "# --- after schedule_maps"),
]


@pytest.mark.parametrize("level", [0, 1, 2, 3, 4, 5])
def test_levels_of_a_compilation(capsys: pytest.CaptureFixture[str], cache: str, level: int) -> None:
    text = said(capsys, debug=level, cache_dir=cache)
    assert [part in text for _, part in LEVELS] == [level >= least for least, _ in LEVELS]


@pytest.mark.parametrize("level", [0, 1, 2, 4])
def test_levels_of_a_cache_hit(capsys: pytest.CaptureFixture[str], cache: str, level: int) -> None:
    said(capsys, cache_dir=cache)
    text = said(capsys, debug=level, cache_dir=cache)
    assert ("soljit: total: found in the cache for (float64[:]): " in text) == (level >= 1)
    assert ("soljit: total: compiling it took toolchain " in text) == (level >= 2)
    assert ("program as lowered\n@symbols" in text and "program as optimized\n@symbols" in text) == (level >= 4)


def test_a_dump_compiles_again(capsys: pytest.CaptureFixture[str], cache: str) -> None:
    said(capsys, cache_dir=cache)
    assert "# --- after schedule_maps" in said(capsys, dump="all", cache_dir=cache)
    assert "# --- after canonicalize" not in said(capsys, dump="schedule_maps", cache_dir=cache)
    assert said(capsys, dump="tile_maps", cache_dir=cache) == "# --- tile_maps changed nothing\n"
