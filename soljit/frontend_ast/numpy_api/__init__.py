"""What NumPy, math and the builtins mean: `lowering/registry.py` holds the tables, `handlers.py` loads all families into them."""
