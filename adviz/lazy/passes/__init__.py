"""Passes: what becomes of the instructions of a computation, Step by Step, without a change of its values."""
