"""How operations are written in programs on arrays."""

import numpy as np

from adviz.engine.rules.indexing import SET
from adviz.kernels.sources.operator_printing import SUM, Printed
from adviz.kernels.sources.printing import converted, filled
from adviz.kernels.terms.array_terms import Terms


def test_what_a_method_is_called_of_is_in_brackets_where_it_needs_them_however_long_the_name_of_the_value():
    terms = Terms()
    x = terms.input(0, (3,), np.dtype(float))
    term = terms.apply(SET, x, x, (0,))
    for name in ("y", "the_value_of_a_long_name"):
        for operand, expected in ((Printed("a + 0.25", SUM), "(a + 0.25)"), (Printed("a"), "a")):
            texts = filled(term.operation.statements[0], term, [operand, operand], converted, "", name)
            assert texts == f"{name} = {expected}.copy()"
