"""Questions about the nodes of a graph: which they are, how many, and how large."""
