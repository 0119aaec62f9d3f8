"""The operations of a derivative on arrays as terms, simplified by named rules."""
