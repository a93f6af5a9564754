"""Calls compared with the undecorated function, under `check="shadow"`."""
