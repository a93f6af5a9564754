"""Plain arithmetic of subscripts, lengths and bounds, which do not overflow: + - * of texts, folded where they are numbers."""

from __future__ import annotations

from collections.abc import Callable

from soljit.codegen.writing.text import PRIMARY, PRODUCT, SUM, UNARY, Text

PLAIN = {"add": ("+", SUM), "sub": ("-", SUM), "mul": ("*", PRODUCT), "neg": ("-", UNARY)}


def plain_arithmetic(name: str, args: list[Text]) -> Text:
    """Operation `name`, one of `PLAIN`."""
    if all(_is_number(a.text) for a in args):
        numbers = [int(a.text.rstrip("l")) for a in args]
        n = -numbers[0] if name == "neg" else _FOLD[name](numbers)
        return Text(str(n) if abs(n) < 1 << 15 else f"{n}l", PRIMARY if n >= 0 else UNARY)
    if name == "neg":
        return Text("-" + args[0].at(PRIMARY), UNARY)
    return binary(*PLAIN[name], *args)


def _times(ns: list[int]) -> int:
    return ns[0] * ns[1]


def _minus(ns: list[int]) -> int:
    return ns[0] - ns[1]


_FOLD: dict[str, Callable[[list[int]], int]] = {"add": sum, "mul": _times, "sub": _minus}


def _is_number(text: str) -> bool:
    return text.lstrip("-").rstrip("l").isdigit()


def binary(sign: str, binds: int, a: Text, b: Text) -> Text:
    """`a sign b` of a left-associative operator."""
    if sign == "+" and b.text.startswith("-") and _is_number(b.text):
        return Text(f"{a.at(binds)} - {b.text[1:]}", binds)
    return Text(f"{a.at(binds)} {sign} {b.at(binds + 1)}", binds)


def product(a: Text, b: Text) -> Text:
    """a * b in plain arithmetic, with the cases 0 and 1 folded."""
    if a.text == "0" or b.text == "0":
        return Text("0")
    if a.text == "1":
        return b
    return a if b.text == "1" else plain_arithmetic("mul", [a, b])


def total(a: Text, b: Text) -> Text:
    """a + b in plain arithmetic, with the case 0 folded."""
    if a.text == "0":
        return b
    return a if b.text == "0" else plain_arithmetic("add", [a, b])
