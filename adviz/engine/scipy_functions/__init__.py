"""SciPy's functions on traced values: one file per family of its modules."""
