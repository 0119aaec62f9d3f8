"""What a Scene is made of: words, numbers, formulas, sizes and colors."""
