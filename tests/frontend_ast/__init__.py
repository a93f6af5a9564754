"""Tests of the front end by itself, in the rooms of `soljit/frontend_ast`; what it makes of programs, `tests/differential` tests."""
