"""Inner loops over the bits of integers that are looked up in tables: checksums, shift registers, and what looks like them."""

from __future__ import annotations

import random

import numpy as np
import pytest

import soljit as sol
from tests.oracle import check, function

SAID = "what it makes of each byte is looked up in tables"
LENGTHS = (1, 2, 511, 512, 700)

TABLES = {
    "crc16": """
def f(data, poly):
    crc = 0xFFFF
    for byte in data:
        crc ^= int(byte)
        for _ in range(8):
            if crc & 1:
                crc = (crc >> 1) ^ poly
            else:
                crc = crc >> 1
    return crc ^ 0xFFFF
""",
    "two registers": """
def f(data, poly):
    crc = 0xFFFF
    for b in data:
        byte = 0xFF & b
        for _ in range(8):
            if (crc & 1) ^ (byte & 1):
                crc = (crc >> 1) ^ poly
            else:
                crc >>= 1
            byte >>= 1
    return crc, byte
""",
    "to the left": """
def f(data, poly):
    crc, p, one, top = np.uint16(0), np.uint16(poly), np.uint16(1), np.uint16(0x8000)
    for k in range(data.shape[0]):
        crc = crc ^ (np.uint16(data[k]) << np.uint16(8))
        for _ in range(8):
            if crc & top:
                crc = (crc << one) ^ p
            else:
                crc = crc << one
    return crc
""",
    "uint32": """
def f(data, poly):
    crc, p, one = np.uint32(0xFFFFFFFF), np.uint32(poly), np.uint32(1)
    out = np.zeros(data.shape[0], np.uint32)
    for k in range(data.shape[0]):
        crc = crc ^ np.uint32(data[k])
        for _ in range(8):
            crc = (crc >> one) ^ (p if crc & one else np.uint32(0))
        out[k] = crc
    return out
""",
    "inverted": """
def f(data, poly):
    x = 12345
    s = 0
    for byte in data:
        for i in range(6):
            x = ~(x >> 1) ^ (poly >> i) ^ ((x & 255) << 3)
        s = s ^ (x & 15)
        x ^= int(byte)
    return x, s
""",
    "negative numbers": """
def f(data, poly):
    x = -1
    for byte in data:
        x ^= int(byte) << 20
        for _ in range(7):
            x = (x >> 1) ^ (-poly if x & 4 else poly)
    return x
""",
}  # fmt: skip

PLAIN = {
    "a sum": "x = (x >> 1) + (x & 1)",
    "two bits": "x = (x >> 1) ^ (poly if x & 3 else 0)",
    "a product": "x = (x >> 1) ^ ((x & 1) * (x & 2))",
    "a value of the outer loop": "x = (x >> 1) ^ (int(byte) if x & 1 else 0)",
    "a comparison": "x = (x >> 1) ^ (poly if x > 100 else 0)",
    "itself": "x = (x >> 1) & (x >> 2) | 1",
    "a rule that changes": "x = (x >> 1) ^ (k if x & 1 else 0)",
    "a conjunction with the state": "x = (x >> 1) ^ ((x >> 3) & x)",
}


@pytest.mark.parametrize("name", TABLES)
def test_tables(name: str) -> None:
    f, rng = function(TABLES[name]), np.random.default_rng(4)
    for n in LENGTHS:
        check(f, rng.integers(0, 256, n, dtype=np.uint8), 0x8408)
    compiled = sol.jit(f, strict=True)
    compiled(rng.integers(0, 256, 9, dtype=np.uint8), 0x1021)
    assert SAID in str(compiled.explain())


@pytest.mark.parametrize("name", PLAIN)
def test_what_is_no_sum_of_bits(name: str) -> None:
    lines = (
        "def f(data, poly):",
        "    x, k = 77, 3",
        "    for byte in data:",
        "        x ^= int(byte)",
        "        for _ in range(8):",
    )
    f = function("\n".join((*lines, f"            {PLAIN[name]}", "        k = (k * 5 + 1) & 255", "    return x, k")))
    rng = np.random.default_rng(4)
    for n in (3, 600):
        check(f, rng.integers(0, 256, n, dtype=np.uint8), 0x8408)
    compiled = sol.jit(f, strict=True)
    compiled(rng.integers(0, 256, 9, dtype=np.uint8), 0x1021)
    assert SAID not in str(compiled.explain())


def _value(rng: random.Random, depth: int) -> str:
    x = rng.choice("xy")
    kind = rng.randrange(9 if depth else 4)
    if kind < 4:
        return (
            x,
            f"({x} >> {rng.randint(1, 9)})",
            f"({x} & {rng.choice(('poly', '255', '4096'))})",
            rng.choice(("poly", "7 >> i", "m")),
        )[kind]
    a, b = _value(rng, depth - 1), _value(rng, depth - 1)
    odd = rng.random() < 0.1
    return (
        f"({a} {'+' if odd else '^'} {b})",
        f"({a} ^ {b})",
        f"({a} ^ (poly if {x} & {rng.choice((1, 2, 64, 3 if odd else 8))} else 5))",
        f"(~{a})",
        f"({a} | {rng.choice(('1', 'm', 'y' if odd else 'poly'))})",
    )[kind - 4]


def _program(rng: random.Random) -> str:
    inner = []
    for _ in range(rng.randint(1, 3)):
        x, value = rng.choice("xy"), _value(rng, 2)
        if rng.random() < 0.4:
            inner += [
                f"if {rng.choice('xy')} & {rng.choice((1, 16))}:",
                f"    {x} = ({value}) & {rng.choice((65535, 2**40 - 1))}",
                "else:",
                f"    {x} ^= {rng.choice(('m', '1', 'y'))}",
            ]
        else:
            inner.append(f"{x} = ({value}) & {rng.choice((65535, 2**40 - 1))}")
    lines = [
        "x, y, m, s = 12345, 99, 1021, 0",
        "for byte in data:",
        f"    {rng.choice('xy')} ^= int(byte) << {rng.choice((0, 8, 20))}",
    ]
    lines += [f"    for i in range({rng.choice((5, 8, 12))}):", *(f"        {x}" for x in inner)]
    lines += rng.choice(([], ["    s ^= x & 3"], ["    s ^= y", "    y = 3"], ["    m = s & 7"]))
    return "\n".join(("def f(data, poly):", *(f"    {x}" for x in lines), "    return x, y, s"))


def compared(seed: int) -> bool:
    rng = random.Random(seed)
    f, data = function(_program(rng)), np.random.default_rng(seed)
    for n in (3, 600):
        check(f, data.integers(0, 256, n, dtype=np.uint8), 0x8408)
    compiled = sol.jit(f, strict=True)
    compiled(data.integers(0, 256, 9, dtype=np.uint8), 0x1021)
    return SAID in str(compiled.explain())


@pytest.mark.share(0.3)
@pytest.mark.parametrize("seed", range(20))
def test_random_rules(seed: int) -> None:
    compared(seed)


def test_some_random_rules_are_looked_up() -> None:
    assert any(compared(seed) for seed in range(100, 104))
