"""Whether a shared library is whole. Loading one that was cut off ends the process, so it is asked before."""

from __future__ import annotations

import struct
import sys
from collections.abc import Sequence
from typing import NamedTuple

_MAGIC = b"\x7fELF"
_LOAD, _NO_BITS = 1, 8  # kinds of a segment and of a section


class _Layout(NamedTuple):
    """Where the numbers stand in an ELF file of 32 or 64 bits."""

    header: str  # from byte 24 on: entry, segments, sections, flags, sizes and counts
    segment: str  # the fields of a program header, with the places of offset and size in the file
    offset: int
    size: int
    section: str  # the same of a section header
    section_offset: int
    section_size: int


_LAYOUTS = {
    1: _Layout("IIIIHHHHHH", "IIIIIIII", 1, 4, "IIIIIIIIII", 4, 5),
    2: _Layout("QQQIHHHHHH", "IIQQQQQQ", 2, 5, "IIQQQQIIQQ", 4, 5),
}


def why_not_whole(content: bytes, texts: Sequence[str] = ()) -> str:
    """What is wrong with a library that a compiler wrote; "" if it is whole and holds these texts."""
    if not content:
        return "it is empty"
    fault = _elf_fault(content) if sys.platform == "linux" or content.startswith(_MAGIC) else ""
    missing = [t for t in texts if t.encode() not in content]
    return fault or (f"it does not hold {missing[0]!r}" if missing else "")


def _elf_fault(content: bytes) -> str:
    if not content.startswith(_MAGIC):
        return "it is no library"
    try:
        layout, order = _LAYOUTS[content[4]], {1: "<", 2: ">"}[content[5]]
        _, segments, sections, _, _, segment_bytes, count, section_bytes, number, _ = struct.unpack_from(
            order + layout.header, content, 24
        )
        ends = [segments + segment_bytes * count, sections + section_bytes * number]
        for k in range(count):
            row = struct.unpack_from(order + layout.segment, content, segments + k * segment_bytes)
            ends += [row[layout.offset] + row[layout.size]] if row[0] == _LOAD else []
        for k in range(number):
            row = struct.unpack_from(order + layout.section, content, sections + k * section_bytes)
            ends += [row[layout.section_offset] + row[layout.section_size]] if row[1] != _NO_BITS else []
    except (KeyError, IndexError, struct.error):
        return "it is cut off"
    return "it is cut off" if max(ends) > len(content) else "" if count else "it is no library"
