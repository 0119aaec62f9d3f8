"""Programs: called, read, explored, saved."""
