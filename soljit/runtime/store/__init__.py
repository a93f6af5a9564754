"""Compiled code on disk, and temporary folders."""
