"""Tests of `soljit/frontend_ast/numpy_api`."""
