"""Tests of the op graph."""
