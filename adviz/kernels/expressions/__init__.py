"""What a program computes: expressions, each different one once."""
