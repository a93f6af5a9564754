"""Tests of the shape of the code itself."""
