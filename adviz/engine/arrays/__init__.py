"""Arrays inside traced programs: object arrays, arrays that the program makes, pairs of complex parts."""
