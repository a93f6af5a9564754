"""How much work there is, and where it is worth what."""
