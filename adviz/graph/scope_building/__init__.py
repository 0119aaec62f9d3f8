"""How the tree of scopes is made: from calls and instruction offsets, or from names."""
