"""Transfers between host and device: which are not needed, and where the others stand."""
