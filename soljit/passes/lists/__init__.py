"""Lists of numbers without Python objects."""
