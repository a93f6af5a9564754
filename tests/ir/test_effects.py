"""May a program change memory that its arguments can see?"""

from __future__ import annotations

import pytest

from soljit.ir.text.parser import from_text
from soljit.ir.walk import writes_outside

HEAD = """@symbols(n=a.shape[0])
def f(a: f64[n]):
    b: f64[n]
    r: f64[:].ref("A", a, b)
    s: f64[:].ref("A", a, b)
    alloc(b)
"""


@pytest.mark.parametrize(
    "body, outside",
    [
        ("    b[0] = 1.0\n", False),
        ("    a[0] = 1.0\n", True),
        ("    bind(r, b[0:n])\n    r[0] = 1.0\n", False),
        ("    bind(r, a[0:n])\n    b[0] = r[0]\n", False),
        ("    bind(r, a[0:n])\n    r[0] = 1.0\n", True),
        ("    bind(r, b[0:n])\n    bind(s, r[0:n])\n    s[0] = 1.0\n", False),
        ("    bind(r, b[0:n])\n    bind(s, r[0:n])\n    bind(r, a[0:n])\n    s[0] = 1.0\n", True),
    ],
    ids=range(7),
)
def test_writes_outside(body: str, outside: bool) -> None:
    assert writes_outside(from_text(HEAD + body)) is outside
