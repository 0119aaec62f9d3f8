"""NumPy's elementwise functions that the engine has a record of."""

import numpy as np

from adviz.engine.blocks import BLOCK_OF, Elementwise

FAMILIES = ("arithmetic", "power", "trigonometric", "selection")
UFUNCS = [
    ufunc
    for family in FAMILIES
    for ufunc, block in BLOCK_OF.items()
    if isinstance(block, Elementwise) and block.family == family and vars(np).get(ufunc.__name__) is ufunc
]
