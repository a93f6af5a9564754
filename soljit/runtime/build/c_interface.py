"""C interfaces as Python calls them: what the shipped headers declare, read by cffi. No struct is declared twice.

Compiled code runs without this: neither `import soljit`, nor a fast call, nor a hit of the cache loads cffi.
"""

from __future__ import annotations

import functools
import os
import re
from typing import Any

import cffi

from soljit.runtime.build.native_dispatcher import INCLUDE

FFI = Any  # cffi.FFI, which has no types
_LEFT_OUT = re.compile(r"//[^\n]*|/\*.*?\*/|^[ \t]*#[^\n]*", re.DOTALL | re.MULTILINE)


def declarations(text: str) -> str:
    """What a header in plain C declares: without its comments and the lines for the preprocessor."""
    return _LEFT_OUT.sub("", text)


@functools.cache
def interface(*headers: str, functions: str = "") -> FFI:
    """The declarations of these headers, by path, those of soljit by name alone, and of functions in C's words; a header follows what it includes."""
    ffi = cffi.FFI()
    for header in headers:
        with open(os.path.join(INCLUDE, header), encoding="utf-8") as f:
            ffi.cdef(declarations(f.read()))
    ffi.cdef(functions)
    return ffi
