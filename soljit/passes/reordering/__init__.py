"""Iterations in another order: blocks of time steps, rows of recurrences side by side, panels of steps, chains of statements a few rows at a time."""
