"""The rules of functions on whole arrays: NumPy's, its linear algebra and Fourier transforms, and SciPy's."""
