"""Programs for a device: what runs there, and what is copied when."""
