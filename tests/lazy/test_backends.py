"""Computations on arrays of other libraries: what NumPy computes, in their arrays, which stay where they are."""

import array_api_strict
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import adviz as ad
from adviz import lazy

from ..kernels.libraries.cupy_here import cupy

DRAWN = np.random.default_rng(18)
X, T = DRAWN.normal(size=(20, 3)), DRAWN.normal(size=20)
START = np.array([0.5, -1.0, 2.0])
KINDS = {"numpy": np.ndarray, "array_api_strict": type(array_api_strict.asarray(0.0)), "jax.numpy": jax.Array}
KINDS["cupy"] = cupy.ndarray
ELSEWHERE = [name for name in KINDS if name != "numpy"]
STEPS = {
    "descent": lambda loss: lazy.sgd(loss, 0.1),
    "momentum": lambda loss: lazy.sgd(loss, 0.1, momentum=0.9),
    "Adam": lambda loss: lazy.adam(loss, 0.05),
}


pytestmark = pytest.mark.usefixtures("double_precision", "imported_cupy")


def regression(step):
    x, t = lazy.placeholder(X.shape, name="x"), lazy.placeholder(T.shape, name="t")
    w, b = lazy.variable((3,), START, name="w"), lazy.variable((), 0.25, name="b")
    loss = np.mean((np.tanh(x @ w + b) - t) ** 2)
    return x, t, w, b, [loss, step(loss)]


def as_numpy(value):
    return value.get() if hasattr(value, "get") else np.asarray(value)


@pytest.mark.parametrize("backend", ELSEWHERE)
@pytest.mark.parametrize("method", STEPS)
def test_training_is_that_of_numpy(method, backend):
    x, t, w, b, results = regression(STEPS[method])
    here, there = lazy.Store(), lazy.Store()
    on_numpy = lazy.computation(results, x, t, store=here)
    elsewhere = lazy.computation(results, x, t, store=there, backend=backend)
    for _ in range(10):
        expected, found = on_numpy(X, T)[0], elsewhere(X, T)[0]
        assert isinstance(found, KINDS[backend])
        np.testing.assert_allclose(as_numpy(found), expected, rtol=1e-12)
    for op in (w, b):
        np.testing.assert_allclose(there[op], here[op], rtol=1e-12)
        assert type(there[op]) is type(here[op])


@pytest.mark.parametrize("backend", ELSEWHERE)
def test_storage_stays_in_the_arrays_of_the_library(backend):
    x, t, w, _, results = regression(STEPS["momentum"])
    train = lazy.computation(results, x, t, store=lazy.Store(), backend=backend)
    train(X, T)
    held = train.store.cell(w).value
    assert isinstance(held, KINDS[backend])
    train(X, T)
    assert not np.array_equal(train.store[w], as_numpy(held))  # and the array that it held is what it was


@pytest.mark.parametrize("backend", ELSEWHERE)
def test_computations_of_several_libraries_share_a_store(backend):
    store, (x, t, w, _, results) = lazy.Store(), regression(STEPS["momentum"])
    alone = lazy.computation(results, x, t, store=lazy.Store())
    both = [lazy.computation(results, x, t, store=store, backend=name) for name in ("numpy", backend)]
    expected = [alone(X, T)[0] for _ in range(6)]
    found = [both[k % 2](X, T)[0] for k in range(6)]
    np.testing.assert_allclose([as_numpy(each) for each in found], expected, rtol=1e-12)
    np.testing.assert_allclose(store[w], alone.store[w], rtol=1e-12)
    graphs = [each.trace(X, T) for each in both]
    np.testing.assert_array_equal(*([graph.values[graph.outputs[0]] for graph in graphs]))


@pytest.mark.parametrize("backend", ELSEWHERE)
def test_state_is_saved_and_goes_on_to_the_last_bit(backend, tmp_path):
    x, t, w, _, results = regression(STEPS["Adam"])
    train = lazy.computation(results, x, t, store=lazy.Store(), backend=backend)
    train(X, T)
    train.save(tmp_path / "state.npz")
    after, end = as_numpy(train(X, T)[0]), train.store[w]
    again = lazy.computation(results, x, t, store=lazy.Store(), backend=backend)
    again.load(tmp_path / "state.npz")
    assert as_numpy(again(X, T)[0]) == after
    np.testing.assert_array_equal(again.store[w], end)


@pytest.mark.long
def test_single_precision_of_the_library_does_not_change_what_numpy_reads(tmp_path):
    x, t, w, _, results = regression(STEPS["momentum"])
    store = lazy.Store()
    on_numpy = lazy.computation(results, x, t, store=store)
    on_numpy(X, T)
    before = store[w]
    read = lazy.computation(results[0], x, t, store=store, backend=jnp)
    with jax.enable_x64(False):
        first = read(X, T)
        assert first.dtype == np.float32
        assert read(X, T) == first
        np.testing.assert_array_equal(store[w], before)
        train = lazy.computation(results, x, t, store=store, backend=jnp)
        train(X, T)
        train.save(tmp_path / "state.npz")
        held = store.cell(w).value
        assert held.dtype == np.float32
        train.load(tmp_path / "state.npz")
        np.testing.assert_array_equal(np.asarray(held), store[w])
        assert store[w].dtype == np.float64


@pytest.mark.parametrize("backend", KINDS)
def test_variables_of_single_precision_stay_such(backend):
    w, x = lazy.variable((2,), [1.0, 2.0], dtype=np.float32, name="w"), lazy.placeholder((2,), name="x")
    step = lazy.computation([lazy.assign(w, w * x), w * x], x, store=lazy.Store(), backend=backend)
    for _ in range(3):
        step([1.1, 1.3])
    found = step.store[w]
    assert found.dtype == np.float32
    assert str(step.store.cell(w).value.dtype).endswith("float32")
    np.testing.assert_allclose(found, [1.1**3, 2 * 1.3**3], rtol=1e-6)


@pytest.mark.parametrize("backend", KINDS)
def test_nobody_can_change_what_storage_holds_from_outside(backend):
    x = lazy.placeholder((2,), initial=0.0, name="x")
    w = lazy.variable((2,), 1.0, name="w")
    kept = lazy.computation([x, w, lazy.assign(w, w + x)], x, store=lazy.Store(), backend=backend)
    value = {"array_api_strict": array_api_strict.asarray, "cupy": cupy.asarray}.get(backend, np.array)([1.0, 2.0])
    for result in (value, *kept(value)):
        if backend != "jax.numpy":
            result[0] = 99.0
    np.testing.assert_array_equal(kept.store[x], [1.0, 2.0])
    np.testing.assert_array_equal(kept.store[w], [2.0, 3.0])


@pytest.mark.parametrize("backend", ELSEWHERE)
def test_views_integers_and_masks_are_kept(backend):
    count, w = lazy.variable((), 0, dtype=np.int64, name="count"), lazy.variable((2, 3), 1.0, name="w")
    key, x = lazy.placeholder((2,), np.int64, name="key"), lazy.placeholder((3,), name="x")
    lazy.assign(count, count + 1)
    w[0] += x
    w[:, 1] *= 2.0
    results = [count, w, np.where(x > 0, x, -x), x[key]]
    here, there = (lazy.computation(results, key, x, store=lazy.Store(), backend=name) for name in ("numpy", backend))
    for values in ([0, 2], [1.0, -2.0, 3.0]), (np.array([1, 1]), np.array([-1.0, 0.5, 2.0])):
        for expected, found in zip(here(*values), there(*values), strict=True):
            np.testing.assert_allclose(as_numpy(found), expected)
    assert (there.store[count], type(there.store[count])) == (2, np.int64)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda c: c(jnp.ones(3)), r"x has the shape \(2,\), and the value has \(3,\)"),
        (lambda c: c(), r"takes 1 values \(x\), and got 0"),
        (
            lambda c: c(array_api_strict.ones(2)),
            "x is an array of array_api_strict; the program was compiled for those",
        ),
        (lambda c: c("ab"), "x takes real numbers, and the value is of str"),
        (lambda c: c(jnp.ones(2) * 1j), "x is of dtype complex128, not of real numbers"),
    ],
)
def test_what_cannot_be_a_value_is_told(wrong, words):
    x = lazy.placeholder((2,), name="x")
    with pytest.raises((lazy.ComputationError, ad.InputError), match=words):
        wrong(lazy.computation(x * 2, x, backend=jnp))


@pytest.mark.parametrize(
    ("backend", "words"),
    [
        ("numba", "backend='numba' compiles loops over numbers, and a program on arrays has none"),
        ("no_such_library", "The back end no_such_library needs a library that cannot be imported"),
        ("math", "math has no arrays; backend can be"),
        (3, "backend is 3; it can be"),
    ],
)
def test_back_ends_that_there_are_not_are_told_as_those_of_programs(backend, words):
    x = lazy.placeholder((2,), name="x")
    with pytest.raises(ad.ProgramError, match=words) as of_op:
        lazy.computation(np.sum(x), x, backend=backend)
    with pytest.raises(ad.ProgramError) as of_program:
        ad.compile_gradient(np.sum, np.ones(2), grain="array", backend=backend)
    assert str(of_op.value) == str(of_program.value)


@pytest.mark.parametrize("backend", KINDS)
def test_the_back_end_that_was_set_is_that_of_computations(backend):
    ad.set_backend(backend)
    try:
        x, t, w, _, results = regression(STEPS["Adam"])
        found = lazy.computation(results, x, t, store=lazy.Store())
    finally:
        ad.set_backend("numpy")
    assert found.backend == backend
    assert isinstance(found(X, T)[0], KINDS[backend] if backend != "numpy" else float)
    again = lazy.computation(results, x, t, store=lazy.Store())
    again(X, T)
    np.testing.assert_allclose(found.store[w], again.store[w], rtol=1e-12)


def test_jax_transforms_what_stores_nothing_and_storage_stays_whole():
    x, w = lazy.placeholder((2,), name="x"), lazy.variable((2,), [2.0, 3.0], name="w")
    with lazy.isolated():
        step = lazy.computation(lazy.assign(w, w * x), x, store=lazy.Store(), backend=jnp)
    loss = lazy.computation(np.sum(w * x**2), x, store=step.store, backend=jnp)
    ones = jnp.ones(2)
    np.testing.assert_allclose(jax.grad(loss)(ones), [4.0, 6.0])
    assert jax.jit(loss)(ones) == loss(ones) == 5.0
    with pytest.raises(
        lazy.ComputationError, match="computation stores values in w, and is called while JAX transforms"
    ):
        jax.jit(step)(ones)
    np.testing.assert_array_equal(step(ones), [2.0, 3.0])


def test_numba_for_programs_of_numbers_leaves_op_graphs_to_numpy():
    ad.set_backend("numba")
    try:
        x = lazy.placeholder(())
        assert lazy.computation(x * x, x)(3.0) == 9.0
    finally:
        ad.set_backend("numpy")
