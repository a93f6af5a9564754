"""Calls back into Python: their arguments and results, what they draw, reach and may repeat."""
