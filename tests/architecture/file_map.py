"""The map of files at the end of docs/architecture.md: `python -m tests.architecture.file_map` writes it from the heads."""

from __future__ import annotations

import ast

from tests.architecture.sources import PACKAGE, ROOT, files, tree

DOCUMENT = ROOT / "docs" / "architecture.md"
HEAD = "## One line a file\n"


def lines() -> list[str]:
    """The map: a list item a file, with the first sentence of its head."""
    out: list[str] = []
    folder = None
    for path in sorted(files(), key=lambda p: (p.parent.relative_to(PACKAGE).parts, p.name)):
        doc = " ".join((ast.get_docstring(tree(path)) or "").split("\n\n")[0].split())
        if path.name == "__init__.py" and not doc.strip("."):
            continue
        here = path.parent.relative_to(PACKAGE).as_posix()
        if here != folder:
            out += ["", f"**{'soljit' if here == '.' else here}**", ""]
            folder = here
        out.append(f"* `{path.name}` {doc}")
    return out


def main() -> None:
    """Replace the map in the document, or append it."""
    before = DOCUMENT.read_text().split(HEAD)[0].rstrip("\n")
    DOCUMENT.write_text("\n".join([before, "", HEAD.rstrip("\n"), *lines()]) + "\n")


if __name__ == "__main__":
    main()
