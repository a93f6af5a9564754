"""What differs between the versions of NumPy that soljit works with: asked of the NumPy at hand by trying, never of a table of versions.

Functions, keywords and texts that only some versions have need no entry here: `implements(getattr(np, name, None))`,
`numpy_calls.call_entry` (keywords that NumPy's function lacks go back to NumPy) and `text_of` take care of them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np


def _try(f: Callable[[], object]) -> object:
    """What `f()` gives, or the exception that it raises."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return f()
        except RecursionError:
            raise
        except Exception as e:
            return e


def works(f: Callable[[], object]) -> bool:
    """Tell whether `f()` raises nothing."""
    return not isinstance(_try(f), Exception)


def text_of(f: Callable[[], object], *examples: str) -> str:
    """The text of the exception that `f()` raises, with places for values where the examples stand."""
    text = str(_try(f))
    for k, example in enumerate(examples):
        text = text.replace(example, f"{{{k}}}")
    return text


_LINE, _NONE = np.ones(1), np.zeros(0)
_ZEROS = np.array([0.0, -0.0], np.float32)
_MANY = np.append(
    np.linspace(0.1, 9.9, 4000), np.float32(9.498079)
)  # whose first power is wrong if np.power computes it


def _resize() -> None:
    a = np.zeros(2)
    also = a
    also.resize(1)


# numbers made of arrays
LINES_ARE_NUMBERS = works(lambda: float(_LINE))  # of arrays of one element that have axes, too
NO_NUMBER = text_of(lambda: float(np.ones(2)))
EMPTY_IS_FALSE = works(lambda: bool(_NONE))
BOOLS_ARE_INDICES = works(lambda: range(3)[np.bool_(True)])  # type: ignore[call-overload]
COUNTS_ARE_INTS = type(np.count_nonzero(_LINE)) is int

# indices
EMPTY_RESULTS_ARE_UNCHECKED = works(lambda: np.zeros((2, 0))[[5]])  # indices out of bounds that find nothing anyway
NUMBERS_HAVE_PLACES = works(lambda: np.nonzero(np.array(1)))  # np.nonzero of an array without axes
FLAT_CHECKS_MASKS = not works(lambda: np.ones(3).flat[np.ones(2, bool)])
FLAT_TAKES_FLOATS = works(lambda: np.ones(3).flat[1.0])  # type: ignore[call-overload]
FLAT_NO_INDEX = text_of(lambda: np.ones(3).flat[None])  # type: ignore[call-overload]
FLAT_OUTSIDE = text_of(lambda: np.ones(3).flat[7], "7", "3")

# what is stored
FULL_CHECKS = not works(lambda: np.full(1, 300, np.int8))  # Python ints that do not fit
PARTS_CHECK = not works(lambda: setattr(np.zeros(1, np.int8), "real", 300))  # `a.real = 300`, like `a[:] = 300`
CLIP_CHECKS = not works(lambda: np.clip(np.ones(1, np.int8), 0, 300))
CLIP_NEEDS_A_BOUND = None if works(lambda: np.clip(_LINE, None, None)) else text_of(lambda: np.clip(_LINE, None, None))
WHERE_CHECKS = not works(lambda: np.where(np.ones(1, bool), np.ones(1, np.uint8), 300))
CLIP_KEEPS_ZEROS = bool(np.signbit(np.clip(_ZEROS, 0, 1))[1])  # of two equal zeros the array's

# functions
ONE_WAS = "was" if text_of(lambda: np.add(1)).endswith("1 was given") else "were"  # type: ignore[call-overload]
EMPTY_NORMS = works(lambda: np.linalg.norm(_NONE, np.inf))
CROSSES_IN_THE_PLANE = works(lambda: np.cross([1, 2], [3, 4]))

PAD_TAKES_DICTS = works(lambda: np.pad(_LINE, {0: 1}))
MESHES_ARE_LISTS = isinstance(np.meshgrid(_LINE, sparse=True, copy=False), list)
COMPLEX_NUMBERS_ROUND = works(lambda: round(np.complex64(1)))
RESHAPE_TAKES_COPY = works(lambda: _LINE.reshape(1, copy=True))
TRIMS_AXES = works(lambda: np.trim_zeros(np.ones((2, 2))))
SIZE_TAKES_AXES = works(lambda: np.size(_LINE, (0,)))

# array objects
_WHOLE = np.ones(1, int)
ROUND_COPIES = np.round(_WHOLE) is not _WHOLE
BROADCAST_KEEPS_ARRAYS = np.broadcast_arrays(_LINE, np.ones((1, 1)))[0] is not _LINE and (
    np.broadcast_arrays(_MANY, _LINE)[0] is _MANY
)  # those that have the common shape already
RESIZE_OF_SHARED = text_of(_resize)

# powers
NUMPY_EXPONENTS_ARE_SIMPLE = (
    np.ones(1, np.float32) ** np.float64(2)
).dtype == np.float32  # in `**`, not Python's alone
SIMPLE_POWERS = {  # exponents for which the loops of np.power call another function, if they are the same for all elements
    exponent
    for exponent, simple in {-1.0: np.reciprocal, 0.5: np.sqrt, 1.0: np.positive, 2.0: np.square}.items()
    if all((np.power(x, exponent) == simple(x)).all() for x in (_MANY, _MANY.astype(np.float32)))
}
