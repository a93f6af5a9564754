"""What is called: libraries, other functions, Python and NumPy's draws."""
