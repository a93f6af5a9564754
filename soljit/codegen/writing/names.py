"""C++ identifiers for the names of a program: the user's own where C++ allows it.

One table per function. Containers, symbols and what codegen adds share one namespace, so no two get the same name;
names that start with `sol_` are the prelude's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_RESERVED = frozenset(
    [
        "alignas",
        "alignof",
        "and",
        "and_eq",
        "asm",
        "auto",
        "bitand",
        "bitor",
        "bool",
        "break",
        "case",
        "catch",
        "char",
        "char8_t",
        "char16_t",
        "char32_t",
        "class",
        "compl",
        "concept",
        "const",
        "consteval",
        "constexpr",
        "constinit",
        "const_cast",
        "continue",
        "co_await",
        "co_return",
        "co_yield",
        "decltype",
        "default",
        "delete",
        "do",
        "double",
        "dynamic_cast",
        "else",
        "enum",
        "explicit",
        "export",
        "extern",
        "false",
        "final",
        "float",
        "for",
        "friend",
        "goto",
        "if",
        "inline",
        "int",
        "long",
        "mutable",
        "namespace",
        "new",
        "noexcept",
        "not",
        "not_eq",
        "nullptr",
        "operator",
        "or",
        "or_eq",
        "override",
        "private",
        "protected",
        "public",
        "register",
        "reinterpret_cast",
        "requires",
        "return",
        "short",
        "signed",
        "sizeof",
        "static",
        "static_assert",
        "static_cast",
        "struct",
        "switch",
        "template",
        "this",
        "thread_local",
        "throw",
        "true",
        "try",
        "typedef",
        "typeid",
        "typename",
        "typeof",
        "union",
        "unsigned",
        "using",
        "virtual",
        "void",
        "volatile",
        "wchar_t",
        "while",
        "xor",
        "xor_eq",
        "main",
        "threadIdx",
        "blockIdx",
        "blockDim",
        "gridDim",
        "warpSize",
        "dim3",
        "gpu",
        "linux",
        "unix",
        "i386",
        "NULL",
        "errno",
        "frame",
        "services",
        "in",
        "out",
        "int8_t",
        "int16_t",
        "int32_t",
        "int64_t",
        "uint8_t",
        "uint16_t",
        "uint32_t",
        "uint64_t",
        "size_t",
        "ptrdiff_t",
        "intptr_t",
        "uintptr_t",
        "max_align_t",
        "aligned_alloc",
        "madvise",
        "abs",
        "acos",
        "acosh",
        "asin",
        "asinh",
        "atan",
        "atan2",
        "atanh",
        "cbrt",
        "ceil",
        "copysign",
        "cos",
        "cosh",
        "erf",
        "erfc",
        "exp",
        "exp2",
        "expm1",
        "fabs",
        "fdim",
        "floor",
        "fma",
        "fmax",
        "fmin",
        "fmod",
        "frexp",
        "gamma",
        "hypot",
        "j0",
        "j1",
        "jn",
        "ldexp",
        "lgamma",
        "log",
        "log10",
        "log1p",
        "log2",
        "logb",
        "modf",
        "nan",
        "nextafter",
        "pow",
        "remainder",
        "rint",
        "round",
        "sin",
        "sinh",
        "sqrt",
        "tan",
        "tanh",
        "tgamma",
        "trunc",
        "y0",
        "y1",
        "yn",
        "index",
        "time",
        "free",
        "malloc",
        "calloc",
        "memcpy",
        "memset",
        "printf",
        "signal",
        "stdin",
        "stdout",
        "stderr",
    ]
)


def spelled(name: str) -> str:
    """`name` with what C++ does not take replaced."""
    text = re.sub(r"[^0-9A-Za-z_]", lambda m: "_" if m[0] in "$%.@ -" else f"u{ord(m[0]):x}", name)
    text = re.sub(r"__+", "_", text)
    if not text or text[0].isdigit():
        text = "v" + text
    if text in _RESERVED or text.startswith("sol_") or re.match(r"_[A-Z]|_$", text):
        text = text.rstrip("_") + "_"
        text = "v" + text if re.match(r"_[A-Z]|_$|sol_", text) else text
    return text


_DERIVED = re.compile(r"(.*)_(?:n\d+|s\d+|own|mem|buf|dims)")


class Names:
    """Identifiers of one function."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self.given: list[str] = []  # by `fresh`, in order
        self._data: dict[str, str] = {}
        self._symbols: dict[str, str] = {}
        self._numbers: dict[str, int] = {}  # by spelled name: that of the last one that `fresh` gave

    def declare(self, data: Iterable[str], symbols: Iterable[str]) -> None:
        """Give names to all containers and symbols of a program, in this order.

        What codegen derives from a container's name (`A_n0`, `A_own`) is no other name either.
        """
        data, symbols = list(data), list(symbols)
        matches = (_DERIVED.fullmatch(spelled(n)) for n in (*data, *symbols))
        bases = {m[1] for m in matches if m}  # of names of the user's that look derived
        for name in data:
            base = text = spelled(name)
            k = 1
            while text in self._taken or text in bases:
                text, k = f"{base}_{k}", k + 1
            self._data[name] = text
            self._taken.add(text)
        for name in symbols:
            if name not in self._symbols:
                self._symbols[name] = self.fresh(name)

    def adopt(self, text: str) -> None:
        """Let identifier `text`, which `fresh` gave, be a symbol as well."""
        self._symbols[text] = text

    def data(self, name: str) -> str:
        return self._data[name]

    def symbol(self, name: str) -> str:
        return self._symbols[name]

    def fresh(self, name: str) -> str:
        """A new identifier like `name`."""
        base = spelled(name)
        k = self._numbers.get(base, 0)  # all below are taken
        text = f"{base}_{k}" if k else base
        while text in self._taken or self._derived(text):
            k += 1
            text = f"{base}_{k}"
        self._numbers[base] = k
        self._taken.add(text)
        self.given.append(text)
        return text

    def is_known(self, text: str) -> bool:
        """Tell whether `text` is a name of this function, or derived from one."""
        return text in self._taken or self._derived(text)

    def _derived(self, text: str) -> bool:
        m = _DERIVED.fullmatch(text)
        return m is not None and m[1] in self._taken
