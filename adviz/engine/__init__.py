"""Blocks, Variables, tracing and derivatives."""
