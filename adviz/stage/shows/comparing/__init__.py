"""Two graphs laid over each other, as a Scene."""
