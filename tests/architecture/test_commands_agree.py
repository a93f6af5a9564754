"""The README, the CI script and the documents name commands and settings that exist, and the same ones."""

from __future__ import annotations

import re
import shlex

from bench.__main__ import parser as bench_parser
from soljit.base.settings import NAMES
from soljit.cli.main import parser
from tests.architecture.sources import ROOT

README = (ROOT / "README.md").read_text()
DOCUMENTS = [README, *(p.read_text() for p in sorted((ROOT / "docs").glob("*.md")))]


def test_ci_runs_the_readmes_test_command() -> None:
    (readme,) = re.findall(r"bin/python (-m pytest.*)", README)
    (ci,) = re.findall(r'bin/python" (-m pytest.*)', (ROOT / ".ci" / "run").read_text())
    assert readme == ci


def test_readme_installs_what_ci_installs() -> None:
    assert "pip install -e '.[dev]'" in README
    assert "-e '.[dev]'" in (ROOT / ".ci" / "run").read_text()


def test_commands_in_documents_exist() -> None:
    for text in DOCUMENTS:
        for line in re.findall(r"python -m soljit ([a-z]+)", text):
            parser().parse_args([line])
        for line in re.findall(r"^python -m bench ([^#\n]+)", text, re.MULTILINE):
            bench_parser().parse_args(shlex.split(line))


def test_settings_in_documents_exist() -> None:
    own = {
        "SOL_TEST_CACHE_DIR",
        "SOL_TEST_CALLS",
        "SOL_TEST_DEVICE_SHARE",
        "SOL_TEST_FULL",
        "SOL_TEST_KERNELS",
        "SOL_TEST_PROGRAMS",
        "SOL_TEST_SEED",
        "SOL_TEST_SESSION",
        "SOL_REQUIRE_NVRTC",
        "SOL_EMULATOR_SEED",
        "SOL_EMULATOR_SURVIVES",
        "SOL_EMULATOR_ULPS",
    }
    for text in DOCUMENTS:
        for variable in set(re.findall(r"SOL_[A-Z_]+", text)) - own:
            assert variable.removeprefix("SOL_").lower() in NAMES, variable


def test_readme_names_every_setting() -> None:
    table = README.split("## Settings")[1].split("\n## ")[0]
    assert not {n for n in NAMES if f"`{n}`" not in table}
