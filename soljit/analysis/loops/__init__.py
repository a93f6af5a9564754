"""Loops: dependences, reductions, iteration spaces."""
