"""The mistakes that people make with ops: each is told in a sentence, with the line that is to be changed."""

import math
import re
import sys
from pathlib import Path
from runpy import run_path

import numpy as np
import pytest

import adviz as ad
from adviz import lazy

PACKAGE = str(Path(ad.__file__).parent)
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
        (lambda w, n: lazy.assign(lazy.constant(1.0), 1.0), "is a constant: it has no storage. Assign to a variable"),
        (lambda w, n: lazy.assign(w, np.ones(3)), r"w has the shape \(2,\), and the value has \(3,\)"),
        (lambda w, n: w.__setitem__([0, 1], 1.0), "chosen by numbers and slices"),
        (lambda w, n: lazy.sequential([]), "at least one op"),
        (lambda w, n: lazy.doall([1.0]), "float is no op"),
        (lambda w, n: lazy.variable((2,), np.ones(3)), r"has the shape \(2,\)"),
        (lambda w, n: lazy.placeholder((-1,)), "negative length"),
        (lambda w, n: lazy.placeholder((), dtype=complex), "real numbers"),
        (lambda w, n: np.add(w, 1, out=w), "cannot write into an op with out="),
        (lambda w, n: w + np.ones(3), r"add cannot be built of shapes \(2,\), \(3,\)"),
        (lambda w, n: np.asarray(w), "no value until a computation runs"),
        (lambda w, n: lazy.computation(lazy.placeholder((2,), name="x")), "x is needed and has no value: make it"),
        (lambda w, n: lazy.computation(w, 1.0), "and not 1.0"),
        (lambda w, n: lazy.computation(x := lazy.placeholder((2,)), x)(), r"takes 1 values \(x\), and got 0"),
        (lambda w, n: lazy.computation(w + 1)(1.0), r"takes 0 values \(none\), and got 1"),
        (lambda w, n: lazy.computation(x := lazy.placeholder((2,)), x)([1.0]), r"\(2,\), and the value has \(1,\)"),
        (lambda w, n: lazy.deriv(w, w), r"w is an array of shape \(2,\). Pass error="),
        (lambda w, n: lazy.deriv(lazy.doall([w]), w), "doall has no value to differentiate"),
        (lambda w, n: lazy.sgd(3.0, 0.1), "A loss is an op of one number, and it is float"),
        (lambda w, n: lazy.adam(np.sum(lazy.placeholder((3,)))), "depends on no variable that could be trained"),
        (lambda w, n: lazy.sgd(np.sum(w), 0.1, variables=[3.0]), "float is no op"),
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
        (lambda w, n: lazy.doall(w), r"w is one op; what is asked for is a list of ops, as in \[w\]"),
        (lambda w, n: lazy.sequential(w), "w is one op"),
        (lambda w, n: lazy.deriv(np.sum(w), [w]), r"deriv takes one x at a time: \[deriv\(y, x\) for x in"),
        (lambda w, n: lazy.deriv(np.sum(w) * n, n), "n is of int64; derivatives are those of real numbers"),
        (
            lambda w, n: lazy.deriv(np.sum(w * (c := lazy.constant(3.0))), c),
            "c is a constant, and constants take no part",
        ),
        (
            lambda w, n: lazy.deriv(np.sum(w), np.exp(lazy.constant([3.0]))),
            "exp is made of constants, .* Make a variable",
        ),
        (lambda w, n: lazy.deriv(w, w, 1.0), r"error has the shape \(\), and w has \(2,\)"),
        (lambda w, n: lazy.computation(n, n), "A parameter of a computation is a placeholder, and not n"),
        (lambda w, n: lazy.computation(w, store={}), "store= is an ad.lazy.Store, and not dict"),
        (lambda w, n: list(n), "n is one number: it has no length, and no entries to go through"),
        (lambda w, n: len(n), "n is one number: it has no length"),
        (lambda w, n: range(n), "n has no value .* ranges and slices are plain numbers, .* when the graph is built"),
        (lambda w, n: w[:n], "n has no value .* Lengths, ranges and slices"),
        (lambda w, n: np.array([n, 1.0]), "n has no value .* cannot become a plain array"),
        (lambda w, n: math.sin(w[0]), "index has no value .* NumPy's functions and operators take the op as it is"),
        (lambda w, n: max(w[0], 1.0), r"less has no value .* np\.where\(condition, a, b\) builds an op"),
        (lambda w, n: min(w), "less has no value"),
        (lambda w, n: w[0] > 0 and w[1] > 0, "greater has no value .* Python cannot decide"),
        (lambda w, n: 1 if n else 2, "n has no value .* Python cannot decide"),
        (lambda w, n: np.sum(w == 1.0), "== and != say whether two ops are the same one, and float is no op. np.equal"),
        (lambda w, n: np.where(w != np.ones(2), w, 0), "ndarray is no op. np.equal and np.not_equal"),
        (lambda w, n: 1.0 in w, "== and != say"),
        (lambda w, n: lazy.computation(w == w), r"Results are ops, and not bool\. x == y tells .* np\.equal\(x, y\)"),
        (lambda w, n: lazy.computation([w, 2.0]), r"Results are ops, and not float\.\n"),
        (
            lambda w, n: (w * 2).__setitem__(0, 1.0),
            "Nothing can be assigned to multiply, which is computed: it has no st",
        ),
        (
            lambda w, n: w.__setitem__(n, 1.0),
            r"Where places are computed, .* x\[\.\.\.\] = np\.where\(condition, value, x\)",
        ),
        (lambda w, n: w.__setitem__(w > 0, 1.0), r"Write np\.where\(condition, x, 0\.0\) instead of x\[condition\]"),
        (lambda w, n: w.__delitem__(0), "w keeps its shape; nothing of it can be deleted"),
        (lambda w, n: w[2], r"x\[\.\.\.\] cannot be built of shapes \(2,\): index 2 is out of bounds"),
        (lambda w, n: lazy.sgd(w * 2, 0.1), "A loss is an op of one number, and multiply has the shape"),
        (lambda w, n: lazy.sgd(np.sum(w), 0.1, variables=w), r"w is one op; what is asked for is a list of ops"),
        (lambda w, n: lazy.deriv(2.0, w), "float has no value to differentiate"),
        (
            lambda w, n: lazy.shared.__setitem__(n, 1.5),
            "n takes int64, and the value is of float64; converting it would",
        ),
        (lambda w, n: lazy.variable((), np.nan, np.int64), "converting it would change it"),
        (lambda w, n: lazy.shared.__setitem__(w, np.ones(3)), r"w has the shape \(2,\), and the value has \(3,\)"),
        (lambda w, n: lazy.variable(n), "n is one number"),
        (lambda w, n: lazy.variable((), name=3), "A name is text, and not 3"),
        (lambda w, n: lazy.variable((), name="a\0b"), "has letters that a source cannot have"),
        (lambda w, n: lazy.computation(w, name=3), "The name of a computation is text, and not 3"),
        (lambda w, n: lazy.computation(w, [w]), "A parameter of a computation is a placeholder, and not"),
        (lambda w, n: lazy.save("w.npz", w), r"w is one op; what is kept in a file is a list, \[w\]"),
        (lambda w, n: lazy.load([w], "w.npz"), "The path comes first, then the ops, and these are 'w.npz'"),
        (
            lambda w, n: lazy.save("w.npz", [w * 2]),
            "A store holds what is in variables and placeholders, and not multi",
        ),
        (lambda w, n: w + 1j, "add takes a complex number, and ops are made of real ones"),
        (lambda w, n: w * np.ones(2, complex), "multiply takes a complex number"),
        (lambda w, n: np.fft.fft(w), "fft gives complex numbers, and ops are made of real ones"),
        (
            lambda w, n: lazy.variable((2,), np.ma.ones(2)),
            "takes arrays, and the value is a MaskedArray, which computes",
        ),
        (lambda w, n: lazy.shared["w"], "and not str"),
        (lambda w, n: lazy.shared[w + 1], "what is in variables and placeholders, and not add, which is add"),
    ],
)
def test_a_mistake_is_told_with_its_line(wrong, words):
    w, n = lazy.variable((2,), 1.0), lazy.variable((), 0, dtype=np.int64)
    with pytest.raises((lazy.OpError, lazy.ComputationError), match=words) as error:
        wrong(w, n)
    assert re.search(r"test_mistakes\.py:\d+:\d+, in (<lambda>|traced_with_op)", str(error.value))
    np.testing.assert_array_equal(lazy.shared[w], [1.0, 1.0])
    assert lazy.shared[n] == 0


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "x takes real numbers, and the value is of NoneType"),
        ([[1], [2, 3]], "x has the shape .* and the value is no array"),
        ([1j, 2], "of complex128"),
        (np.ma.array([1, 2], mask=[0, 1]), "x takes arrays, and the value is a MaskedArray, which computes in its own"),
        (np.array(["1", "2"]), "x takes real numbers, and the value is of <U1"),
        (10**400, "x takes real numbers, and the value is of int"),
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


@pytest.mark.parametrize(
    "name",
    [
        *(
            "<script>alert(1)</script>",
            "größe ∂x",
            "class",
            "None",
            "np",
            "xp",
            "value",
            "file",
            "allow_pickle",
            "self",
        ),
        *("x\ny", "0", "", " ", "\\", "{}", "%s", "../../w", "w_next", "a" * 3000),
        '"""\n__import__("os").mkdir("made")\n"""',
        '__import__("os").mkdir("made")',
    ],
    ids=lambda name: ascii(name[:12]),
)
@pytest.mark.parametrize("backend", ["numpy", "array_api_strict"])
def test_names_are_data(name, backend, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    x, w = lazy.placeholder((2,), name=name), lazy.variable((2,), 1.0, name=name)
    loss = np.sum(w * x)
    loss.name = name
    train = lazy.computation([loss, lazy.sgd(loss, 0.1)], x, store=lazy.Store(), name=name, backend=backend)
    assert train([1.0, 2.0])[0] == 3.0
    train.save("state.npz")
    train([1.0, 2.0])
    train.load("state.npz")
    np.testing.assert_allclose(train.store[w], [0.9, 0.8])
    train.program.save("module.py")
    run_path("module.py")
    assert train.graph.name(0) == (name or "x")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["module.py", "state.npz"]


def test_a_damaged_file_is_told_and_changes_nothing(tmp_path):
    path, (w, v) = tmp_path / "state.npz", [lazy.variable((50,), 1.0, name=name) for name in "wv"]
    lazy.save(path, [w, v])
    whole = path.read_bytes()
    lazy.shared[w] = lazy.shared[v] = 2.0
    at = whole.rindex(b"NUMPY") + 200
    np.savez(tmp_path / "pickled.npz", w=np.ones(50), v=np.array([{}], object))
    files = {
        "half": whole[: len(whole) // 2],
        "flipped": whole[:at] + bytes([whole[at] ^ 255]) + whole[at + 1 :],
        "pickled": (tmp_path / "pickled.npz").read_bytes(),
        "empty": b"",
    }
    for data in files.values():
        path.write_bytes(data)
        with pytest.raises(
            lazy.ComputationError, match=r"is no \.npz file|v cannot be read from .*state\.npz: "
        ) as error:
            lazy.load(path, [w, v])
        assert "test_mistakes.py" in str(error.value)
        np.testing.assert_array_equal([lazy.shared[w], lazy.shared[v]], np.full((2, 50), 2.0))
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        lazy.save(tmp_path / "no" / "state.npz", [w])


def interrupted(call, after):
    """Whether a call was interrupted after so many lines of adviz's own."""
    lines = 0

    def trace(frame, event, arg):
        nonlocal lines
        if not frame.f_code.co_filename.startswith((PACKAGE, "<array program")):
            return None
        lines += event == "line"
        if lines > after:
            raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


@pytest.mark.parametrize("backend", ["numpy", "array_api_strict"])
def test_a_call_that_is_interrupted_stores_all_or_nothing(backend):
    a, b, c = (lazy.variable((2,), 0.0) for _ in range(3))
    with lazy.isolated():
        updates = [lazy.assign(op, op + 1) for op in (a, b, c)]
    step = lazy.computation(updates, store=lazy.Store(), backend=backend)
    step()
    for after in range(1000):
        was_interrupted = interrupted(step, after)
        held = np.array([step.store[op] for op in (a, b, c)])
        assert np.all(held == held[0, 0]), after
        if not was_interrupted:
            break
    assert 5 < after < 999
    assert held[0, 0] > 1


@pytest.fixture
def shallow_stack():
    """So that a chain need not be long to be longer than the stack is deep."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(450)
    yield
    sys.setrecursionlimit(before)


@pytest.mark.long
@pytest.mark.parametrize(
    "further",
    [
        lambda y, w: y * 0.5,
        lambda y, w: 1.5 * y,
        lambda y, w: y / 2,
        lambda y, w: -y,
        lambda y, w: y + 1.0,
        lambda y, w: w - y,
        lambda y, w: y * w,
        lambda y, w: np.sin(y),
    ],
)
@pytest.mark.usefixtures("shallow_stack")
def test_chains_that_are_longer_than_the_stack_is_deep_are_built_derived_and_compiled(further):
    x, w = lazy.placeholder((2,), name="x"), lazy.variable((2,), 1.0, name="w")
    y = x
    for _ in range(sys.getrecursionlimit() + 20):
        y = further(y, w)
    loss = np.sum(y)
    value, slope = lazy.computation([loss, lazy.deriv(loss, x)], x)([0.5, -0.5])
    assert np.isfinite(value)
    assert np.all(np.isfinite(slope))


@pytest.mark.usefixtures("shallow_stack")
def test_storage_that_is_assigned_to_more_often_than_the_stack_is_deep_is_computed():
    w, times = lazy.variable((2,), 1.0, name="w"), sys.getrecursionlimit() + 20
    for _ in range(times):
        lazy.assign(w, w * 0.999)
    np.testing.assert_allclose(lazy.computation(w, store=lazy.Store())(), np.full(2, 0.999**times), rtol=1e-10)
