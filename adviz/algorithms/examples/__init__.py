"""Functions and graphs of the literature, with what is known of them."""
