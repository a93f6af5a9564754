"""What pytest loads in a process with checked code (`python -m tests.sanitize`)."""

from __future__ import annotations

import os

os.environ.pop("LD_PRELOAD", None)  # it has done its work here; the compiler runs without
