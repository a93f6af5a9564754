"""Bioinformatics: how often codons occur in the reading frames of a sequence, and the longest one without a stop."""

import numpy as np

PRESETS = {"tiny": {"n": 60}, "S": {"n": 6_000}, "M": {"n": 300_000}}
CHANGES = ()


def initialize(n):
    return {"dna": np.random.default_rng(25).choice(np.frombuffer(b"ACGT", dtype=np.uint8), n)}


def digits(dna):
    codes = np.full(256, -1)
    for k, letter in enumerate(b"ACGT"):
        codes[letter] = k
    return codes[dna]


def codon_usage(dna):
    base = digits(dna)
    stops = {48, 50, 56}  # TAA, TAG, TGA
    counts = np.zeros((3, 64), dtype=int)
    longest = 0
    for frame in range(3):
        run = 0
        for i in range(frame, len(base) - 2, 3):
            codon = 16 * base[i] + 4 * base[i + 1] + base[i + 2]
            counts[frame, codon] += 1
            if codon in stops:
                longest = max(longest, run)
                run = 0
            else:
                run += 1
        longest = max(longest, run)
    content = np.mean((base == 1) | (base == 2))
    return {"counts": counts, "longest": longest, "gc": content}
