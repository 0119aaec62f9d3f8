"""NumPy's elementwise functions that the engine has a record of, and a Block of one's own."""

import numpy as np

from adviz.engine.blocks import BLOCK_OF, Elementwise, SimpleBlock

FAMILIES = ("arithmetic", "power", "trigonometric", "selection")
UFUNCS = [
    ufunc
    for family in FAMILIES
    for ufunc, block in BLOCK_OF.items()
    if isinstance(block, Elementwise) and block.family == family and vars(np).get(ufunc.__name__) is ufunc
]


class cube(SimpleBlock):
    """A Block as users write it."""

    def data_fn(self, x):
        return x.data**3

    def gradient_fn(self, x):
        return 3 * x.data**2
