"""What a program keeps of a trace that has ended reads as the numbers and arrays that it was."""

import copy
import gc
import math
import operator
import pickle
import statistics
from types import SimpleNamespace

import numpy as np
import pytest

import adviz as ad
from adviz.engine.tape import Tape

from ...catalogue import expressions
from ..checks import GRAINS

X = np.array([0.4, 1.3, 0.7])


def keeping(state):
    """A function that keeps all kinds of values in an object."""

    def f(x):
        state.argument, state.entry, state.entries = x, x[1], list(x)
        state.total, state.row, state.matrix = np.sum(x**2), 2 * np.sin(x), np.outer(x, x)
        state.stacked, state.repeated = np.array([x[0], 2.0, state.total]), np.broadcast_to(x[0], (2, 3))
        state.filled = np.zeros(3)
        state.filled[1] = state.total
        state.complex, state.complex_number = x + 2j * x, (x + 2j * x)[0]
        state.is_large, state.order = x > 0.5, np.argsort(x)
        return state.total + state.row[0]

    return f


def after(grain):
    traced, plain = SimpleNamespace(), SimpleNamespace()
    keeping(plain)(X.copy())
    ad.grad(keeping(traced), grain=grain)(X)
    return vars(traced), vars(plain)


def outcome(use, value):
    try:
        found = use(value)
    except Exception as error:
        return type(error)
    return found


def assert_alike(found, expected):
    if isinstance(expected, type | str | bool | bytes):
        assert found == expected
    elif isinstance(expected, list | tuple):
        assert len(found) == len(expected)
        for pair in zip(found, expected, strict=True):
            assert_alike(*pair)
    else:
        assert np.asarray(found).dtype == np.asarray(expected).dtype
        np.testing.assert_allclose(found, expected, rtol=1e-12)


CONVERTED = [float, int, bool, complex, operator.index, repr, str, hash, list, tuple, len, math.floor, math.sqrt, round]
NUMPYS = [
    *(np.asarray, np.array, np.sin, np.sum, np.mean, np.std, np.max, np.argmax, np.sort, np.cumsum, np.linalg.norm),
    *(np.isscalar, np.iterable, np.shape, np.ravel, np.zeros_like, np.conj, np.transpose, np.unique, np.isreal),
]
USES = {f"{use.__module__}.{use.__name__}": use for use in (*CONVERTED, *NUMPYS)}
OTHERS = """
str(np.asarray(v).dtype) | str(v.dtype) | copy.copy(v) | copy.deepcopy(v) | pickle.loads(pickle.dumps(v))
type(pickle.loads(pickle.dumps(v))) | f'{v:.3f} {v} %s' % v | '%.3f' % v | {v: 1.0}[float(v)]
(isinstance(v, float), isinstance(v, np.ndarray), isinstance(v, np.generic))
(v + 1, 1 - v, v ** 2, 2 ** v, v / 2, 1 / v, divmod(v, 0.3), -v, abs(v), v * v, v @ v)
(v + 1, 1 - v, v ** 2, 2 ** v, v // 2, 1 / v, -v, abs(v), v * v, v < 1, v == v)
(np.ones((3, 1)) * v, np.float64(2.0) - v, np.maximum(v, 0.5)) | (v[0], v[1:], v[v > 0.5], v[..., None])
(np.stack([v, v]), np.concatenate([v, v]), np.array([v, v]))
(np.mean([v, v]), statistics.mean([v, v]), math.fsum([v, v]), sum([v, v]))
(v.sum(), v.mean(), v.tolist(), v.astype(int), v.shape, v.size, v.real, v.imag, v.T) | np.where(v > 0.5, v, 0.0)
0.4 in v
"""
SPACE = {"np": np, "copy": copy, "math": math, "operator": operator, "pickle": pickle, "statistics": statistics}
USES |= {text: eval(f"lambda v: {text}", SPACE) for text in expressions(OTHERS)}


@GRAINS
@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_what_survives_is_what_numpy_would_have_left(grain, use):
    survived, plain = after(grain)
    for name, expected in plain.items():
        if name != "entries":
            assert_alike(outcome(use, survived[name]), outcome(use, expected))
    assert_alike(outcome(use, survived["entries"][1]), outcome(use, plain["entries"][1]))
    assert_alike(np.array(survived["entries"]), np.array(plain["entries"]))


WRITES = {
    text: eval(f"lambda v: {text}", SPACE)
    for text in expressions("""
operator.setitem(v, 0, 7.0) | operator.setitem(v, slice(1, None), 2.0) | v.fill(3.0) | v.sort() | np.add(v, 1.0, out=v)
np.copyto(v, 4.0) | np.add.at(v, [0, 0], 1.0) | setattr(v, 'flat', 2.0) | operator.iadd(v, 1.0)
operator.setitem(v[1:], 0, 11.0)
""")
}


@GRAINS
@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_arrays_that_survive_can_be_written_to(grain, write):
    for name in ("argument", "row", "matrix", "stacked", "filled", "complex"):
        survived, plain = after(grain)
        write(survived[name]), write(plain[name])
        assert_alike(survived[name], plain[name])
    with pytest.raises(ValueError, match="read-only"):
        operator.setitem(after(grain)[0]["repeated"], 0, 1.0)


@GRAINS
def test_views_that_survive_share_their_memory_and_leave_the_graph_alone(grain):
    kept = []

    def f(x):
        y = 2 * x
        kept.extend((y, y[1:]))
        y[0] = x[2]  # both are views of what was written
        return np.sum(y)

    graph = ad.trace(f, X, grain=grain)
    whole, view = kept
    whole[1] = 9.0
    np.testing.assert_allclose(whole, [0.7, 9.0, 1.4])
    np.testing.assert_allclose(view, [9.0, 1.4])
    assert graph.values[graph.outputs[0]] == pytest.approx(0.7 + 2.6 + 1.4)


@GRAINS
def test_what_survives_enters_a_later_trace_as_a_constant(grain):
    class RunningMean:
        mean = 0.0

        def __call__(self, x):
            self.mean = 0.9 * self.mean + 0.1 * np.sum(x**2)
            self.last = 0.5 * getattr(self, "last", 1.0) + x
            return self.mean + np.sum(self.last * x) + x @ self.last + np.stack([x[0], self.mean])[1]

    traced, plain = RunningMean(), RunningMean()
    for _ in range(3):
        value, gradient = ad.value_and_grad(traced, grain=grain)(X)
        before = copy.deepcopy(plain)
        assert value == pytest.approx(plain(X))
        step = 1e-6 * np.eye(3)
        differences = [(copy.copy(before)(X + h) - copy.copy(before)(X - h)) / 2e-6 for h in step]
        np.testing.assert_allclose(gradient, differences, rtol=1e-6)
    assert traced(X) == pytest.approx(plain(X))


@GRAINS
def test_a_cache_by_shape_is_filled_once(grain):
    cache = {}

    def f(x):
        if x.shape not in cache:
            cache[x.shape] = 2 * np.ones(x.shape) + 0 * x
        return np.sum(cache[x.shape] * x)

    for _ in range(2):
        np.testing.assert_allclose(ad.grad(f, grain=grain)(X), 2.0)
        assert f(X) == pytest.approx(4.8)


@GRAINS
@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_what_survives_a_trace_that_an_exception_ends_is_settled_too(grain, error):
    kept = []

    def f(x):
        kept.append(x[1])
        raise error

    with pytest.raises(error):
        ad.grad(f, grain=grain)(X)
    assert kept[0] + 1 == 2.3


@GRAINS
def test_an_interrupt_while_a_value_is_made_stays_an_interrupt(grain, monkeypatch):
    write = Tape.write

    def interrupted(tape, *row):
        if tape.count > 3:
            raise KeyboardInterrupt
        return write(tape, *row)

    monkeypatch.setattr(Tape, "write", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ad.grad(lambda x: np.sum(np.sin(np.cos(np.sin(x) + 1.0) * x)), grain=grain)(X)


@pytest.mark.long
@GRAINS
def test_what_survives_does_not_keep_the_tape(grain):
    def tapes():
        return sum(type(each) is Tape for each in gc.get_objects())

    gc.collect()
    before = tapes()
    survived, _ = after(grain)
    gc.collect()
    assert tapes() == before
    assert len(survived) > 9


def test_what_survives_a_compilation_is_numbers():
    kept = []

    def f(x):
        kept.append(np.sum(x))
        return kept[-1] * x[0]

    ad.compile_gradient(f, X)
    assert [float(each) for each in kept] == [pytest.approx(2.4)] * len(kept)
