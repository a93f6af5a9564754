"""Tests of `soljit/frontend_ast/values`."""
