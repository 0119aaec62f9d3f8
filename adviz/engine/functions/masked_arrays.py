"""Masked arrays (``np.ma``) of traced numbers: the rules of NumPy's functions, and the methods.

Numbers under the mask take no part: a :class:`~..calls.Masked` does not have them. What works entry by entry is applied
to the others; which entries of the result are masked, NumPy says itself, of the data. What moves entries is applied to
their places. What adds them up along an axis gets the array filled. There is no rule for anything else: an error names
it, and nothing reads the numbers under the mask, which NumPy leaves open.
"""

from __future__ import annotations

from functools import partial
from operator import attrgetter
from types import FunctionType
from typing import Any

import numpy as np

from ..arrays import contents
from ..calls import NOTHING, Masked, is_masked, mask_of, numbers_of_masked, places_of
from ..object_arrays import ARITHMETIC, COMPARISONS, SIGNS, is_plain
from ..tape import current_tape
from ..unsupported import decided_by_data
from ..variable import SET_CLASS
from .arguments import Function, Patches, check_unsupported, data_of, holds_traced, is_saved, missing, name_of

ADVICE = "Use x.filled(0.0) or x.compressed(), which are plain arrays."


def refuse(name: str) -> Exception:
    """Return the error for what is not known of masked arrays."""
    return missing(f"{name} of masked arrays", ADVICE)


def as_masked(value: Any) -> Masked:
    """Return any array as numbers in a row and their places."""
    if type(value) is Masked:
        return Masked(contents(value.values), value.places)
    if is_masked(value):
        return Masked(numbers_of_masked(value), places_of(mask_of(value)))
    return Masked(np.ravel(value), places_of(np.zeros(np.shape(value), bool)))


def chosen(values: Any, places: Any) -> Any:
    """Return the numbers at ``places``, a masked array: an array like it, plain if they are, or one number."""
    places = np.ma.asarray(places)
    mask, index = np.ma.getmaskarray(places), places.compressed()
    if not mask.ndim:
        return np.ma.masked if mask else values[int(index[0])]
    is_whole = np.array_equal(index, np.arange(np.size(values)))
    values = values if is_whole else values[index]
    if not is_plain(contents(values)):
        return Masked(values, places_of(mask))
    unknown = np.nan if values.dtype.kind in "fc" else 1  # what is read in spite of the mask is no number
    result = np.ma.array(np.full(mask.shape, unknown, values.dtype), mask=mask)
    result.data[~mask] = values
    return result


def settle(x: Masked) -> None:
    """Make NumPy's masked array of one whose numbers are plain, since its trace has ended."""
    if "values" not in vars(x) or not is_plain(values := contents(x.values)):
        return
    result = chosen(values, x.places)
    data = np.ascontiguousarray(result.data)
    vars(x).clear()
    state: Any = (1, data.shape, data.dtype, False, data.tobytes())
    np.ndarray.__setstate__(x, state)
    SET_CLASS(x, np.ma.MaskedArray)
    vars(x).update(vars(result))


def filled(x: Any, value: Any) -> Any:
    """Return the array with a number, or an array of such, in the places of what is masked."""
    x, mask = as_masked(x), mask_of(x)
    if not mask.any():
        return np.reshape(x.values, mask.shape)
    rest = np.broadcast_to(value, mask.shape)[mask]
    numbers = np.array(x.places.data)
    numbers[mask] = np.size(x.values) + np.arange(rest.size)
    return np.concatenate([x.values, rest])[numbers]


# ---- entry by entry ----


def _plain(value: Any) -> Any:
    """Return the data, with 1 under the mask."""
    if not is_masked(value):
        return data_of(value, decides=False)
    x, result = as_masked(value), np.ma.ones(np.shape(value))
    result[~mask_of(x)] = data_of(x.values, decides=False)
    result[mask_of(x)] = np.ma.masked
    return result


def _deciding(function: Any, operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the operands by which a function masks where it has no value."""
    domain = getattr(function, "domain", None) or vars(np.ma.core)["ufunc_domain"].get(function)
    return operands[-1:] if domain is not None or function is np.ma.power else ()


def _check_known(*operands: Any) -> None:
    """Raise :class:`~adviz.BranchError` in a program for all points, unless operands are known."""
    tape = current_tape()
    if tape is not None and tape.symbolic and not all(is_plain(as_masked(each).values) for each in operands):
        raise decided_by_data()


def entrywise(function: Function, original: Any, *operands: Any, **settings: Any) -> Any:
    """Apply a function of numbers; ``original`` is what NumPy has for it, and says what is masked."""
    check_unsupported(f"np.ma.{function.__name__}", ADVICE, **settings)
    _check_known(*_deciding(original, operands))
    with np.errstate(all="ignore"):
        known = original(*map(_plain, operands))
    mask = np.ma.getmaskarray(known[0] if isinstance(known, tuple) else known)

    def taken(operand: Any) -> Any:
        if not np.ndim(operand):
            return operand
        x = as_masked(operand)
        index = np.broadcast_to(x.places.data, mask.shape)[~mask]
        return x.values if np.array_equal(index, np.arange(np.size(x.values))) else x.values[index]

    if any(operand is np.ma.masked for operand in operands):
        return np.ma.masked_all(mask.shape) if mask.ndim else np.ma.masked
    result = function(*map(taken, operands))
    if isinstance(result, tuple):
        return tuple(chosen(part, places_of(mask)) for part in result)
    return chosen(result if np.ndim(result) else np.reshape(result, 1), places_of(mask))


def ufunc(self: Any, called: np.ufunc, method: str, *inputs: Any, **settings: Any) -> Any:
    """Return a ufunc where a masked array takes part beside what is traced."""
    inputs = contents(inputs)
    if not holds_traced(list(inputs)):
        return getattr(called, method)(*inputs, **contents(settings))
    if method != "__call__" or called.signature:
        raise refuse(name_of(called) if method == "__call__" else f"{name_of(called)}.{method}")
    return entrywise(called, called, *inputs, **settings)


# ---- entries in other places ----


def moved(function: Function, *arrays: Any, **settings: Any) -> Any:
    """Apply a function that only moves entries, or masks them, to the places of arrays."""
    whole = list(map(as_masked, arrays))
    starts = np.cumsum([0, *(np.size(x.values) for x in whole)])
    result = function(*(x.places + start for x, start in zip(whole, starts, strict=False)), **settings)
    values = whole[0].values if len(whole) == 1 else np.concatenate([x.values for x in whole])
    if isinstance(result, list | tuple):
        return type(result)(chosen(values, each) for each in result)
    return chosen(values, result)


def _moving(name: str) -> Function:
    """Return a function of its first argument."""
    function = getattr(np.ma, name, None) or getattr(np, name)
    return lambda a, *args, **settings: moved(lambda places: function(places, *args, **settings), a)


def _joining(name: str) -> Function:
    """Return a function of a sequence of arrays."""
    function = getattr(np.ma, name)
    return lambda arrays, *args, **settings: moved(lambda *places: function(places, *args, **settings), *arrays)


def where(condition: Any, *choices: Any) -> Any:
    """``np.ma.where``."""
    _check_known(condition)
    if not choices:
        return np.ma.where(_plain(condition))
    return moved(lambda *places: np.ma.where(_plain(condition), *places), *choices)


def masking(original: Function) -> Function:
    """``np.ma.masked_less`` and its like, which mask entries: they are asked of the data which."""

    def apply(*args: Any, **settings: Any) -> Any:
        _check_known(*args)
        hidden = np.ma.getmaskarray(original(*map(_plain, args), **settings))
        return array(args[original is np.ma.masked_where], mask=hidden)

    return apply


def array(
    data: Any, dtype: Any = None, copy: bool = False, order: Any = None, mask: Any = np.ma.nomask, **others: Any
) -> Any:
    """``np.ma.array``."""
    check_unsupported("np.ma.array", ADVICE, dtype=dtype, order=order, **others)
    hidden = np.broadcast_to(np.asarray(data_of(mask), bool), np.shape(data))
    return moved(lambda places: np.ma.array(places, mask=hidden | np.ma.getmaskarray(places)), data)


# ---- reductions ----


def _number(value: Any) -> Any:
    if value is None:
        raise missing("x.filled() without a number", "Say which: x.filled(0.0).")
    return value


NEUTRAL = {"sum": 0.0, "prod": 1.0, "max": -np.inf, "min": np.inf, "mean": 0.0, "var": 0.0, "std": 0.0}
"""What stands for masked entries along an axis."""


def _reducing(name: str) -> Function:
    function = getattr(np, name)
    has_where = name in ("mean", "var", "std")

    def apply(
        a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, **others: Any
    ) -> Any:
        check_unsupported(f"np.ma.{name}", ADVICE, dtype=dtype, out=out, fill_value=others.pop("fill_value", None))
        x, keeps = as_masked(a), is_saved(keepdims)
        hidden = mask_of(x)
        lost = np.count_nonzero(~hidden, axis, keepdims=True) <= others.get("ddof", 0)
        if axis is None and not keeps:
            return np.ma.masked if lost.all() else function(x.values, **others)
        settings = others | ({"where": ~hidden | lost} if has_where else {})
        whole = filled(x, np.where(lost, 0.0, NEUTRAL[name]))
        result = function(whole, axis=axis, keepdims=keeps, **settings)
        return moved(lambda places: np.ma.array(places, mask=np.reshape(lost, np.shape(places))), result)

    return apply


def _accumulating(name: str) -> Function:
    function = getattr(np, name)

    def apply(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        check_unsupported(f"np.ma.{name}", ADVICE, dtype=dtype, out=out)
        x = as_masked(a)
        result = function(filled(x, float(name == "cumprod")), axis=axis)
        return moved(lambda places: np.ma.array(places, mask=np.reshape(mask_of(x), np.shape(result))), result)

    return apply


def average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: Any = False) -> Any:
    """``np.ma.average``."""
    if weights is None and not returned:
        return RULES["mean"](a, axis, keepdims=keepdims)
    if returned or np.shape(weights) != np.shape(a):
        raise missing("np.ma.average with returned, or with weights of another shape", "Write it out.")
    weights = entrywise(
        np.multiply, np.ma.multiply, weights, np.ma.array(np.ones(np.shape(a)), mask=mask_of(as_masked(a)))
    )
    total = RULES["sum"](entrywise(np.multiply, np.ma.multiply, a, weights), axis, keepdims=keepdims)
    return total / RULES["sum"](weights, axis, keepdims=keepdims)


def _of_data(name: str) -> Function:
    """Return a function that asks about the data."""
    function = getattr(np.ma, name)

    def apply(a: Any, *args: Any, **settings: Any) -> Any:
        _check_known(a)
        return function(*map(_plain, (a, *args)), **settings)

    return apply


def _of_mask(name: str) -> Function:
    function = getattr(np.ma, name)
    return lambda a, *args, **settings: function(as_masked(a).places, *args, **settings)


MOVING = (
    *("reshape", "ravel", "transpose", "swapaxes", "squeeze", "expand_dims", "diagonal", "take", "repeat"),
    *("atleast_1d", "atleast_2d", "atleast_3d", "copy", "flip"),
)
JOINING = ("concatenate", "stack", "hstack", "vstack", "column_stack", "dstack")
MASKING = [name for name in vars(np.ma) if name.startswith("masked_") and isinstance(vars(np.ma)[name], FunctionType)]
MASKING = [name for name in MASKING if name not in ("masked_all", "masked_all_like", "masked_object")]
RULES: dict[str, Function] = {
    **{name: _moving(name) for name in MOVING},
    **{name: _joining(name) for name in JOINING},
    **{name: masking(getattr(np.ma, name)) for name in MASKING},
    **{name: _reducing(name) for name in NEUTRAL},
    **{name: _accumulating(name) for name in ("cumsum", "cumprod")},
    **{name: _of_data(name) for name in ("argmax", "argmin", "argsort", "all", "any", "nonzero", "allclose")},
    **{name: _of_mask(name) for name in ("count", "getmaskarray", "is_masked", "shape", "ndim", "size")},
    **dict.fromkeys(("isMaskedArray", "isMA", "isarray"), is_masked),
    "getmask": lambda a: mask_of(a) if is_masked(a) else np.ma.nomask,
    "average": average,
    "where": where,
    "filled": lambda a, fill_value=None: filled(a, _number(fill_value)),
    "compressed": lambda x: as_masked(x).values,
    "append": lambda a, b, axis=None: RULES["concatenate"](
        [a, b] if axis is not None else [*map(RULES["ravel"], (a, b))], axis or 0
    ),
    "array": array,
    "asarray": array,
    "asanyarray": array,
    "anom": lambda a, axis=None, dtype=None: a - RULES["mean"](a, axis, dtype, keepdims=axis is not None),
    "clip": lambda a, a_min=None, a_max=None, out=None: entrywise(
        lambda values, low, high: np.clip(values, low, high), np.ma.clip, a, a_min, a_max
    ),
    "power": lambda a, b, third=None: entrywise(np.power, np.ma.power, a, b),
}
"""By the name of the function in ``np.ma``; most are functions of NumPy and methods as well."""
OF_NUMPY = frozenset(
    "sum prod max min mean var std cumsum cumprod reshape ravel transpose swapaxes squeeze expand_dims diagonal take"
    " repeat clip argmax argmin argsort all any nonzero shape ndim size".split()
)
"""Functions of NumPy that see the mask, since they call a method or know only shapes."""

FUNCTIONS: Patches = {name: rule for name, rule in RULES.items() if vars(np.ma).get(name) is not vars(np).get(name)} | {
    name: partial(entrywise, operation.f, operation)
    for name, operation in vars(np.ma).items()
    if callable(getattr(operation, "f", None))
}
"""The functions of ``np.ma``."""


# ---- the class ----


def function(self: Any, called: Any, types: Any, args: Any, settings: Any) -> Any:
    """Return a function of NumPy where a masked array takes part."""
    name = {"amax": "max", "amin": "min"}.get(called.__name__, called.__name__)
    if name in OF_NUMPY:
        return RULES[name](*args, **settings)
    if name in RULES and hasattr(np.ma, name):
        raise missing(f"{name_of(called)} of masked arrays, whose mask it does not see", f"Use np.ma.{name}.")
    raise refuse(name_of(called))


def _unknown(self: Masked, name: str) -> Any:
    if name.startswith("__") or not (hasattr(np.ma.MaskedArray, name) or name in ("_data", "_mask")):
        raise AttributeError(f"masked arrays have no attribute {name!r}")
    raise refuse(name)


def _refusing(name: str) -> Function:
    def method(self: Masked, *args: Any) -> Any:
        raise refuse(name)

    return method


def _operator(name: str, called: np.ufunc, is_reflected: bool = False) -> Function:
    original = getattr(np.ma, called.__name__, called)
    return lambda self, *other: entrywise(called, original, *((*other, self) if is_reflected else (self, *other)))


def _getitem(self: Masked, key: Any) -> Any:
    return moved(lambda places: places[data_of(key)], self)


def _method(name: str) -> Function:
    return lambda self, *args, **settings: RULES[name](self, *args, **settings)


def _of_shape(name: str) -> Function:
    return lambda self, *args, **settings: moved(lambda places: getattr(places, name)(*args, **settings), self)


def _array(self: Masked, dtype: Any = None, copy: bool | None = None) -> Any:
    raise refuse("__array__")


REFUSED = (
    "__setitem__ __delitem__ __matmul__ __rmatmul__ __reduce_ex__ __format__ __float__ __int__ __bool__ __contains__"
).split()

METHODS = {
    **{
        name: _method(name)
        for name in RULES
        if hasattr(np.ma.MaskedArray, name) and name not in ("shape", "ndim", "size")
    },
    **{name: _of_shape(name) for name in ("reshape", "ravel", "flatten", "transpose", "copy", "__copy__")},
    **{f"__{name}__": _operator(name, called) for name, called in (ARITHMETIC | SIGNS | COMPARISONS).items()},
    **{f"__r{name}__": _operator(name, called, is_reflected=True) for name, called in ARITHMETIC.items()},
    **{name: property(attrgetter(f"places.{name}")) for name in ("shape", "ndim", "size")},
    **{name: _refusing(name) for name in REFUSED},
    **{f"__i{name}__": _refusing(f"x {name}= y") for name in ARITHMETIC},
    "__getitem__": _getitem,
    "__iter__": lambda self: (self[k] for k in range(len(self.places))),
    "__len__": lambda self: len(self.places),
    **dict.fromkeys(("__repr__", "__str__"), lambda self: f"Masked({self.values!r}, mask={mask_of(self)})"),
    "T": property(lambda self: moved(np.ma.transpose, self)),
    "dtype": property(lambda self: getattr(self.values, "dtype", np.dtype(float))),
    "mask": property(mask_of),
}


def _array_finalize(self: Masked, parent: Any) -> None:
    if type(parent) is Masked:  # a copy, or a view, of the memory
        raise refuse("np.array")


PROTOCOLS = {
    "__array__": _array,
    "__array_finalize__": _array_finalize,
    "__array_ufunc__": ufunc,
    "__array_function__": function,
    "__getattr__": _unknown,
    "__hash__": object.__hash__,
}


class _Nothing:
    """What code that reads the memory finds there."""


_CONVERSIONS = ("__float__", "__int__", "__index__", "__bool__", "__complex__")
for _name in (*_CONVERSIONS, *(f"__{name}__" for name in ARITHMETIC | SIGNS | COMPARISONS)):
    setattr(_Nothing, _name, _refusing("np.array"))
for _name in ARITHMETIC:
    setattr(_Nothing, f"__r{_name}__", _refusing("np.array"))
NOTHING[()] = _Nothing()


def _refused_attribute(name: str) -> property:
    def refused(self: Masked) -> Any:
        raise refuse(name)

    return property(refused)


for _name in dir(np.ndarray):  # what would read the memory
    if not (hasattr(object, _name) or _name.startswith("__array_") or _name in ("__setstate__", "__class_getitem__")):
        setattr(Masked, _name, _refused_attribute(_name))
for _name, _value in (METHODS | PROTOCOLS).items():
    setattr(Masked, _name, _value)
