"""Arrays of records: fields are views, aligned or not; records are read, written, iterated over and sorted."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.cases import Case, case_tests

PACKED = np.dtype([("x", "f8"), ("y", "f8"), ("id", "i4")])  # of 20 bytes: every other x is unaligned
PARTICLE = np.dtype([("pos", "f8", (2,)), ("mass", "f8"), ("id", "i4"), ("name", "U4"), ("ok", "?")])


def packed(n: int) -> np.ndarray:
    a = np.zeros(n, PACKED)
    a["x"], a["y"], a["id"] = np.arange(n), np.arange(n)[::-1] * 0.5, np.arange(n) % 3
    return a


def particles(n: int) -> np.ndarray:
    a = np.zeros(n, PARTICLE)
    a["pos"], a["mass"] = np.arange(2 * n).reshape(n, 2), np.arange(n) + 1
    a["id"], a["name"], a["ok"] = np.arange(n), ["a", "b", "c", "d"][:n], np.arange(n) % 2 == 0
    return a


def fields_in_place(r: np.ndarray) -> Any:
    r["x"] *= 2
    r["y"][1:] = r["x"][:-1]
    x, y = r["x"], r["y"]
    x += 1
    y[::-1][:2] = 5
    r["id"] = 3
    return r


def slices_of_fields(r: np.ndarray) -> Any:
    w = r["x"][3:]
    w[:] = 0
    v = r["y"][::2]
    v += 1
    z = np.ravel(r["x"][1:])
    z[0] = 55
    return r, w, v, z


def views_of_fields(r: np.ndarray) -> Any:
    w = np.transpose(r["x"])
    w[1] = 9
    q = np.atleast_1d(r["y"])
    q[2] = -4
    u = r["x"].reshape(2, 3)
    u[1] = 7
    t = r["y"].view()[np.newaxis]
    t[0, 1] = 8
    return r, w, q, u


def parts_of_fields(r: np.ndarray) -> Any:
    for a in np.split(r["x"], 2):
        a[0] = 9
    first, second = np.split(r["y"], 2)
    second[:] = first
    return r


def fields_in_containers(r: np.ndarray) -> Any:
    fields = [r["x"], r["y"]]
    fields[0][:] = 5
    named = {k: r[k] for k in ("x", "y")}
    named["y"] *= 2
    for a in fields:
        a[0] = -1
    return r


def written_by_numpy(r: np.ndarray) -> Any:
    np.copyto(r["x"], r["y"])
    np.cumsum(r["x"], out=r["y"])
    np.add.at(r["x"], [1, 1], 5)
    r["x"].sort()
    r["x"][[0, 2]] = [7, 8]
    r["y"][r["id"] == 1] = 0
    return r


def items_of_fields(r: np.ndarray) -> Any:
    x, y = r["x"], r["y"]
    for i in range(len(x)):
        x[i] = y[i] * 2
        y[i] += 1
    for k in range(len(r)):
        r[k]["x"] += r[k]["y"] + k
    for row in r:
        row["id"] = row["x"] * 2
    return r


def bumped(v: np.ndarray, k: int) -> np.ndarray:
    v[k] += 1
    v[:2] *= 3
    return v


def fields_as_arguments(r: np.ndarray, n: int) -> Any:
    w = r["x"] if n else r["y"]
    w[1:] = 3
    return bumped(r["x"], 2), bumped(r[1:]["y"], 1), r


def records_unpacked(r: np.ndarray) -> Any:
    total = 0.0
    for x, y, i in r:
        total += x * y + i
    x, y, i = r[1]
    return total, x, y, i, [c for a, b, c in r], [a * 2 for a in r[0]], r[2].item(), r.tolist()


def records_selected(r: np.ndarray) -> Any:
    ones = r[r["id"] == 1]
    ones["x"] *= 10
    best = r[np.argmax(r["y"])]
    counts: dict[int, float] = {}
    for row in r:
        counts[int(row["id"])] = counts.get(int(row["id"]), 0.0) + row["x"]
    return ones, best["x"], counts, np.sort(r, order="y"), r[["x", "y"]][0], r["x"], max(row["y"] for row in r)


def records_exchanged(r: np.ndarray) -> Any:
    r[1] = (9.0, 8.0, 7)
    r[2:4] = r[0]
    r[4], r[5] = r[5].copy(), r[4].copy()
    r["x"], r["y"] = r["y"].copy(), r["x"].copy()
    return r


def records_made(n: int) -> Any:
    a = np.array([(i, i * 0.5, i % 2) for i in range(n)], dtype=PACKED)
    b = np.empty(n, dtype=[("k", int), ("v", float)])
    for i in range(n):
        b[i] = (i, i * 0.5)
    b["v"][b["k"] == 1] = -1
    return a, b, a["x"] + b["v"]


def others_made_of_lists(n: int) -> Any:
    dates = np.array([f"2020-01-0{i + 1}" for i in range(n)], dtype="M8[D]")
    objects = np.array([i + 1 for i in range(n)], dtype=object)
    return dates, objects, np.array([i * 1.5 for i in range(n)], dtype=">f4"), np.array([i + 2 for i in range(n)], "S2")


def of_particles(p: np.ndarray, n: int) -> Any:
    for k in range(n):
        p[k]["pos"][0] = k + 0.5
        p[k]["mass"] += k
        p["ok"][k] = not p["ok"][k]
    for i in range(n):
        for j in range(i):
            p["pos"][i] += 0.1 * (p["pos"][i] - p["pos"][j]) * p[j]["mass"]
    p["pos"][p["id"] > 1, 1] *= 2
    centre = (p["pos"] * p["mass"][:, None]).sum(axis=0) / p["mass"].sum()
    by_mass = np.sort(p, order="mass")[::-1]
    return p, centre, by_mass[0]["pos"], by_mass["name"], {q["name"]: q["mass"] for q in p}


def of_record_arrays(r: Any) -> Any:
    r.x[2:] = 7
    r.y += 1
    r[0].x = 9
    return r.x, r, r[1].y, r.id.max()


NESTED = np.dtype([("head", [("a", "i2"), ("b", "f8", (2, 2))]), ("text", "S3"), ("when", "M8[s]")])


def nested(n: int) -> np.ndarray:
    z = np.zeros(n, NESTED)
    z["head"]["a"], z["head"]["b"], z["text"] = np.arange(n), np.arange(4 * n).reshape(n, 2, 2), b"x"
    return z


def of_nested_records(z: np.ndarray) -> Any:
    z["head"]["b"][1] = 0
    z[2]["head"]["b"][0, 1] = -1
    z["head"][0] = (7, np.ones((2, 2)))
    h, b = z["head"], z["head"]["b"]
    h["a"] += 3
    b[:, 0, 0] = 8
    return z, z["head"]["a"] + 1, z[1]["head"]["b"][1], b.sum(axis=0), z["when"] + np.timedelta64(5, "s"), z["text"][1]


CASES: list[Case] = [
    (of_nested_records, [(nested(3),)]),
    (fields_in_place, [(packed(6),)]),
    (slices_of_fields, [(packed(6),)]),
    (views_of_fields, [(packed(6),)]),
    (parts_of_fields, [(packed(6),)]),
    (fields_in_containers, [(packed(6),)]),
    (written_by_numpy, [(packed(6),)]),
    (items_of_fields, [(packed(6),)]),
    (fields_as_arguments, [(packed(6), 0), (packed(5), 1)]),
    (records_unpacked, [(packed(6),)]),
    (records_selected, [(packed(6),)]),
    (records_exchanged, [(packed(6),)]),
    (records_made, [(4,), (1,)]),
    (others_made_of_lists, [(3,)]),
    (of_particles, [(particles(4), 3)]),
    (of_record_arrays, [(packed(5).view(np.recarray),)]),
]

test_interpreted, test_compiled = case_tests(
    CASES,
    {"of_nested_records", "slices_of_fields", "views_of_fields", "parts_of_fields", "items_of_fields", "of_particles"},
)
