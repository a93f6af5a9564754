"""Loops and maps changed in kind, order and number."""
