"""What happens when traced values meet operators, NumPy, ``math`` and attributes of arrays."""
