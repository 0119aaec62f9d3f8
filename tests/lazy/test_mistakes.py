"""The mistakes that people make with ops: each is told in a sentence, with the line that is to be changed."""

import numpy as np
import pytest

import adviz as ad
from adviz import lazy

SHAPES = [(), (0,), (1,), (2,), (3,), (2, 3), (3, 2), (3, 3), (1, 3), (2, 2, 3), (0, 3)]
OF_ONE = {
    "sum": lambda x: np.sum(x, axis=1),
    "sum from the end": lambda x: np.sum(x, axis=-2),
    "mean": lambda x: np.mean(x, axis=2),
    "max": np.max,
    "min of columns": lambda x: np.min(x, axis=0, keepdims=True),
    "reshape": lambda x: x.reshape(2, 3),
    "broadcast": lambda x: np.broadcast_to(x, (4, 3)),
    "transpose": lambda x: np.transpose(x, (1, 0)),
    "roll": lambda x: np.roll(x, 1, axis=1),
    "inverse": np.linalg.inv,
    "index": lambda x: x[1],
    "indices": lambda x: x[[0, 2]],
    "standard deviation": lambda x: np.std(x, axis=1),
}
OF_TWO = {
    "add": np.add,
    "matmul": np.matmul,
    "dot": np.dot,
    "vdot": np.vdot,
    "solve": np.linalg.solve,
    "concatenate": lambda x, y: np.concatenate([x, y]),
    "where": lambda x, y: np.where(x > 0, x, y),
    "einsum": lambda x, y: np.einsum("ij,jk", x, y),
}


def computed(function, shapes):
    """Shape and dtype of what NumPy gives at arrays of these shapes; the error, if it gives none."""
    arrays = [np.ones(shape) + (np.eye(shape[-1]) if shape and shape[-2:] == shape[-1:] * 2 else 0) for shape in shapes]
    try:
        found = np.asarray(function(*arrays))
    except (ValueError, IndexError, np.linalg.LinAlgError):
        return None
    return found.shape, found.dtype


def built(function, shapes):
    try:
        op = function(*(lazy.variable(shape, 1.0) for shape in shapes))
    except lazy.OpError:
        return None
    return op.shape, op.dtype


@pytest.mark.parametrize("function", OF_ONE.values(), ids=OF_ONE)
def test_shapes_that_numpy_refuses_are_refused_where_the_op_is_built(function):
    for shape in SHAPES:
        assert built(function, [shape]) == computed(function, [shape]), shape


@pytest.mark.parametrize("function", OF_TWO.values(), ids=OF_TWO)
def test_two_shapes_that_numpy_refuses_are_refused_where_the_op_is_built(function):
    for one in SHAPES:
        for other in SHAPES:
            assert built(function, [one, other]) == computed(function, [one, other]), (one, other)


def traced_with_op(w):
    return ad.trace(lambda q: np.sum(q * w), np.ones(2))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda w, n: w + "a", "add cannot be built of str: operands are ops, numbers and arrays"),
        (lambda w, n: w + None, "add cannot be built of None: operands are ops, numbers and arrays"),
        (lambda w, n: w @ np.ones((3, 3)), r"matmul cannot be built of shapes \(2,\), \(3, 3\): the last axis"),
        (lambda w, n: np.tensordot(w[0], w[0], 1), "a number has no axes"),
        (lambda w, n: np.copyto(w, 1.0), "copyto writes into an array, and an op has no value yet. Assign"),
        (lambda w, n: np.add.at(w, 0, 1.0), "at writes into an array"),
        (lambda w, n: traced_with_op(w), "an op can neither be traced nor take part in a trace"),
        (lambda w, n: f"{w[0]:.2f}", "cannot be written in the format '.2f'"),
        (lambda w, n: float(n), "n has no value until a computation runs. It cannot become a plain number"),
        (lambda w, n: lazy.constant([w, w]), "w has no value .* cannot become a plain array"),
        (lambda w, n: lazy.constant("zeros"), "A constant is made of real numbers, and this is str"),
        (lambda w, n: lazy.variable([1.0, 2.0]), r"A shape is made of whole numbers, .* passed as initial="),
        (lambda w, n: lazy.placeholder((None, 3)), r"whole numbers, and not of \(None, 3\)"),
        (lambda w, n: lazy.variable((2,), dtype="floaty"), "'floaty' not understood"),
        (lambda w, n: lazy.variable((2,), "zeros"), "variable takes real numbers, and the value is of str"),
        (lambda w, n: n.__iadd__(0.5), "n is of int64, and would lose what add gives, of float64"),
        (lambda w, n: lazy.doall(w), r"w is one op; what is to run is a list of ops, as in \[w\]"),
        (lambda w, n: lazy.sequential(w), "w is one op"),
        (lambda w, n: lazy.deriv(np.sum(w), [w]), "list has no value to differentiate"),
        (lambda w, n: lazy.deriv(np.sum(w) * n, n), "n is of int64; derivatives are those of real numbers"),
        (lambda w, n: lazy.deriv(w, w, 1.0), r"error has the shape \(\), and w has \(2,\)"),
        (lambda w, n: lazy.computation(n, n), "A parameter of a computation is a placeholder, and not n"),
        (lambda w, n: lazy.computation(w, store={}), "store= is an ad.lazy.Store, and not dict"),
        (lambda w, n: lazy.shared["w"], "and not str"),
        (lambda w, n: lazy.shared[w + 1], "what is in variables and placeholders, and not add, which is add"),
    ],
)
def test_a_mistake_is_told_with_its_line(wrong, words):
    w, n = lazy.variable((2,), 1.0), lazy.variable((), 0, dtype=np.int64)
    with pytest.raises((lazy.OpError, lazy.ComputationError), match=words) as error:
        wrong(w, n)
    assert "test_mistakes.py" in str(error.value)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "x takes real numbers, and the value is of NoneType"),
        ([[1], [2, 3]], "x has the shape .* and the value is no array"),
        ([1j, 2], "of complex128"),
        ([1.5, 2], "x takes int64, and the value is of float64; converting it would change it"),
    ],
)
def test_what_cannot_be_a_value_of_a_parameter_is_told(value, words):
    x = lazy.placeholder((2,), np.int64)
    with pytest.raises(lazy.ComputationError, match=words):
        lazy.computation(x + 1, x)(value)


def test_values_that_stay_what_they_are_are_converted():
    x = lazy.placeholder((2,), np.int64)
    np.testing.assert_array_equal(lazy.computation(x + 1, x)([1.0, 2.0]), [2, 3])


def test_a_parameter_is_named_once():
    x = lazy.placeholder(())
    with pytest.raises(lazy.ComputationError, match="x is a parameter twice"):
        lazy.computation(x + 1, x, x)


def test_what_others_call_the_value_is_told():
    w = lazy.variable(())
    with pytest.raises(AttributeError, match=r"no attribute 'numpy'. Its value is ad.lazy.computation\(w\)\(\)"):
        w.numpy()
    with pytest.raises(AttributeError, match=r"no attribute 'color'\.$"):
        _ = w.color


def test_a_view_that_is_built_twice_is_two_ops():
    w = lazy.variable((2,), 3.0)
    with pytest.warns(ad.IndependentOutputWarning, match="Each view is an op of its own: name it once"):
        lazy.deriv(w[0] ** 2, w[0])
    first = w[0]
    assert lazy.computation(lazy.deriv(first**2, first))() == 6.0


def test_a_file_that_was_not_saved_by_adviz_is_told(tmp_path):
    (tmp_path / "text.npz").write_text("hello")
    np.save(tmp_path / "one.npy", np.ones(2))
    for name in ("text.npz", "one.npy"):
        with pytest.raises(lazy.ComputationError, match=r"is no \.npz file; what ad\.lazy\.save has written is one"):
            lazy.load(tmp_path / name, [lazy.variable((2,))])
