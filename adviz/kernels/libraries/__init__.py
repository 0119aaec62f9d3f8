"""Programs on the arrays of other libraries than NumPy."""
