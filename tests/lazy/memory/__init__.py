"""Tests of the memory plan."""
