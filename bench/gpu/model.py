"""The numbers of `soljit.analysis.cost.worth.DeviceModel`, which decide whether a call runs on the device, as this run has measured them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from bench.gpu.rates import MiB, Record
from soljit.analysis.cost.worth import MODEL

US = 1e-6


def model(records: Sequence[Record]) -> Record:
    """A record with the numbers that can be concluded from others, and the guesses in use beside them.

    launch: one after the other; transfer: a fetch of eight bytes and the wait; link: the slower way of 16 MiB or more from and to pageable memory;
    device, host: the operations of the largest fused program, in units of `analysis/cost/work.py`, over the time of a step; products: half of the operations
    of a product over its time. What a single block does is not measured.
    """
    found: dict[str, float] = {}
    if (seconds := _first(records, "launch of an empty kernel, one after the other")) is not None:
        found["launch"] = seconds / US
    if (seconds := _first(records, "fetch of 8 bytes, and wait")) is not None:
        found["transfer"] = seconds / US
    rates = [r["rate"] for r in records if str(r.get("what")).endswith(" pageable") and r.get("bytes", 0) >= 16 * MiB]
    if rates:
        found["link"] = min(rates) * US
    for name, framework in (("device", "soljit"), ("host", "soljit-cpu")):
        steps = [r for r in records if r.get("what") == "fused" and r.get("framework") == framework and "seconds" in r]
        if steps:
            last = max(steps, key=lambda r: float(r["bytes"]))
            found[name] = last["work"] / last["seconds"] * US
        products = [
            r["rate"] for r in records if r.get("what") == "gemm" and r.get("framework") == framework and "rate" in r
        ]
        if products:
            found[f"{name}_product"] = max(products) / 2 * US
    return {"part": "model", "what": "DeviceModel", "measured": found, "in_use": asdict(MODEL)}


def _first(records: Sequence[Record], what: str) -> float | None:
    return next((float(r["seconds"]) for r in records if r.get("what") == what and "seconds" in r), None)
