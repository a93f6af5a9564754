"""Text: runs of equal characters, as pairs."""

PRESETS = {"tiny": {"n": 10}, "S": {"n": 500}, "M": {"n": 50_000}}
CHANGES = ()


def initialize(n):
    return {"text": "".join("abc"[k // (1 + k % 4) % 3] for k in range(n))}


def run_lengths(text):
    runs = []
    start = 0
    for k in range(1, len(text) + 1):
        if k == len(text) or text[k] != text[start]:
            runs.append((text[start], k - start))
            start = k
    return runs
