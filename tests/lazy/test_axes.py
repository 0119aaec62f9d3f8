"""Named axes: what operations on ops with axes mean, against whole arrays in one order of all axes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import adviz as ad
from adviz import lazy

A, B, C = ALL = tuple(lazy.axis(name, length) for name, length in [("a", 2), ("b", 3), ("c", 4)])
SHAPE = tuple(each.length for each in ALL)
BOTH = {
    "sum": np.add,
    "product": lambda x, y: np.tanh(x * y),
    "largest": np.maximum,
    "ratio": lambda x, y: x / (2 + y * y),
}
REDUCED = {"sum": np.sum, "mean": np.mean, "largest": np.max, "variance": np.var, "product": np.prod}
NAMES = [*BOTH, *(f"{name} over" for name in REDUCED), "dot", "choice", "sine", "transposed"]


def whole(x, axes):
    """An array over all axes, in their order: the same along those that it does not have."""
    own = sorted(range(len(axes)), key=lambda k: ALL.index(axes[k]))
    shape = [each.length if each in axes else 1 for each in ALL]
    return np.broadcast_to(np.reshape(np.transpose(x, own), shape), SHAPE)


@st.composite
def programs(draw):
    """Axes of up to three inputs, in any order, and instructions: a name, two operands, and a choice of axes."""
    axes = st.lists(st.sampled_from(ALL), unique=True, max_size=3).map(tuple)
    inputs = draw(st.lists(axes, min_size=1, max_size=3))
    count = draw(st.integers(1, 6))
    instructions = []
    for k in range(len(inputs), len(inputs) + count):
        one, other = draw(st.integers(0, k - 1)), draw(st.integers(0, k - 1))
        instructions.append((draw(st.sampled_from(NAMES)), one, other, draw(axes)))
    return inputs, instructions


def by_name(values, instructions):
    """The last value of a program of ops."""
    values = list(values)
    for name, one, other, chosen in instructions:
        x, y = values[one], values[other]
        own = tuple(each for each in chosen if each in (x.axes or ()))
        if name in BOTH:
            values.append(BOTH[name](x, y))
        elif name == "dot":
            values.append(np.sin(lazy.dot(x, y)))
        elif name == "choice":
            values.append(np.where(x > 0.3, y, 0.5 * x))
        elif name == "transposed" and x.axes:
            values.append(np.transpose(x, own + tuple(each for each in x.axes if each not in own)))
        elif name.endswith("over") and own:
            values.append(REDUCED[name.removesuffix(" over")](x, axis=own))
        else:
            values.append(np.sin(x))
    return values[-1]


def over_all_axes(values, inputs, instructions):
    """The last value of the same program of whole arrays, with the set of its axes: the definition."""
    values = [(whole(x, axes), set(axes)) for x, axes in zip(values, inputs, strict=True)]
    for name, one, other, chosen in instructions:
        (x, has), (y, others) = values[one], values[other]
        own = set(chosen) & has
        if name in BOTH:
            values.append((BOTH[name](x, y), has | others))
        elif name == "dot":
            values.append((np.sin(over(np.sum, x * y, has & others)), has ^ others))
        elif name == "choice":
            values.append((np.where(x > 0.3, y, 0.5 * x), has | others))
        elif name == "transposed" and has:
            values.append((x, has))
        elif name.endswith("over") and own:
            values.append((over(REDUCED[name.removesuffix(" over")], x, own), has - own))
        else:
            values.append((np.sin(x), has))
    return values[-1]


def over(function, x, axes):
    places = tuple(ALL.index(each) for each in axes)
    return np.broadcast_to(function(x, axis=places, keepdims=True), SHAPE) if places else x


@given(programs(), st.integers(0, 99))
def test_random_programs_match_axes_as_whole_arrays_do(program, seed):
    inputs, instructions = program
    rng = np.random.default_rng(seed)
    data = [rng.uniform(-1, 1, tuple(each.length for each in axes))[()] for axes in inputs]
    params = [lazy.placeholder(axes) for axes in inputs]
    result = by_name(params, instructions)
    found = lazy.computation(result, *params)(*data)
    expected, axes = over_all_axes(data, inputs, instructions)
    assert set(result.axes or ()) == axes
    np.testing.assert_allclose(whole(found, result.axes or ()), expected, rtol=1e-12, atol=1e-12)

    used = [k for k in range(len(params)) if params[k] in result.ordered_ops()]
    loss = np.sum(np.cos(result))
    gradients = [lazy.deriv(loss, params[k]) for k in used]
    assert [gradient.axes or () for gradient in gradients] == [inputs[k] for k in used]

    def definition(*given):
        given = dict(zip(used, given, strict=True))
        value, axes = over_all_axes([given.get(k, data[k]) for k in range(len(data))], inputs, instructions)
        kept = tuple(slice(None) if each in axes else 0 for each in ALL)
        return np.sum(np.cos(value[kept]))

    if used:
        expected = ad.grad(definition, tuple(range(len(used))))(*(data[k] for k in used))
        for gradient, each in zip(lazy.computation(gradients, *params)(*data), expected, strict=True):
            np.testing.assert_allclose(gradient, each, rtol=1e-9, atol=1e-9)


# ---- what axes a result has ----


@pytest.mark.parametrize(
    ("build", "axes"),
    [
        (lambda x, y, b: x + y, (A, B)),
        (lambda x, y, b: y + x, (B, A)),
        (lambda x, y, b: b + x, (B, A)),
        (lambda x, y, b: 2 * x, (A, B)),
        (lambda x, y, b: x * lazy.placeholder((C, B)), (A, B, C)),
        (lambda x, y, b: np.sum(x), ()),
        (lambda x, y, b: x.sum(axis=B), (A,)),
        (lambda x, y, b: x.sum(axis="b"), (A,)),
        (lambda x, y, b: x.sum(axis=(B, A)), ()),
        (lambda x, y, b: x.sum(axis=()), (A, B)),
        (lambda x, y, b: x.max(axis=-1), (A,)),
        (lambda x, y, b: np.argmax(x, axis=A), (B,)),
        (lambda x, y, b: np.sum(x, axis=A, where=y > 0), (B,)),
        (lambda x, y, b: np.cumsum(x, axis=B), (A, B)),
        (lambda x, y, b: np.sort(x), (A, B)),
        (lambda x, y, b: np.clip(x, 0, b), (A, B)),
        (lambda x, y, b: x.T, (B, A)),
        (lambda x, y, b: x.transpose(B, A), (B, A)),
        (lambda x, y, b: np.swapaxes(x, A, B), (B, A)),
        (lambda x, y, b: np.swapaxes(x, axis1=A, axis2=B), (B, A)),
        (lambda x, y, b: np.clip(x, a_min=None, a_max=y), (A, B)),
        (lambda x, y, b: x.astype("float32"), (A, B)),
        (lambda x, y, b: x[0], (B,)),
        (lambda x, y, b: x[..., 0], (A,)),
        (lambda x, y, b: x[{B: 0}], (A,)),
        (lambda x, y, b: x[:, ::1], (A, B)),
        (lambda x, y, b: x[:, 1:], (A, B.part(slice(1, None)))),
        (lambda x, y, b: x[:, 1:][:, :1], (A, B.part(slice(1, 2)))),
        (lambda x, y, b: x.reshape(6), None),
        (lambda x, y, b: x @ y, ()),
        (lambda x, y, b: lazy.dot(x, b), (A,)),
        (lambda x, y, b: lazy.dot(b, x), (A,)),
        (lambda x, y, b: lazy.dot(x, y, axis=B), (A,)),
        (lambda x, y, b: lazy.sequential([x * 1.0, y * 1.0]), (B, A)),
    ],
)
def test_results_have_the_axes_of_their_operands_in_the_order_of_appearance(build, axes):
    op = build(lazy.placeholder((A, B)), lazy.placeholder((B, A)), lazy.variable((B,)))
    assert op.axes == axes
    assert axes is None or op.shape == tuple(each.length for each in axes)


def test_parts_of_one_axis_are_the_same_axis_where_their_entries_are():
    x = lazy.placeholder((C,))
    assert (x[1:] + x[1:]).axes == (C.part(slice(1, None)),)
    moved = lazy.with_axes(x[:-1], x[1:].axes)
    difference = lazy.computation(x[1:] - moved, x)
    np.testing.assert_array_equal(difference([1.0, 3.0, 7.0, 7.0]), [2.0, 4.0, 0.0])


def test_a_role_names_an_axis_as_well():
    n = lazy.axis("batch", 5, role="samples")
    assert lazy.placeholder((A, n)).mean(axis="samples").axes == (A,)


# ---- products ----


def test_an_axis_and_its_dual_make_a_square_matrix_which_can_be_multiplied():
    rng = np.random.default_rng(0)
    w, h = rng.normal(size=(4, 4)), rng.normal(size=4)
    weights, state = lazy.placeholder((C, C - 1)), lazy.placeholder((C,))
    once = lazy.dot(weights, state)
    twice, row, trace = (
        lazy.dot(weights, weights),
        lazy.dot(state, weights),
        lazy.dot(weights, weights, axis=(C, C - 1)),
    )
    assert (once.axes, twice.axes, row.axes, trace.axes) == ((C,), (C, C - 1), (C - 1,), ())
    found = lazy.computation([once, twice, row, trace], weights, state)(w, h)
    for one, other in zip(found, [w @ h, w @ w, h @ w, np.sum(w * w)], strict=True):
        np.testing.assert_allclose(one, other)


def test_axes_that_both_keep_match_in_products():
    rng = np.random.default_rng(1)
    w, v = rng.normal(size=(2, 4, 4)), rng.normal(size=(4, 4, 2))
    one, other = lazy.placeholder((A, C, C - 1)), lazy.placeholder((C, C - 1, A))
    product = lazy.dot(one, other)
    assert product.axes == (A, C, C - 1)
    found = lazy.computation(product, one, other)(w, v)
    np.testing.assert_allclose(found, w @ np.moveaxis(v, -1, 0))


def test_products_of_matrices_are_written_as_such():
    x, w = lazy.placeholder((A, B), name="x"), lazy.variable((B, C), name="w")
    assert "x @ w" in lazy.computation(lazy.dot(x, w), x).source
    assert "w.T @ x.T" in lazy.computation(lazy.dot(w, x), x).source


def test_the_example_of_the_source():
    c, w, h, n, y = (lazy.axis(name, length) for name, length in zip("CWHNY", (3, 5, 4, 7, 2), strict=True))
    x, y0 = lazy.placeholder((c, w, h, n)), lazy.placeholder((y, n))
    weights, bias = lazy.variable((c, w, h, y), np.random.default_rng(3).standard_normal), lazy.variable((y,))
    output = np.tanh(lazy.dot(weights, x) + bias)
    cost = np.sum((output - y0) ** 2)
    assert (output.axes, cost.variables()) == ((y, n), [weights, bias])
    assert lazy.deriv(cost, weights).axes == (c, w, h, y)
    data, target = np.ones((3, 5, 4, 7)), np.zeros((2, 7))

    def definition(w, b):
        return np.sum((np.tanh(np.einsum("cwhy,cwhn->yn", w, data) + b[:, None]) - target) ** 2)

    gradients = lazy.computation([lazy.deriv(cost, each) for each in cost.variables()], x, y0)(data, target)
    expected = ad.grad(definition, (0, 1))(weights.initial, bias.initial)
    for one, other in zip(gradients, expected, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


# ---- storage ----


def test_what_is_assigned_matches_by_axis_and_is_repeated():
    w, b = lazy.variable((A, B)), lazy.placeholder((B,))
    stored = lazy.computation(lazy.assign(w, b), b)
    np.testing.assert_array_equal(stored([1.0, 2.0, 3.0]), [[1, 2, 3], [1, 2, 3]])
    other, turned = lazy.variable((A, B)), lazy.placeholder((B, A))
    given = np.arange(6.0).reshape(3, 2)
    np.testing.assert_array_equal(lazy.computation(lazy.assign(other, turned), turned)(given), given.T)


def test_a_part_by_axis_can_be_assigned_to():
    w = lazy.variable((A, B))
    w[{B: 1}] = 5.0
    w[{A: 0}] += 1.0
    np.testing.assert_array_equal(lazy.computation(w)(), [[1, 6, 1], [0, 5, 0]])


# ---- derivatives ----


def test_the_adjoint_that_is_given_matches_by_axis():
    x, error = lazy.placeholder((A, B)), lazy.placeholder((B, A))
    gradient = lazy.deriv(x * x, x, error)
    assert gradient.axes == (A, B)
    data, given = np.arange(6.0).reshape(2, 3), np.ones((3, 2))
    np.testing.assert_array_equal(lazy.computation(gradient, x, error)(data, given), 2 * data)
    y = x * x
    with pytest.raises(lazy.OpError, match=r"error has the axes b \(3\), and y has a \(2\), b \(3\)"):
        lazy.deriv(y, x, lazy.placeholder((B,)))


def test_derivatives_have_the_axes_of_what_they_are_with_respect_to_also_through_casts():
    x, t = lazy.placeholder((A, B)), lazy.placeholder((C.part(slice(0, 3)), A))
    renamed = lazy.with_axes(x, (A, C.part(slice(0, 3))))
    gradient = lazy.deriv(np.sum(renamed * t), x)
    assert gradient.axes == (A, B)
    given = np.arange(6.0).reshape(3, 2)
    np.testing.assert_array_equal(lazy.computation(gradient, t)(given), given.T)
    with pytest.warns(ad.IndependentOutputWarning):
        assert lazy.deriv(np.sum(t), x).axes == (A, B)


# ---- what does not fit ----


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda x: x + lazy.placeholder((lazy.axis("a", 5), B)), r"^a \(2\) and a \(5\) are two axes of one name"),
        (lambda x: x[:, 1:] * x[:, :-1], r"^b\[1:3\] \(2\) and b\[0:2\] \(2\) are two axes of one name"),
        (lambda x: lazy.dot(x, lazy.placeholder((lazy.axis("b", 3),))), "two axes of one name"),
        (lambda x: x + np.ones(3), r"another one, of shape \(3,\), has none"),
        (lambda x: x.sum(axis=C), r"no axis c \(4\) among a \(2\), b \(3\)"),
        (lambda x: x.sum(axis="d"), "no single axis d among"),
        (lambda x: x.sum(axis=A, keepdims=True), "keepdims= is not needed"),
        (lambda x: np.cumsum(x), "cumsum needs one of the axes"),
        (lambda x: x.transpose(A), "transpose needs each of"),
        (lambda x: np.concatenate([x, x]), "concatenate has no rule by axis"),
        (lambda x: np.add.reduce(x), "reduce has no rule by axis"),
        (lambda x: np.sum(a=x), "Pass the op first"),
        (lambda x: x[[0, 1]], "Axes are kept by numbers and slices"),
        (lambda x: x[{C: 0}], r"no axis c \(4\)"),
        (lambda x: lazy.placeholder((2,))[{A: 0}], "A key by axis needs an op with axes"),
        (lambda x: lazy.placeholder((A, 3)), "axes or of lengths"),
        (lambda x: lazy.placeholder((A, A)), r"a \(2\) comes twice: take a and its dual a - 1"),
        (lambda x: lazy.with_axes(x, (A, C)), r"x has the shape \(2, 3\), and the axes are a \(2\), c \(4\)"),
        (lambda x: lazy.assign(lazy.variable((B,)), x), r"a \(2\) cannot be left out: the result has b \(3\)"),
        (lambda x: lazy.dot(lazy.placeholder((2,)), [1.0, 2.0], axis=A), "axis= needs ops with axes"),
        (lambda x: lazy.variable((B,), np.ones(4)), r"has the shape \(b \(3\),\), and the value has \(4,\)"),
        (lambda x: lazy.axis("", 3), "named by a text"),
        (lambda x: lazy.axis("d", -1), "length of the axis d is -1"),
    ],
)
def test_axes_that_do_not_fit_are_named_with_the_line(wrong, words):
    x = lazy.placeholder((A, B), name="x")
    with pytest.raises(lazy.OpError, match=words) as error:
        wrong(x)
    assert "test_axes.py" in str(error.value)


def test_values_that_do_not_fit_are_told_the_axes():
    x = lazy.placeholder((A, B), name="x")
    with pytest.raises(
        lazy.ComputationError, match=r"x has the shape \(a \(2\), b \(3\)\), and the value has \(3, 2\)"
    ):
        lazy.computation(x * 2, x)(np.ones((3, 2)))
