"""Graphs and the record of their changes. Imports nothing of adviz."""
