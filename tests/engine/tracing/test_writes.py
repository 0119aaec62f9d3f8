"""What is written into arrays: new versions, seen by all who share the memory, as NumPy has it."""

import copy
import math
import pickle

import numpy as np
import pytest

import adviz as ad
from adviz.engine.arrays import ProgramArray

from ...catalogue import expressions
from ..checks import GRAINS
from ..derivatives import assert_close, central_jacobian

X = np.array([0.3, -0.7, 1.1, 0.9])


def agrees(f, x, grain):
    """Traced and differentiated, a function gives what it gives on floats; the point stays the point."""
    point, expected = x.copy(), f(x.copy())
    value, pullback = ad.vjp(f, x, grain=grain)
    assert_close(value, expected, 1e-14)
    np.testing.assert_array_equal(x, point)
    rows = np.stack([pullback(row.reshape(np.shape(expected)))[0] for row in np.eye(np.size(expected))])
    slopes = central_jacobian(lambda x: f(x.copy()), x).reshape(rows.shape)
    assert_close(rows, slopes)


def filled_one_by_one(x):
    out = np.zeros(4)
    for i in range(4):
        out[i] = np.sin(x[i]) * x[0]
    return out


def stencil(x):
    u = np.zeros(6)
    u[1:-1] = x
    u[1:-1] += 0.5 * (u[2:] - u[:-2])
    return u * u


def rows_swapped(x):
    a = np.outer(x, x)
    a[[0, 2]] = a[[2, 0]]
    a[1], a[3] = a[3], a[1].copy()
    return a @ x


def through_views_of_views(x):
    a = np.zeros((2, 3))
    v = a.T[1:]
    w = v[::-1, 0]
    w[...] = x[:2]
    a[1] += 2.0 * a[0]
    return a * 3.0


def a_copy_stays_apart(x):
    a = np.ones(4)
    b, c = a.copy(), a[[0, 1]]
    a[:2] = x[:2]
    b[0] = x[3]
    c += x[0]
    return np.concatenate([a, b, c])


def by_functions(x):
    a = np.zeros((3, 3))
    np.fill_diagonal(a, x[:3])
    np.put(a, [1, 2], x[2:])
    np.copyto(a[2], x[1:], where=x[1:] > 0)
    np.add.at(a, ([0, 0, 1], [0, 0, 2]), x[:3])
    np.multiply.at(a, ([0, 0], [0, 0]), x[3])
    np.putmask(a, a == 0, x)
    return a


def by_iteration(x):
    a = np.ones((2, 2))
    for row in a:
        row *= x[:2]
    for k, entry in enumerate(a.flat):
        a.flat[k] = entry * x[3]
    return a


def single_and_whole(x):
    a, n = np.zeros(4, np.float32), np.zeros(4, int)
    a[:] = x
    n[:] = 10 * x
    return a.astype(float).sum() * x + n


def double(a):
    a *= 2.0


LINES = """
y = x; y += 1.0; return x * y
y = x + 0.0; double(y); return y
z = x.copy(); z *= x; z -= 1.0; z /= 2.0; z **= 2; return z * x
z = copy.deepcopy(x); z += 1.0; return x * z
z = x + 0.0; v = z[:1]; v *= 10.0; return z
z = x + 0.0; v = z.reshape(4, 1); z *= 10.0; return v
z = x + 0.0; np.asarray(z)[0] = 10.0; return z
z = x + 0.0; v = np.asarray(z); z += 10.0; return v
z = np.array(x); z[0] = 10.0; x += 1.0; return z * x[0]
z = x * 1.0; z += [x[0], 2.0, x[1], 1.0]; return z * z
z = -x; z.sort(); return z * x
a = np.empty((2, 2)); flat = a.reshape(-1); a[:] = 1.0; flat[2] = x[1]; a *= x[0]; return flat
a = np.zeros(3); a[[0, 0, 1]] = x[:3]; return a
y = x * 2.0; y[y < 0] = 0.1 * y[y < 0]; y[x > 1] = x[0]; return y
a = np.zeros((2, 2), order="F"); a.flat[1:] = x[:2]; a.T.flat[0] = x[3]; return a
y = np.empty(4); np.multiply(x, x, out=y); np.add(y, x, out=y); np.sqrt(x, out=y, where=x > 0.5); return y
y = x * 1.0; np.subtract(y[1:], y[:-1], out=y[1:]); return y
"""


def of_lines(text):
    space = {"np": np, "copy": copy, "double": double}
    exec(f"def f(x):\n {text}", space)
    return space["f"]


PROGRAMS = [filled_one_by_one, stencil, rows_swapped, through_views_of_views, a_copy_stays_apart, by_functions]
PROGRAMS += [by_iteration, *map(of_lines, LINES.strip().splitlines())]


@GRAINS
@pytest.mark.parametrize("f", PROGRAMS)
def test_programs_that_write_give_what_numpy_gives(f, grain):
    agrees(f, X, grain)


@pytest.mark.parametrize("f", [filled_one_by_one, stencil, rows_swapped, by_functions, by_iteration])
def test_and_so_do_their_second_derivatives(f):
    def total(x):
        return np.sum(np.sin(f(x)))

    expected = central_jacobian(ad.grad(total), X)
    assert_close(ad.hessian(total)(X), expected, 1e-5)
    assert_close(ad.hessian(total, grain="scalar")(X), expected, 1e-5)


@pytest.mark.parametrize("f", [filled_one_by_one, stencil, rows_swapped, through_views_of_views, a_copy_stays_apart])
def test_and_their_programs(f):
    values, jacobian = ad.compile_jacobian(f, X)(np.stack([X, 2 * X]))
    assert_close(values[1], f(2 * X), 1e-14)
    assert_close(jacobian[0], central_jacobian(f, X))


def test_whole_numbers_are_cut_off_and_single_precision_rounds():
    value, pullback = ad.vjp(single_and_whole, X)
    assert_close(value, single_and_whole(X), 1e-6)
    assert_close(pullback(np.array([1.0, 0, 0, 0]))[0], X.sum() * np.array([1.0, 0, 0, 0]) + X[0], 1e-6)


IN_PLACE = expressions("""
y += x | y -= 2.0 * x | y *= x | y /= x | y **= x | y //= x | y %= x | y += x[0] | y += [x[0], x[1], x[2], x[3]]
y[1:] -= x[1:] | y[[0, 1]] *= x[:2] | np.multiply(x, 2.5, out=y) | np.sin(x, y)
np.add(x, 1.0, out=y, where=[True, False, True, True]) | np.clip(x, 0.0, 1.0, out=y) | np.round(x, out=y)
np.concatenate([x[:2], x[2:]], out=y) | np.copyto(y, x) | np.copyto(y, x[0])
np.copyto(y, x, where=[True, False, False, True]) | np.place(y, [True, False, True, False], x)
np.putmask(y, [True, False, True, False], x)
""")
CUT_OFF = expressions("""
y[0] = x[2] | y[:] = 3.0 * x | y[x > 1] = x[x > 1] | y.fill(x[2]) | y.flat[:2] = x[:2] | y[2] += x[2]
np.add.at(y, [0, 0, 0, 1], x) | np.add.at(y, 0, x[0]) | np.multiply.at(y, [0, 1], x[:2]) | np.put(y, [0, 1], x[:2])
np.copyto(y, x, casting='unsafe') | np.add(x, y, out=y, casting='unsafe')
""")


def program(line, dtype):
    space = {"np": np}
    exec(f"def f(x):\n y = np.ones(4, {dtype!r})\n {line}\n return np.sum(y * 1.0) + np.sum(x)", space)
    return space["f"]


@GRAINS
@pytest.mark.parametrize("dtype", ["int64", "uint8", "bool"])
@pytest.mark.parametrize("line", IN_PLACE)
def test_in_place_whole_numbers_and_booleans_become_no_others_as_in_numpy(line, dtype, grain):
    with pytest.raises(TypeError):
        program(line, dtype)(X.copy())
    with pytest.raises(TypeError):
        ad.grad(program(line, dtype), grain=grain)(X)


@GRAINS
@pytest.mark.parametrize("dtype", ["int64", "bool"])
@pytest.mark.parametrize("line", CUT_OFF)
def test_by_assignment_they_are_cut_off_as_in_numpy(line, dtype, grain):
    value, slope = ad.value_and_grad(program(line, dtype), grain=grain)(X)
    assert value == program(line, dtype)(X.copy())
    np.testing.assert_array_equal(slope, 1.0)


@GRAINS
def test_and_the_error_names_both_types_and_the_place(grain):
    with pytest.raises(
        ad.ArrayWriteError, match=r"float64 was to be written into an array of int64.*\n.*np\.add"
    ) as told:
        ad.grad(lambda x: np.sum(np.add(x, 1.0, out=np.arange(4))), grain=grain)(X)
    assert isinstance(told.value, TypeError)


@GRAINS
def test_complex_numbers_are_not_written_into_real_ones(grain):
    def f(x):
        y = 2.0 * x
        y += 1j
        return np.sum(np.abs(y))

    with pytest.raises(ad.ArrayWriteError, match=r"complex128 was .* an array of float64"):
        ad.grad(f, grain=grain)(X)


@GRAINS
def test_numbers_are_cut_off_in_an_array_that_was_made_one_of_integers(grain):
    def f(x):
        y = (3 * x).astype(int)
        y[0] = 2 * x[1]
        return np.sum(y * x)

    value, gradient = ad.value_and_grad(f, grain=grain)(X)
    assert value == f(X)
    np.testing.assert_array_equal(gradient, [int(2 * X[1]), *(3 * X[1:]).astype(int)])


@pytest.mark.parametrize("grain", ["array", "scalar"])
def test_a_program_writes_into_what_is_full_of_a_traced_number(grain):
    def f(x):
        y = np.full(x.shape, x[1])
        y[0] = x[0]
        return np.sum(y * x)

    np.testing.assert_allclose(ad.compile_gradient(f, X, grain=grain)(X).gradient, ad.grad(f)(X))


@pytest.mark.parametrize("grain", ["array", "scalar"])
def test_a_whole_part_is_no_index(grain):
    with pytest.raises(ad.BranchError, match="used as an index"):
        ad.grad(lambda x: x[math.floor(abs(x[1]))], grain=grain)(X)


def masked(x):
    share = np.asarray(x[0] / x[1])
    share[x[1] == 0] = 0.0
    share[x[3] > 0] = 3.0 * x[0]
    return share * x[1]


def replaced(x):
    product = x[0] * x[1]
    number = np.asarray(product)
    same = number
    same[()] = x[1] ** 2
    return number * product


def without_axes(x):
    total = np.asarray(np.sum(x))
    total += x[0]
    np.add(total, x[1], out=total)
    filled, copied, made = np.array(x[2]), np.copy(x[3]), np.zeros(())
    filled.fill(x[0])
    np.copyto(copied, x[1] * x[2])
    made[...] = x[3]
    return total * filled * copied + made


@GRAINS
@pytest.mark.parametrize("f", [masked, replaced, without_axes])
def test_an_array_of_one_number_without_axes_may_be_written_to(f, grain):
    agrees(f, X, grain)
    assert_close(ad.compile_jacobian(f, X, grain=grain)(X)[1], central_jacobian(f, X))
    assert_close(ad.hessian(f, grain=grain)(X), central_jacobian(ad.grad(f), X))
    with pytest.raises(IndexError, match="too many indices"):
        ad.trace(lambda x: np.asarray(x[0]).__setitem__(0, 1.0), X, grain=grain)


# ---- graphs ----


def test_a_write_is_a_node_whose_operands_are_the_version_before_and_the_value():
    graph = ad.trace(lambda x: filled_one_by_one(x), X)
    writes = [node for node in graph if node.block.name == "set"]
    assert len(writes) == 4
    assert writes[1].operands[0] == writes[0]
    np.testing.assert_array_equal(writes[0].value, [np.sin(0.3) * 0.3, 0, 0, 0])
    assert writes[0].origin.text == "out[i]"


def test_x_plus_equals_on_a_part_is_one_write():
    graph = ad.trace(stencil, X)
    assert graph.block_counts()["set"] == 2


# ---- the caller's arrays ----


@GRAINS
def test_traced_arguments_stay_as_they_are_and_others_become_what_numpy_makes_of_them(grain):
    def f(x, table, buffer=None):
        x[0] = 2.0 * x[1]
        table[1:] = x[:2]
        buffer[0, :] += x[:2]
        return np.sum(x) * table[1] + buffer.sum()

    arrays = [X.copy(), np.ones(3), np.zeros((2, 2))]
    expected = [array.copy() for array in arrays]
    f(X.copy(), expected[1], buffer=expected[2])
    gradient = ad.grad(f, grain=grain)(arrays[0], arrays[1], buffer=arrays[2])
    for found, wanted in zip(arrays, expected, strict=True):
        assert type(found) is np.ndarray
        np.testing.assert_array_equal(found, wanted)
    slopes = central_jacobian(lambda x: np.asarray(f(x.copy(), np.ones(3), buffer=np.zeros((2, 2)))), X)
    assert_close(gradient, slopes.ravel())


@GRAINS
def test_also_when_the_function_fails(grain):
    def f(x, table):
        table[0] = x[0]
        raise RuntimeError("in the middle")

    table = np.ones(2)
    with pytest.raises(RuntimeError, match="in the middle"):
        ad.grad(f, grain=grain)(X, table)
    np.testing.assert_array_equal(table, [0.3, 1.0])
    assert_close(ad.grad(lambda x: np.sum(x * table), grain=grain)(np.ones(2)), table)


def test_examples_of_programs_stay_as_they_are():
    def f(x):
        x *= 2.0
        return x

    example = X.copy()
    program = ad.compile_jacobian(f, example)
    np.testing.assert_array_equal(example, X)
    assert_close(program(X[None])[0][0], 2 * X)


KEPT = np.zeros(4)


@GRAINS
def test_arrays_that_the_function_did_not_make_are_refused_with_the_line(grain):
    def f(x):
        KEPT[1] = x[0]
        return KEPT * x

    with pytest.raises(ad.ArrayWriteError, match="`KEPT`, which was not made in the traced function but at") as caught:
        ad.trace(f, X, grain=grain)
    assert "KEPT = np.array(KEPT)" in str(caught.value)
    assert str(caught.value).count(__file__) == 2  # where it was made, and where it was written to
    assert not KEPT.any()


@GRAINS
@pytest.mark.parametrize(
    "use",
    [
        *(lambda x, a: a * x, lambda x, a: x * a, lambda x, a: x[0] + a[1], lambda x, a: a[1] + x[0]),
        *(lambda x, a: x + a[1], lambda x, a: a[1] ** x, lambda x, a: x[0] * float(a[1]), lambda x, a: a),
        *(lambda x, a: x[0] if x[0] > a[1] else x[1], lambda x, a: np.where(a < x, x, 0.0), lambda x, a: x @ a),
        *(lambda x, a: np.sum(x) + np.sum(a) * 1.4, lambda x, a: max(x[0], a[1]), lambda x, a: np.stack([x[0], a[1]])),
    ],
)
def test_numbers_that_other_code_reads_from_a_written_array_are_an_error_never_a_wrong_number(use, grain):
    kept = np.zeros(4)

    def f(x):
        a = np.zeros(4)
        a[:] = x
        kept[:] = a  # NumPy copies memory, and asks nobody
        return use(x, kept)

    with pytest.raises(ad.ConversionError, match="derivatives would be lost"):
        ad.trace(f, X, grain=grain)


# ---- arrays that a program makes ----


@GRAINS
def test_arrays_are_numpys_own_until_something_traced_is_written_into_them(grain):
    seen = {}

    def f(x):
        a = np.zeros(3)
        seen["float"], seen["bytes"] = a.dtype == float, np.ones(2).tobytes()
        seen["buffer"] = np.frombuffer(np.ones(2)).sum()
        seen["pickled"] = type(pickle.loads(pickle.dumps(a)))
        seen["array"] = isinstance(a, np.ndarray) and a.flags.c_contiguous and np.arange(3.0).mean()
        return x * 1.0

    ad.trace(f, X, grain=grain)
    assert seen == {
        "float": True,
        "bytes": np.ones(2).tobytes(),
        "buffer": 2.0,
        "pickled": np.ndarray,
        "array": 1.0,
    }


@GRAINS
def test_an_array_that_outlives_the_trace_has_numbers(grain):
    kept = []

    def f(x):
        a = np.zeros(4)
        a[1:] = x[1:]
        kept.append(a)
        return a * x

    ad.trace(f, X, grain=grain)
    np.testing.assert_array_equal(kept[0], [0.0, *X[1:]])
    assert np.sum(kept[0]) == pytest.approx(X[1:].sum())


@GRAINS
def test_a_trace_inside_a_trace_writes_into_an_array_of_the_outer_one(grain):
    def f(x):
        buffer = np.zeros(2)

        def inner(y):
            buffer[0], buffer[1] = y * y, x[1]
            return np.sum(buffer * buffer)

        return ad.grad(inner, grain=grain)(x[0]) + ad.grad(inner, grain=grain)(x[2]) + buffer[0]

    agrees(lambda x: np.asarray(f(x)) if not isinstance(x, np.ndarray) or x.dtype == object else plain(x), X, grain)


def plain(x):
    """The function above without traces: 4 y³ at two places, and what is left in the buffer."""
    return np.asarray(4 * x[0] ** 3 + 4 * x[2] ** 3 + x[2] ** 2)


def test_results_outside_of_traces_are_numpys_own():
    kept = []
    ad.trace(lambda x: kept.append(np.ones(2)) or x, X)
    assert type(kept[0]) is ProgramArray
    assert type(kept[0] + 1) is np.ndarray


# ---- operators in place ----


def test_an_array_that_nobody_shares_becomes_the_result_without_a_copy():
    graph = ad.trace(of_lines("y = x + 0.0; double(y); return y"), X)
    assert graph.block_counts() == {"add": 1, "multiply": 1, "input": 1, "output": 1}


def test_a_result_that_does_not_fit_is_refused():
    def f(x):
        y = x + 0.0
        y += np.ones((2, 4))
        return y

    with pytest.raises(ValueError, match=r"\(4,\) cannot hold the result of shape \(2, 4\)"):
        ad.trace(f, X)


def test_single_precision_stays_single_precision():
    def f(x):
        y = x * np.float32(1)
        y += np.full(4, 0.1)
        return y

    x = X.astype(np.float32)
    graph = ad.trace(f, x)
    assert graph.values[graph.outputs[0]].dtype == np.float32
    np.testing.assert_array_equal(graph.values[graph.outputs[0]], f(x))


def test_numbers_are_never_changed_in_place():
    def f(x):
        y = x
        y += 1.0
        return x * y

    assert ad.value_and_grad(f)(3.0) == (12.0, 7.0)


def test_what_was_written_down_is_read_only():
    graph = ad.trace(lambda x: x * 2.0 + 1.0, X)
    for node in graph:
        with pytest.raises(ValueError, match="read-only"):
            node.value[0] = 9.0


def test_entries_that_other_code_took_are_not_written_to_unseen():
    def f(x):
        z = x + 0.0
        entries = z.__array__()  # what code in C gets
        z += 1.0
        return entries.sum()

    with pytest.raises(ad.ArrayWriteError, match="would not see it"):
        ad.trace(f, X)


# ---- what stays impossible ----


@pytest.mark.parametrize(
    "f",
    [
        lambda x: (x * 1.0).resize(2, 2),
        lambda x: np.nditer(x * 1.0, op_flags=["readwrite"]),
        lambda x: (x * 1.0).view(np.int64),
        lambda x: (x * 1.0).ctypes.data,
    ],
    ids=["resize", "nditer", "view of another type", "ctypes"],
)
def test_what_reads_or_writes_memory_itself_is_refused_by_name(f):
    with pytest.raises(ad.AdvizError):
        ad.trace(f, X)


@GRAINS
def test_arrays_that_outlive_the_trace_are_named_if_numpy_has_copied_traced_values_into_them(grain):
    class Log:
        def __init__(self):
            self.rows, self.parts, self.states = np.zeros((2, 4)), {"a": np.zeros(4)}, []

        def into_rows(self, x):
            self.rows[1] = self.written(x)
            return np.sum(x)

        def into_a_part(self, x):
            self.parts["a"][:] = self.written(x)
            return np.sum(x)

        def to_a_list(self, x):
            self.states.append(self.written(x))
            return np.sum(x)

        def written(self, x):
            a = np.zeros(4)
            a[:] = 2 * x
            return a

    log = Log()
    for f, name in ((log.into_rows, "`rows`, an array"), (log.into_a_part, "an array")):
        with pytest.raises(ad.ArrayWriteError, match=f"copied into {name} that was not made in the traced function"):
            ad.grad(f, grain=grain)(X)
    ad.grad(log.to_a_list, grain=grain)(X)
    np.testing.assert_array_equal(log.states[0], 2 * X)


def shuffled(rng, w):
    rng.shuffle(w)


def part_shuffled(rng, w):
    rng.shuffle(w[:, 1])


def permuted(rng, w):
    w[1:] = rng.permutation(w[1:])


def drawn_anew(rng, w):
    rng.random(out=w)
    w[0] *= 2.0


@GRAINS
@pytest.mark.parametrize("draw", [shuffled, part_shuffled, permuted, drawn_anew])
@pytest.mark.parametrize("writes", [True, False])
def test_random_numbers_move_and_overwrite_entries_as_in_numpy(draw, writes, grain):
    def f(x):
        w = np.zeros((4, 2))
        if writes:
            w[:] = x
        else:
            w = x * 1.0
        draw(np.random.default_rng(3), w)
        return np.sum(w * np.arange(8.0).reshape(4, 2) * x)

    x = np.arange(1.0, 9.0).reshape(4, 2)
    value, gradient = ad.value_and_grad(f, grain=grain)(x)
    assert value == pytest.approx(f(x))
    assert_close(gradient, central_jacobian(f, x), 1e-6)


VIEWS = {
    "two axes without a copy": lambda y: np.array(y, ndmin=2, copy=False)[0],
    "an open grid without copies": lambda y: np.meshgrid(y, y, copy=False, sparse=True)[0][0],
}


@GRAINS
@pytest.mark.parametrize("name", VIEWS)
def test_what_numpy_makes_without_a_copy_is_written_to_with_the_array(name, grain):
    def f(x):
        y = x.copy()
        VIEWS[name](y)[0] = x[1]
        return np.sum(y**2)

    x = np.array([0.3, 1.2, 2.5])
    value, gradient = ad.value_and_grad(f, grain=grain)(x)
    assert value == pytest.approx(f(x))
    np.testing.assert_allclose(gradient, [0.0, 4.8, 5.0])


def test_np_require_is_refused_by_name_where_what_is_written_to_its_array_would_be_lost():
    def f(x):
        y = x.copy()
        np.require(y, float, "C")[0] = x[1]
        return np.sum(y**2)

    x = np.array([0.3, 1.2, 2.5])
    assert ad.value_and_grad(f, grain="scalar")(x)[0] == pytest.approx(f(x))
    with pytest.raises(ad.MissingBlockError, match=r"np\.require"):
        ad.grad(f)(x)
