"""Functions and graphs of the literature, with known results."""
