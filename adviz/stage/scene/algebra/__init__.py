"""The panels of eliminations, and of graphs written as algebra, as typed data."""
