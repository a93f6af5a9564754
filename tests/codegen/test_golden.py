"""Golden C++: the text for a handful of programs, which must also compile without a warning.

`pytest tests/codegen --update-golden` writes the files anew; look at the diff before committing it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from soljit.codegen.emit import emit
from soljit.codegen.source import Features
from soljit.ir.text.parser import from_text
from tests.codegen.harness import build, features, finished
from tests.codegen.programs import ALL

GOLDEN = Path(__file__).parent.parent / "golden" / "cpp"
MACHINES = {"": Features(avx512=True, fma=True), "_plain": Features(svml=False, blas=False)}


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("machine", MACHINES)
def test_text_is_the_golden_one(name: str, machine: str, request: pytest.FixtureRequest) -> None:
    path = _file(name, machine)
    text = emit(finished(from_text(ALL[name])), features=MACHINES[machine]).text
    assert text == emit(finished(from_text(ALL[name])), features=MACHINES[machine]).text, (
        "emitting twice gives the same bytes"
    )
    if request.config.getoption("--update-golden"):
        _keep(name, machine, text)
    else:
        assert text == path.read_text()


def _file(name: str, machine: str) -> Path:
    """Where the text for a machine stands: in a file of its own if it is not that for all."""
    own = GOLDEN / f"{name}{machine}.cpp"
    return own if own.exists() else GOLDEN / f"{name}.cpp"


def _keep(name: str, machine: str, text: str) -> None:
    own, common = GOLDEN / f"{name}{machine}.cpp", GOLDEN / f"{name}.cpp"
    if machine and text == common.read_text():
        own.unlink(missing_ok=True)
    else:
        own.write_text(text)


@pytest.mark.parametrize("name", ALL)
def test_golden_text_compiles_without_a_warning(name: str) -> None:
    for machine in MACHINES:
        if machine or features().avx512:
            text = _file(name, machine).read_text()
            build(text, "#pragma omp parallel" in text, ("-Wall", "-Wextra", "-Werror", "-O2"))
