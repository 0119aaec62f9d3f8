"""Programs on arrays of other libraries: what NumPy's give, in their arrays, where these are and in their dtype."""

import pickle
import sys
from runpy import run_path

import array_api_strict
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.special

import adviz as ad
from adviz.engine.calls import leaves, rebuild
from adviz.kernels.libraries.library_program import LibraryProgram
from adviz.kernels.program.program import Program

from ..arrays.programs import KNOWN
from .cupy_here import LIBRARIES, cupy

X = np.array([1.0, 2.0, 3.0])
pytestmark = pytest.mark.usefixtures("imported_cupy")


def there(structure, library):
    return rebuild(structure, iter([library.asarray(value) for _, value in leaves(structure, "")]))


def assert_alike(found, wanted, library, tolerance=1e-12):
    """The same numbers in arrays of the library."""
    for (name, one), (_, other) in zip(leaves(found, "result"), leaves(wanted, "result"), strict=True):
        assert isinstance(one, library.kind), name
        one, other = library.get(one), np.asarray(other)
        assert (one.shape, one.dtype) == (other.shape, other.dtype), name
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance, err_msg=name)


def squares(x):
    return np.sum(x * x)


def gradient_of(f, *example, **options):
    return ad.compile_gradient(f, *example, grain="array", **options)


# ---- programs ----


@pytest.mark.usefixtures("double_precision")
@pytest.mark.parametrize("library", LIBRARIES)
def test_all_kinds_of_programs(library):
    where, point = LIBRARIES[library], (np.array([[0.3, 0.5, -1.0], [1.0, 2.0, 0.1]]), np.array([2.0, 3.0, 0.5]))

    def f(A, x):
        return np.tanh(A @ x) * np.max(x), {"largest": A[0, np.argmax(x)], "rows": A[::-1]}

    def loss(A, x):
        return np.sum(np.exp(A @ x) / (1 + x[0] ** 2))

    adjoint = (np.array([1.0, -2.0]), {"largest": 3.0, "rows": np.ones((2, 3))})
    for compile_it, function, arguments in (
        (ad.compile, f, point),
        (ad.compile_jacobian, f, point),
        (ad.compile_gradient, loss, point),
        (ad.compile_hessian, loss, point),
        (ad.compile_jvp, f, (point, point)),
        (ad.compile_vjp, f, (point, adjoint)),
        (ad.compile_hvp, loss, (point, point)),
    ):
        expected = compile_it(function, *point, grain="array")(*arguments)
        program = compile_it(function, *point, grain="array", backend=where.backend)
        assert_alike(program(*there(arguments, where)), expected, where, 1e-11)


@pytest.mark.usefixtures("double_precision")
@pytest.mark.parametrize("library", LIBRARIES)
def test_loops_stay_loops_and_entries_are_added_up_in_them(library):
    where = LIBRARIES[library]

    def f(xs, w):
        h = np.zeros(2)
        for k in range(40):
            h = np.tanh(w @ h + xs[k] * xs[k + 1])
        return np.sum(h)

    point = np.sin(np.arange(82.0)).reshape(41, 2), np.array([[0.3, -0.2], [0.5, 0.1]])
    program = gradient_of(f, *point, backend=where.backend)
    assert len(program.source.splitlines()) < 30
    assert_alike(program(*there(point, where)), gradient_of(f, *point)(*point), where)


# ---- dtypes, devices, shapes ----


@pytest.mark.parametrize("library", LIBRARIES)
def test_single_precision_stays_single(library):
    where = LIBRARIES[library]

    def f(x):
        return np.sum(np.concatenate([x, np.ones(2, x.dtype)]) ** 3) / 7

    x = X.astype(np.float32)
    program = gradient_of(f, x, backend=where.backend)
    assert_alike(program(where.asarray(x)), gradient_of(f, x)(x), where, 1e-6)


def test_the_dtype_of_the_arguments_is_that_of_a_program_of_the_standard():
    program = gradient_of(lambda x, y: np.sum(x * y) * np.eye(3)[0] @ x, X, X, backend=array_api_strict)
    single = array_api_strict.asarray(X, dtype=array_api_strict.float32)
    for other, dtype in (
        (single, "float32"),
        (array_api_strict.asarray(X), "float64"),
        (X, "float32"),
        (3 * X, "float32"),
    ):
        for _, each in leaves(program(single, other), ""):
            assert str(each.dtype).endswith(dtype)
    assert len(program.specializations) == 1


@pytest.mark.long
def test_jax_computes_in_single_precision_unless_it_is_told_otherwise():
    def f(x, labels):
        y = np.where(labels > 0, x, 0.0)
        y[1:] = x[labels[1:]] * np.linspace(0.1, 0.2, 2)
        return np.sum(np.sort(y) * np.arange(3)) + np.argmax(x)

    point = X, np.array([0, 2, 1])
    with jax.enable_x64(False):
        program = gradient_of(f, *point, inputs=0, backend=jnp)
        found = program(*map(jnp.asarray, point))
    assert found.gradient.dtype == jnp.float32
    np.testing.assert_allclose(found.gradient, gradient_of(f, *point, inputs=0)(*point).gradient, rtol=1e-6)


def test_arrays_stay_on_their_device_and_numbers_come_to_it():
    device = array_api_strict.Device("device1")
    program = gradient_of(
        lambda x, y: np.sum(np.stack([x, np.ones(3)]) * y) + np.eye(3)[0] @ x, X, 2.0, backend="array_api_strict"
    )
    found = program(array_api_strict.asarray(X, device=device), 2.0)
    assert {str(each.device) for _, each in leaves(found, "")} == {str(device)}


@pytest.mark.parametrize("library", LIBRARIES)
def test_labels_and_masks_are_data(library):
    where, labels, mask = LIBRARIES[library], np.array([0, 2, -1]), np.array([True, False, True])

    def f(x, labels, mask):
        return np.sum(np.where(mask, x[labels] ** 2, x) * (labels == 2)) + np.sum(mask) * np.sum(x * labels)

    program = gradient_of(f, X, labels, mask, inputs=0, backend=where.backend)
    numpys = gradient_of(f, X, labels, mask, inputs=0)
    for change in (0, 1):
        point = X, (labels + change) % 3, mask ^ bool(change)
        found, wanted = program(*there(point, where)), numpys(*point)
        np.testing.assert_allclose(where.get(found.gradient), wanted.gradient, rtol=1e-6)


# ---- which grain and which library ----


@pytest.mark.slow  # JAX compiles a loop over 2,000 numbers
def test_the_grain_is_chosen_by_size():
    assert isinstance(ad.compile_gradient(squares, X, backend=jnp), Program)
    program = ad.compile_gradient(squares, np.ones(2000), backend=jnp)
    assert isinstance(program, LibraryProgram)
    points = jnp.ones((2, 2000))
    assert program(points).gradient.shape == (2, 2000)  # an axis of points: in the scalar grain
    assert isinstance(ad.compile_gradient(squares, np.ones(600), backend="numba"), Program)


@pytest.mark.long
def test_what_the_library_lacks_is_left_to_the_scalar_grain_where_the_grain_is_free():
    f = lambda x: np.sum(scipy.special.erf(x) * x)  # noqa: E731
    with pytest.raises(
        ad.ProgramError, match=r"erf has no text in a program on the arrays of array_api_strict(.|\n)* at "
    ):
        gradient_of(f, np.ones(2000), backend=array_api_strict)
    assert isinstance(gradient_of(f, X, backend=jnp), LibraryProgram)
    with pytest.raises(ad.ProgramError, match="array_api_strict has no operation erf"):
        ad.compile_gradient(f, np.ones(2000), backend=array_api_strict)


def test_the_back_end_that_was_set_is_that_of_programs_on_arrays():
    ad.set_backend("cupy")
    try:
        program = gradient_of(squares, X)
        on_numpy = gradient_of(squares, X, backend="numpy")
    finally:
        ad.set_backend("numpy")
    assert isinstance(program(X).gradient, cupy.ndarray)
    assert isinstance(on_numpy(X).gradient, np.ndarray)


# ---- to inspect, save and send ----


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_saved_module_imports_the_library(library, tmp_path):
    where, known = LIBRARIES[library], KNOWN["gaussian_process"]
    point = known.draw(np.random.default_rng(0))
    program = gradient_of(known.function, *point, inputs=[0, 1, 2], backend=where.backend)
    program.save(tmp_path / "module.py")
    text = (tmp_path / "module.py").read_text("utf-8")
    name = {"strict": "array_api_strict as xp", "jax": "jax.numpy as xp", "cupy": "cupy as cp"}[library]
    assert f"\nimport {name}\n" in text
    assert "numpy as np" not in text
    assert "adviz." not in text
    arguments = there(point, where)
    found, wanted = run_path(str(tmp_path / "module.py"))["gaussian_process_gradient"](*arguments), program(*arguments)
    for (_, one), (_, other) in zip(leaves(found, ""), leaves(tuple(wanted), ""), strict=True):
        np.testing.assert_array_equal(where.get(one), where.get(other))


@pytest.mark.long
def test_constants_and_special_functions_are_saved(tmp_path):
    data = np.sin(np.arange(30.0))

    def f(x):
        return np.sum(scipy.special.erf(x * data[3:6]) * np.concatenate([x, data])[:3]) + data @ np.tile(x, 10)

    program = gradient_of(f, X, backend="jax.numpy")
    program.save(tmp_path / "module.py")
    assert "\nimport jax.scipy.special as special\n" in (tmp_path / "module.py").read_text("utf-8")
    found = run_path(str(tmp_path / "module.py"))["f_gradient"](jnp.asarray(X))
    np.testing.assert_allclose(found[1], ad.grad(f)(X), rtol=1e-5)


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_program_is_sent_with_the_name_of_its_library(library):
    where = LIBRARIES[library]
    program = gradient_of(squares, X, backend=where.backend)
    sent = pickle.loads(pickle.dumps(program))
    assert sent.backend == program.backend
    np.testing.assert_array_equal(where.get(sent(where.asarray(X)).gradient), 2 * X)
    assert sent.graph.block_counts() == program.graph.block_counts()
    with pytest.raises(ad.ProgramError, match="compiled in another process"):
        sent(where.asarray(np.ones(5)))


def test_the_graph_and_the_cost_are_those_of_the_same_program_in_numpy():
    program, numpys = gradient_of(squares, X, backend=jnp), gradient_of(squares, X)
    assert program.graph.block_counts() == numpys.graph.block_counts()
    assert program.cost == numpys.cost
    assert [row.origin for row in program.lines] == [row.origin for row in numpys.lines]
    assert "import" not in program.source


@pytest.mark.parametrize("name", ["lstm", "kalman"])
def test_the_lines_of_the_graph_are_those_of_the_same_program_in_numpy(name):
    known = KNOWN[name]
    example = known.draw(np.random.default_rng(0))
    program = gradient_of(known.function, *example, inputs=known.inputs, backend=array_api_strict)
    numpys = gradient_of(known.function, *example, inputs=known.inputs)
    assert [row.text for row in program.traced_lines] == [row.text for row in numpys.traced_lines]
    shown, wanted = (ad.show_program(each).scene["panels"][-1] for each in (program, numpys))
    assert shown["span_of"] == wanted["span_of"]


@pytest.mark.slow
@pytest.mark.usefixtures("double_precision")
def test_programs_are_compiled_mapped_and_differentiated_by_jax():
    known = KNOWN["recurrent"]
    point = tuple(map(jnp.asarray, known.draw(np.random.default_rng(0))))
    program = gradient_of(known.function, *point, inputs=[0, 1, 2, 3], backend=jnp)
    direct = program(*point)
    jitted = jax.jit(program)(*point)
    for (_, one), (_, other) in zip(leaves(tuple(jitted), ""), leaves(tuple(direct), ""), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14)
    slope = jax.grad(lambda v: program(*point[:3], v, *point[4:]).value)(point[3])
    np.testing.assert_allclose(slope, direct.gradient[3], rtol=1e-12)
    of_loss = gradient_of(squares, jnp.asarray(X), backend=jnp)
    points = jnp.asarray(np.arange(6.0).reshape(2, 3))
    np.testing.assert_array_equal(jax.vmap(of_loss)(points).gradient, 2 * points)


# ---- errors ----


REFUSED = {
    "numba": ({"backend": "numba"}, r"compiles loops over numbers.*grain='scalar'"),
    "no library": ({"backend": "math"}, "math has no arrays"),
    "not there": ({"backend": "nowhere"}, "pip install nowhere"),
    "branches": (
        {"backend": jnp, "branches": True},
        "branches=True needs NumPy's arrays, and the backend is 'jax.numpy'",
    ),
    "a batch": ({"backend": jnp, "batch": 0}, "leave backend out, or batch"),
    "points": ({"backend": jnp, "points": "last"}, "points='last' is an option of programs over points"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_libraries_do_not_do_is_refused_by_name(name):
    options, message = REFUSED[name]
    with pytest.raises(ad.ProgramError, match=message):
        gradient_of(squares, X, **options)


def test_pytorch_takes_a_package_with_the_names_of_the_standard(monkeypatch):
    monkeypatch.setitem(sys.modules, "array_api_compat", None)
    with pytest.raises(ad.ProgramError, match=r"array_api_compat\.torch needs .*: pip install array_api_compat"):
        gradient_of(squares, X, backend="torch")


@pytest.mark.parametrize("library", LIBRARIES)
def test_wrong_arguments_are_named(library):
    where = LIBRARIES[library]
    program = gradient_of(lambda x, y: np.sum(x * y), X, X, backend=where.backend)
    with pytest.raises(ad.InputError, match="takes 2 arguments, not 1"):
        program(where.asarray(X))
    with pytest.raises(ad.InputError, match="y is str, not real"):
        program(where.asarray(X), "two")
    with pytest.raises(ad.InputError, match=r"y .*complex|y is complex"):
        program(where.asarray(X), np.array([1j, 2, 3]))


def test_arrays_of_another_library_are_named():
    program = gradient_of(lambda x, y: np.sum(x * y), X, X, backend=jnp)
    with pytest.raises(
        ad.InputError, match="y is an array of array_api_strict; the program was compiled for those of jax"
    ):
        program(X, array_api_strict.asarray(X))
    with pytest.raises(ad.InputError, match=r"y is of dtype complex\d+, not of real numbers"):
        program(X, jnp.asarray(1j * X))


def test_a_function_that_cupy_lacks_is_named_with_its_place(monkeypatch):
    monkeypatch.delattr(cupy.linalg, "eigvals")
    with pytest.raises(ad.ProgramError, match=r"CuPy has no linalg.eigvals, which the program needs.*\n  at .*eigvals"):
        gradient_of(lambda x: np.sum(np.linalg.eigvals(x)), np.diag(X), backend="cupy")


def test_scipys_functions_on_cupy_need_those_of_cupy(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupyx", None)
    with pytest.raises(ad.ProgramError, match=r"needs cupyx\.scipy\.special, which cannot be imported"):
        gradient_of(lambda x: np.sum(scipy.special.erf(x)), X, backend="cupy")
