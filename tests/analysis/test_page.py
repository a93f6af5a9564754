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
