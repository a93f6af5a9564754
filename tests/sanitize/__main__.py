"""`python -m tests.sanitize [CHECKS] [arguments of pytest]`: run tests with checked code.

CHECKS is "address,undefined" or "thread"; without arguments whole kernels and random programs run under both. What a check finds
ends the process (a test fails, or pytest itself), with the report above the end. Under "thread", loops go to threads
whatever their size.
"""

from __future__ import annotations

import os
import subprocess
import sys

from soljit.runtime.build.toolchain import toolchain
from soljit.runtime.system.sanitizers import preloaded

CHECKS = ("address,undefined", "thread")
TESTS = ("-m", "", "-x", "tests/kernels", "tests/fuzz/test_fuzz.py", "-k", "not larger")
OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=0:detect_odr_violation=0:abort_on_error=1:allocator_may_return_null=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "TSAN_OPTIONS": "halt_on_error=1:report_signal_unsafe=0:allocator_may_return_null=1",
}


def environment(checks: str) -> dict[str, str]:
    """Variables of a process that runs checked code."""
    return {
        **os.environ,
        **OPTIONS,
        "SOL_SANITIZE": checks,
        "SOL_NUM_THREADS": "4",
        **({"SOL_MACHINE": "parallel=0"} if "thread" in checks else {}),
        "PYTHONMALLOC": "malloc",
        "LD_PRELOAD": preloaded(toolchain().path, checks),
    }


def run(checks: str, arguments: list[str]) -> int:
    """Run pytest in a process of its own; its exit status."""
    command = [sys.executable, "-m", "pytest", "-p", "tests.sanitize.plugin", "-p", "no:cacheprovider", *arguments]
    print(f"{checks}: {' '.join(command[2:])}", flush=True)
    return subprocess.run(command, env=environment(checks), check=False).returncode


def main(words: list[str]) -> int:
    """All checks that `words` name."""
    named = words[0] if words and {*words[0].split(",")} <= {"address", "undefined", "thread"} else ""
    arguments = words[1:] if named else words
    return max(run(checks, arguments or list(TESTS)) for checks in ([named] if named else CHECKS))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
