"""Arguments of a call: their types, their leaves, which of them overlap."""
