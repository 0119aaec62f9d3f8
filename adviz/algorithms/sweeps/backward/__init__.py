"""The reverse sweep, five ways."""
