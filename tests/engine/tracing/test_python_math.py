"""Python's ``math`` while a function is traced: values and derivatives of NumPy's, errors of its own."""

from __future__ import annotations

import inspect
import math
import random
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adviz as ad
from adviz.engine.tracing.constructors import MATH_PATCHES, OF_ONE, PREDICATES, TRACED

GRAINS = ("array", "scalar")
POINTS: dict[str, tuple[float, ...]] = {"acosh": (1.7,), "log": (0.3, 1.7), "nextafter": (0.3, 1.2)}
POINTS |= dict.fromkeys(("atan2", "copysign", "isclose", "pow"), (0.3, -1.2))
POINTS |= dict.fromkeys(("fma", "hypot"), (0.3, -1.2, 0.7)) | dict.fromkeys(("fmod", "remainder"), (7.3, -1.2))
"""Where a function is tried; functions of one number at 0.4."""
OTHERS: dict[str, tuple[Callable[..., Any], tuple[float, ...]]] = {
    "dist": (lambda x, y: math.dist((x, 1.0, y), [y, 2.0, 0.5]), (0.3, -1.2)),
    "fsum": (lambda x, y: math.fsum(number for number in (x, 1.0, y, x)), (0.3, -1.2)),
    "frexp": (lambda x: math.frexp(x)[0], (5.3,)),
    "ldexp": (lambda x: math.ldexp(x, 5), (0.3,)),
    "modf": (lambda x: 2.0 * math.modf(x)[0] + math.modf(x)[1], (-5.3,)),
}


def by_name(name: str) -> tuple[Callable[..., Any], tuple[float, ...]]:
    return OTHERS.get(name) or (lambda *numbers: getattr(math, name)(*numbers), POINTS.get(name, (0.4,)))


def slopes(f: Callable[..., Any], point: tuple[float, ...]) -> list[float]:
    step = 1e-6
    return [
        (f(*point[:k], x + step, *point[k + 1 :]) - f(*point[:k], x - step, *point[k + 1 :])) / (2 * step)
        for k, x in enumerate(point)
    ]


DIFFERENTIATED = sorted({*TRACED} & {*dir(math)} - PREDICATES)


@pytest.mark.parametrize("grain", GRAINS)
@pytest.mark.parametrize("name", DIFFERENTIATED)
def test_a_function_of_math_has_its_value_and_derivatives(name: str, grain: str) -> None:
    f, point = by_name(name)
    graph = ad.trace(f, *point, grain=grain)
    assert float(graph.values[graph.outputs[0]]) == pytest.approx(f(*point), rel=1e-13)
    found = ad.jacobian(f, argnums=tuple(range(len(point))))(*point)
    assert np.ravel(found) == pytest.approx(slopes(f, point), abs=1e-6)


@pytest.mark.parametrize("name", sorted({*DIFFERENTIATED} - {"frexp"}))
def test_a_function_of_math_is_compiled(name: str) -> None:
    f, point = by_name(name)
    program = ad.compile_jacobian(f, *point)
    moved = tuple(x * 1.01 for x in point)
    assert np.ravel(program(*moved).jacobian) == pytest.approx(slopes(f, moved), abs=1e-5)


@pytest.mark.parametrize("name", sorted({*TRACED} & {*dir(math)} - {*OTHERS}))
def test_plain_numbers_get_what_the_function_itself_returns(name: str) -> None:
    _, point = by_name(name)
    patch, expected = MATH_PATCHES[name], getattr(math, name)(*point)
    assert patch(*point) == expected
    assert type(patch(*point)) is type(expected)


def test_whole_numbers_stay_whole_numbers() -> None:
    seen: list[Any] = []
    ad.trace(lambda x: seen.append((math.floor(2.5), math.ceil(2.5), math.trunc(2.5))) or x, 1.0)
    assert seen == [(2, 3, 2)]
    assert {type(number) for number in seen[0]} == {int}


@pytest.mark.parametrize("name", sorted(PREDICATES))
def test_a_question_has_its_answer(name: str) -> None:
    seen: list[Any] = []
    point = POINTS.get(name, (math.inf,))
    ad.trace(lambda *numbers: seen.append(getattr(math, name)(*numbers)) or numbers[0], *point)
    assert seen == [getattr(math, name)(*point)]
    assert type(seen[0]) is bool


CLOSE = [(1.0, 1.0 + 1e-10), (1.0, 1.1), (0.0, 1e-10), (math.inf, math.inf), (math.inf, 1.0), (-1.0, 1.0)]


@pytest.mark.parametrize("settings", [{}, {"abs_tol": 1e-9}, {"rel_tol": 0.2}])
def test_a_question_in_a_program_is_answered_at_every_point(settings: dict[str, float]) -> None:
    def f(x: Any, y: Any) -> Any:
        return np.where(math.isclose(x, y, **settings), 10.0 * x, 20.0 * y)

    program = ad.compile_jacobian(f, 3.0, 4.0)
    for x, y in CLOSE:
        assert program(x, y).values == f(x, y)


def test_the_remainder_is_that_of_the_nearest_multiple() -> None:
    draw = random.Random(3)
    pairs = [(draw.uniform(-40, 40), draw.uniform(-9, 9)) for _ in range(60)]
    ties = [(x / 2, y) for x in range(-21, 22) for y in (1.0, -1.0, 3.0, -5.0)]
    for x, y in [*pairs, *ties]:
        assert (lambda x, y: ad.trace(math.remainder, x, y).values[-1])(x, y) == math.remainder(x, y)


@pytest.mark.parametrize("grain", GRAINS)
@pytest.mark.parametrize("pick", [lambda x: np.where(x[0] > 0, x[0], 0.0), lambda x: x[:1], lambda x: x[0]])
def test_what_is_rounded_may_be_an_array_of_one_number(grain: str, pick: Callable[..., Any]) -> None:
    def f(x: Any) -> Any:
        return x[0] * (math.floor(pick(x)) + 10 * math.ceil(pick(x)) + 100 * math.trunc(pick(x)))

    assert ad.grad(f, grain=grain)(np.array([4.5, 9.0])).tolist() == [4 + 50 + 400, 0.0]


@pytest.mark.parametrize("exponent", [-1100, -3, 0, 7, 1023, 1100])
def test_a_power_of_two_may_be_too_large_alone(exponent: int) -> None:
    x = math.ldexp(0.7, -exponent // 2)
    graph = ad.trace(lambda x: math.ldexp(x, exponent), x)
    assert graph.values[-1] == math.ldexp(x, exponent)


@pytest.mark.parametrize(
    ("f", "point", "error"),
    [
        (lambda x: math.sqrt(x), -1.0, ValueError),
        (lambda x: math.log(x), 0.0, ValueError),
        (lambda x: math.log(2.0, x), 1.0, ZeroDivisionError),
        (lambda x: math.exp(x), 1000.0, OverflowError),
        (lambda x: math.pow(x, 0.5), -2.0, ValueError),
        (lambda x: math.dist([x, 1.0], [x]), 1.0, ValueError),
        (lambda x: math.isclose(x, 1.0, rel_tol=-1.0), 1.0, ValueError),
        (lambda x: math.ldexp(1.0, x), 3.0, TypeError),
        (lambda x: math.atan2(x), 1.0, TypeError),
        (lambda x: math.fsum(x), 1.0, TypeError),
    ],
)
def test_errors_are_those_of_the_function_itself(f: Callable[..., Any], point: float, error: type) -> None:
    with pytest.raises(error) as plainly:
        f(point)
    with pytest.raises(error) as traced:
        ad.trace(f, point)
    if error is not TypeError:
        assert str(traced.value) == str(plainly.value)


def test_a_program_may_catch_the_error_and_go_on() -> None:
    def f(x: Any) -> Any:
        try:
            return math.sqrt(x)
        except ValueError:
            return 3.0 * x

    assert (ad.grad(f)(4.0), ad.grad(f)(-4.0)) == (0.25, 3.0)


@pytest.mark.parametrize("grain", GRAINS)
@pytest.mark.parametrize("pick", [lambda x: x[:1], lambda x: x[:1].reshape(1, 1)])
def test_an_array_of_one_entry_is_a_number(grain: str, pick: Callable[..., Any]) -> None:
    graph = ad.trace(lambda x: math.sqrt(pick(x)), np.array([4.0, 9.0]), grain=grain)
    assert graph.values[graph.outputs[0]] == 2.0


@pytest.mark.parametrize("name", ["erf", "erfc", "gamma", "lgamma"])
def test_without_scipy_its_functions_are_refused_by_name(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def f(x: Any) -> Any:
        monkeypatch.setitem(sys.modules, "scipy.special", None)
        return getattr(math, name)(x)

    with pytest.raises(ad.MissingBlockError, match=rf"math\.{name} of a traced value needs SciPy"):
        ad.trace(f, 0.5)


def test_second_derivatives() -> None:
    assert ad.grad(ad.grad(lambda x: math.exp(2 * x)))(0.5) == pytest.approx(4 * math.e)
    hessian = ad.hessian(lambda x: math.hypot(x[0], x[1], x[2]))(np.array([3.0, 4.0, 0.0]))
    assert hessian[2, 2] == pytest.approx(1 / 5)


def test_every_function_of_math_is_in_the_table_or_known_not_to_need_it() -> None:
    ask_themselves = {"prod", "sumprod"}
    whole_numbers = {"comb", "factorial", "gcd", "isqrt", "lcm", "perm", "ulp"}
    functions = {name for name in dir(math) if callable(getattr(math, name)) and not name.startswith("_")}
    assert functions - {*TRACED} <= ask_themselves | whole_numbers
    assert not {*TRACED} & (ask_themselves | whole_numbers)
    assert {"sqrt", "exp", "erf"} <= {*OF_ONE}


# ---- in a trace, without ado ----


def test_a_trace_inside_a_trace_follows_functions_of_math() -> None:
    def f(x: Any) -> Any:
        return ad.grad(lambda y: math.sin(x * y))(2.0) + math.sqrt(x)

    assert ad.grad(f)(1.0) == pytest.approx(math.cos(2.0) - 2 * math.sin(2.0) + 0.5)


@pytest.mark.numba
@pytest.mark.slow
@pytest.mark.parametrize("loaded", ["", "import numba"])
def test_numba_compiles_functions_of_math_while_something_is_traced_and_afterwards(loaded: str) -> None:
    program = f"""
import math
import numpy as np
import adviz as ad
{loaded}
def f(x):
    import numba
    half = numba.njit(lambda a: math.log(a) * np.zeros(3).size / 6)
    return x * half(math.e)
assert ad.grad(f)(2.0) == 0.5, "while it is traced"
assert f(2.0) == 1.0, "afterwards"
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_patch_is_told_from_its_original_by_identity_only() -> None:
    class Shape:
        width: Any

    patch = MATH_PATCHES["sqrt"]
    Shape.width = patch
    assert patch == math.sqrt != math.sin
    assert {math.sqrt: 1}[patch] == 1
    assert repr(patch) == repr(math.sqrt)
    assert Shape().width(4.0) == 2.0
    assert str(inspect.signature(patch)) == "(x, /)"
