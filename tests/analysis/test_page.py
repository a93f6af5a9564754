"""The page of `f.graph()`: lines of the source and boxes are tied, an outline, and notebooks show it."""

from __future__ import annotations

import inspect
import re
from html import unescape

import numpy as np

import soljit as sol


@sol.jit(strict=True, target="null")
def smoothed(a, steps):
    for _ in range(steps):
        a[1:-1] = (a[:-2] + a[2:]) / 2
    return a.sum()


def page() -> str:
    smoothed(np.arange(9.0), 2)
    return smoothed.graph()


def test_lines_and_boxes_are_tied() -> None:
    text = page()
    first = inspect.getsourcelines(smoothed.python)[1]
    boxes = {int(n) for n in re.findall(r'<rect [^>]*data-line="(\d+)"', text)}
    assert {first + 2, first + 3, first + 4} <= boxes | {first + 2}
    assert boxes <= {*range(first, first + 6)} and first + 3 in boxes
    for n in boxes:
        assert f'<span data-line="{n}"' in text


def test_the_outline_leads_to_boxes() -> None:
    text = page()
    wanted = re.findall(r'<a data-box="(b\d+)">', text)
    assert wanted and {*wanted} <= {*re.findall(r'<rect id="(b\d+)"', text)}


def test_notebooks_show_the_page() -> None:
    text = page()
    shown = text._repr_html_()  # type: ignore[attr-defined]
    assert shown.startswith("<iframe srcdoc=") and unescape(shown.split('"')[1]) == text


@sol.jit(strict=True, target="null")
def carried(u, vy):
    n, m = u.shape
    flux_y = np.zeros((n, m + 1))
    for i in range(n):
        for j in range(1, m):
            flux_y[i, j] = vy * u[i, j - 1]
    u = u - (flux_y[:, 1:] - flux_y[:, :-1])
    return u


def test_labels_have_the_names_of_the_source() -> None:
    carried(np.ones((3, 4)), 0.5)
    labels = re.findall(r"<text[^>]*>([^<]*)</text>", carried.graph())
    assert "flux_y" in labels and "u" in labels
    assert not [x for x in labels if re.search(r"zeros|u_n\d|u_\d", x)], labels


def test_the_source_stands_beside_the_pictures() -> None:
    text = page()
    assert text.index("def smoothed") < text.index("<svg") < text.index("<details class=")
    assert "def smoothed" in text[text.index("<section>") : text.index("</section>")]


def test_in_a_text_the_page_is_one_line() -> None:
    class Printer:
        shown = ""

        def text(self, text: str) -> None:
            self.shown += text

    printer = Printer()
    page()._repr_pretty_(printer, False)  # type: ignore[attr-defined]
    assert printer.shown.startswith("<page of HTML") and len(printer.shown) < 100
