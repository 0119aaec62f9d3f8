"""Scenes as lists of marks: what all pictures draw, decided once."""
