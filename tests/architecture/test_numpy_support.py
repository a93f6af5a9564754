"""docs/numpy_support.md says what the tables of the front end say."""

from __future__ import annotations

import numpy as np
import pytest

from tests.architecture.numpy_support import DOCUMENT, text


def test_the_document_is_up_to_date() -> None:
    written = DOCUMENT.read_text()
    if f"(NumPy {np.__version__})" not in written:
        pytest.skip("written for another version of NumPy")
    assert written == text(), "run python -m tests.architecture.numpy_support"
