"""Scenes: what is shown of graphs and algorithms, where, in which words, and every file made from them."""
