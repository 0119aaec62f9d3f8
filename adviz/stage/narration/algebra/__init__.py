"""Factorizations of a graph in words: what there is after each Step, and what is said about it."""
