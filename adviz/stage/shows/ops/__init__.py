"""Shows of op graphs."""
