"""Shows of the algebra of a graph: its expressions, its chains and blocks, its levels."""
