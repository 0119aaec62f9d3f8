"""SciPy's functions on traced values: one file per module of SciPy."""
