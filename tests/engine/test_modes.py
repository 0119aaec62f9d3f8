"""Variables and Blocks in forward and in reverse mode: the documentation's examples, and what must not happen.

The seed's examples are marked by the section they stand in; B1 … B20 are the defects of the first implementation.
"""

import contextvars
import gc
import math
import threading
import tracemalloc
import warnings
import weakref

import numpy as np
import pytest

import adviz as ad
from adviz import Block, Constant, SimpleBlock, Variable

from ..catalogue import expressions
from .derivatives import assert_close
from .test_trace import GOLDEN

V = np.array([0.2, 0.5, 0.8])
W = np.array([1.5, 0.7, 2.5])


@pytest.fixture(params=["forward", "reverse"])
def mode(request):
    ad.set_mode(request.param)
    return request.param


# ---- the documentation's examples ----


def test_data_is_a_vector_and_a_number_has_length_one(mode):
    assert Variable(3).data.shape == (1,)
    assert Variable([1, 2]).data.dtype == float
    assert_close(Variable(np.array([1, 2, 3]))[2].data, [3.0])
    assert ad.sum_elts(Variable([1, 2])).data.shape == (1,)


def test_distinct_inputs_give_a_list_of_gradients_in_the_order_of_definition(mode):
    x, y, z = Variable.multi_variables(2.0, 3.0, 0.5)
    output = x * y + ad.sin(z)
    output.compute_gradients()
    for found, expected in zip(output.gradient, ([[3.0]], [[2.0]], [[math.cos(0.5)]]), strict=True):
        assert_close(found, expected)
    assert ad.c_graph.input_shapes == [1, 1, 1]


def test_inputs_of_different_sizes(mode):
    x, numbers, z = Variable.multi_variables(2, [1, 2, 3], 5)
    assert ad.c_graph.input_shapes == [1, 3, 1]
    by_x, by_numbers, by_z = (x * numbers + z).compute_gradients()
    assert_close(by_x, [[1], [2], [3]])
    assert_close(by_numbers, 2 * np.eye(3))
    assert_close(by_z, np.ones((3, 1)))


class addition(Block):
    def data_fn(self, *args):
        return np.add(args[0].data, args[1].data)

    def get_jacobians(self, *args):
        shape = args[0].data.shape[0]
        return [np.eye(shape), np.eye(shape)]


class sine(SimpleBlock):
    def data_fn(self, args):
        return np.sin(args.data)

    def gradient_fn(self, args):
        return np.cos(args.data)


def test_the_documentations_own_blocks(mode):
    x = Variable(V)
    y = addition()(sine()(x), x)
    assert_close(y.data, np.sin(V) + V)
    assert_close(y.compute_gradients(), np.diag(np.cos(V) + 1), 1e-15)


def test_gradient_forward_is_the_jacobians_side_by_side_times_the_gradients_stacked(mode):
    x = Variable(V)
    y = ad.sin(x)
    expected = (addition()(x, y)).compute_gradients()
    assert_close(addition().gradient_forward(x, y), expected, 1e-15)
    assert_close(ad.blocks.add().gradient_forward(x, y), expected, 1e-15)


def test_a_block_tells_its_value_and_its_jacobians(mode):
    x = Variable(V)
    block = ad.blocks.sin()
    assert_close(block.data_fn(x), np.sin(V))
    assert_close(block.gradient_fn(x), np.cos(V))
    (jacobian,) = block.get_jacobians(x)
    assert_close(np.asarray(jacobian), np.diag(np.cos(V)))


def test_the_nodes_of_the_documentation():
    ad.set_mode("reverse")
    x = Variable(2)
    y = ad.sin(x)
    z = x + y
    assert x.node.childrens == []
    (child,) = y.node.childrens
    assert child["node"] is x.node
    assert_close(child["jacobian"], [[math.cos(2)]])
    assert [child["node"] for child in z.node.childrens] == [x.node, y.node]
    assert all(np.array_equal(child["jacobian"], [[1.0]]) for child in z.node.childrens)


def test_times_used_counts_edges_that_lead_to_the_output():
    ad.set_mode("reverse")
    x = Variable(3)
    y = ad.sin(x)
    output = x + x
    ad.c_graph.define_path(output.node)
    assert (x.node.times_used, y.node.times_used, output.node.times_used) == (2, 0, 0)
    assert ad.c_graph.output_node is output.node
    output.compute_gradients()
    assert (x.node.times_visited, y.node.times_visited) == (2, 0)


def test_after_compute_gradients_all_nodes_of_the_graph_have_gradients():
    ad.set_mode("reverse")
    x = Variable(V)
    y = ad.sin(x)
    z = y * y
    assert (x.gradient, z.gradient, x.node.gradient) == (None, None, None)
    z.compute_gradients()
    assert_close(z.node.gradient, np.eye(3))
    assert_close(y.node.gradient, np.diag(2 * np.sin(V)))
    assert_close(x.node.gradient, z.gradient)
    assert (x.gradient, y.gradient) == (None, None)
    assert [node.output_dim for node in (x.node, y.node, z.node)] == [3, 3, 3]
    assert x.node.id < y.node.id < z.node.id


def test_the_graph_knows_its_inputs_and_its_output():
    ad.set_mode("reverse")
    x, y = Variable.multi_variables(1.0, [2.0, 3.0])
    output = x * y
    output.compute_gradients()
    assert ad.c_graph.input_nodes == [x.node, y.node]
    assert ad.c_graph.output_node is output.node
    assert (x.input_node, output.input_node, x.constant, Constant(1).constant) == (True, False, False, True)
    ad.c_graph.reset_graph()
    assert ad.c_graph.output_node is None
    assert ad.c_graph.input_nodes == [x.node, y.node]
    assert x.node.gradient is None


def test_a_constant_takes_part_in_the_data_flow_only(mode):
    x = Variable([1.0, 2.0])
    y = Constant(7) * x + Constant([3.0, 4.0])
    assert_close(y.data, [10.0, 18.0])
    assert_close(y.compute_gradients(), 7 * np.eye(2))
    assert_close(Constant([1.0, 2.0]).gradient, np.zeros((2, 2)))  # B6
    assert_close((Constant(2) * Constant(3)).compute_gradients(), np.zeros((1, 2)))
    assert_close(Variable(5.0, constant=True).compute_gradients(), np.zeros((1, 2)))


def test_the_stored_graph_can_be_explored():
    ad.set_mode("reverse")
    x, y = Variable.multi_variables(1.0, [2.0, 3.0])
    output = ad.sum_elts(ad.sin(x) * y)
    output.compute_gradients()
    graph = ad.c_graph.graph()
    assert list(graph.block_counts()) == ["input", "sin", "multiply", "sum", "output"]
    assert [graph.name(i) for i in graph.inputs] == ["x0", "x1"]
    assert graph.origin(graph.inputs[-1] + 1).text == "ad.sin(x)"
    assert list(graph.times_used) == [1, 1, 1, 1, 0, 0]


# ---- values of the specification, section 1.5 ----


@pytest.mark.parametrize(("f", "at", "value", "slopes"), GOLDEN)
def test_golden_values_and_gradients(mode, f, at, value, slopes):
    y = f(Variable(at))
    for _ in range(2):  # gradients are computed anew, and do not add up
        assert_close(y.data, [value], 1e-13)
        assert_close(y.compute_gradients(), np.atleast_2d(slopes), 1e-13)


AGREE = """
ad.sin(x) | ad.cos(x) | ad.tan(x) | ad.arcsin(x) | ad.arccos(x) | ad.arctan(x) | ad.exp(x) | ad.sqrt(x) | ad.logistic(x)
ad.sinh(x) | ad.cosh(x) | ad.tanh(x) | ad.log(x) | ad.log(x, base=10) | ad.log(x, base=2) | ad.log(x, base=3.7) | x**4
4**x | x**-1 | -x | abs(x) | ad.sin(ad.exp(x)) | np.sin(x) | x + y | x - y | x * y | x / y | x**y | ad.add(x, y)
ad.subtract(x, y) | ad.multiply(x, y) | ad.divide(x, y) | ad.power(x, y) | x + 1 | 1 + x | x - 1 | 1 - x | x * 4 | 4 * x
x / 4 | 4 / x | ad.sum_elts(x) | ad.exp(ad.cos(ad.sin(x))) | x + W | W + x | x * [1, 2, 3] | [1, 2, 3] * x
np.float64(2) * x | x ** np.float64(2) | x ** [1, 2, 3] | ad.blocks.sin()(x) | 3 * x + ad.sum_elts(x) * y | x - x
ad.sin(ad.cos(x + 3)) + ad.exp(ad.sin(x) ** 2) | x[:2] | x[0:3:2] | x[[0, 1]] | x[1:9] | x[::-1] | x[-1] | x[2]
x[np.array([True, False, True])] | x[...] | np.max(np.outer(x, x)[0], axis=0) | x[True]
sum(np.max(row, axis=0) for row in np.outer(x, x)) | np.outer(x, y)[0] | np.concatenate([x[1:], y])
"""


@pytest.mark.parametrize("text", expressions(AGREE))
@pytest.mark.parametrize("inputs", [(V, W), (np.array([2.0, 5.0, 7.0]), np.array([3.0]))], ids=["alike", "broadcast"])
def test_variables_have_the_values_and_the_jacobians_of_traces(mode, text, inputs):
    """B4, B8, B9, B10, B11."""
    f = eval(f"lambda x, y: {text}", {"np": np, "ad": ad, "W": W})
    with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
        output = f(*Variable.multi_variables(*inputs))
        expected, value = ad.jacobian(f, (0, 1))(*inputs), ad.vjp(f, *inputs)[0]
        assert_close(output.data, np.reshape(value, output.shape), 1e-14)
        for found, one, x in zip(output.compute_gradients(), expected, inputs, strict=True):
            assert_close(found, np.reshape(one, (-1, np.size(x))), 1e-13)


# ---- errors are NumPy's ----


@pytest.mark.parametrize("text", ["x[3]", "np.outer(x, x)[3]", "x + y", "x @ y"])
def test_what_numpy_refuses_is_its_own_error_and_changes_nothing(mode, text):
    x, y = Variable.multi_variables(V, [1.0, 2.0])
    with pytest.raises((IndexError, ValueError), match=r"out of (bounds|range)|broadcast|mismatch"):
        eval(text, {"np": np, "x": x, "y": y})
    assert_close((x + x).compute_gradients()[0], 2 * np.eye(3))


# ---- B1 … B20 ----


def test_b1_nodes_are_visited_once_each():
    ad.set_mode("reverse")
    x = Variable(1.0)
    for _ in range(60):
        x = x + x * 0.0
    x.compute_gradients()
    assert ad.c_graph.input_nodes[0].times_used == 2


def test_b2_unused_inputs_have_zeros_of_the_right_shape(mode):
    x, numbers = Variable.multi_variables(2.0, [1, 2, 3])
    by_x, by_numbers = (ad.sin(x) + ad.sum_elts(numbers)).compute_gradients()
    assert_close(by_x, [[math.cos(2)]])
    assert_close(by_numbers, np.ones((1, 3)))
    by_x, by_numbers = (numbers * numbers).compute_gradients()
    assert_close(by_x, np.zeros((3, 1)))
    assert_close(by_numbers, np.diag([2, 4, 6]))


def test_b3_an_input_by_itself_is_the_identity(mode):
    x, _ = Variable.multi_variables([1.0, 2.0], 3.0)
    assert_close(x.compute_gradients()[0], np.eye(2))
    assert_close(x.compute_gradients()[1], np.zeros((2, 1)))


def test_b7_inputs_defined_one_after_the_other_do_not_mix(mode):
    x = Variable(3)
    y = Variable(4)
    with pytest.raises(ad.InputError if mode == "forward" else ad.ResetGraphError, match="multi_variables"):
        x * y
    assert_close((y * y).compute_gradients(), [[8.0]])


def test_b12_subclasses_take_part(mode):
    class Weight(Variable):
        pass

    w = Weight([1.0, 2.0])
    assert_close((w * w).compute_gradients(), np.diag([2.0, 4.0]))


def test_b13_unknown_modes_are_refused():
    ad.set_mode("reverse")
    with pytest.raises(ad.ModeError, match=r"'banana'.*'forward' or 'reverse'"):
        ad.set_mode("banana")
    assert ad.mode == "reverse"


def test_b14_comparisons_and_hashes(mode):
    x = Variable([1.0, 2.0, 3.0])
    y = Variable([3.0, 2.0, 1.0])
    assert (x == x.data).all()
    assert (x == 3).tolist() == [False, False, True]
    assert (x != 3).tolist() == [True, True, False]
    assert (x < y).tolist() == [True, False, False]
    assert (x <= y).tolist() == [True, True, False]
    assert (x > y.data).tolist() == [False, False, True]
    assert (x >= 2).tolist() == [False, True, True]
    assert {x: 1}[x] == 1


@pytest.mark.slow
def test_b15_long_chains(mode):
    y = Variable(1.0)
    for _ in range(20_000):
        y = y + 0.0
    assert_close(y.compute_gradients(), [[1.0]])


def test_b16_data_can_be_set_and_gradients_in_forward_mode_only():
    x = Variable([1.0, 2.0])
    x.set_data([3, 4])
    assert_close(x.data, [3.0, 4.0])
    x.set_gradient([[1, 2], [3, 4]])
    assert_close((2 * x).compute_gradients(), [[2, 4], [6, 8]])
    with pytest.raises(ad.InputError, match=r"\(1, 2\)"):
        x.set_gradient([[1, 2]])
    with pytest.raises(ad.InputError, match="2 numbers"):
        x.set_gradient([[1, 2, 3], [4, 5, 6]])
    assert_close(x.gradient, [[1, 2], [3, 4]])
    ad.set_mode("reverse")
    x = Variable([1.0, 2.0])
    with pytest.raises(ad.ModeError, match="cannot be set"):
        x.set_gradient(np.eye(2))
    with pytest.raises(ad.ModeError, match="cannot be set"):
        Variable(1.0, gradient=[[2.0]])
    x.set_data([5, 6])
    assert_close((x * x).compute_gradients(), np.diag([10, 12]))
    with pytest.raises(ad.InputError, match="2 numbers"):
        x.set_data([1, 2, 3])
    assert_close(x.data, [5, 6])


@pytest.mark.long
def test_b17_what_no_variable_needs_is_let_go():
    ad.set_mode("reverse")
    x = Variable(V)

    class marked(sine):
        pass

    block = marked()
    gone = weakref.ref(block)
    y = block(x)
    y.compute_gradients()
    del block
    assert gone() is not None
    ad.reset_graph()
    y = ad.sin(x)
    y.compute_gradients()
    gc.collect()
    assert gone() is None


def test_b18_two_outputs_share_nodes_without_disturbing_each_other():
    ad.set_mode("reverse")
    a = ad.sin(Variable(3.0))
    one, other = 2 * a, 3 * a
    assert_close(one.compute_gradients(), [[2 * math.cos(3)]])
    assert_close(other.compute_gradients(), [[3 * math.cos(3)]])
    assert_close(one.gradient, [[2 * math.cos(3)]])


@pytest.mark.parametrize("point", [-800.0, -40.0, 40.0, 800.0])
def test_b19_the_logistic_function_is_stable_in_its_tails(mode, point):
    y = ad.logistic(Variable(point))
    expected = math.exp(-abs(point))
    assert_close(y.data, [1.0 if point > 0 else expected], 1e-14)
    assert_close(y.compute_gradients(), [[expected]], 1e-14)


# ---- what is kept, and for whom ----


@pytest.mark.slow
def test_forward_mode_stores_no_graph():
    x = Variable([0.1, 0.2])
    y = ad.cos(ad.sin(x))
    tracemalloc.start()
    for _ in range(100):
        y = y * 0.999 + x
    gc.collect()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(5_000):
        y = y * 0.999 + x
    gc.collect()
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert after - before < 5_000 * 8  # not even one number per operation
    with pytest.raises(ad.ModeError, match="reverse"):
        y.node  # noqa: B018
    with pytest.raises(ad.ModeError, match="reverse"):
        y.backward()


def test_vectors_of_a_million_numbers_cost_what_they_are_long(mode):
    x = Variable(np.linspace(0, 1, 1_000_000))
    y = ad.exp(ad.sin(x)) * 2
    assert (y.jacobian.structure, y.jacobian.nnz) == ("diagonal", 1_000_000)
    expected = 2 * np.exp(np.sin(x.data)) * np.cos(x.data)
    assert_close(y.jacobian.jvp(np.ones(1_000_000)), expected, 1e-14)
    with pytest.raises(ad.ModeError, match="1,000,000 by 1,000,000"):
        y.compute_gradients()
    assert_close(ad.sum_elts(y).compute_gradients(), expected[None], 1e-14)


def test_threads_have_modes_and_inputs_of_their_own():
    ad.set_mode("reverse")
    x = Variable(2.0)
    seen = []

    def other():
        seen.append(ad.mode)
        y = Variable(5.0)
        seen.append((y * y).compute_gradients()[0, 0])
        seen.append(ad.c_graph.input_nodes)

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert seen == ["forward", 10.0, []]
    assert ad.mode == "reverse"
    assert_close((x * x).compute_gradients(), [[4.0]])


def test_contexts_have_modes_and_inputs_of_their_own():
    ad.set_mode("reverse")
    x = Variable(2.0)

    def other():
        y = Variable(5.0)
        return (y * y).compute_gradients()[0, 0]

    assert contextvars.copy_context().run(other) == 10.0
    assert_close((x * x).compute_gradients(), [[4.0]])
    assert ad.c_graph.input_nodes == [x.node]


# ---- graphs that are no more ----


def test_a_variable_of_a_graph_that_was_replaced_is_an_error_not_a_wrong_number():
    ad.set_mode("reverse")
    x = Variable(3.0)
    y = ad.sin(x)
    z = Variable(1.0)
    for use in (lambda: ad.cos(y), y.compute_gradients, lambda: y.node, lambda: x * x, y.backward, lambda: x + z):
        with pytest.raises(ad.ResetGraphError, match="another input Variable was defined"):
            use()
    assert_close((z * z).compute_gradients(), [[2.0]])


def test_after_a_reset_gradients_are_computed_again():
    """The seed's own: ``reset_graph``, then ``compute_gradients`` of the same Variable; once forgotten, too."""
    ad.set_mode("reverse")
    x = Variable(0.0)
    y = ad.sin(x) + ad.cos(x)
    for _ in range(3):
        assert_close(y.compute_gradients(), [[1.0]])
        ad.reset_graph()
    assert_close(y.compute_gradients(), [[1.0]])
    assert_close(y.compute_gradients(), [[1.0]])


def test_after_a_reset_what_was_computed_before_can_be_computed_with():
    ad.set_mode("reverse")
    x = Variable(3.0)
    y = ad.sin(x)
    ad.reset_graph()
    assert_close((ad.cos(y) * x).compute_gradients(), [[ad.grad(lambda x: np.cos(np.sin(x)) * x)(3.0)]])
    ad.set_mode("reverse")  # begins with a reset
    assert_close((y * y).compute_gradients(), [[2 * math.sin(3.0) * math.cos(3.0)]])


def test_a_reset_zeroes_the_gradients_and_how_often_nodes_were_used():
    ad.set_mode("reverse")
    x = Variable(2.0)
    y = x * x
    z = y + x
    z.compute_gradients()
    assert (x.node.times_used, x.node.times_visited, y.node.times_used) == (3, 3, 1)
    ad.c_graph.reset_graph()
    for node in (x.node, y.node, z.node):
        assert (node.gradient, node.times_used, node.times_visited) == (None, 0, 0)
    assert [len(node.childrens) for node in (x.node, y.node, z.node)] == [0, 2, 2]
    ad.c_graph.define_path(y.node)
    assert (x.node.times_used, y.node.times_used, z.node.times_used) == (2, 0, 0)


def test_a_graph_needs_an_output_to_be_drawn():
    ad.set_mode("reverse")
    Variable(1.0)
    with pytest.raises(ad.ModeError, match="no output yet"):
        ad.c_graph.graph()


def test_a_gradient_without_an_input_is_refused_in_a_new_context():
    with pytest.raises(ad.ModeError, match="no input Variable"):
        contextvars.Context().run(lambda: Variable(1.0, gradient=[[1.0]], input_node=False))


def test_a_variable_that_is_no_input_may_bring_its_gradient():
    x = Variable([1.0, 2.0])
    y = Variable([5.0], gradient=[[2.0, 3.0]], input_node=False)
    assert_close((y * x[0]).compute_gradients(), [[7.0, 3.0]])
    assert_close(Variable(5.0, input_node=False).compute_gradients(), [[0.0, 0.0]])


# ---- bad input ----


@pytest.mark.parametrize("data", ["a", None, 1j, [1, "b"], [[1, 2], [3]], {}, np.array([1 + 2j])])
def test_what_is_not_made_of_real_numbers_is_refused(mode, data):
    with pytest.raises(ad.InputError, match="not real numbers"):
        Variable(data)


def test_matrices_are_refused_with_what_to_do(mode):
    with pytest.raises(ad.InputError, match=r"shape \(2, 2\).*ad\.grad"):
        Variable(np.eye(2))


def test_division_by_zero_and_powers_without_derivative_say_where(mode):
    x, y = Variable.multi_variables([1.0, -2.0], [0.0, 2.0])
    with pytest.raises(ad.DomainError, match=r"Division by zero(.|\n)*test_modes.py"):
        x / y
    with pytest.raises(ad.DomainError, match="base greater than 0"):
        x**y
    assert_close((x**2).data, [1.0, 4.0])
    assert_close((x + y).data, [1.0, 0.0])


def test_bases_of_logarithms(mode):
    x = Variable(2.0)
    for base in (0, -2, 1, math.nan, x):
        with pytest.raises(ad.DomainError, match="base of a logarithm"):
            ad.log(x, base=base)


def test_infinity_is_reported_where_it_is_born(mode):
    x = Variable(0.0)
    with pytest.warns(ad.NonFiniteWarning, match="infinity arises in log"):
        y = ad.log(x)
    assert y.data == -np.inf


def test_what_a_gradient_was_computed_from_cannot_be_written_to(mode):
    mine = np.array([1.0, 2.0])
    x = Variable(mine)
    y = x * x
    z = y[:]
    for variable in (x, y, z, x + mine):
        with pytest.raises(ValueError, match="read-only"):
            variable.data[0] = 100.0
    mine[0] = 50.0
    assert_close(y.compute_gradients(), np.diag([2.0, 4.0]))


def test_plain_arrays_of_variables_are_refused_with_what_to_do(mode):
    x = Variable([1.0, 2.0])
    for make in (lambda: np.array([x[0], x[1]]), lambda: np.asarray(x)):
        with pytest.raises(ad.ConversionError, match=r"np\.concatenate"):
            make()
    assert_close(np.concatenate([x[1], x[0]]).compute_gradients(), [[0, 1], [1, 0]])
    with pytest.raises(ad.InputError, match="a Variable already"):
        Variable(x)


# ---- two axes: as in NumPy ----


@pytest.mark.parametrize(
    "key", [0, -1, np.int64(1), (0, 1), (slice(None), 0), (0, slice(None)), (None, 0), ..., [1, 0]]
)
def test_arrays_of_two_axes_are_indexed_as_in_numpy(mode, key):
    data = np.arange(6.0).reshape(2, 3)
    x = Variable(data.ravel())
    found, expected = np.reshape(x, (2, 3))[key], np.atleast_1d(data[key])
    assert (found.shape, found.data.tolist()) == (expected.shape, expected.tolist())
    assert_close(found.compute_gradients(), np.eye(6)[expected.ravel().astype(int)])


def test_numbers_inside_a_function_of_numpy_have_no_axes(mode):
    x = Variable([1.0, 2.0, 3.0, 4.0])
    square = np.reshape(x, (2, 2))
    assert np.linalg.norm(square, 1, axis=(0, 1), keepdims=True).shape == (1, 1)
    assert_close(np.poly(x).data, np.poly([1.0, 2.0, 3.0, 4.0]))
    assert [part.shape for part in np.linalg.slogdet(square)] == [(), (1,)]
