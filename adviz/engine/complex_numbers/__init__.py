"""Complex numbers on the way between real ones: pairs of traced parts, and what NumPy's functions are of them."""
