"""One file a benchmark: PRESETS, CHANGES, `initialize(**sizes)` and the NumPy function, named like the file."""
