"""Points and results: batches taken apart into rows of numbers, and put together again."""
