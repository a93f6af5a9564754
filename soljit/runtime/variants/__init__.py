"""Compiled variants: their records, and how one is linked into this process, with its calls back into Python."""
