"""Blocks of one's own: in both modes, in traces of both grains, checked by differences, and wrong on purpose."""

import gc

import numpy as np
import pytest

import adviz as ad
from adviz import Block, Dense, SimpleBlock, Variable
from adviz.engine import blocks

from ..primitives import cube
from .derivatives import assert_close

V = np.array([1.0, 2.0, 4.0, 8.0])


class convolution(Block):
    def __init__(self, kernel):
        self.kernel = np.asarray(kernel, float)

    def data_fn(self, x):
        return np.convolve(x.data, self.kernel, "same")

    def get_jacobians(self, x):
        return [np.stack([np.convolve(row, self.kernel, "same") for row in np.eye(x.size)], axis=1)]


class scaled(SimpleBlock):
    def data_fn(self, x, factor=1.0):
        return factor * x.data

    def gradient_fn(self, x, factor=1.0):
        return np.full(x.shape, factor)


class product(Block):
    def data_fn(self, x, y):
        return x.data * y.data

    def get_jacobians(self, x, y):
        return [np.diag(y.data), np.diag(x.data)]


def block(value=lambda x: x.data, jacobians=lambda x: [np.eye(4)]):
    class own(Block):
        def data_fn(self, x):
            return value(x)

        def get_jacobians(self, x):
            return jacobians(x)

    return own()


def simple(value, gradient):
    class own(SimpleBlock):
        def data_fn(self, x):
            return value(x)

        def gradient_fn(self, x):
            return gradient(x)

    return own()


SMOOTH = convolution([0.25, 0.5, 0.25])
MATRIX = SMOOTH.get_jacobians(V)[0]


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_in_both_modes(mode):
    ad.set_mode(mode)
    y = SMOOTH(ad.sin(Variable(V)))
    assert_close(y.data, MATRIX @ np.sin(V))
    assert_close(y.compute_gradients(), MATRIX * np.cos(V), 1e-14)
    x, z = Variable.multi_variables(V, V + 1)
    by_x, by_z = product()(x, z).compute_gradients()
    assert_close(by_x, np.diag(V + 1))
    assert_close(by_z, np.diag(V))


@pytest.mark.parametrize("grain", ["array", "scalar"])
def test_in_a_trace(grain):
    def f(x):
        return SMOOTH(np.sin(x)) * x

    graph = ad.trace(f, V, grain=grain)
    assert graph.block_counts()["convolution"] == 1
    node = next(node for node in graph if node.block is SMOOTH)
    assert node.origin.text == "SMOOTH(np.sin(x))"
    expected = np.diag(MATRIX @ np.sin(V)) + V[:, None] * MATRIX * np.cos(V)
    assert_close(ad.jacobian(f, grain=grain)(V), expected, 1e-14)


@pytest.mark.parametrize("grain", ["array", "scalar"])
def test_elementwise_ones_in_a_trace(grain):
    assert_close(ad.jacobian(cube(), grain=grain)(V), np.diag(3 * V**2))
    assert_close(ad.grad(lambda x: cube()(x) * 2.0, grain=grain)(2.0), 24.0)
    matrix = np.arange(6.0).reshape(2, 3)
    assert_close(ad.grad(lambda x: np.sum(cube()(x)), grain=grain)(matrix), 3 * matrix**2)


def test_keyword_arguments_are_settings():
    assert_close(scaled()(Variable(V), factor=3.0).compute_gradients(), 3 * np.eye(4))
    assert_close(ad.jacobian(lambda x: scaled()(x, factor=2.0))(V), 2 * np.eye(4))
    ad.check_block(scaled(), V, factor=5.0)


def test_the_operands_are_arrays_with_data():
    def value(x):
        assert type(x.data) is np.ndarray
        assert (x.shape, x.size) == (x.data.shape, x.data.size)
        return 2 * x

    y = simple(value, lambda x: 2.0)(Variable(V))
    assert type(y.data) is np.ndarray
    assert_close(y.compute_gradients(), 2 * np.eye(4))


def test_a_jacobian_that_keeps_its_structure():
    tripled = block(lambda x: 3 * x.data, lambda x: [ad.Diagonal(3.0, x.shape, x.shape)])
    y = tripled(Variable(np.ones(1_000_000)))
    assert y.jacobian.nnz == 1_000_000
    assert y.jacobian.structure == "scalar"


@pytest.mark.slow
def test_blocks_that_nobody_uses_are_let_go():
    before = len(blocks.BLOCKS)
    for _ in range(5):
        ad.grad(lambda x: np.sum(convolution([1.0])(x)))(V)
    gc.collect()
    assert len(blocks.BLOCKS) == before
    assert not [each for each in gc.get_objects() if type(each) is convolution and each.kernel.size == 1]


def test_the_data_of_others_is_not_changed():
    mine = V.copy()
    returns_its_operand = simple(lambda x: x, lambda x: np.ones(x.shape))
    y = ad.trace(lambda x: returns_its_operand(x) + 1.0, mine)
    assert_close(mine, V)
    assert_close(y.values[-1], V + 1)


# ---- check_block ----


def test_right_blocks_pass():
    ad.check_block(SMOOTH, V)
    ad.check_block(cube(), 2.0)
    ad.check_block(product(), V, V + 1)
    ad.check_block(ad.blocks.divide(), V, V + 1)
    ad.check_block(ad.blocks.absolute(), [-1.0, 2.0])


def test_a_wrong_entry_is_named():
    class wrong(convolution):
        def get_jacobians(self, x):
            (matrix,) = super().get_jacobians(x)
            matrix[2, 1] += 0.5
            return [matrix]

    with pytest.raises(ad.BlockError) as caught:
        ad.check_block(wrong([0.25, 0.5, 0.25]), V)
    assert "operand 0, row 2, column 1: the Block says 0.75, central differences 0.25, complex steps 0.25" in str(
        caught.value
    )
    assert str(caught.value).count("row") == 1


def test_a_wrong_second_operand_and_many_wrong_entries():
    class wrong(product):
        def get_jacobians(self, x, y):
            return [np.diag(y.data), np.zeros((4, 4))]

    with pytest.raises(ad.BlockError, match="operand 1, row 3"):
        ad.check_block(wrong(), V, V)

    with pytest.raises(ad.BlockError, match="and 7 more"):
        ad.check_block(simple(lambda x: x.data**3, lambda x: 0 * x.data), np.arange(1.0, 13.0))


def test_functions_that_do_not_take_complex_numbers_are_checked_by_central_differences():
    def with_a_branch(x):
        return np.array([float(entry) if entry > 0 else -float(entry) for entry in x.data])

    for value in (lambda x: np.abs(x.data), with_a_branch):
        ad.check_block(simple(value, lambda x: np.sign(x.data)), [-1.0, 2.0])


# ---- wrong on purpose ----


class of_wrong_shape(convolution):
    def get_jacobians(self, x):
        return [np.ones((2, 3))]


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_a_jacobian_of_the_wrong_shape_is_refused_when_it_happens(mode):
    ad.set_mode(mode)
    x = Variable(V)
    y = ad.sin(x)
    with pytest.raises(ad.BlockError, match=r"of_wrong_shape returned for operand 0 .*\(2, 3\); expected \(4, 4\)"):
        of_wrong_shape([1.0])(y)
    assert_close(y.compute_gradients(), np.diag(np.cos(V)))


def test_in_a_trace_it_is_refused_when_derivatives_are_taken():
    with pytest.raises(ad.BlockError, match="of_wrong_shape"):
        ad.grad(lambda x: np.sum(of_wrong_shape([1.0])(x)))(V)


WRONG = [
    (block(jacobians=lambda x: np.eye(4)), "an array of shape \\(4, 4\\).*a list of 1"),
    (block(jacobians=lambda x: [np.eye(4)] * 2), "a list of 2; it needs a list of 1"),
    (block(jacobians=lambda x: None), "returned None"),
    (block(jacobians=lambda x: [Dense(np.eye(3), (3,), (3,))]), r"\(3, 3\); expected \(4, 4\)"),
    (block(value=lambda x: None), "data_fn of the Block own returned None"),
    (block(value=lambda x: x.data * 1j), "not real numbers"),
]


@pytest.mark.parametrize(("wrong", "words"), WRONG)
def test_what_a_block_returns_is_checked(wrong, words):
    with pytest.raises(ad.BlockError, match=words):
        wrong(Variable(V))


def test_a_derivative_of_the_wrong_shape_is_refused():
    with pytest.raises(ad.BlockError, match=r"gradient_fn of the Block own .*\(7,\).*\(4,\)"):
        simple(lambda x: x.data**3, lambda x: np.ones(7))(Variable(V))


def test_the_interface_says_what_is_missing():
    class empty(Block):
        pass

    class without_derivative(SimpleBlock):
        def data_fn(self, x):
            return x.data

    with pytest.raises(NotImplementedError, match="empty needs data_fn"):
        empty()(2.0)

    class without_jacobians(Block):
        def data_fn(self, x):
            return x.data

    with pytest.raises(NotImplementedError, match="needs get_jacobians"):
        without_jacobians()(Variable(V))
    with pytest.raises(NotImplementedError, match="needs gradient_fn"):
        without_derivative()(Variable(V))


def test_second_derivatives_of_ones_own_block_are_refused_by_name():
    with pytest.raises(ad.MissingBlockError, match="cube has no second derivatives"):
        ad.grad(ad.grad(lambda x: np.sum(cube()(x))))(2.0)


def test_the_table_takes_no_keyword_arguments():
    with pytest.raises(TypeError, match="sin takes no keyword arguments"):
        ad.blocks.sin()(Variable(V), factor=2)


def test_a_block_cannot_write_to_its_operands():
    def value(x):
        z = x.data
        z -= z.max()
        return z

    mine, shifted = V.copy(), simple(value, lambda x: np.ones(x.shape))
    for use in (lambda: shifted(Variable(mine)), lambda: shifted(mine), lambda: ad.trace(shifted, mine)):
        with pytest.raises((ValueError, ad.ArrayWriteError), match="read-only"):
            use()
    assert_close(mine, V)


def test_settings_are_passed_by_keyword_and_are_not_variables():
    with pytest.raises(ad.BlockError, match=r"of one operand, and got 2.*by keyword"):
        scaled()(Variable(V), 3.0)
    x = Variable(V)
    with pytest.raises(ad.BlockError, match=r"keyword argument factor .* is a Variable"):
        scaled()(x, factor=x)


def test_what_is_no_block_cannot_be_checked():
    for thing in (cube, ad.blocks.sin, np.sin):
        with pytest.raises(TypeError, match="needs a Block: an instance"):
            ad.check_block(thing, V)
    ad.check_block(cube(), [])


def test_small_errors_are_told_with_digits_and_small_functions_have_small_tolerances():
    def nearly(scale):
        return simple(lambda x: scale * np.sin(x.data), lambda x: scale * np.cos(x.data) * (1 + 1e-8))

    with pytest.raises(ad.BlockError, match=r"says 0.877582571, central differences 0.877582562"):
        ad.check_block(nearly(1.0), [0.5])
    with pytest.raises(ad.BlockError, match="complex steps"):
        ad.check_block(nearly(1e-12), [0.5])


def test_a_class_of_blocks_that_is_called_like_a_block_says_so():
    for operand in (2.0, Variable(2.0)):
        with pytest.raises(ad.BlockError, match=r"cube is a class of Blocks: .* as in cube\(\)\(x\)"):
            cube(operand)
    assert convolution([1.0])(V).tolist() == V.tolist()
