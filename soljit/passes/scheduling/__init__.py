"""How maps run: threads, vectors, tiles."""
