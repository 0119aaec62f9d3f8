"""Scenes: of an explored graph, of sweeps, of eliminations, of programs."""
