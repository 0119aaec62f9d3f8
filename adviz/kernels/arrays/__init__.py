"""Programs on arrays: traced as terms, simplified by named rules, written as NumPy that a person can read."""
