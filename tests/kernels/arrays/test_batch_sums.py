"""Sums and means over a batch are computed chunk by chunk: the gradient is the same. What is neither is refused."""

import dask.array as da
import numpy as np
import pytest

import adviz as ad
from adviz.engine.calls import leaves
from adviz.kernels.arrays import batch_sums

from ..running import assert_alike

RNG = np.random.default_rng(4)
W, B, X, T = RNG.normal(size=(3, 2)), RNG.normal(size=2), RNG.normal(size=(10, 3)), RNG.normal(size=(10, 2))
LABELS = RNG.integers(0, 2, 10)


def mean_squares(W, b, x, t):
    return np.mean((np.tanh(x @ W + b) - t) ** 2)


def cross_entropy(W, b, x, labels):
    z = x @ W + b
    z = z - np.max(z, axis=1, keepdims=True)
    chosen = np.where(labels == 0, z[:, 0], z[:, 1])
    return np.mean(np.log(np.sum(np.exp(z), axis=1)) - chosen) + 0.1 * np.sum(W**2)


def total(W, b, x, t):
    return 2 * np.sum(np.sin(x @ W) * t) / 3 - np.sum(x[:, 0] ** 2 * b[0])


def products(W, b, x, t):
    return np.sum((x.T @ t) * W) + x[:, 0] @ t[:, 1] * b[1]


def nested(W, b, x, t):
    return np.mean(np.mean((x @ W - t) ** 2, axis=0) * b**2)


def divided_by_the_number_of_rows(W, b, x, t):
    return np.sum((x @ W - t) ** 2) / len(x) + 0.1 * np.sum(b**2)


def weighted_by_the_number_of_rows(W, b, x, t):
    return np.mean(x @ W) * x.shape[0] + len(x) * b[0] + np.sum(np.ones((len(x), 1)) * b)


DATA = {cross_entropy: (X, LABELS)}
SUMS = [
    mean_squares,
    cross_entropy,
    total,
    products,
    nested,
    divided_by_the_number_of_rows,
    weighted_by_the_number_of_rows,
]


@pytest.fixture(params=[4, 9, 1000])
def in_small_chunks(request, monkeypatch):
    monkeypatch.setattr(batch_sums, "CHUNK", request.param)


def compiled(f, rows=4, **options):
    data = (each[:rows] for each in DATA.get(f, (X, T)))
    return ad.compile_gradient(f, W, B, *data, inputs=[0, 1], batch=0, **options)


@pytest.mark.usefixtures("in_small_chunks")
@pytest.mark.parametrize("f", SUMS, ids=lambda f: f.__name__)
def test_chunks_add_up_to_the_gradient_of_the_whole(f):
    program, data = compiled(f), DATA.get(f, (X, T))
    for count in (10, 9, 4, 1):
        rows = [each[:count] for each in data]
        value, gradient = ad.value_and_grad(f, (0, 1))(W, B, *rows)
        assert_alike(program(W, B, *rows), (value, gradient), 1e-12)


@pytest.mark.parametrize("f", SUMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("chunks", [10, 3, (1, 2, 3, 4)])
def test_dask_arrays_give_lazy_gradients(f, chunks):
    program, data = compiled(f), DATA.get(f, (X, T))
    lazy = [da.from_array(each, chunks=(chunks, *each.shape[1:])) for each in data]
    found = program(W, B, *lazy)
    assert all(isinstance(each, da.Array) for _, each in leaves(found, ""))
    assert type(found) is type(program(W, B, *data))
    computed = [np.asarray(each.compute()) for _, each in leaves(found, "")]
    assert_alike(tuple(computed), tuple(each for _, each in leaves(program(W, B, *data), "")), 1e-12)


def test_what_is_summed_up_can_be_asked():
    assert compiled(mean_squares).batch == ("mean", (2, 3))
    assert compiled(total).batch == ("sum", (2, 3))
    assert ad.compile_gradient(mean_squares, W, B, X, T, inputs=[0, 1], grain="array").batch is None


@pytest.mark.parametrize(
    ("f", "words"),
    [
        (
            lambda W, b, x, t: np.sum(x @ W) + np.sum(b),
            "What does not depend on the batch is added to a sum",
        ),
        (lambda W, b, x, t: np.sum(x @ W) ** 2, "A sum over the batch is not used linearly"),
        (
            lambda W, b, x, t: np.sum((x - np.mean(x, axis=0)) @ W),
            "Rows are combined with a sum over the whole batch",
        ),
        (lambda W, b, x, t: np.sum(np.cumsum(x @ W, axis=0)), "Rows of the batch depend on each other"),
        (lambda W, b, x, t: np.sum(x[1:] @ W), "Rows of the batch depend on each other"),
        (lambda W, b, x, t: np.sum(x @ W * np.arange(float(len(x)))[:, None]), "or the place of a row, counts"),
        (lambda W, b, x, t: np.sum(x @ W) / np.sqrt(len(x)), "The number of rows, or the place of a row, counts"),
        (lambda W, b, x, t: np.sum(np.tanh(x @ W / len(x))), "The number of rows, or the place of a row, counts"),
        (lambda W, b, x, t: np.sum(x @ W) + np.mean(x), "The number of rows, or the place of a row, counts"),
        (lambda W, b, x, t: np.mean(x @ W) + b[0] / len(x), "What does not depend on the batch is added"),
        (lambda W, b, x, t: sum(np.sum(row @ W) for row in x), "The number of rows, or the place of a row, counts"),
        (
            lambda W, b, x, t: np.sum(x @ W if len(x) % 2 else np.sin(x @ W)),
            "Another number of rows changes what is computed",
        ),
        (lambda W, b, x, t: np.sum(x @ W) / len(x) ** 2, r"a sum times their number to the power -2"),
        (lambda W, b, x, t: np.max(x @ W), "Rows of the batch depend on each other"),
        (lambda W, b, x, t: np.sum(W**2) + 0.0 * b[0], "it does not depend on the data"),
    ],
)
def test_what_is_no_sum_is_refused_with_its_place(f, words):
    with pytest.raises(ad.ProgramError, match=words) as refused:
        compiled(f)
    assert "test_batch_sums.py" in str(refused.value) or words.startswith(("it does", "a sum times"))


def test_a_function_of_a_fixed_number_of_rows_is_refused():
    with pytest.raises(ad.ProgramError, match="cannot be computed at 5 rows of data, although batch=0"):
        compiled(lambda W, b, x, t: np.sum(x.reshape(4, 3) @ W))


def test_options_and_arguments_that_do_not_fit_are_refused():
    with pytest.raises(ad.AdvizError, match="batch is 1; it can be 0"):
        ad.compile_gradient(mean_squares, W, B, X, T, inputs=[0, 1], batch=1)
    with pytest.raises(ad.ProgramError, match="batch needs data"):
        ad.compile_gradient(mean_squares, W, B, X, T, batch=0)
    with pytest.raises(ad.ProgramError, match="take grain='array'"):
        ad.compile_gradient(mean_squares, W, B, X, T, inputs=[0, 1], batch=0, grain="scalar")
    with pytest.raises(ad.InputError, match=r"different numbers of rows: x has 10, t has 9"):
        compiled(mean_squares)(W, B, X, T[:9])
