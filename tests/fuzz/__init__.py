"""Random NumPy programs against plain NumPy.

`grammar.py` writes programs, `judge.py` says what became of one, `shrink.py` makes a failing one small,
`python -m tests.fuzz` does that until told to stop; `cases/` holds what was found.
"""
