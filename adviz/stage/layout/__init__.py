"""Places: Graphviz, and a layered layout where it is missing or the graph is too large for it."""
