"""What engines keep while they sweep."""
