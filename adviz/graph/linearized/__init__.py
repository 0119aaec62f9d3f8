"""The linearized computational graph at a point, and its line graph: what eliminations change."""
