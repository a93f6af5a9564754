"""Tests. `oracle.py` runs a function both ways and compares everything that a user could observe."""
