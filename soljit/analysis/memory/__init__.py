"""Accesses: what is touched, which accesses overlap, what is written wholly."""
