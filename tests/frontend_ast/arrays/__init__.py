"""Tests of `soljit/frontend_ast/arrays`."""
