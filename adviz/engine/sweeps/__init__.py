"""Sweeps over a recorded graph: the readable definition beside its fast twins."""
