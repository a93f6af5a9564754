"""What is known of the functions, methods and classes of Python and NumPy: one table, which all parts ask."""
