"""Tests of the harness and of its kernels under soljit."""
