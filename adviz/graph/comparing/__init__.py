"""Two graphs beside each other: which node of one is which of the other, and what differs."""
