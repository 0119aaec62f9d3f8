"""Graphs in files: compressed columns with a version and checksums, read with all that they say checked."""
