"""Tests of the command line and of the examples."""
