"""Where values live: from when until when, and in which bytes."""
