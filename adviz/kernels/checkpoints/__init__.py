"""Programs without loops that keep few states: their stages, and the lines of these, run again on the way back."""
