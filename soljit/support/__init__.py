"""What compiled code calls by dotted name, and the exceptions of its own."""
