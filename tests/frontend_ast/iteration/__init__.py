"""Tests of `soljit/frontend_ast/iteration`."""
