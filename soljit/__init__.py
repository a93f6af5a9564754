"""soljit: compiles NumPy functions."""
