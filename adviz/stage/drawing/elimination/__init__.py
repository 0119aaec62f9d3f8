"""A moment of an elimination as marks."""
