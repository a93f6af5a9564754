"""Tests of `soljit/frontend_ast/lowering`."""
