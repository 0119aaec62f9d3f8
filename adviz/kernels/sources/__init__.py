"""Array programs as source that people read: phrases, names, lines, modules."""
