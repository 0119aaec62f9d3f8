"""What storage holds from call to call, and in files."""
