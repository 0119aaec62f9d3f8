"""Sweeps over a traced graph, from its inputs to its outputs or back."""
