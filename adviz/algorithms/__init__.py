"""Algorithms over graphs: generators of Steps. They never import the engine or anything visual."""
