"""Nodes, values and counts in captions."""

import numpy as np

import adviz as ad
from adviz.stage.scene import captions


def test_a_part_of_a_composed_function_does_not_take_its_constants_from_the_arguments_that_are_written():
    kernel = np.ones(3)

    def filtered(h, x):
        return np.convolve(x, h, mode="valid")

    graph = ad.trace(filtered, kernel, np.arange(8.0))
    part = next(node for node in range(len(graph)) if graph.blocks[node].name == "index")
    assert captions.constant(graph, part, 1) != "h"
    scaled = ad.trace(lambda x: x * kernel, np.arange(3.0))
    assert captions.constant(scaled, 1, 1) == "kernel"
