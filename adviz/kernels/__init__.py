"""Kernels: an elimination order compiled to a straight-line program that runs on many points."""
