"""Writes into traced arrays: new versions of them, with NumPy's semantics of memory."""
