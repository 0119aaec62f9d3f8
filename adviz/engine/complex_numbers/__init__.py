"""Complex intermediate values of real functions, as pairs of traced parts: the rules of NumPy's functions for them."""
