"""Array programs as objects: what they take and refuse, what they are called, saved and sent as."""

import pickle
import subprocess
import sys
import warnings
from collections import namedtuple

import numpy as np
import pytest
import scipy.linalg
import scipy.special

import adviz as ad
from adviz.kernels.arrays.array_program import MOST

X = np.array([1.0, 2.0, 3.0])
Pair = namedtuple("Pair", "first second")
rate = 2.0


def squares(x):
    return np.sum(x * x)


def scaled(x):
    return np.sum(rate * x)


def gradient_of(f, *example, **options):
    return ad.compile_gradient(f, *example, grain="array", **options)


# ---- arguments ----


def test_other_shapes_and_dtypes_are_specializations_of_which_the_last_are_kept():
    program = gradient_of(squares, X)
    for n in range(12):
        assert program(np.ones(n)).gradient.shape == (n,)
    assert list(program.specializations)[-1] == "x (11,)"
    assert len(program.specializations) == MOST
    assert program(X.astype(np.float32)).gradient.dtype == np.float32
    assert list(program.specializations)[-1] == "x (3,) float32"
    np.testing.assert_array_equal(program(X).gradient, 2 * X)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "takes 1 argument, not 0"),
        ((X, X), "takes 1 argument, not 2"),
        ((None,), "x is NoneType, not real"),
        (("three",), "x is str, not real"),
        ((X * 1j,), "x is ndarray of dtype complex128, not real"),
        ((np.array([1.0, None]),), "x is ndarray of dtype object, not real"),
        ((np.ma.array(X, mask=[True, False, False]),), "x is a MaskedArray, which computes in its own way"),
        ((X.astype("M8[D]"),), r"x is ndarray of dtype datetime64\[D\], not real"),
        (({"x": X},), "x is dict, not real"),
    ],
)
def test_arguments_that_are_no_real_arrays_are_named(arguments, message):
    with pytest.raises(ad.InputError, match=message):
        gradient_of(squares, X)(*arguments)


@pytest.mark.parametrize("kind", [int, bool, np.uint8])
def test_whole_numbers_are_real_where_those_of_the_example_are(kind):
    x = np.array([0, 1, 3]).astype(kind)
    wanted = 2 * x.astype(float)
    np.testing.assert_array_equal(gradient_of(squares, X)(x).gradient, wanted)
    compiled = {"vjp": ((x,), np.ones(3, int)), "jvp": ((x,), (np.ones(3, int),)), "hvp": ((x,), (np.ones(3, int),))}
    pulled = ad.compile_vjp(lambda x: x * x, X, grain="array")(*compiled["vjp"])
    pushed = ad.compile_jvp(lambda x: x * x, X, grain="array")(*compiled["jvp"])
    product = ad.compile_hvp(squares, X, grain="array")(*compiled["hvp"])
    found = [pulled.adjoints[0], pushed.tangents, product.gradient]
    for each in (*found, pulled.values, pushed.values, product.product):
        assert each.dtype == float
    for each in found:
        np.testing.assert_array_equal(each, wanted)


def test_subclasses_of_arrays_are_arrays():
    class Marked(np.ndarray):
        pass

    found = gradient_of(squares, X)(X.view(Marked))
    assert type(found.value) is float
    assert type(found.gradient) is np.ndarray
    with pytest.warns(PendingDeprecationWarning), pytest.raises(ad.InputError, match="is a matrix"):
        gradient_of(squares, np.ones((2, 2)))(np.asmatrix(np.ones((2, 2))))


def test_a_function_may_count_its_calls():
    calls = []

    def counting(x):
        calls.append(np.shape(x))
        return np.sum(x * x)

    program = gradient_of(counting, X)
    for point in (X, np.ones(2), np.ones(2), X):
        np.testing.assert_array_equal(program(point).gradient, 2 * point)
    assert calls == [(3,), (2,)]
    calls.append(())
    with pytest.raises(ad.ProgramError, match="calls has another value"):
        program(X)


def rosenbrock(x):
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


@pytest.mark.parametrize("grain", ["array", "auto"])
def test_knots_between_which_is_interpolated_may_be_arguments(grain):
    def f(knots):
        return np.sum(np.interp([0.5, 1.0], knots, [1.0, 4.0, 9.0]))

    knots = np.array([0.4, 0.7, 1.3])
    program = ad.compile_gradient(f, knots, grain=grain)
    np.testing.assert_allclose(program(knots).gradient, [-20 / 3, -7.5, -25 / 6])
    np.testing.assert_allclose(program(knots + 0.1).gradient, ad.grad(f)(knots + 0.1))


def test_slices_are_added_in_place():
    program = gradient_of(rosenbrock, X)
    assert program.source.partition("# backward\n")[2].splitlines() == [
        "    x_adj = np.zeros(3)",
        "    x_adj[:-1] = -2 * value_difference_2",
        "    x_adj[:-1] -= 400 * value_difference * x[:-1]",
        "    x_adj[1:] += 200 * value_difference",
        "    return value, x_adj",
    ]
    np.testing.assert_allclose(program(X + 1).gradient, ad.grad(rosenbrock)(X + 1), 1e-12)


def test_sums_keep_their_axes_only_for_what_needs_them():
    program = gradient_of(lambda x, y: np.sum((x[:, None] - y) ** 2), X[:, None], X[:2, None])
    assert "keepdims" not in program.source
    assert program(X[:, None], X[:2, None]).gradient[1].shape == (2, 1)


def test_entries_are_added_to_arrays_of_their_own_shape_only():
    for shape in ((1, 4), (4, 1), (4,)):
        x = np.arange(4.0).reshape(shape) + 1
        program = ad.compile_vjp(lambda x: (np.take(x.reshape(-1), [1, 2, 3]), 1 / (3 + x**2)), x, grain="array")
        adjoint = (np.array([3.0, 4.0, 5.0]), np.cos(x))
        (found,) = program((x,), adjoint).adjoints
        np.testing.assert_allclose(found, np.array([0.0, 3, 4, 5]).reshape(shape) - 2 * x / (3 + x**2) ** 2 * np.cos(x))


def test_structures_other_than_the_example_s_are_refused():
    program = gradient_of(lambda p: np.sum(p["w"] * p["b"][0]), {"w": X, "b": [X]})
    for wrong in (X, {"w": X}, {"w": X, "b": X}, {"w": X, "b": [X, X]}):
        with pytest.raises(ad.InputError, match="argument 0"):
            program(wrong)


def test_whole_numbers_are_arguments_that_can_be_indices():
    program = gradient_of(lambda x, places: np.sum(x[places] ** 2), X, np.array([0, 1]), inputs=0)
    np.testing.assert_array_equal(program(X, np.array([2, 2])).gradient, [0, 0, 12])
    np.testing.assert_array_equal(program(X, np.array([0, 1, 2])).gradient, 2 * X)
    with pytest.raises(ad.InputError, match="places is an array of integers"):
        gradient_of(lambda x, places: np.sum(x[places]), X, np.array([0, 1]))


@pytest.mark.parametrize("compiled", [ad.compile_jvp, ad.compile_vjp])
def test_programs_along_tangents_and_adjoints_of_whole_numbers_alone_are_refused(compiled):
    with pytest.raises(ad.InputError, match=r"x is an array of integers\. Pass an array of real numbers"):
        compiled(lambda x: x * x, np.arange(3), grain="array")
    program = ad.compile_jvp(lambda x, places: x[places], X, np.array([0, 1]), grain="array")
    np.testing.assert_array_equal(program((X, np.array([2, 2])), (X, np.zeros(2))).tangents, X[[2, 2]])


@pytest.mark.parametrize("option", [{"points": "last"}, {"threads": 2}])
def test_options_of_points_are_refused(option):
    (name,) = option
    with pytest.raises(ad.ProgramError, match=f"{name}=.* is an option of programs over points"):
        gradient_of(squares, X, **option)


def test_wrong_names_of_grains_and_orders_are_refused():
    with pytest.raises(ad.AdvizError, match="grain is 'tree'; it can be 'auto', 'scalar' or 'array'"):
        ad.compile_gradient(squares, X, grain="tree")
    with pytest.raises(ad.OrderError, match="order is 'sideways'"):
        gradient_of(squares, X, order="sideways")


def test_the_first_operation_that_makes_nan_is_named_in_one_warning():
    def f(x):
        return np.sum(np.sqrt(np.log(x)))

    with pytest.warns(ad.NonFiniteWarning) as found:
        gradient_of(f, X + 1)(np.array([-1.0, 2.0, 3.0]))
    assert len(found) == 1
    assert "NaN arises in log from finite operands.\n  at " in str(found[0].message)
    with warnings.catch_warnings(action="error"):
        gradient_of(squares, X)(np.array([np.nan, 1.0, 1.0]))  # it was there before


def test_nan_in_a_loop_is_named_with_its_place():
    def f(x):
        h = x
        for _ in range(20):
            h = np.log(h) + x
        return np.sum(h)

    program = gradient_of(f, X + 4)
    assert "for " in program.source
    with pytest.warns(ad.NonFiniteWarning, match=r"NaN arises in log from finite operands.\n  at .*np.log\(h\)"):
        program(-X)


def test_blocks_of_ones_own_are_refused_by_name_with_their_line():
    class twice(ad.SimpleBlock):
        def data_fn(self, x):
            return 2 * x.data

        def gradient_fn(self, x):
            return 2 + 0 * x.data

    block = twice()
    for compiled in (ad.compile, ad.compile_gradient):
        with pytest.raises(ad.ProgramError, match=r"The Block twice cannot be written.*\n  at .*block\(x\)"):
            compiled(lambda x: np.sum(block(x)), X, grain="array")


# ---- names and structures: data never becomes code ----

HOSTILE = [
    *(
        '"""; raise SystemExit #',
        "'); raise SystemExit #",
        "new\nline\nraise SystemExit",
        "\\",
        '"',
        "lambda",
        "np",
        "",
    ),
    *("ünï", "__class__", "a b", "#", "{0}", "%s"),
]


@pytest.mark.long
def test_keys_and_titles_are_only_data(tmp_path):
    values = {key: X + k for k, key in enumerate([*HOSTILE, 3, ("t", 1)])}

    def f(d):
        return sum(np.sum((k + 1) * v * v) for k, v in enumerate(d.values()))

    for title in HOSTILE:
        f.__name__ = title
        program = gradient_of(f, values)
        found = program(values)
        for k, (key, value) in enumerate(values.items()):
            np.testing.assert_allclose(found.gradient[key], 2 * (k + 1) * value)
        program.save(tmp_path / "program.py")
        compile((tmp_path / "program.py").read_text(encoding="utf-8"), "program.py", "exec")


def test_arguments_keep_their_names_where_python_allows():
    def f(lambda_, np, π, float, x):
        return (lambda_ * np * π * float * x).sum()

    program = gradient_of(f, X, X, X, X, X)
    assert program.source.startswith("def f_gradient(lambda_, np_2, π, float_2, x):")
    np.testing.assert_allclose(program(X, X, X, X, X).gradient[0], X**4)


def test_results_have_the_structure_of_the_function_s():
    def f(p):
        return {"a": 2 * p.first, "b\n": [p.second, (p.first, 3.0)], "c": Pair(p.first + 1, p.first), "d": 2 * p.first}

    with pytest.warns(ad.IndependentOutputWarning):
        program = ad.compile(f, Pair(X, X), grain="array")
    found = program(Pair(X, 2 * X))
    assert list(found) == ["a", "b\n", "c", "d"]
    assert type(found["c"]) is Pair
    assert found["b\n"][1][1] == 3.0
    found["a"][:] = 0.0
    np.testing.assert_array_equal(found["d"], 2 * X)


CONSTANTS = [
    *(np.array([np.nan, 1.0, np.inf]), np.array([-0.0, 0.0, 1.0]), np.full(3, -0.0), np.arange(3), np.eye(3)[1] > 0),
    *(
        np.float32(0.1),
        np.float64(0.1),
        -0.0,
        np.inf,
        np.arange(3000.0)[::1000] / 7,
        np.array([0.1, 0.2, 0.3], np.float32),
    ),
]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("constant", CONSTANTS, ids=str)
def test_constants_are_captured_bit_by_bit(constant, dtype, tmp_path):
    def f(x):
        return np.copysign(x, constant) * 2, x + constant, np.where(x > 0, constant, x)

    x = X.astype(dtype)
    program = ad.compile(f, x, grain="array")
    program.save(tmp_path / "program.py")
    scope = {}
    exec((tmp_path / "program.py").read_text(encoding="utf-8"), scope)
    with warnings.catch_warnings(action="ignore"):
        for found in (program(x), scope["f_value"](x)):
            for one, other in zip(found, f(x), strict=True):
                assert one.dtype == other.dtype
                np.testing.assert_array_equal(one, other)


def test_a_program_is_saved_for_the_example_whatever_it_was_called_with(tmp_path):
    program = gradient_of(squares, X)
    for n in range(4, 4 + MOST):
        program(np.ones(n))
    assert "x (3,)" not in program.specializations
    program.save(tmp_path / "program.py")
    assert "for arguments of these shapes: x (3,).\n" in (tmp_path / "program.py").read_text(encoding="utf-8")


# ---- in other processes ----


def layer(W, b, x):
    return np.sum(scipy.special.logsumexp(np.tanh(W @ x + b)) + np.linalg.eigvalsh(W.T @ W)[-1] + np.fft.fft(b).real[1])


def test_a_saved_module_needs_numpy_only(tmp_path):
    """It runs where nothing else can be imported, and gives the gradient to rounding."""
    rng = np.random.default_rng(0)
    point = rng.normal(size=(3, 3)), rng.normal(size=3), rng.normal(size=3)
    program = gradient_of(layer, *point)
    program.save(tmp_path / "module.py")
    np.savez(tmp_path / "point.npz", *point)
    script = (
        "import sys\n"
        "for name in ('adviz', 'scipy', 'jax'): sys.modules[name] = None\n"
        "import numpy as np, module\n"
        "value, gradient = module.layer_gradient(*np.load('point.npz').values())\n"
        "np.savez('found.npz', value, *gradient)\n"
    )
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True, env={"PYTHONPATH": str(tmp_path)})
    value, *gradient = np.load(tmp_path / "found.npz").values()
    wanted, slopes = ad.value_and_grad(layer, argnums=(0, 1, 2))(*point)
    np.testing.assert_allclose(value, wanted, rtol=1e-12)
    for one, other in zip(gradient, slopes, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)


def test_a_program_is_sent_to_another_process_with_its_specializations():
    program = gradient_of(squares, X)
    program(np.ones(2))
    sent = pickle.loads(pickle.dumps(program))
    assert sent.source == program.source
    for point in (X, np.ones(2)):
        np.testing.assert_array_equal(sent(point).gradient, 2 * point)
    with pytest.raises(ad.ProgramError, match=r"compiled in another process, for x \(3,\), x \(2,\)"):
        sent(np.ones(4))


def test_eigenvalues_that_become_complex_are_an_error():
    program = ad.compile(np.linalg.eigvals, np.diag(X), grain="array")
    with pytest.raises(ValueError, match="complex"):
        program(np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]))


def test_whole_numbers_that_are_computed_with_have_no_tangents_and_labels_have_none():
    x, labels = np.array([[0.3, 1.2], [0.5, -0.4]]), np.array([1, 0])

    def chosen(x, k):
        return np.sum(x[np.arange(2), k] ** 2) + np.sum(np.where(k > 0, x[0], x[1])) + np.sum(np.eye(2)[k] * x)

    adjoints = ad.compile_vjp(chosen, x, labels, grain="array")((x, labels), 1.0).adjoints
    np.testing.assert_allclose(adjoints[0], ad.grad(lambda x: chosen(x, labels))(x))
    assert not adjoints[1].any()
    for make in (ad.compile_jvp, ad.compile_vjp):
        with pytest.raises(ad.InputError, match=r"k is an array of integers.*keyword argument"):
            make(lambda x, k: np.sum(x**2 * (k + 1)), x, labels, grain="array")
