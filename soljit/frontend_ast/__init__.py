"""The front end: Python functions as programs of the IR. `lower.py` is the entry; a room imports only rooms below it (docs/architecture.md)."""
