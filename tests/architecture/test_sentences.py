"""Every sentence that is told stands in the table, and every row of the table is told."""

from __future__ import annotations

import re
from pathlib import Path

from soljit.base.sentences import KINDS, SENTENCES

SOURCES = Path(__file__).parents[2] / "soljit"
TELLING = re.compile(r'(?:\bsaid|\.note)\(\s*(?:[^",()]+(?:\([^()]*\))?,\s*)?"([^"]+)"(?: if [^,()]+ else "([^"]+)")?')


def test_sentences_and_table_agree() -> None:
    texts = {p: p.read_text("utf-8") for p in SOURCES.rglob("*.py") if p.name != "sentences.py"}
    named = {name for text in texts.values() for found in TELLING.findall(text) for name in found if name}
    assert named - SENTENCES.keys() == set()
    assert {s for s in SENTENCES if not any(f'"{s}"' in text for text in texts.values())} == set()


def test_kinds_are_those_of_the_table() -> None:
    assert {s.kind for s in SENTENCES.values()} <= KINDS.keys()
