"""Kernels that a run of tests makes, kept for NVRTC: `SOL_TEST_KERNELS=folder` writes the text of each to `folder/<digest>.cu`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

FOLDER = os.environ.get("SOL_TEST_KERNELS", "")


def install() -> None:
    """Keep what the emulated device's compiler of kernels is given from now on."""
    if not FOLDER:
        return
    from soljit.runtime.devices import emulated
    from soljit.runtime.system.fingerprint import digest

    folder = Path(FOLDER)
    folder.mkdir(parents=True, exist_ok=True)
    compile_kernels = emulated.compile_kernels

    def kept(text: str, fp: str, *args: Any, **options: Any) -> Any:
        file = folder / f"{digest(text, fp)[:20]}-{fp}.cu"
        if not file.exists():
            own = file.with_suffix(f".{os.getpid()}")
            own.write_text(text)
            own.replace(file)
        return compile_kernels(text, fp, *args, **options)

    emulated.compile_kernels = kept
