"""`python -m soljit`: demo, info, cache."""

from __future__ import annotations

import sys

from soljit.cli.main import main

sys.exit(main())
