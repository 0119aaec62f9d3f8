"""Every public attribute of NumPy's arrays: Variables have it, or refuse it by name."""

import ctypes
import hashlib
import io
import struct
import zlib

import numpy as np
import pytest

import adviz as ad
from adviz.engine.variable import Traced

from ...catalogue import expressions
from ..checks import GRAINS

X = np.arange(6.0).reshape(2, 3) - 2.5
GONE = {"itemset", "newbyteorder", "ptp", "tostring"}
"""What arrays of the first versions of NumPy 2 have only to say that it is no more."""
PUBLIC = [name for name in dir(np.ndarray) if not name.startswith("_") and name not in GONE]


def test_a_misspelt_attribute_is_told_with_the_one_that_may_be_meant_and_where():
    words = r"^a traced value has no attribute 'shpae'; did you mean 'shape'\?"
    with pytest.raises(AttributeError, match=words) as told:
        ad.trace(lambda x: np.sum(x.shpae), X)
    assert "x.shpae" in told.value.__notes__[0]


LISTS = [lambda x: sum(x + [1.0]), lambda x: sum([1.0] + x), lambda x: x.__iadd__([1.0])]  # noqa: RUF005
LISTS += [lambda x: x.append(1.0), lambda x: x.index(0.7), lambda x: x.extend([1.0]) or x[0]]


@GRAINS
@pytest.mark.parametrize("f", LISTS)
def test_a_list_that_is_passed_is_an_array_which_is_said_where_lists_do_something_else(f, grain):
    for argument, g in (([0.5, 0.7], f), ({"a": [0.5, 0.7]}, lambda x: f(x["a"]))):
        with pytest.raises(ad.ConversionError, match=r"Write \[\*x, 1.0\] for a list"):
            ad.grad(g, grain=grain)(argument)
    assert ad.grad(lambda x: sum([*x, 1.0]) * x[0], grain=grain)([0.5, 0.7]).tolist() == [2.7, 0.5]
    assert ad.value_and_grad(lambda x: sum(x + [1.0, 2.0]), grain=grain)(np.array([0.5, 0.7]))[0] == 4.2  # noqa: RUF005


@GRAINS
def test_the_text_of_a_traced_value_is_that_of_its_numbers(grain):
    def f(x):
        texts.append([str(x), str(x[0, 1]), "%s" % x[1, 1], f"{x}", str(x > 0)])  # noqa: UP031
        return np.sum(x)

    texts = []
    f(X)
    ad.grad(f, grain=grain)(X)
    assert texts[0] == texts[1]


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_attribute_of_arrays_is_answered_or_refused_by_name(name):
    assert hasattr(Traced, name)

    refused = []

    def f(x):
        try:
            refused.append(str(getattr(x, name))[:0])
        except ad.AdvizError as error:
            refused.append(str(error))
        return x

    ad.trace(f, X)
    assert not refused[0] or f"x.{name}" in refused[0]


@GRAINS
def test_what_does_not_change_the_numbers_is_what_numpy_says(grain):
    def f(x):
        y = x * 2.0
        assert (y.itemsize, y.strides, y.T.strides, y.device) == (8, (24, 8), (8, 24), "cpu")
        assert (y.flags.c_contiguous, y.T.flags.c_contiguous, y.nbytes) == (True, False, 48)
        assert y[0, 0] in y
        return y

    ad.trace(f, X, grain=grain)


def written_to(x):
    y = np.zeros(x.shape)
    y[0] = x[0]
    return y


DTYPES = expressions("""
x.dtype | x[0, 0].dtype | x[0].dtype | x[:0].dtype | np.asarray(x).dtype | np.asarray(x, dtype=x.dtype).dtype
np.array([x[0, 0], 1.0]).dtype | np.array([1, 2], dtype=x.dtype).dtype | np.empty(3, dtype=x.dtype).dtype
np.zeros_like(x).dtype | written_to(x).dtype | np.sin(x).dtype | x.astype(float).dtype
x.astype(x.dtype, copy=False) is x | x.view().dtype | (x > 0).dtype | np.argmax(x).dtype
(x.dtype.kind, x.dtype.char, x.dtype.name, x.dtype.hasobject, x.itemsize, x.nbytes)
np.issubdtype(x.dtype, np.floating) | np.isdtype(x.dtype, 'real floating') | np.finfo(x.dtype).eps
x.dtype in (np.float32, np.float64) | np.result_type(x, np.float32) | np.result_type(written_to(x))
np.min_scalar_type(x) | np.common_type(x) | np.promote_types(x.dtype, 'i4')
(np.can_cast(x.dtype, 'f4', 'same_kind'), np.can_cast(x.dtype, int))
""")


@GRAINS
@pytest.mark.parametrize("text", DTYPES)
def test_to_a_program_a_traced_array_is_one_of_floats(text, grain):
    f, found = eval(f"lambda x: {text}", {"np": np, "written_to": written_to}), []
    ad.trace(lambda x: found.append(f(x)) or x, X, grain=grain)
    assert found == [f(X)]


def test_conditions_that_are_nodes_are_booleans_and_other_things_are_objects():
    def f(x):
        assert (x > 0).dtype == bool
        assert np.array([None, "a"]).dtype == np.array([x, [x]], dtype=object).dtype == object
        with pytest.raises(ad.ArrayWriteError, match="astype"):
            x.dtype = int
        return np.where(x > 0, x, 2.0 * x)

    assert ad.compile_jacobian(f, X[:, 0], grain="scalar")(X[:, 0])[1].trace() == 3.0


@GRAINS
def test_whole_numbers_that_are_nodes_are_whole_numbers_to_a_program(grain):
    def f(x):
        places = np.floor(x).astype(int)
        return np.sum(places * x) if places.dtype == places[1:].dtype == int else np.sum(x)

    gradient = ad.compile_gradient(f, np.array([1.5, 2.5]), grain=grain)(np.array([3.5, 4.5])).gradient
    np.testing.assert_array_equal(gradient, [3.0, 4.0])


@GRAINS
def test_whole_numbers_choose_among_traced_rows(grain):
    gradient = ad.grad(lambda x: np.sum((x > 0).astype(int).ravel()[:3].choose([x[0], x[1]])), grain=grain)(X)
    np.testing.assert_array_equal(gradient, [[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]])


@GRAINS
@pytest.mark.parametrize("name", ["tobytes", "tofile", "dump", "dumps", "byteswap", "getfield", "setfield"])
def test_bytes_of_traced_values_are_refused_and_those_of_numbers_are_not(name, grain):
    with pytest.raises(ad.MissingBlockError, match=rf"x\.{name}\. A traced value is no plain memory"):
        ad.trace(lambda x: getattr(x * 1.0, name)(), X, grain=grain)
    ad.trace(lambda x: x * len(np.array([1.0, 2.0]).tobytes()), X, grain=grain)


READERS = {
    "md5": hashlib.md5,
    "crc32": zlib.crc32,
    "memoryview": memoryview,
    "bytearray": bytearray,
    "bytes": bytes,
    "a struct": lambda x: struct.unpack_from("d", x),
    "a type of ctypes": lambda x: ctypes.c_double.from_buffer_copy(x),
    "np.frombuffer": np.frombuffer,
    "np.ndarray": lambda x: np.ndarray(2, buffer=x),
    "a file": lambda x: io.BytesIO().write(x),
    "joined bytes": lambda x: b"".join([x]),
}


@GRAINS
@pytest.mark.parametrize("name", READERS)
def test_functions_in_c_do_not_read_the_memory_of_traced_values_but_that_of_numbers(name, grain):
    read = READERS[name]
    for f in (lambda x: read(x), lambda x: read(2.0 * x.copy())):
        with pytest.raises((ad.ConversionError, ad.MissingBlockError), match="plain memory"):
            ad.trace(f, np.ones(2), grain=grain)
    ad.trace(lambda x: x * (read(np.array([1.0, 2.0])) is not None), np.ones(2), grain=grain)


@GRAINS
def test_the_bytes_of_an_array_with_traced_values_in_it_are_refused(grain):
    def f(x):
        y = np.zeros(3)
        y[:2] = x
        return np.sum(y) * len(bytes(y))

    with pytest.raises(ad.MissingBlockError, match="plain memory"):
        ad.trace(f, np.ones(2), grain=grain)


@GRAINS
def test_another_type_of_the_same_bytes_is_refused(grain):
    ad.trace(lambda x: x.view(np.float64) * x.view(np.ndarray), X, grain=grain)
    for kind in (np.int64, complex, "f4"):
        with pytest.raises(ad.MissingBlockError, match=r"x\.view of another type\. Use x\.astype"):
            ad.trace(lambda x, kind=kind: np.append(x, x[:, :1], axis=1).view(kind), X, grain=grain)


def test_another_device_is_refused():
    with pytest.raises(ad.MissingBlockError, match="to_device"):
        ad.trace(lambda x: x.to_device("gpu"), X)


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_matrices_are_computed_with_as_arrays_but_do_not_multiply():
    m = np.matrix(np.ones((2, 3)))
    gradient = ad.grad(lambda x: np.sum(np.multiply(m, x) + m - x / (m + 1)))(X)
    np.testing.assert_array_equal(gradient, np.full((2, 3), 0.5))
    np.testing.assert_array_equal(ad.jacobian(lambda x: m @ x.T)(X).sum(), 12.0)
    for f in (lambda x: np.asmatrix(np.eye(2)) * x, lambda x: x * m):
        with pytest.raises(ad.MissingBlockError, match=r"Write np.asarray\(m\) @ x, or np.multiply\(m, x\)"):
            ad.trace(f, X)


@GRAINS
def test_the_address_of_traced_numbers_is_refused_and_of_plain_ones_given(grain):
    with pytest.raises(ad.MissingBlockError, match=r"x\.ctypes"):
        ad.trace(lambda x: np.sum(x) * (x * 2.0).ctypes.data, np.ones(2), grain=grain)
    assert ad.grad(lambda x: np.sum(x) * bool(np.arange(2.0).ctypes.data), grain=grain)(np.ones(2)).tolist() == [1, 1]


LAYOUTS = {
    "itself": lambda x: x,
    "turned": lambda x: x.T,
    "rows": lambda x: x[1:],
    "columns": lambda x: x[:, ::2],
    "repeated": lambda x: np.broadcast_to(x[0], (2, 3)),
}


@GRAINS
@pytest.mark.parametrize("laid_out", LAYOUTS.values(), ids=LAYOUTS)
def test_flags_are_those_of_an_array_that_may_be_written_to(laid_out, grain):
    seen = []

    def f(x):
        flags = laid_out(x).flags
        seen.append([flags.writeable, flags.c_contiguous, flags.f_contiguous])
        return np.sum(x)

    f(X.copy())
    ad.trace(f, X, grain=grain)
    assert seen[0] == seen[1]


@GRAINS
def test_a_number_has_no_length(grain):
    def f(x):
        assert hasattr(x, "__len__")
        assert not hasattr(x[0, 0], "__len__")
        with pytest.raises(TypeError, match="a number has no len"):
            len(np.sum(x))
        return np.sum(x) * len(x)

    assert ad.grad(f, grain=grain)(X).tolist() == np.full((2, 3), 2.0).tolist()


@GRAINS
def test_a_text_is_in_no_traced_array_and_equal_to_none(grain):
    def f(x):
        assert not np.any(x == "a")
        assert np.all(x != "a")
        assert str(x == "a") == "[False False]"
        assert "a" not in x
        assert 1.0 in x
        return np.sum(x)

    assert ad.grad(f, grain=grain)(np.array([1.0, 2.0])).tolist() == [1.0, 1.0]


@GRAINS
@pytest.mark.parametrize(
    ("f", "error"),
    [
        (lambda x: np.linalg.cholesky(-np.outer(x, x)), np.linalg.LinAlgError),
        (lambda x: np.where(x > 0, x), ValueError),
        (lambda x: (x * 1.0).resize(1), ad.MissingBlockError),
    ],
)
def test_errors_are_those_of_numpy_or_name_the_cause(f, error, grain):
    with pytest.raises(error, match=r"not positive definite|either both or neither|resize"):
        ad.trace(f, np.array([1.0, 2.0]), grain=grain)


def _with_dtype(x):
    y = x.copy()
    y.dtype = np.int64
    return np.sum(x)


REFUSED = {
    "the dtype": (_with_dtype, ad.ArrayWriteError, "cannot be set"),
    "the base": (lambda x: np.sum(x) if x.base is None else x[0, 0], ad.MissingBlockError, r"x\.base"),
    "a method of floats": (lambda x: float.__add__(x[0, 0], 1.0), ad.ConversionError, "no plain numbers"),
}


@GRAINS
@pytest.mark.parametrize("name", REFUSED)
def test_what_a_traced_array_cannot_say_or_do_is_refused_by_name(name, grain):
    f, error, words = REFUSED[name]
    with pytest.raises(error, match=words):
        ad.grad(f, grain=grain)(X)


def test_a_method_of_arrays_that_is_called_on_their_class_is_refused_by_name():
    with pytest.raises(ad.ConversionError, match="no plain numbers"):
        ad.grad(lambda x: np.sum(np.ndarray.__imul__(x.copy(), x)))(X)


@GRAINS
def test_arrays_share_memory_where_numpys_do(grain):
    def f(x):
        shared = [np.shares_memory(x, x[1:]), np.shares_memory(x, x.copy()), np.may_share_memory(x, x.T)]
        return np.sum(x) * sum(2**k for k, holds in enumerate(shared) if holds)

    assert ad.value_and_grad(f, grain=grain)(X)[0] == f(X)
