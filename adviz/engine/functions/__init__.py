"""NumPy's functions on Variables: which Block each of them is, or which others it is written with."""
