"""Calls that cannot be meant are refused in the user's own terms, before the function runs."""

import functools

import numpy as np
import pytest

import adviz as ad
from adviz.graph.errors import OptionError

TAKING_ARGUMENTS = """
compare compile_gradient compile_jacobian explore linearize play show_backward show_elimination show_forward
show_program show_tape_vs_graph trace vjp
""".split()
MAKING_FUNCTIONS = ["grad", "hessian", "jacobian", "value_and_grad"]


def f(x, y):
    return np.sin(x) * y


def constant():
    return np.sin(3.0)


def decorated(function):
    @functools.wraps(function)
    def wrapper(*args, loud=False, **settings):
        return function(*args, **settings)

    return wrapper


def refusal(call, *args, **settings):
    with pytest.raises((ad.InputError, OptionError)) as refused:
        call(*args, **settings)
    return str(refused.value)


# ---- arguments by position ----


@pytest.mark.parametrize("name", TAKING_ARGUMENTS)
def test_arguments_by_keyword_are_not_differentiated_and_the_call_is_written_out(name):
    told = refusal(getattr(ad, name), f, x=1.0, y=2.0)
    assert told.startswith(
        f"{name} got no argument by position, so there is nothing to differentiate with respect to: "
    )
    assert "x and y were passed by keyword, and keyword arguments are settings of f" in told
    assert told.endswith(f" Write ad.{name}(f, 1.0, 2.0).")


@pytest.mark.parametrize("name", TAKING_ARGUMENTS)
def test_no_arguments_at_all(name):
    told = refusal(getattr(ad, name), f)
    assert told == f"{name} got no argument of f to differentiate with respect to. Write ad.{name}(f, x, y)."


@pytest.mark.parametrize("name", MAKING_FUNCTIONS)
def test_arguments_of_derivatives(name):
    derivative = getattr(ad, name)(f)
    assert refusal(derivative, x=1.0, y=2.0).endswith(f" Write ad.{name}(f)(1.0, 2.0).")
    assert refusal(derivative).endswith(f" Write ad.{name}(f)(x, y).")


@pytest.mark.parametrize(
    ("function", "settings", "written"),
    [
        (f, {"y": 2.0}, "(f, x, 2.0)"),
        (lambda x, n=2, *, k: x, {"x": np.ones(9), "k": 3}, "(f, x, k=3)"),
        (lambda x=1.0, n=2, m=3: x, {"m": 4}, "(f, x, m=4)"),
        (lambda *xs: xs[0], {}, "(f, *xs)"),
        (lambda xs: xs[0], {"xs": [1.0, 2.0]}, "(f, [1.0, 2.0])"),
        (lambda xs: xs[0], {"xs": [np.ones(1)]}, "(f, xs)"),
        (functools.partial(f, y=2.0), {"x": 1.0}, "(f, 1.0)"),
    ],
)
def test_the_call_to_write(function, settings, written):
    assert refusal(ad.explore, function, **settings).endswith(f" Write ad.explore{written}.")


@pytest.mark.parametrize("name", ["explore", "show_backward", "show_forward", "show_elimination", "play"])
def test_a_function_without_parameters_has_nothing_to_differentiate_with_respect_to(name):
    told = "has no argument to differentiate with respect to: it takes"
    assert refusal(getattr(ad, name), constant) == f"constant {told} no arguments."
    assert refusal(getattr(ad, name), lambda *, x: x, x=1.0) == f"<lambda> {told} arguments by keyword only."


def test_the_graph_of_a_function_without_parameters_is_not_swept():
    with pytest.warns(ad.IndependentOutputWarning):
        graph = ad.trace(constant)
    with pytest.raises(ad.SeedError, match=r"^constant has no argument to differentiate with respect to\. There is"):
        ad.show_backward(graph)


# ---- functions ----


@pytest.mark.parametrize("name", sorted({*TAKING_ARGUMENTS} - {"play"}))
def test_a_result_in_place_of_a_function(name):
    told = refusal(getattr(ad, name), f(1.0, 2.0))
    assert told == f"{name} needs a function, not float64. Write ad.{name}(f, x), not ad.{name}(f(x))."


@pytest.mark.parametrize("name", ["jvp", "hvp"])
def test_a_result_in_place_of_a_function_with_tangents(name):
    told = refusal(getattr(ad, name), f(1.0, 2.0), (1.0,), (1.0,))
    assert told.endswith(f" Write ad.{name}(f, (x,), (dx,)), not ad.{name}(f(x)).")


# ---- options ----


@pytest.mark.parametrize("name", sorted({*TAKING_ARGUMENTS} - {"show_elimination"}))
def test_keywords_that_nobody_takes(name):
    told = refusal(getattr(ad, name), f, 1.0, 2.0, colour="red")
    assert told.startswith(f"'colour' is neither an option of {name} nor a parameter of f(")
    assert f"{name}'s o" in told


def test_options_that_are_alike_are_suggested():
    assert "f(x, y); did you mean grain=? explore's only option is grain." in refusal(
        ad.explore, f, 1.0, 2.0, grains="scalar"
    )
    assert "f(x, y); did you mean order=? compile_jacobian's" in refusal(ad.compile_jacobian, f, 1.0, 2.0, oder="best")


def test_the_grain_is_an_option_everywhere():
    for name in sorted({*TAKING_ARGUMENTS} - {"compile_gradient", "compile_jacobian", "show_program"}):
        assert getattr(ad, name)(f, 1.0, 2.0, grain="scalar") is not None


def test_keywords_that_a_decorator_takes_are_passed_on():
    assert len(ad.trace(decorated(f), 1.0, 2.0, loud=True)) == len(ad.trace(f, 1.0, 2.0))


@pytest.mark.parametrize("name", MAKING_FUNCTIONS)
def test_options_of_derivatives(name):
    make = getattr(ad, name)
    told = refusal(make, f, argnum=0)
    assert told.startswith(f"{name} has no option 'argnum'; did you mean argnums=? Its options are argnums")
    assert refusal(make, f, x=1.0).endswith(f"takes the arguments of f: write ad.{name}(f)(x, y).")
    assert make(f=f, argnums=1)(1.0, 2.0) is not None


def test_names_that_adviz_does_not_have():
    with pytest.raises(AttributeError, match=r"no attribute 'show_backwards'; did you mean 'show_backward'\?$"):
        ad.show_backwards  # noqa: B018
    with pytest.raises(AttributeError, match=r"no attribute 'zzz'$"):
        ad.zzz  # noqa: B018
