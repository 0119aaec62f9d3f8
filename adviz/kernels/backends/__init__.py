"""Where a program runs: NumPy, Numba, CuPy, or any library of the array API standard."""
