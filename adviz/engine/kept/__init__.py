"""Graphs that are kept: loaded from files, and held to budgets."""
