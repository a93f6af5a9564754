"""Tests with code that was built with the compiler's checks: `python -m tests.sanitize`."""
