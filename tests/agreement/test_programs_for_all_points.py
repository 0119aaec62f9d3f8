"""Programs on arrays, recorded at one point with their gradients: values and gradients are right at other points."""

import re
import warnings
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings

import adviz as ad
from tests.engine.symbolic import gradient_graph, recomputed

from ..engine.derivatives import assert_close
from .programs import OPERATIONS, Program, programs
from .writing_programs import program

NAMES = OPERATIONS.keys() - {"by number"}
"""Without those that Python decides."""


def check(f, example, points, kinds=()):
    """Compare what is recorded at an example with the engine at points; arguments of ``kinds`` are labels and masks."""
    floats = tuple(k for k in range(len(example)) if k not in kinds)
    with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
        graph = gradient_graph(f, *example)
        for point in points:
            value, *found = recomputed(graph, *point)
            wanted, gradients = ad.value_and_grad(f, argnums=floats)(*point)
            assert_close(value, wanted, 1e-10)
            for k, gradient in zip(floats, gradients, strict=True):
                assert_close(found[k], gradient, 1e-9)


def others(program: Program):
    rng = np.random.default_rng(7)
    drawn = [[rng.uniform(-1.5, 1.5, shape) for shape in program.shapes] for _ in range(3)]
    return [[float(x) if x.ndim == 0 else x for x in inputs] for inputs in drawn]


@given(programs(names=NAMES))
@settings(max_examples=60)
def test_random_programs(program):
    check(partial(program.loss, np), program.inputs(), others(program))


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_operation_alone(name):
    for shape in ((3,), (2, 3), ()):
        count = 2 if name not in NAMES or OPERATIONS[name].__code__.co_argcount == 3 else 1
        program = Program((shape,) * count, ((name, tuple(range(count))),), (count,))
        check(partial(program.loss, np), program.inputs(), others(program))


UNKNOWN_SIZE = re.compile(r"\[(np\.abs\()?\w+\)? [<>] |np\.place\(")
"""What reads or writes as many entries as the values say."""
WRITING = {seed: each for seed, each in enumerate(map(program, range(120))) if not UNKNOWN_SIZE.search(each.text)}


@pytest.mark.parametrize("written", WRITING.values(), ids=map(str, WRITING))
def test_programs_that_write_into_arrays(written):
    def loss(x):
        found = written.function(x)
        return np.sum(found * np.cos(np.arange(float(np.size(found)))))

    check(loss, (written.point,), [(written.point[::-1].copy(),), (-written.point,)])
