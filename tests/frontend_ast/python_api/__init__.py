"""Tests of `soljit/frontend_ast/python_api`."""
