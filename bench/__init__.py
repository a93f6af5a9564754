"""An NPBench-style harness: the same NumPy functions under several compilers, always as ratios to NumPy."""
