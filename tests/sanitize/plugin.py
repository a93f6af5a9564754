"""What pytest loads in a process with checked code (`python -m tests.sanitize`)."""

from __future__ import annotations

import os

from soljit.passes.scheduling import schedule_maps

os.environ.pop("LD_PRELOAD", None)  # it has done its work here; the compiler runs without
if "thread" in os.environ.get("SOL_SANITIZE", ""):
    schedule_maps.WORTH = 0
