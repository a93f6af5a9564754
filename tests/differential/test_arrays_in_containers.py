"""Arrays in lists, dicts and instances: which objects they are, what memory they share, and which may be written."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.cases import Case, case_tests
from tests.oracle import check


def read_only(n: int) -> np.ndarray:
    a = np.arange(float(n))
    a.flags.writeable = False
    return a


def views_that_show_all(v: np.ndarray) -> Any:
    made = []
    for k in range(2):
        made.append(np.reshape(v, -1))
        made.append(v[k:])
    made.insert(0, v)
    return made


def views_under_keys(v: np.ndarray) -> Any:
    made = {}
    for k in range(len(v)):
        made[k] = v[k:]
    made[0][0] = 9.0
    return made, v


class Window:
    def __init__(self, a: np.ndarray) -> None:
        self.whole = a
        self.shown = a[:]


def views_in_instances(v: np.ndarray) -> Any:
    w = Window(v)
    w.shown[0] = 4.0
    return w.shown, w.whole


def views_of_what_was_taken(a: np.ndarray) -> Any:
    waiting = [a]
    while waiting:
        u = waiting.pop()
        if len(u) > 1:
            waiting.append(u[: len(u) // 2])
            waiting.append(u[len(u) // 2 :])
        else:
            u += 1
    return a


def read_only_parts(v: np.ndarray) -> Any:
    made = []
    for _ in range(2):
        made.append(v.imag)
    return made


def stored_in_read_only(v: np.ndarray) -> Any:
    made = []
    for _ in range(2):
        made.append(v.imag)
    made[0][0] = 1.0
    return made


def added_to_read_only(v: np.ndarray) -> Any:
    made = []
    for _ in range(2):
        made.append(v.imag)
    last = made.pop()
    last += 1.0
    return made


def rows_changed(a: np.ndarray) -> Any:
    rows = []
    for r in a:
        rows.append(r)
    rows[0] *= 2
    return rows[-1], a


def read_only_and_others(v: np.ndarray, n: int) -> Any:
    made = []
    for k in range(n):
        made.append(v.imag if k % 2 else v)
    made[0][0] = 5.0
    total = 0.0
    for r in made:
        total += r[0]
    return made, total


def same_array_under_keys(v: np.ndarray) -> Any:
    made = {}
    for k in range(3):
        made[k] = v
    return made, made[0] is v, made[1] is made[2]


def several_views_of_a_choice(a: np.ndarray, s: float) -> Any:
    h = a if s > 3 else a.T
    return h.reshape(-1), h.ravel("K"), h.T, h.T


def view_with_another_shape(v: np.ndarray) -> Any:
    q = v.view()
    q[0] = 4.0
    q.shape = (-1, 1)
    r = q
    return v, q, r


def views_by_methods(v: np.ndarray, a: np.ndarray) -> Any:
    return v.view(np.ndarray), a.__getitem__(0), a.__getitem__((slice(None), 1))


def elements_repeated(v: np.ndarray, a: np.ndarray) -> Any:
    made = []
    for _ in range(2):
        made.append(np.broadcast_to(v[:, None], (len(v), 2)))
        made.append(a[:3, :3].diagonal()[None])
    return made, made[0] + 1, made[2].copy()


def shared_with_repeated(v: np.ndarray, w: np.ndarray) -> Any:
    q, r = np.meshgrid(v, w, copy=False)
    return q, np.shares_memory(q, v), np.may_share_memory(r, v)


def parts_of_read_only(v: np.ndarray) -> Any:
    return [p[:1] for p in np.split(v, np.where(v > 2)[0])]


def chosen_by_lists(v: np.ndarray, least: float) -> Any:
    q = [k for k in range(len(v)) if v[k] > least]
    v[q] *= 2
    return v[q], np.asarray(q), v


V, A = np.arange(6.0), np.arange(12.0).reshape(3, 4)
FROZEN = read_only(6)


def taken_from_an_iterator(v: np.ndarray, w: np.ndarray) -> Any:
    x = [w] * 2
    y = next(iter(x))
    v += float(y[::-1][0])
    return v, w


def joined_dicts(v: np.ndarray) -> Any:
    d: dict = {}
    e = d | {"u": v}
    e["u"][:] = v[::-1]
    f = {**e, "w": v[1:]}
    f["w"][:] = v[:-1]
    return e, v


def of_several_types(v: np.ndarray) -> Any:
    x = [v, (v, [v])]
    y = list(reversed(x))
    y[1][1:] = v[:-1]
    y[0][1][0][:] = v[::-1]
    return y, v


def split_and_kept(v: np.ndarray, n: int) -> Any:
    kept, parts = [], np.split(v, 2)
    named = {"parts": parts}
    for k in range(n):
        kept.append(np.array_split(v, k + 1))
        kept.append(np.histogramdd(v[:, None].real, 2))
        named[str(k)] = parts
    while len(parts) > 1:
        parts.pop()[0] = n
    either = np.hsplit(v, 3) if n > 2 else np.split(v, [1])
    return kept, named, parts, either, v


def lists_of_views_twice(v: np.ndarray) -> Any:
    parts = np.split(v, [2])
    return parts, [parts, parts], parts is parts


CASES: list[Case] = [
    (split_and_kept, [(V, 2), (V[::-1], 3)]),
    (lists_of_views_twice, [(V,)]),
    (views_that_show_all, [(V,), (V[::-1],), (FROZEN,)]),
    (views_under_keys, [(V,), (V[::2],), (FROZEN,)]),
    (views_of_what_was_taken, [(A,), (V,), (A.T,), (FROZEN,)]),
    (read_only_parts, [(V,), (V * 1j,), (FROZEN,)]),
    (stored_in_read_only, [(V,), (V * 1j,)]),
    (added_to_read_only, [(V,), (V * 1j,)]),
    (rows_changed, [(A,), (A.T,), (FROZEN.reshape(2, 3),)]),
    (read_only_and_others, [(V, 3), (V * 1j, 4)]),
    (same_array_under_keys, [(V,), (FROZEN,)]),
    (several_views_of_a_choice, [(A, 2.5), (A, 3.5), (np.asfortranarray(A), 2.5)]),
    (view_with_another_shape, [(V,), (V[::2],)]),
    (elements_repeated, [(V, A), (FROZEN, A.T)]),
    (shared_with_repeated, [(V, V + 1)]),
    (parts_of_read_only, [(V,), (FROZEN,)]),
    (chosen_by_lists, [(V, 2.0), (V, 100.0)]),
    (taken_from_an_iterator, [(V[1:], V[:-1]), (V, V)]),
    (joined_dicts, [(V,), (V[::-1],)]),
    (of_several_types, [(V,), (V[::-1],)]),
    (views_by_methods, [(V, A), (V[::-1], A[::-1, ::2]), (V[::2], A.T)]),
]
COMPILED = {
    "split_and_kept",
    "views_that_show_all",
    "views_of_what_was_taken",
    "added_to_read_only",
    "rows_changed",
    "read_only_and_others",
    "elements_repeated",
    "views_by_methods",
    "taken_from_an_iterator",
    "joined_dicts",
}
test_interpreted, test_compiled = case_tests(CASES, COMPILED)


def test_views_in_instances() -> None:
    check(views_in_instances, V, also=[(V[::-1],)])
