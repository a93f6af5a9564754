"""Assignment into arrays: every kind of target, with numbers, arrays and lists that have to be converted or broadcast."""

from __future__ import annotations

import numpy as np
import pytest

from tests.statements import check_statements
from tests.values import grid

I = np.array([2, 0, -1, 2])
J = np.array([1, 1, 0, -2])
M = np.cos(grid(3, 4))
NAMES = {
    "a": grid(5) * 1.5,
    "m": M,
    "t": grid(3, 4, 5),
    "F": np.asfortranarray(M),
    "i": I,
    "j": J,
    "b": M > 0,
    "b3": np.array([True, False, True]),
    "b4": np.array([True, False, False, True]),
    "v": np.arange(4.0),
    "k": 2,
    "c": M + 1j,
    "n8": np.zeros(6, np.int8),
    "cm": np.arange(12).reshape(3, 4),
}


def test_views_as_targets() -> None:
    check_statements(
        """
        a[k] = 7; return a
        a[1:3] = [1, 2]; return a
        a[1:] = a[:-1]; return a
        a[::-1] = a; return a
        a[0:2] = np.ones((1, 2)); return a
        m[:, 1:2] = v[:3, None]; return m
        m[...] = m[::-1, ::-1]; return m
        m[:3, :3] = m[:3, :3].T; return m
        m[0] = np.ones((1, 1, 4)); return m
        t[..., 1] = m; return t
        t[1, ..., 2] = v; return t
        t[:, None, 0] = 5.; return t
        F[:, 1] = v[:3]; return F
        c.imag[:, 1] = v[:3]; return c
        b[:] = m; return b
        n8[0] = 3.7; return n8
        n8[:] = 2.9; return n8
        n8[:5] = a; return n8
        a[0] = None; return a
        x = m[None]; x[0, 0] = 1; return m
        """,
        **NAMES,
    )


def test_arrays_and_masks_as_targets() -> None:
    check_statements(
        """
        m[i, j] += v; return m
        m[1, j] = v; return m
        m[i[:, None], j] = v; return m
        m[np.ix_([0, 2], [1, 3])] += 1; return m
        m[b] = m[b] * 2; return m
        m[b3] = v; return m
        m[b3, 1] = v[:2]; return m
        m[:, b4] += v[:2]; return m
        m[b3, b4] = v[:2]; return m
        m[None, b] = 4; return m
        m[..., b] = 4; return m
        t[b, 1] = 3; return t
        t[:, b4] = m[:, :2, None]; return t
        t[i, :, j] = m[0]; return t
        t[:, i, j] = m; return t
        F[b] += v[0]; return F
        a[True] = 3; return a
        a[False] = 3; return a
        a[[]] = 3; return a
        i[[0, 1, 2]] = i[1:]; return i
        m.flat[[1, 2]] = v[:2]; return m
        m.flat[b.ravel()] = 4; return m
        n8[n8 == 0] = -1; return n8
        np.put_along_axis(m, cm[:1] % 3, 9, 0); return m
        np.add.at(m, (slice(None), j), 1); return m
        np.power.at(a, [1, 2], 2); return a
        m[[0, 2]] = v[None, None]; return m
        n8[[0, 1]] += np.int8(100); n8[[0, 1]] += np.int8(100); return n8
        b[0, 0] = [0]; return b
        t[None, [], ..., 0, 0:k] = 5; return t
        """,
        **NAMES,
    )


@pytest.mark.skipif(
    np.lib.NumpyVersion(np.__version__) < "2.3.0", reason="older NumPy writes while it reads the indices"
)
def test_an_index_array_that_is_the_target_too() -> None:
    check_statements("i[i] = 0; return i", **NAMES)
