"""What the array API standard lacks, against NumPy, in a strict library and in those that have more than it says."""

import dis
import itertools

import array_api_strict
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adviz.kernels.backends import standard_functions
from adviz.kernels.backends.standard_functions import NAMES, bound_to, needed_by, source_of

LIBRARIES = {"numpy": np, "strict": array_api_strict, "jax": jnp}
RNG = np.random.default_rng(0)
A = RNG.normal(size=(3, 4, 5))
pytestmark = pytest.mark.usefixtures("double_precision")


@pytest.fixture(params=LIBRARIES, name="xp")
def library(request):
    return LIBRARIES[request.param]


def there(xp, value):
    if isinstance(value, tuple):
        return tuple(there(xp, each) for each in value)
    return xp.asarray(value) if isinstance(value, np.ndarray) else value


def check(xp, name, arguments, expected, tolerance=1e-13):
    found = np.asarray(bound_to(xp)[name](*(there(xp, each) for each in arguments)))
    assert found.shape == np.shape(expected)
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


# ---- keys ----

PARTS = st.one_of(
    st.integers(-3, 2),
    st.builds(slice, st.none() | st.integers(-3, 3), st.none() | st.integers(-3, 3), st.sampled_from([None, 1, 2, -1])),
    st.just(None),
    st.lists(st.integers(-3, 2), min_size=2, max_size=2).map(np.array),
    st.lists(st.integers(-3, 2), min_size=4, max_size=4).map(lambda k: np.array(k).reshape(2, 2)),
)


@st.composite
def keys(draw):
    """Keys of an array of three axes: numbers, slices, new axes, arrays of whole numbers, perhaps an ellipsis."""
    parts = draw(st.lists(PARTS, max_size=4))
    while sum(part is not None for part in parts) > 3:
        parts.pop()
    if draw(st.booleans()):
        parts.insert(draw(st.integers(0, len(parts))), ...)
    return tuple(parts)


@given(keys(), st.sampled_from(["numpy", "strict"]))
@settings(max_examples=300)
def test_entries_are_numpys(key, name):
    xp, whole = LIBRARIES[name], np.arange(27.0).reshape(3, 3, 3)
    expected = whole[key]
    functions = bound_to(xp)
    given_key = tuple(there(xp, part) for part in key)
    found = functions["entries"](xp.asarray(whole), given_key)
    np.testing.assert_array_equal(np.asarray(found), expected)
    value = np.sin(np.arange(float(expected.size))).reshape(expected.shape)

    written = whole.copy()
    written[key] = value
    found = functions["put"](xp.asarray(whole), xp.asarray(value), given_key)
    np.testing.assert_array_equal(np.asarray(found), written)

    added = whole.copy()
    np.add.at(added, key, value)
    found = functions["added"](xp.asarray(whole, copy=True), xp.asarray(value), given_key)
    np.testing.assert_allclose(np.asarray(found), added, rtol=1e-14)


def test_places_and_sums(xp):
    places = np.array([[0, -1], [3, 3]])
    check(xp, "taken", (A, places), np.take(A, places))
    check(xp, "taken", (A, places, 1), np.take(A, places, axis=1))
    check(xp, "summed_at", (np.array([2, 0, 2]), np.array([1.0, 2.0, 3.0]), 4), [2, 0, 4, 0])
    check(xp, "put", (np.zeros(3), 5.0, (slice(1),)), [5, 0, 0])


# ---- products and shapes ----

PRODUCTS = {
    "ij,jk->ik": ((3, 4), (4, 2)),
    "ij,jk": ((3, 4), (4, 2)),
    "ij,ij": ((3, 4), (3, 4)),
    "ij->ji": ((3, 4),),
    "ii->i": ((3, 3),),
    "ii": ((3, 3),),
    "...ij,...ij->...i": ((2, 3, 4), (2, 3, 4)),
    "...i,i->...": ((2, 3, 4), (4,)),
    "...i,i": ((3, 4), (4,)),
    "i,j,k->kij": ((2,), (3,), (4,)),
    "...a,...b->ab...": ((2, 3), (2, 4)),
    "ijkl,ckl->cij": ((2, 3, 2, 2), (4, 2, 2)),
}


@pytest.mark.parametrize("text", PRODUCTS)
def test_sums_of_products_are_einsums(text, xp):
    arrays = [RNG.normal(size=shape) for shape in PRODUCTS[text]]
    check(xp, "einsum", (text, *arrays), np.einsum(text, *arrays))


def test_shapes(xp):
    square = A[0, :, :4]
    for offset in (-2, 0, 1):
        check(xp, "diagonal", (A, offset, 0, 2), np.diagonal(A, offset, 0, 2))
        check(xp, "on_diagonal", (A[0, 0], offset), np.diag(A[0, 0], offset))
    check(xp, "outer", (A[0, 0], A[0, :, 0]), np.outer(A[0, 0], A[0, :, 0]))
    view = np.lib.stride_tricks.sliding_window_view
    check(xp, "windows", (A, (2, 3), (0, 2)), view(A, (2, 3), (0, 2)))
    check(xp, "windows", (A[0], (2, 2)), view(A[0], (2, 2)))
    check(xp, "windows", (A[0], 3, -1), view(A[0], 3, -1))
    assert len(bound_to(xp)["rows"](xp.asarray(square))) == 4
    check(xp, "convolve", (A[0, 0], A[0, :3, 0]), np.convolve(A[0, 0], A[0, :3, 0]))


# ---- functions ----


def test_functions_of_numbers(xp):
    x = np.array([-2.0, -0.5, 0.0, 0.3, 4.0])
    check(xp, "logistic", (x,), 1 / (1 + np.exp(-x)))
    check(xp, "logistic", (1e3 * x,), [0, 0, 0.5, 1, 1])
    for axis, keepdims in itertools.product((0, -1, None, (0, 2)), (False, True)):
        expected = np.log(np.sum(np.exp(A), axis=axis, keepdims=keepdims))
        check(xp, "logsumexp", (A, axis, keepdims), expected)
        check(xp, "logsumexp", (A + 1e4, axis, keepdims), expected + 1e4, 1e-11)
    with np.errstate(divide="ignore"):
        check(xp, "logsumexp", (np.zeros((0, 2)), 0, False), [-np.inf, -np.inf])


def test_linear_algebra(xp):
    a = A[0, :, :4] + A[0, :, :4].T
    lower, upper = np.tril(a), np.triu(a)
    for each, uplo in ((lower, "L"), (upper, "U")):
        found = np.asarray(bound_to(xp)["eigh_in_one"](xp.asarray(each), uplo))
        np.testing.assert_allclose(found[0], np.linalg.eigvalsh(a), rtol=1e-12)
        np.testing.assert_allclose(a @ found[1:], found[1:] * found[0], atol=1e-12)
    u, s, v = np.split(np.asarray(bound_to(xp)["svd_in_one"](xp.asarray(A[0]))), [4, 5])
    np.testing.assert_allclose((u * s) @ v.T, A[0], atol=1e-12)
    q, r = np.split(np.asarray(bound_to(xp)["qr_in_one"](xp.asarray(a))), 2)
    np.testing.assert_allclose(q @ r, a, atol=1e-12)


def test_transforms(xp):
    x = RNG.normal(size=(2, 4, 3))
    z, back = np.fft.fftn(x[0], axes=(0, 1)), np.fft.ifftn(x[0] + 1j * x[1], axes=(-1,), norm="ortho")
    check(xp, "fft_of_real", (x[0], (0, 1), None), np.stack([z.real, z.imag]))
    check(xp, "ifft_of_parts", (x, (-1,), "ortho"), np.stack([back.real, back.imag]))
    forth = np.fft.fftn(x[0] + 1j * x[1], axes=(0,))
    check(xp, "fft_of_parts", (x, (0,), "backward"), np.stack([forth.real, forth.imag]))


# ---- as text ----


@pytest.mark.parametrize("name", NAMES)
def test_a_function_is_one_of_a_module_with_all_that_it_calls(name):
    text = "\n\n".join(map(source_of, [*needed_by(source_of(name)), name]))
    scope = {"xp": np}
    exec(f"from __future__ import annotations\nimport math\n{text}", scope)
    steps = dis.get_instructions(getattr(standard_functions, name))
    called = {step.argval for step in steps if step.opname == "LOAD_GLOBAL"}
    assert called <= scope.keys() | scope["__builtins__"].keys()
