"""Tests of `soljit/frontend_ast/views`."""
