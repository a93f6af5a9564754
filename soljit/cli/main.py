"""The command line: `python -m soljit demo | info | cache`."""

from __future__ import annotations

import argparse

from soljit.cli.cache import cache
from soljit.cli.demo import demo
from soljit.cli.info import info


def parser() -> argparse.ArgumentParser:
    """All commands and their options."""
    p = argparse.ArgumentParser(prog="python -m soljit", description="a just-in-time compiler for NumPy functions")
    commands = p.add_subparsers(dest="command", required=True)
    c = commands.add_parser("demo", help="compile real programs, check them against NumPy, and time both")
    c.set_defaults(run=lambda options: demo())
    c = commands.add_parser("info", help="versions, compiler, processor, threads, cache")
    c.set_defaults(run=lambda options: info())
    c = commands.add_parser("cache", help="what is kept on disk")
    c.add_argument("action", choices=["list", "verify", "clear"], nargs="?", default="list")
    c.add_argument("--remove", action="store_true", help="with verify: remove what is broken")
    c.set_defaults(run=lambda options: cache(options.action, options.remove))
    return p


def main(words: list[str] | None = None) -> int:
    """Run one command; the result is the exit status."""
    options = parser().parse_args(words)
    status: int = options.run(options)
    return status
