"""What NumPy, math and the builtins mean: `table.py` holds the tables, `families.py` loads all families into them."""
