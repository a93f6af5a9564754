"""Targets: what a program is compiled for. One record each, in `table.py`."""
