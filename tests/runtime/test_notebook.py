"""What a user of notebooks meets, in a real kernel: the source of functions, tracebacks, texts, completion, a line while compiling, the stop button."""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import soljit as sol

manager = pytest.importorskip("jupyter_client.manager", reason="jupyter_client is not installed")
pytest.importorskip("ipykernel", reason="ipykernel is not installed")

COLOURS = re.compile(r"\x1b\[[0-9;]*m")
Output = tuple[str, Any]  # kind of message, and what it holds


class Notebook:
    """A kernel, and the cells that were run in it."""

    def __init__(self, folder: str) -> None:
        own = str(Path(sol.__file__).parents[1])  # the soljit that is tested
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([own, os.environ.get("PYTHONPATH", "")])}
        self.kernel, self.client = manager.start_new_kernel(kernel_name="python3", cwd=folder, env=environment)

    def cell(self, code: str, interrupt: float | None = None) -> list[Output]:
        """What a cell shows. interrupt: seconds after which the stop button is pressed"""
        shown: list[Output] = []

        def show(message: Any) -> None:
            kind, content = message["msg_type"], message["content"]
            if kind == "stream":
                shown.append((content["name"], content["text"]))
            elif kind == "error":
                shown.append((content["ename"], COLOURS.sub("", "\n".join(content["traceback"]))))
            elif kind in ("execute_result", "display_data", "update_display_data"):
                shown.append((kind, content["data"]))

        timer = threading.Timer(interrupt or 0, self.kernel.interrupt_kernel)
        if interrupt is not None:
            timer.start()
        self.client.execute_interactive(code, timeout=60, output_hook=show, allow_stdin=False)
        timer.cancel()
        return shown

    def text(self, code: str) -> str:
        """What a cell writes, and the text of its value."""
        parts = [x if isinstance(x, str) else x["text/plain"] for _, x in self.cell(code)]
        return "".join(parts)


@pytest.fixture(scope="module")
def notebook(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Notebook]:
    made = Notebook(str(tmp_path_factory.mktemp("notebook")))
    assert made.text("import time, numpy as np, soljit as sol") == ""
    yield made
    made.client.stop_channels()
    made.kernel.shutdown_kernel(now=True)


FAILING = """@sol.jit(strict=True)
def failing(a, i):
    b = a * 2

    return helper(b, i)
"""


def test_a_traceback_shows_the_lines_of_the_cells(notebook: Notebook) -> None:
    notebook.text("def helper(b, i):\n    c = b + 1\n    return c[i]")
    notebook.text(FAILING)
    for _ in range(2):
        [(name, shown)] = notebook.cell("failing(np.ones(3), 7)")
        assert name == "IndexError"
        assert re.search(r"in failing\(.*\n.*\n.*\n.*\n----> 5     return helper\(b, i\)", shown), shown
        assert re.search(r"in helper\(.*\n.*\n.*\n----> 3     return c\[i\]", shown), shown
        assert "raise_it" not in shown and "soljit" not in shown


SUM = """{magic}
@sol.jit(strict=True, target="null")
def added(a):
    assert a.ndim == 1
    return a.sum() + {number}
{call}"""


@pytest.mark.parametrize("magic", ["", "%%time", "%%timeit -n1 -r2", "%%capture", "%%prun -q", "%%capture\n%%time"])
def test_functions_of_magics_are_compiled(magic: str, notebook: Notebook) -> None:
    """And those of a cell that was run again with another text are others."""
    for number in (1, 2):
        shown = notebook.text(
            SUM.format(magic=magic, number=number, call="print(added(np.zeros(3)), added.signatures)")
        )
        if "capture" not in magic:
            assert f"{number}.0 ['(float64[:])']" in shown
        if "timeit" not in magic:
            assert (
                notebook.text("added(np.zeros(3)), added.signatures") == f"(np.float64({number}.0), ['(float64[:])'])"
            )


def test_a_function_keeps_its_own_text_when_its_cell_is_run_again(notebook: Notebook) -> None:
    for number in (1, 2):
        notebook.text(f"%%time\ndef plain(a):\n    assert a.ndim == 1\n    return a.sum() + {number}")
        notebook.text(f"kept_{number} = plain")
    notebook.text("one, two = (sol.jit(f, strict=True, target='null') for f in (kept_1, kept_2))")
    assert notebook.text("float(one(np.zeros(3))), float(two(np.zeros(3)))") == "(1.0, 2.0)"


def test_a_helper_of_a_magic_may_be_made_again(notebook: Notebook) -> None:
    notebook.text("@sol.jit(strict=True)\ndef caller(x):\n    return scaled(x) + K")
    for number in (10, 20):
        notebook.text(f"%%time\ndef scaled(x):\n    return x * {number}\nK = {number}")
        assert notebook.text("caller(2)") == f"{3 * number}"


def test_a_traceback_into_a_magic_has_the_lines_of_its_cell(notebook: Notebook) -> None:
    notebook.text("%%time\n\n@sol.jit(strict=True)\ndef item(a, i):\n    return a[i]")
    [(_, shown)] = notebook.cell("item(np.ones(3), 7)")
    assert "----> 5     return a[i]" in shown and "in item(" in shown


def test_texts_are_shown_as_they_are(notebook: Notebook) -> None:
    notebook.text("@sol.jit(strict=True)\ndef twice(a):\n    b = a * 2\n    return b + 1\ntwice(np.ones(3));")
    for call in ("explain()", "explain(brief=True)", "schedule()", "source()", "ir()", "inspect_types()"):
        shown = notebook.text(f"twice.{call}")
        assert shown.splitlines()[0].lstrip("/# ").startswith("twice") and "\\n" not in shown, shown
    assert notebook.text("twice.recipes()").startswith("[Recipe:\n    fuse(L2.i0, L3.i0)\n")
    [(_, page)] = notebook.cell("twice.graph()")
    assert page["text/html"].startswith("<iframe") and len(page["text/plain"]) < 100


def test_completion_gives_the_public_names(notebook: Notebook) -> None:
    names = notebook.client.complete("sol.", 4, reply=True, timeout=10)["content"]["matches"]
    assert {"jit", "device", "asarray", "Array", "Recipe", "numba"} <= set(names)
    assert not {"driver", "importlib", "annotations", "frontend_ast", "TYPE_CHECKING"} & set(names)
    assert notebook.text("[n for n in dir(sol) if not hasattr(sol, n)]") == "[]"


def test_what_is_printed_stands_in_order(notebook: Notebook) -> None:
    notebook.text("@sol.jit\ndef told(n):\n    for i in range(n):\n        print('line', i)")
    for _ in range(2):
        assert notebook.text("print('before'); told(2); print('after')") == "before\nline 0\nline 1\nafter\n"


def test_a_warning_is_given_once_at_the_line_of_the_cell(notebook: Notebook) -> None:
    notebook.text("@sol.jit\ndef refused(s):\n    return eval(s)")
    shown = notebook.text("for k in range(3):\n    refused('1')")
    assert shown.count("FallbackWarning") == 1 and shown.rstrip().endswith("refused('1')")
    assert notebook.text("for k in range(3):\n    refused('1')") == ""


def test_cells_that_await(notebook: Notebook) -> None:
    notebook.text("import asyncio\n@sol.jit(strict=True, target='null')\ndef more(x):\n    return x + 1")
    assert notebook.text("await asyncio.sleep(0.01)\nmore(1)") == "2"


LONG = "\n".join(["def long(a):", *(f"    a = np.sin(a + {k}) * a.sum()" for k in range(20)), "    return a"])


def test_a_line_while_compiling_takes_long(notebook: Notebook) -> None:
    """It vanishes, and is not there where the cell is caught."""
    notebook.text("from soljit.base import notice\nnotice.NOTICE, before = 0.05, notice.NOTICE")
    notebook.text("@sol.jit(strict=True, target='null')\n" + LONG)
    shown = notebook.cell("long(np.ones(3)); None")
    notebook.text("%%capture caught\nlong(np.ones((3, 3))); None")
    assert notebook.text("caught.outputs, caught.stderr") == "([], '')"
    notebook.text("notice.NOTICE = before")
    lines = [data["text/plain"] for kind, data in shown if kind == "display_data"]
    ends = [data for kind, data in shown if kind == "update_display_data"]
    assert set(lines) == {"soljit: compiling long takes a while (SOL_PROGRESS=0 hides this line)\n"}
    assert ends == [{"text/plain": "", "text/html": ""}] * len(lines)
    assert len(shown) == 2 * len(lines)


def test_the_stop_button_while_compiling(notebook: Notebook) -> None:
    """Python loses an interrupt that comes in a finalizer, and IPython shows one that comes while it shows a traceback otherwise: then the button is pressed again."""
    for seconds in (0.1, 0.5):
        for _ in range(4):
            notebook.text("@sol.jit(strict=True, cache=False)\n" + LONG)
            begin = time.perf_counter()
            shown = notebook.cell("long(np.ones(2)); None", interrupt=seconds)
            if [name for name, _ in shown] == ["KeyboardInterrupt"]:
                break
        assert time.perf_counter() - begin < seconds + 1
        assert [name for name, _ in shown] == ["KeyboardInterrupt"] and "entry.py" not in shown[0][1]
    assert notebook.text("sol.jit(lambda x: x + 1, strict=True)(1)") == "2"


def test_the_stop_button_in_compiled_code(notebook: Notebook) -> None:
    notebook.text("""@sol.jit(strict=True)
def chaos(n):
    s = 0.5
    for i in range(n):
        s = s * 3.7 * (1.0 - s)
    return s
chaos.compile(10**10), chaos(3)""")
    begin = time.perf_counter()
    shown = notebook.cell("chaos(10**10)", interrupt=0.5)
    assert time.perf_counter() - begin < 2
    assert [name for name, _ in shown] == ["KeyboardInterrupt"] and "for i in range(n)" in shown[0][1]
    assert notebook.text("chaos(0)") == "0.5"


def test_edited_files_are_taken_over(notebook: Notebook, tmp_path: Path) -> None:
    file = tmp_path / "edited_beside.py"
    text = "import soljit as sol\n@sol.jit(strict=True, target='null')\ndef f(x):\n    return x + {0}\n"
    file.write_text(text.format(1))
    notebook.text(f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n%load_ext autoreload\n%autoreload 2")
    assert notebook.text("import edited_beside\nedited_beside.f(1)") == "2"
    file.write_text("#\n" + text.format(1234))
    assert notebook.text("edited_beside.f(1)") == "1235"
