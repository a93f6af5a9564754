"""Tests of `soljit/frontend_ast/joins`."""
