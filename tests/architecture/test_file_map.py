"""docs/architecture.md ends with a map that names every file."""

from __future__ import annotations

from tests.architecture.file_map import DOCUMENT, HEAD, lines


def named(text: list[str]) -> set[str]:
    """Folder and file name of every item."""
    found, folder = set(), ""
    for line in text:
        if line.startswith("**"):
            folder = line.strip("*")
        elif line.startswith("* `"):
            found.add(f"{folder}/{line.split('`')[1]}")
    return found


def test_every_file_is_on_the_map() -> None:
    written = DOCUMENT.read_text().split(HEAD)[1].split("\n")
    assert named(written) == named(lines()), "run python -m tests.architecture.file_map"
