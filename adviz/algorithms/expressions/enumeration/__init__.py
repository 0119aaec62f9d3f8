"""All small graphs, and what each costs at best: by vertices, edges, faces, and any set of expressions."""
