"""Large graphs seen folded: what belongs together is one operation, with local partials between its ends."""
