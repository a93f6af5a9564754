"""Compiled kernels are kept by what they were made from, one image for each kind of device, and are not believed if they were changed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from soljit.runtime.devices.images import Image, Resources, image, image_id
from soljit.runtime.store import cache_folder, cache_removal, cache_verify
from soljit.runtime.store.cache import Cache

ENVIRONMENT = "0123456789" * 2
TEXT = "kernels\n"


class Compiler:
    """Stands for a compiler of kernels, and counts."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, str, str]] = []

    def __call__(self, text: str, arch: str, fp: str) -> Image:
        self.calls.append((text, arch, fp))
        return Image(f"{text} for {arch}".encode(), f"log of {arch}", {"k0_f": Resources(registers=17, shared=64)})


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(cache_folder.own_folder(str(tmp_path / "cache")), ENVIRONMENT)


def files(cache: Cache) -> dict[str, Path]:
    folder = Path(cache.root) / ENVIRONMENT / "objects"
    return {p.name: p for p in folder.iterdir()}


def test_an_image_is_made_once_for_each_kind_of_device(cache: Cache) -> None:
    compiler, name = Compiler(), image_id(TEXT, "strict")
    made = [
        image(cache, name, TEXT, arch, "strict", compiler) for arch in ("sm_90", "sm_80", "sm_90", "emulated", "sm_80")
    ]
    assert compiler.calls == [(TEXT, arch, "strict") for arch in ("sm_90", "sm_80", "emulated")]
    assert made[0] == made[2] and made[1] == made[4] and made[0] != made[1]
    assert made[2].resources["k0_f"] == Resources(registers=17, shared=64) and made[2].log == "log of sm_90"
    assert {f"{name}-{a}.{e}" for a in ("sm_90", "sm_80", "emulated") for e in ("cubin", "sum", "json")} == set(
        files(cache)
    )


def test_names_tell_texts_and_modes_apart() -> None:
    names = {image_id(t, fp) for t in (TEXT, TEXT + " ") for fp in ("strict", "contract")}
    assert len(names) == 4 and all(len(n) == 40 for n in names)


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def open_to_others(path: Path) -> None:
    path.chmod(0o666)


def link(path: Path) -> None:
    path.rename(path.with_suffix(".elsewhere"))
    path.symlink_to(path.with_suffix(".elsewhere"))


@pytest.mark.parametrize("kind", ["cubin", "sum", "json"])
@pytest.mark.parametrize("change", [flip, cut, open_to_others, link, Path.unlink])
def test_what_was_changed_is_made_anew(cache: Cache, kind: str, change: Callable[[Path], object]) -> None:
    compiler, name = Compiler(), image_id(TEXT, "strict")
    first = image(cache, name, TEXT, "sm_90", "strict", compiler)
    change(files(cache)[f"{name}-sm_90.{kind}"])
    assert image(cache, name, TEXT, "sm_90", "strict", compiler) == first
    assert len(compiler.calls) == 2
    assert image(cache, name, TEXT, "sm_90", "strict", compiler) == first
    assert len(compiler.calls) == 2, "the new one is kept in its place"


def test_an_image_of_another_program_or_device_is_not_believed(cache: Cache) -> None:
    compiler = Compiler()
    names = [image_id(t, "strict") for t in ("a", "b")]
    for text, name in zip(("a", "b"), names):
        image(cache, name, text, "sm_90", "strict", compiler)
    image(cache, names[0], "a", "sm_80", "strict", compiler)
    found = files(cache)
    for e in ("cubin", "sum", "json"):
        for other in (f"{names[1]}-sm_90", f"{names[0]}-sm_80"):
            found[f"{other}.{e}"].write_bytes(found[f"{names[0]}-sm_90.{e}"].read_bytes())
    assert image(cache, names[1], "b", "sm_90", "strict", compiler).data == b"b for sm_90"
    assert image(cache, names[0], "a", "sm_80", "strict", compiler).data == b"a for sm_80"
    assert len(compiler.calls) == 5


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_that_cannot_be_written_keeps_nobody_from_compiling(cache: Cache) -> None:
    os.chmod(cache.root, 0o500)
    try:
        compiler, name = Compiler(), image_id(TEXT, "strict")
        assert image(cache, name, TEXT, "sm_90", "strict", compiler).data == b"kernels\n for sm_90"
    finally:
        os.chmod(cache.root, 0o700)


def test_images_are_soljits_to_verify_and_to_remove(cache: Cache) -> None:
    name = image_id(TEXT, "strict")
    image(cache, name, TEXT, "sm_90", "strict", Compiler())
    cache.keep(f"{name}.cu", TEXT)
    assert cache_verify.verify(cache.root)[1] == []
    flip(files(cache)[f"{name}-sm_90.cubin"])
    assert {f.place.rpartition(".")[2] for f in cache_verify.verify(cache.root)[1]} == {"cubin"}
    image(cache, name, TEXT, "sm_90", "strict", Compiler())
    left = cache_removal.clear(cache.root).left
    assert [p.endswith(".aside") for p in left] == [True], "what had been changed was moved aside, and is not soljit's"
