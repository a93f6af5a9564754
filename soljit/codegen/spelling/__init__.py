"""Expressions as C++ text: literals, operations, mathematical functions."""
