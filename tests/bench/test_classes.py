"""`python -m bench classes`."""

from __future__ import annotations

import numpy as np
import pytest

from bench.__main__ import main
from bench.classes import PROGRAMS
from soljit import jit
from soljit.ir.core.signature import InstanceArg


def test_classes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["classes", "--repeat", "1", "--only", "ODE"]) == 0
    shown = capsys.readouterr().out
    assert "ODE integrator" in shown and "class / function" in shown


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_class_does_what_its_function_does(name: str) -> None:
    cls, function, last, parts = PROGRAMS[name]
    one, other, third = cls(), cls(), cls()
    method = jit(cls.run, strict=True, target="null")  # type: ignore[attr-defined]
    given = tuple(2 if isinstance(x, int) else x[:3] for x in last())
    assert np.allclose(method(one, *given), cls.run(other, *given))  # type: ignore[attr-defined]
    assert all(np.allclose(v, vars(other)[k]) for k, v in vars(one).items())
    assert type(method._entry.variants[-1].types[0]) is InstanceArg
    function(*parts(third), *given)
    assert all(
        np.allclose(v, vars(other)[k])
        for k, v in vars(third).items()
        if isinstance(v, np.ndarray) and k in ("w", "b", "position", "speed")
    )
