"""Tests of `soljit/frontend_ast/syntax`."""
