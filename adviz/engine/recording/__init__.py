"""The tape: rows that a trace appends to, where in the source they come from, and which arrays share memory."""
