"""Tests of the shows of op graphs."""
