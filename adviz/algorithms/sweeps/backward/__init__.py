"""Five implementations of the reverse sweep."""
