"""Blocks that the tables have not, with their settings, as the documentation of the seed makes and calls them."""

import math

import numpy as np
import pytest

import adviz as ad
from adviz import Variable

from .derivatives import assert_close

V = np.array([0.2, 0.5, 0.8])


@pytest.fixture(autouse=True, params=["forward", "reverse"])
def _mode(request):
    ad.set_mode(request.param)


WITH_SETTINGS = [
    (ad.blocks.log(), {}, np.log(V), 1 / V),
    (ad.blocks.log(base=2), {}, np.log2(V), 1 / (V * math.log(2))),
    (ad.blocks.log(base=10), {}, np.log10(V), 1 / (V * math.log(10))),
    (ad.blocks.log(3.7), {}, np.log(V) / math.log(3.7), 1 / (V * math.log(3.7))),
    (ad.blocks.log(base=np.float64(3.7)), {}, np.log(V) / math.log(3.7), 1 / (V * math.log(3.7))),
    (ad.blocks.power_const_exponent(), {"power_exponent": 4}, V**4, 4 * V**3),
    (ad.blocks.power_const_exponent(power_exponent=-1), {}, 1 / V, -1 / V**2),
    (ad.blocks.power_const_base(), {"base": 4}, 4**V, math.log(4) * 4**V),
    (ad.blocks.power_const_base(base=0.3), {}, 0.3**V, math.log(0.3) * 0.3**V),
]


@pytest.mark.every
@pytest.mark.parametrize(("block", "settings", "value", "slopes"), WITH_SETTINGS)
def test_a_block_with_a_setting_has_its_value_and_its_diagonal_gradient(block, settings, value, slopes):
    x = Variable(V)
    y = block(x, **settings)
    assert_close(y.data, value, 1e-14)
    assert_close(y.compute_gradients(), np.diag(slopes), 1e-14)
    assert_close(block.data_fn(x, **settings), value, 1e-14)
    assert_close(block.gradient_fn(x, **settings), slopes, 1e-14)
    assert_close(np.asarray(block.get_jacobians(x, **settings)[0]), np.diag(slopes), 1e-14)
    assert_close(block(V, **settings), value, 1e-14)


@pytest.mark.parametrize(("block", "settings", "value", "slopes"), WITH_SETTINGS)
def test_a_block_with_a_setting_is_traced_and_has_second_derivatives(block, settings, value, slopes):
    def slope(x):
        return ad.grad(lambda x: block(x, **settings))(x)

    assert_close([slope(x) for x in V.tolist()], slopes, 1e-14)
    curvature = (slope(0.5 + 1e-6) - slope(0.5 - 1e-6)) / 2e-6
    assert_close(ad.grad(ad.grad(lambda x: block(x, **settings)))(0.5), curvature, 1e-6)


@pytest.mark.parametrize(("key", "rows"), [(2, [2]), (slice(1, 3), [1, 2]), ([0, 0], [0, 0])])
def test_entries_are_extracted_by_key(key, rows):
    x, block = Variable(V), ad.blocks.extract()
    y = block(x, key=key)
    assert_close(y.data, V[rows])
    assert_close(y.compute_gradients(), np.eye(3)[rows])
    assert_close(block.get_jacobians(x, key=key)[0], np.eye(3)[rows])
    assert_close(block.data_fn(x, key=key), V[rows])


def test_entries_are_summed_to_a_vector_of_length_one():
    x, block = Variable(V), ad.blocks.sum_elts()
    assert_close(block(x).data, [1.5])
    assert_close(block(x).compute_gradients(), np.ones((1, 3)))
    assert_close(block.get_jacobians(x)[0], np.ones((1, 3)))
    assert_close(block.data_fn(x), [1.5])


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda x: ad.blocks.log(base=0)(x), ad.DomainError, "base of a logarithm is 0"),
        (lambda x: ad.blocks.log(base=1)(x), ad.DomainError, "base of a logarithm is 1"),
        (lambda x: ad.blocks.power_const_base()(x, base=-2), ad.DomainError, "base of a power is -2"),
        (lambda x: ad.blocks.power_const_base()(x), TypeError, "takes one keyword argument, base"),
        (lambda x: ad.blocks.power_const_exponent()(x, exponent=2), TypeError, "power_exponent"),
        (lambda x: ad.blocks.power_const_exponent()(x, power_exponent=x), TypeError, "is Variable; it can be a number"),
    ],
)
def test_settings_that_are_none_are_refused(make, error, words):
    with pytest.raises(error, match=words):
        make(Variable(V))


def test_a_block_is_called_what_the_documentation_calls_it():
    names = ("log", "power_const_exponent", "power_const_base", "extract", "sum_elts", "sin", "add", "logistic")
    assert [getattr(ad.blocks, name)().name for name in names] == list(names)
