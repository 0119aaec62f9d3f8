"""Words for op graphs."""
