"""A function as it is written: its lines and pieces of text, its names, and what is known while it is written."""
