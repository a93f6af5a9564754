"""The meaning of programs, on NumPy arrays."""
