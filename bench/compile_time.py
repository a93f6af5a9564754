"""What compiling costs: the first calls of programs of ordinary length, and how the cost of generated programs grows with their length.

Seconds are of the processor. *Programs* (`bench/shapes`) are called once in new processes with empty caches, in which only the dispatcher is
compiled already; the C++ compiler's seconds are told apart. *Generated programs* (`bench/generated.py`) of several lengths are lowered, optimized and
written as C++, each in a new process; the exponent with which costs grow is fitted over the lengths. Besides seconds there are units that
are the same on each machine: steps of lowering over all rounds, questions to the prover and its searches, nodes after the passes, characters of C++.
"""

from __future__ import annotations

import argparse
import copy
import importlib
import inspect
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from bench.generated import KINDS, arguments, generated, length
from bench.run import ROOT, machine
from bench.step_costs import step_costs
from soljit.cli.screen import print_table

UNITS = ("steps", "proofs", "searches", "nodes", "characters")
MOST = 1.15  # the exponent that counts as growth in proportion
IMPORT = """
import time
import numpy, soljit
start = time.process_time()
import soljit.driver, soljit.frontend_ast.lower, soljit.targets.table
print(time.process_time() - start)
"""


def in_new_process(*words: str, **more: str) -> str:
    """What Python prints that is run with these words in a new process. Bytecode is kept, as for a user; more: of the environment"""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"} | more
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, env=environment, check=True).stdout


def import_seconds() -> float:
    """Seconds that the compiler's modules take after `import soljit`, in a new process with bytecode at hand."""
    return float(in_new_process("-c", IMPORT))


@contextmanager
def counted_work() -> Iterator[list[Any]]:
    """The `Work` of each lowering that begins in the body."""
    from soljit.frontend_ast import lower

    works: list[Any] = []
    usual = lower.Work

    def begin() -> Any:
        works.append(usual())
        return works[-1]

    lower.Work = begin  # type: ignore[misc,assignment]
    try:
        yield works
    finally:
        lower.Work = usual  # type: ignore[misc]


def lowered(function: Any, values: Sequence[Any]) -> Any:
    """What the front end makes of a function for such arguments."""
    from soljit.frontend_ast.lower import lower_function
    from soljit.runtime.values import arguments

    described = arguments.describe(list(values), list(inspect.signature(function).parameters))
    return lower_function(function, described.types, described.leaves)


@contextmanager
def counted_proofs() -> Iterator[Counter[str]]:
    """How many questions the prover is asked in the body ("proofs"), and how many searches it makes for them ("searches")."""
    from soljit.ir.core.expr import Const, Expr
    from soljit.ir.symbolic.facts import Facts

    counts: Counter[str] = Counter()
    prove, search = Facts.prove, Facts.lower

    def asked(facts: Facts, cond: Expr) -> bool | None:
        counts["proofs"] += not isinstance(cond, Const)
        return prove(facts, cond)

    def searched(facts: Facts, *args: Any, **options: Any) -> int | None:
        counts["searches"] += 1
        return search(facts, *args, **options)

    Facts.prove, Facts.lower = asked, searched  # type: ignore[method-assign]
    try:
        yield counts
    finally:
        Facts.prove = prove  # type: ignore[method-assign]
        del Facts.lower


def costs(function: Any, values: Sequence[Any]) -> dict[str, float]:
    """What soljit does for a call of `function` up to the text for the C++ compiler: seconds of each part, and units that are the same on each machine."""
    from soljit.codegen.emit import emit
    from soljit.codegen.source import Features
    from soljit.ir.walk import walk
    from soljit.passes.manager import Context
    from soljit.passes.pipeline import optimize

    with counted_work() as works, counted_proofs() as proofs:
        times = [time.process_time()]
        program = lowered(function, values).program
        times.append(time.process_time())
    program = optimize(program, Context(threads=4, tail="host"))
    times.append(time.process_time())
    source = emit(program, features=Features(avx512=True, fma=True))
    times.append(time.process_time())
    front, passes, code = (b - a for a, b in zip(times, times[1:]))
    return {
        "steps": sum(w.total + w.steps for w in works),
        "proofs": proofs["proofs"],
        "searches": proofs["searches"],
        "nodes": sum(1 for p in (program, *program.functions.values()) for _ in walk(p.body)),
        "characters": len(source.text),
        "front": front,
        "passes": passes,
        "code": code,
        "seconds": front + passes + code,
    }


def exponent(sizes: Sequence[int], found: Sequence[float]) -> float:
    """The power of the size with which something grows: the slope of the line through the logarithms, by least squares."""
    return float(np.polyfit(np.log(sizes), np.log(np.maximum(found, 1)), 1)[0])


def exponents(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The exponents of one kind; seconds in hundredths, since less is noise."""
    sizes = [int(r["statements"]) for r in rows]
    return {u: exponent(sizes, [r[u] * (100 if u == "seconds" else 1) for r in rows]) for u in (*UNITS, "seconds")}


# --- in new processes ---------------------------------------------------------------------------------------------------


def _kind(kind: str, statements: int) -> None:
    """Print the costs of one generated program."""
    from soljit.base.deep import call_deep
    from soljit.runtime.system.garbage_collection import fewer_collections

    def measured(size: int) -> dict[str, float]:
        with fewer_collections():
            text = KINDS[kind](size)
            return {"statements": length(text), **costs(generated(text).f, arguments())}

    call_deep(lambda: measured(10), lambda: None)  # what is imported late is there
    print(json.dumps(call_deep(lambda: measured(statements), lambda: None)))


def _shape(name: str) -> None:
    """Print what the first calls of a shape cost: processor seconds of this process and of the compiler, text and variants."""
    import soljit

    soljit.jit(strict=True)(generated("def f(a):\n    return a + 1\n", "ready").f)(
        np.ones(3)
    )  # the dispatcher is there
    shape = importlib.import_module(f"bench.shapes.{name}")
    function, calls = soljit.jit(shape.f), copy.deepcopy(shape.arguments())
    before = [resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    for call in calls:
        function(*call)
    after = [resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    own, compiler = (b.ru_utime + b.ru_stime - a.ru_utime - a.ru_stime for a, b in zip(before, after))
    texts = function.source() if function.signatures else []
    record = {
        "own": own,
        "compiler": compiler,
        "characters": len(texts) if isinstance(texts, str) else sum(map(len, texts)),
    }
    print(json.dumps(record | {"variants": len(function.signatures), "target": shape.TARGET}))


def _alone(*words: str, repeat: int = 1) -> dict[str, float] | None:
    """The costs that a new process with an empty cache prints, of several the least; None: it fails."""
    found: list[dict[str, float]] = []
    for _ in range(repeat):
        with tempfile.TemporaryDirectory() as cache:
            try:
                text = in_new_process("-m", "bench.compile_time", *words, SOL_CACHE_DIR=cache, SOL_WAIT_SECONDS="0")
            except subprocess.CalledProcessError as error:
                print(f"{' '.join(words)}: {(error.stderr.strip().splitlines() or ['?'])[-1][:200]}", file=sys.stderr)
                return None
        found.append(json.loads(text.splitlines()[-1]))
    return {k: min(f[k] for f in found) for k in found[0]}


# --- the command --------------------------------------------------------------------------------------------------------


def compile_time(options: argparse.Namespace) -> int:
    """The command `compile`."""
    if options.steps:
        step_costs(options.steps, ("kernels", "programs"), options.repeat, options.markdown)
        return 0
    imported = min(import_seconds() for _ in range(options.repeat + 1))
    print(f"import of the compiler: {imported:.3f} s")
    shapes: dict[str, Any] = {}
    folder = Path(__file__).parent / "shapes"
    for name in sorted(p.stem for p in folder.glob("*.py") if p.stem != "__init__"):
        if options.shapes == "all" or name in options.shapes.split(","):
            shapes[name] = _alone("shape", name, repeat=options.repeat)
    rows = [
        [name, f"{x['target']:.1f}", f"{x['own'] + x['compiler']:.2f}", f"{x['own']:.2f}", f"{x['compiler']:.2f}"]
        + [str(x["characters"]), str(x["variants"])]
        for name, x in shapes.items()
        if x
    ]
    head = ["program", "target s", "processor s", "own", "compiler's", "characters of C++", "variants"]
    print_table("first calls in new processes", head, rows, options.markdown)
    kinds: dict[str, Any] = {}
    for kind in KINDS if options.kinds == "all" else [k for k in options.kinds.split(",") if k in KINDS]:
        found = [
            (n, _alone("kind", kind, str(n), repeat=options.repeat)) for n in map(int, options.statements.split(","))
        ]
        done = [{"asked": n, **x} for n, x in found if x]
        kinds[kind] = {"sizes": done, "exponents": exponents(done) if len(done) > 1 else {}}
        print(kind, file=sys.stderr, flush=True)
    rows = []
    for kind, x in kinds.items():
        if not x["exponents"]:
            rows.append([kind, "-"])
            continue
        last = x["sizes"][-1]
        grows = [f"{x['exponents'][u]:.2f}" for u in (*UNITS, "seconds")]
        rows.append([kind, str(last["statements"]), f"{last['seconds']:.2f}", f"{last['characters']}", *grows])
    head = ["kind", "statements", "own s", "characters", *(f"exponent of {u}" for u in (*UNITS, "seconds"))]
    print_table(f"growth with the number of statements (target: at most {MOST})", head, rows, options.markdown)
    if options.out:
        record = {"machine": machine(), "import": imported, "target": MOST, "shapes": shapes, "kinds": kinds}
        Path(options.out).write_text(json.dumps(record, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    if sys.argv[1] == "shape":
        _shape(sys.argv[2])
    else:
        _kind(sys.argv[2], int(sys.argv[3]))
