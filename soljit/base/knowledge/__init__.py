"""What is known of the functions of Python and NumPy."""
