"""Notes on the expressions of a program: what an elimination multiplies is said with its factors."""

import numpy as np

import adviz as ad


def test_each_product_of_the_elimination_has_a_note_with_its_factors():
    def f(x, y):
        return np.sin(x * y) * x

    notes = ad.compile_jacobian(f, 1.0, 2.0, order="forward").notes.values()
    steps = ad.vertex_elimination(ad.linearize(f, 1.0, 2.0), "forward")
    products = [step for step in steps if step.multiplications]
    assert len([note for note in notes if "\u00b7" in note.comment]) >= len(products) > 0
