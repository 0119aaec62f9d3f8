"""What is compiled: Jacobians whole, in part and sparse, gradients, Hessians, products; and what cannot be."""

import contextlib
import warnings
from functools import partial
from inspect import signature

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array, csr_array

import adviz as ad
from adviz.engine.calls import leaves
from adviz.kernels.program_errors import ProgramError

from ..engine.derivatives import assert_close
from .running import any_order, batch, functions, matrices, order_of, point, quiet, run

LAYOUTS = st.sampled_from(["first", "last"])
pytestmark = [
    pytest.mark.usefixtures("double_precision"),
    pytest.mark.filterwarnings("ignore::adviz.IndependentOutputWarning"),
]


def flat(structure, count, points="first"):
    """All numbers of a structure, a row for each point."""
    found = [np.moveaxis(np.asarray(leaf), 0 if points == "first" else -1, 0) for _, leaf in leaves(structure, "")]
    return np.concatenate([leaf.reshape(count, int(np.prod(leaf.shape[1:]))) for leaf in found], axis=1)


def loss(program):
    """All results of a random function in one number."""
    return partial(program.loss, np)


# ---- parts of a Jacobian ----


@given(functions(size=8), any_order, st.data())
@settings(max_examples=40)
def test_some_inputs_and_outputs_have_the_entries_of_the_whole(program, order, data):
    f, example = run(program), program.inputs()
    arrays = batch(program.shapes, 20)
    whole = ad.compile_jacobian(f, *example)(*arrays)
    several = len(program.shapes) > 1
    inputs = data.draw(
        st.lists(st.integers(-len(example), len(example) - 1), max_size=4) | st.integers(0, len(example) - 1)
    )
    outputs = data.draw(st.lists(st.integers(0, len(program.outputs) - 1), min_size=1, max_size=4) | st.just(-1))
    chosen = partial(f) if isinstance(outputs, int) else f
    part = ad.compile_jacobian(chosen, *example, inputs=inputs, outputs=outputs)(*arrays)

    def columns(row):
        row = row if several else (row,)
        return row[inputs] if isinstance(inputs, int) else tuple(row[k] for k in inputs)

    if isinstance(outputs, int):
        expected = whole.values[outputs], columns(whole.jacobian[outputs])
    else:
        expected = tuple(whole.values[k] for k in outputs), tuple(columns(whole.jacobian[k]) for k in outputs)
    for one, other in zip(part, expected, strict=True):
        paired = zip(leaves(one, ""), leaves(other, ""), strict=True)
        for (name, found), (same_name, wanted) in paired:
            assert name == same_name
            assert_close(found, wanted, 1e-10)


def test_places_may_be_numpys_numbers():
    f = lambda x, y: (x * y, y)  # noqa: E731
    assert ad.compile_jacobian(f, 2.0, 3.0, inputs=np.int64(1), outputs=np.int64(0))(2.0, 3.0) == (6.0, 2.0)
    assert ad.compile_jacobian(f, 2.0, 3.0, inputs=np.arange(1))(2.0, 3.0).jacobian == ((3.0,), (0.0,))


def test_what_is_not_asked_for_is_not_computed():
    program = ad.compile_jacobian(lambda x, y: (np.sin(x), np.exp(y)), 1.0, 1.0, outputs=0, inputs=0)
    assert {each.operation for each in program.schedule.instructions} == {"sin", "cos"}
    assert program(0.0, 0.0) == (0.0, 1.0)


# ---- sparse ----


@given(functions(size=10), any_order, st.sampled_from([None, 0, 1, 30]), LAYOUTS)
@settings(max_examples=60)
def test_sparse_forms_are_the_dense_one_without_structural_zeros(program, order, count, points):
    f, example = run(program), program.inputs()
    given_order = order_of(f, example, order)
    arrays = batch(program.shapes, count or 0, points) if count is not None else example
    build = partial(ad.compile_jacobian, f, *example, order=given_order, points=points)
    dense, coo, csr = (build(form=form)(*arrays) for form in ("dense", "coo", "csr"))
    one_more = [np.asarray(x)[None] for x in example] if count is None else arrays
    _, expected = matrices(
        build()(*one_more) if points == "first" or count is not None else dense_of(build, example),
        program.shapes,
        points,
    )
    for sparse in (coo, csr):
        data = np.moveaxis(np.asarray(sparse.jacobian.data), 0 if points == "first" else -1, 0)
        rows = np.atleast_2d(data) if count is None else data
        for k, numbers in enumerate(rows):
            assert_close(scipy_array(sparse.jacobian._replace(data=numbers)).toarray(), expected[k], 1e-12)
        for (_, one), (_, other) in zip(leaves(sparse.values, ""), leaves(dense.values, ""), strict=True):
            np.testing.assert_array_equal(one, other)
    assert np.all(np.diff(csr.jacobian.indptr) >= 0)


def dense_of(build, example):
    return build()(*(np.asarray(x)[..., None] for x in example))


def scipy_array(found):
    """SciPy's matrix at one point."""
    if hasattr(found, "indptr"):
        return csr_array((found.data, found.indices, found.indptr), shape=found.shape)
    return coo_array((found.data, (found.rows, found.columns)), shape=found.shape)


# ---- gradients and Hessians ----


@given(functions(size=10), any_order, st.sampled_from([0, 1, 30]), LAYOUTS)
@settings(max_examples=40)
def test_gradients_are_those_of_the_engine(program, order, count, points):
    f, example = loss(program), program.inputs()
    found = ad.compile_gradient(f, *example, order=order_of(f, example, order), points=points)
    arrays = batch(program.shapes, count, points)
    value, gradient = found(*arrays)
    assert np.shape(value) == (count,)
    for k in {0, count - 1} & {*range(count)}:
        alone = point(arrays, k, points)
        expected, slopes = ad.value_and_grad(f, argnums=tuple(range(len(example))))(*alone)
        assert_close(value[k], expected, 1e-12)
        assert_close(flat(gradient, count, points)[k], np.concatenate([np.ravel(slope) for slope in slopes]), 1e-10)
        assert_close(value[k], found(*alone).value, 1e-12)


@given(functions(size=6), st.sampled_from(["forward", "reverse", "markowitz", "best"]))
@settings(max_examples=30)
def test_hessians_are_those_of_the_engine_and_symmetric(program, order):
    f, example = loss(program), program.inputs()
    places = tuple(range(len(example)))
    found = ad.compile_hessian(f, *example, order=order)
    arrays = batch(program.shapes, 15)
    many = found(*arrays)
    widths = [int(np.prod(shape)) for shape in program.shapes]
    blocks = [
        np.reshape(leaf, (15, *pair)) for (_, leaf), pair in zip(leaves(many.hessian, ""), pairs(widths), strict=True)
    ]
    n = len(widths)
    whole = np.concatenate([np.concatenate(blocks[n * p : n * p + n], axis=2) for p in range(n)], axis=1)
    np.testing.assert_array_equal(whole, np.swapaxes(whole, 1, 2))
    alone = point(arrays, 3)
    expected = ad.hessian(f, argnums=places)(*alone)
    rows = [
        np.concatenate([np.reshape(b, (-1, w)) for b, w in zip(row, widths, strict=True)], axis=1) for row in expected
    ]
    assert_close(whole[3], np.concatenate(rows), 1e-8)
    once = found(*alone)
    assert_close(once.value, many.value[3], 1e-12)
    for (_, one), (_, other) in zip(leaves(once.hessian, ""), leaves(many.hessian, ""), strict=True):
        assert_close(one, other[3], 1e-9)
    for (_, one), (_, other) in zip(leaves(once.gradient, ""), leaves(many.gradient, ""), strict=True):
        assert_close(one, other[3], 1e-10)


def pairs(widths):
    return [(p, q) for p in widths for q in widths]


def test_a_hessian_by_some_inputs_has_their_structure():
    def f(q, x):
        return q["a"] ** 2 * x[0] * x[1] + q["b"]

    arguments = {"a": 3.0, "b": 1.0}, np.array([2.0, 5.0])
    by_x = ad.compile_hessian(f, *arguments, inputs=1)
    np.testing.assert_array_equal(by_x(*arguments).hessian, [[0.0, 9.0], [9.0, 0.0]])
    whole = ad.compile_hessian(f, *arguments)(*arguments)
    expected = ad.hessian(f, argnums=(0, 1))(*arguments)
    for (name, one), (same, other) in zip(leaves(whole.hessian, ""), leaves(expected, ""), strict=True):
        assert name == same
        assert_close(one, other, 1e-14)
    assert whole.value == 91.0


# ---- products ----


@given(functions(size=10), any_order.map(lambda order: order[0]), st.sampled_from([None, 0, 1, 30]), LAYOUTS)
@settings(max_examples=40)
def test_tangents_and_adjoints_are_products_with_the_jacobian(program, kind, count, points):
    f, example = run(program), program.inputs()
    order = kind if kind == "best" else ["forward", "reverse", "markowitz"][len(kind) % 3]
    jvp = ad.compile_jvp(f, *example, order=order, points=points)
    vjp = ad.compile_vjp(f, *example, order=order, points=points)
    many = count or 1
    arrays, along = batch(program.shapes, many, points), batch(program.shapes, many, points, seed=1)
    found = ad.compile_jacobian(f, *example, points=points)(*arrays)
    shapes = [leaf.shape[1:] if points == "first" else leaf.shape[:-1] for _, leaf in leaves(found.values, "")]
    back = tuple(batch(shapes, many, points, seed=2))
    _, jacobians = matrices(found, program.shapes, points)
    pushed, pulled = jvp(tuple(arrays), tuple(along)), vjp(tuple(arrays), back)
    assert_close(
        flat(pushed.tangents, many, points), np.einsum("nyx,nx->ny", jacobians, flat(along, many, points)), 1e-10
    )
    assert_close(
        flat(pulled.adjoints, many, points), np.einsum("nyx,ny->nx", jacobians, flat(back, many, points)), 1e-10
    )
    for (_, one), (_, other) in zip(leaves(pushed.values, ""), leaves(pulled.values, ""), strict=True):
        np.testing.assert_array_equal(one, other)
    if count is None:
        once = jvp(tuple(point(arrays, 0, points)), tuple(point(along, 0, points)))
        for (_, one), (_, other) in zip(leaves(once.tangents, ""), leaves(pushed.tangents, ""), strict=True):
            assert_close(one, other[0] if points == "first" else other[..., 0], 1e-12)


@given(functions(size=6), st.sampled_from(["forward", "reverse", "markowitz", "best"]))
@settings(max_examples=30)
def test_hessians_times_tangents_are_those_of_the_engine(program, order):
    f, arrays, along = loss(program), batch(program.shapes, 5), batch(program.shapes, 5, seed=1)
    found = ad.compile_hvp(f, *program.inputs(), grain="scalar", order=order)(tuple(arrays), tuple(along))
    at, tangents = (tuple(point(each, 3)) for each in (arrays, along))
    expected = f(*at), ad.grad(f, tuple(range(len(at))))(*at), ad.hvp(f, at, tangents)
    for (_, one), (_, other) in zip(leaves(found, ""), leaves(expected, ""), strict=True):
        assert_close(one[3], other, 1e-8)


def test_products_with_results_that_depend_on_nothing():
    f = lambda x: (2.0, x * x, np.array([1.0, 3.0]), x)  # noqa: E731
    adjoint = (7.0, 10.0, np.ones(2), 1.0)
    assert ad.compile_vjp(f, 3.0)((3.0,), adjoint).adjoints == (61.0,)
    tangents = ad.compile_jvp(f, 3.0)((3.0,), (10.0,)).tangents
    assert (tangents[0], tangents[1], tangents[3]) == (0.0, 60.0, 10.0)
    np.testing.assert_array_equal(tangents[2], [0.0, 0.0])


def test_products_keep_the_structure_of_arguments_and_results():
    f = lambda q, x: {"sum": q["a"] + x[0], "all": [q["a"] * x[1]]}  # noqa: E731
    example = {"a": 2.0}, (1.0, np.ones(2))
    pulled = ad.compile_vjp(f, *example)(example, {"sum": 1.0, "all": [np.array([1.0, 10.0])]})
    assert pulled.adjoints[0] == {"a": 12.0}
    assert pulled.adjoints[1][0] == 1.0
    np.testing.assert_array_equal(pulled.adjoints[1][1], [2.0, 20.0])


@pytest.mark.parametrize("x", [2.0, np.array([2.0, 5.0])])
def test_jacobians_of_lists_and_dicts_of_numbers_have_their_structure(x):
    f = lambda x, y: {"list": [x, 3 * x * y], "number": x * x}  # noqa: E731
    one = ad.compile_jacobian(f, 1.0, 1.0, inputs=0)(x, 2.0)
    both = ad.compile_jacobian(f, 1.0, 1.0)(x, 2.0)
    for found, wanted in zip((one.jacobian["list"][1], one.jacobian["number"]), (6.0, 2 * x), strict=True):
        assert_close(found, wanted + 0 * x)
    for (name, found), wanted in zip(leaves(both.jacobian, ""), (1.0, 0.0, 6.0, 3 * x, 2 * x, 0.0), strict=True):
        assert_close(found, wanted + 0 * x, message=name)


# ---- orders that do not fit ----

ORDERS = {
    "no such name": ("sideways", "There is no order 'sideways'"),
    "too short": ([], "every intermediate is eliminated once"),
    "of another graph": ([97, 98, 99], "97"),
    "edges of another graph": ([("front", 97, 98)], "97"),
    "faces of another graph": ([((97, 98), (98, 99))], "97"),
    "a number": (3, "order"),
    "None": (None, "order"),
    "an input": ([0], "only intermediates|eliminated once|no vertex 0"),
}


@pytest.mark.parametrize("name", ORDERS)
@pytest.mark.parametrize("build", [ad.compile_jacobian, ad.compile_gradient, ad.compile_hessian, ad.compile_jvp])
def test_an_order_that_does_not_fit_is_an_order_error(name, build):
    order, message = ORDERS[name]
    with pytest.raises(ad.OrderError, match=message):
        build(lambda x: np.sin(np.cos(x) * x) * x, 1.0, order=order)


def test_what_an_order_leaves_out_is_told_by_its_name_in_the_source():
    def f(x, y):
        inner = np.sin(x)
        return np.where(inner > 0, inner * inner, y)

    with pytest.raises(ad.OrderError, match="leaves inner out"):
        ad.compile_jacobian(f, 1.0, 2.0, order=[])


# ---- what cannot be compiled ----


def branch_in_a_try(x):
    try:
        return x if x > 0 else -x
    except ValueError:
        return 0.5 * x


def whole_number_in_a_try(x):
    y = 3.0 * x
    with contextlib.suppress(Exception):
        y = x * int(np.argmax(np.stack([x, -x])))
    return y


REFUSED = {
    "a branch where errors are caught": (branch_in_a_try, ad.BranchError),
    "an index where errors are caught": (whole_number_in_a_try, ad.BranchError),
    "a branch": (lambda x: x if x > 0 else -x, ad.BranchError),
    "a loop until it is enough": (lambda x: next(k for k in range(9) if x * k > 1), ad.BranchError),
    "the larger one of Python": (lambda x: max(x, 0.0), ad.BranchError),
    "sorting": (lambda x: np.sort(np.stack([x, -x])), ad.BranchError),
    "an index that is found": (lambda x: np.stack([x, -x])[np.argmax(np.stack([x, -x]))], ad.BranchError),
    "a mask": (lambda x: np.stack([x, -x])[np.stack([x, -x]) > 0], ad.BranchError),
    "a whole number": (lambda x: np.arange(3)[int(x)], ad.ConversionError),
    "complex numbers": (lambda x: x + 1j, ad.OutputError),
    "no numbers": (lambda x: "text", ad.OutputError),
    "nothing": (lambda x: None, ad.OutputError),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_holds_at_some_points_only_is_refused_with_its_line(name):
    f, kind = REFUSED[name]
    with pytest.raises(kind) as caught:
        ad.compile_jacobian(f, 1.0, grain="scalar")
    if kind is ad.BranchError:
        assert "test_compiling.py" in str(caught.value)


@pytest.mark.parametrize("build", [ad.compile_gradient, ad.compile_hessian])
@pytest.mark.parametrize("f", [lambda x: (x, x), lambda x: np.stack([x, x]), lambda x: {"a": x}])
def test_gradients_are_of_one_number(build, f):
    with pytest.raises(ad.OutputError, match="one number"):
        build(f, 1.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"form": "ell"}, "form is 'ell'"),
        ({"inputs": 2}, "inputs has 2; expected numbers from 0 to 0"),
        ({"inputs": [0, "x"]}, "inputs has 'x'"),
        ({"inputs": 0.5}, "inputs has 0.5"),
        ({"outputs": 0}, "returns one. Leave it out"),
        ({"points": "rows"}, "points is 'rows'"),
    ],
)
def test_options_that_make_no_sense(options, message):
    with pytest.raises(ProgramError, match=message):
        ad.compile_jacobian(lambda x: x * x, 1.0, **options)


def test_results_that_depend_on_nothing_are_warned_of():
    with warnings.catch_warnings(action="error"), pytest.raises(ad.IndependentOutputWarning):
        ad.compile_jacobian(lambda x: (x, 2.0), 1.0)
    with quiet():
        assert ad.compile_jacobian(lambda x: (x, 2.0), 1.0)(3.0) == ((3.0, 2.0), (1.0, 0.0))


# ---- the public functions ----

OPTIONS = ["grain", "points", "backend", "threads", "branches", "fast", "settings"]
OWN = {
    ad.compile_jacobian: ["order", "inputs", "outputs", "form"],
    ad.compile_gradient: ["order", "inputs", "batch", "checkpoints"],
    ad.compile_hessian: ["order", "inputs"],
    ad.compile_jvp: ["order"],
    ad.compile_vjp: ["order", "checkpoints"],
    ad.compile_hvp: ["order"],
    ad.compile: [],
}


@pytest.mark.parametrize("build", OWN)
def test_the_signature_has_the_options_of_a_function_and_those_of_all(build):
    assert list(signature(build).parameters) == ["f", "example", *OWN[build], *OPTIONS]


def test_the_former_name_of_the_adjoints_warns():
    pulled = ad.compile_vjp(lambda x: x * x, 1.0)((3.0,), 10.0)
    with pytest.warns(DeprecationWarning, match="cotangents is called adjoints now"):
        assert pulled.cotangents == pulled.adjoints == (60.0,)
