"""Op graphs, and where their values live, in films and stills."""
