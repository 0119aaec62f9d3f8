"""Array programs as source that people read: operations, names, lines, modules."""
