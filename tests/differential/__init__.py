"""The undecorated function is the specification: one feature a file."""
