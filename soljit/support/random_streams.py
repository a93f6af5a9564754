"""Random generators as compiled code draws from them: NumPy's distributions by address, and where the generators keep their states.

The distributions are NumPy's C interface for extensions (`numpy/random/distributions.h`); its module of generators brings them along.
What a RandomState keeps between two normal numbers has no interface: its place is found by changing it. A place that is not
found, and a distribution that does not give what NumPy's method gives, is not used.
"""

from __future__ import annotations

import _random
import ctypes
import functools
import math
import random
import struct
import sys
from typing import Any

import numpy as np

METHODS = (
    "numpy.random._generator.Generator.",
    "numpy.random.mtrand.RandomState.",
)  # how names of the generators' methods begin
_GENERATORS = ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")


# A RandomState draws the same numbers for ever. Where NumPy changes a function it keeps the old one for RandomState, inside of its module: up to
# these versions the two are known to be one.
_COMMON_BELOW = {"random_binomial": "2.5.0.dev0"}
_KNOWN_BELOW = "2.6.0.dev0"


@functools.cache
def address(name: str) -> int:
    """The address of NumPy's function of this name, 0 if it cannot be had. "@RandomState" behind it: as RandomState uses it; "@choice": as Generators
    use it to choose and to shuffle."""
    name, _, user = name.partition("@")
    if user == "choice" and not _chooses_as_known():
        return 0
    if user == "RandomState" and np.lib.NumpyVersion(np.__version__) >= _COMMON_BELOW.get(name, _KNOWN_BELOW):
        return 0
    found = _function(name)
    return 0 if found is None else ctypes.cast(found, ctypes.c_void_p).value or 0


def _function(name: str) -> Any:  # any: a function of ctypes, or None
    module = np.random._generator
    try:
        return getattr(ctypes.CDLL(module.__file__), name)
    except (AttributeError, OSError, TypeError):
        return None


@functools.cache
def owner(module: str) -> Any:  # any: a generator
    """The generator whose methods are the functions of this module."""
    if module == "random":
        return random.random.__self__ if _draws_as_known() else None  # type: ignore[attr-defined]
    return np.random.mtrand._rand if module == "numpy.random" else None


def layout() -> tuple[Any, ...]:
    """What the dispatcher must know: the classes Generator and RandomState, those of their bit generators, how many bytes behind the head of a
    RandomState it keeps its second normal number, Python's class Random, how many bytes behind its head it has its state (0: nobody knows), and
    whether the state of an MT19937 is laid out in the known way (1) or not (0)."""
    known = tuple(getattr(np.random, name) for name in _GENERATORS)
    kept = _place_of_kept() if _draws_as_expected() else 0
    twister = int(_is_twister_as_known())
    return (np.random.Generator, np.random.RandomState, known, kept, random.Random, _place_of_state(), twister)


def chooses_by_position() -> bool:
    """Tell whether `choice` of Python's generators is `sequence[randrange(len(sequence))]`, with an error of its own for empty ones."""
    return sys.version_info >= (3, 11) and _draws_as_known()


def _draws_as_known() -> bool:
    """Tell whether Python makes its distributions of its generator in the known ways. Newer versions may do it in other ways."""
    return sys.version_info < (3, 15)


def _place_of_state() -> int:
    """Where an object of Python's Random has {int: how many words are used up, 624 words of 32 bits}."""
    if not _draws_as_known():
        return 0
    generator = random.Random(3)
    generator.random()
    *words, used = generator.getstate()[1]
    memory = ctypes.string_at(id(generator), _random.Random.__basicsize__)
    return max(0, memory.find(struct.pack(f"i{len(words)}I", used, *words)))


def _chooses_as_known() -> bool:
    """Tell whether a Generator chooses and shuffles in the ways that compiled code uses. Newer versions of NumPy may do it in other ways."""
    r, a, m, p = np.random.Generator(np.random.PCG64(7)), np.arange(6), np.arange(8).reshape(4, 2), (0.2, 0.5, 0.3)
    r.shuffle(a)
    r.shuffle(m)
    drawn = [*a, *m[:, 0], *r.permutation(5), r.choice(9), *r.choice(40, 3), *r.choice(12, 5, replace=False)]
    drawn += [r.choice(3, p=p), *r.choice(3, 4, p=p), r.integers(1000)]
    known = (
        *(5, 2, 0, 4, 1, 3, 0, 2, 4, 6, 4, 2, 3, 0, 1, 4, 32, 5, 31, 3, 11, 0, 8, 4),
        *(1, 1, 2, 2, 1, 445),
    )
    return tuple(map(int, drawn)) == known


def _is_twister_as_known() -> bool:
    """Tell whether the state of an MT19937 is {624 words of 32 bits, int: how many are used up}."""
    bits = np.random.MT19937(3)
    for draws in (0, 1, 700):
        bits.random_raw(draws)
        state = bits.state["state"]
        known = struct.pack("624Ii", *state["key"].tolist(), state["pos"])
        if ctypes.string_at(bits.ctypes.state_address, len(known)) != known:
            return False
    return True


def _place_of_kept() -> int:
    """Where a RandomState has {pointer to a bitgen_t, int: is there a number?, the number}."""
    state = np.random.RandomState(np.random.MT19937(1))
    size = np.random.RandomState.__basicsize__

    def seen(has: int, number: float) -> bytes:
        state.set_state(("MT19937", np.arange(624, dtype=np.uint32), 1, has, number))
        return ctypes.string_at(id(state), size)

    cases = [(has, number, seen(has, number)) for has, number in ((1, 0.7243), (0, 0.0), (1, -2.5))]
    inside = range(id(state), id(state) + size)

    def fits(k: int) -> bool:
        return all(
            struct.unpack_from("Pi4xd", memory, k)[1:] == (has, number)
            and struct.unpack_from("P", memory, k)[0] in inside
            for has, number, memory in cases
        )

    found = [k for k in range(0, size - 23, 8) if fits(k)]
    return found[0] if len(found) == 1 else 0


def _draws_as_expected() -> bool:
    """Tell whether a RandomState draws normal and exponential numbers by the methods that compiled code uses."""
    a, b = np.random.RandomState(7), np.random.RandomState(7)
    for k in range(20):
        scale = 0.1 + k / 3
        if a.exponential(scale) != scale * -math.log(1.0 - b.random_sample()):
            return False
        while True:
            x, y = 2.0 * b.random_sample() - 1.0, 2.0 * b.random_sample() - 1.0
            square = x * x + y * y
            if 0.0 < square < 1.0:
                break
        factor = math.sqrt(-2.0 * math.log(square) / square)
        if a.normal(0.3, scale) != 0.3 + scale * (factor * y) or a.standard_normal() != factor * x:
            return False
    return True
