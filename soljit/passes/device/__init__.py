"""Programs for a device: what runs there, as which threads."""
