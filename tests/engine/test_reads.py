"""Numbers that a program only reads are given to it and marked; where they may be computed with, they are refused."""

import json
import logging
import math
from decimal import Decimal

import numpy as np
import pytest

import adviz as ad

from .checks import GRAINS

ROWS = [10.0, 20.0, 30.0, 40.0]
LOG = logging.getLogger("a program's log")
PATTERN = "%.3f"
PLAIN = np.zeros(3)
ROOTS = {math.sqrt}  # sets are not searched


def printed(x):
    print(float(x[0]), round(float(x[1]), 2), "loss", abs(np.float64(x[0]) - 1) * 2)
    return x[0] * x[1]


def formatted(x):
    text = "%.3f and %d" % (x[0], x[1]) + PATTERN % x[0] + "%(a)g" % {"a": x[0]} + f"{x[0]:>8.2f}{float(x[1]):.1f}"  # noqa: UP031
    return x[0] * x[1] if text else x


def formatted_by_its_method(x):
    "{:.2f} {}".format(float(x[0]), [float(each) for each in x])  # noqa: UP032
    return x[0] * x[1]


def logged(x):
    LOG.error("loss %.3f, %s", x[0], float(x[1]))
    return x[0] * x[1]


class Model:
    def __init__(self):
        self.log = logging.getLogger("a model's log")

    def __call__(self, x):
        self.log.error("loss", extra={"loss": float(x[0])})
        return x[0] * x[1]


def compared(x):
    steps = 0
    while float(x[0]) * 2**steps < 10 and not float(x[1]) > 5:
        steps += 1
    return x[0] * x[1] if float(x[0]) > 0 and math.isfinite(float(x[0])) else x[0]


def in_a_variable(x):
    loss = float(x[0])
    best: float = loss * 2
    if best < 100:
        print(f"{loss}")
    return x[0] * x[1]


def whole(x):
    k = int(x[0])
    total = ROWS[int(x[1])] - ROWS[k + 1] + np.int64(x[0]) - k
    for _ in range(int(x[1])):
        total = total + x[0] * x[1] / 2
    return total


READ = [printed, formatted, formatted_by_its_method, logged, Model(), compared, in_a_variable, whole]


@GRAINS
@pytest.mark.parametrize("f", READ, ids=lambda f: getattr(f, "__name__", "Model"))
def test_a_number_that_is_only_read_is_given_and_marked(f, grain, capsys, caplog):
    x = np.array([1.5, 2.25])
    value, texts = f(x), (capsys.readouterr().out, caplog.text)
    caplog.clear()
    graph = ad.trace(f, x, grain=grain)
    assert (capsys.readouterr().out, caplog.text) == texts
    reads = [node for node in graph if node.block.name == "read"]
    assert graph[graph.outputs[0]].value == value
    assert reads
    assert not any(node.live for node in reads)
    assert all(node.origin.file == __file__ and node.origin.text for node in reads)
    numbers = [(node.value, node.operands[0].value) for node in reads]
    assert all(number in (of, np.trunc(of)) for number, of in numbers)
    assert ad.grad(f, grain=grain)(x).tolist() == [2.25, 1.5]
    assert ad.hessian(f, grain=grain)(x).tolist() == [[0.0, 1.0], [1.0, 0.0]]


def test_what_is_read_is_told_of_its_node():
    graph = ad.trace(compared, np.array([1.5, 2.25]))
    read = next(node for node in graph if node.block.name == "read")
    assert (
        read.block.words.rule == "This number was read here; the derivative does not flow through it: its partial is 0."
    )


def kept_in_a_list(x):
    losses = []
    losses.append(float(x[0]))
    return x[1] * losses[0]


def assigned(x):
    y = float(x[0])
    return y * x[1]


def assigned_and_added_to(x):
    y = float(x[0])
    y += 1
    return x[1]


def assigned_by_the_way(x):
    print(y := float(x[0]))
    return y * x[1]


def of_a_global(x):
    global PATTERN
    PATTERN = float(x[0])
    return x[1]


def among_all_names(x):
    y = float(x[0])
    return x[1] * locals()["y"]


def in_a_container(x):
    return print(next(iter(ROOTS))(x[0])) or x[1]


def into_an_array(x):
    PLAIN[0] = x[0]
    return x[1] * PLAIN[0]


def given_to_something_unknown(x):
    return x[1] * given(float(x[0]))


def given(x):
    return x


def returned(x):
    return float(x[0])


def mapped(x):
    return x[1] * sum(map(float, x))


def in_the_sum_of_a_log(x):
    return x[1] * sum(float(each) for each in x)


REFUSED = [kept_in_a_list, assigned, assigned_and_added_to, assigned_by_the_way, of_a_global, among_all_names]
REFUSED += [in_a_container, into_an_array, given_to_something_unknown, returned, mapped, in_the_sum_of_a_log]


@GRAINS
@pytest.mark.parametrize("f", REFUSED)
def test_a_number_that_may_be_computed_with_is_refused(f, grain):
    with pytest.raises((ad.ConversionError, ad.ArrayWriteError)) as caught:
        ad.grad(f, grain=grain)(np.array([1.5, 2.25]))
    assert caught.value.origin.function == f.__name__ or f is in_the_sum_of_a_log


def of_a_formatted_text(x):
    text = f"{x[0]:.3f}"
    print(text)
    return x[1] * float(text)


def of_a_written_number(x):
    return x[1] * float(repr(float(x[0])))


def of_a_text_in_the_old_way(x):
    return x[1] * np.float64(("%.3f" % x[0]).strip() + "1")  # noqa: UP031


def of_a_decimal(x):
    return x[1] * float(Decimal(str(x[0])))


def of_json(x):
    return x[1] * json.loads(str(x[0]))


def of_an_array_of_texts(x):
    return np.sum(x * np.array([str(each) for each in x]).astype(float))


THROUGH_TEXT = [of_a_formatted_text, of_a_written_number, of_a_text_in_the_old_way, of_a_decimal, of_json]


@GRAINS
@pytest.mark.parametrize("f", [*THROUGH_TEXT, of_an_array_of_texts])
def test_a_number_that_is_made_of_a_text_again_is_refused_where_the_text_is_made(f, grain):
    with pytest.raises(ad.ConversionError, match=r"would detach a traced value|makes? .* of a traced value") as caught:
        ad.grad(f, grain=grain)(np.array([1.5, 2.25]))
    assert caught.value.origin.file == __file__
    with pytest.raises(ad.ConversionError):
        ad.compile_gradient(f, np.array([1.5, 2.25]), grain=grain)


@GRAINS
def test_what_is_counted_in_a_text_or_found_under_it_is_no_number_made_of_it(grain):
    colors = {"1.5": 2.0}

    def f(x):
        text = str(x[0])
        return x[1] * colors[text] * len(text) * float(text.count("1")) * int(f"{x[0]:.0f}")

    assert ad.grad(f, grain=grain)(np.array([1.5, 2.25])).tolist() == [0.0, 12.0]


@GRAINS
def test_a_print_of_the_programs_own_is_not_taken_for_pythons(grain):
    def f(x, print):
        return x * print(float(x))

    with pytest.raises(ad.ConversionError):
        ad.grad(lambda x: f(x, given), grain=grain)(1.5)


def test_a_program_without_source_is_refused():
    names = {}
    exec("def f(x):\n    print(float(x))\n    return x", names)
    with pytest.raises(ad.ConversionError):
        ad.trace(names["f"], 1.5)


@GRAINS
def test_a_program_for_all_points_may_read_text_and_decides_nothing(grain, capsys):
    program = ad.compile_gradient(formatted, np.array([1.5, 2.25]), grain=grain)
    assert program(np.array([3.0, 4.0])).gradient.tolist() == [4.0, 3.0]
    for f in (compared, whole):
        with pytest.raises((ad.ConversionError, ad.BranchError)):
            ad.compile_gradient(f, np.array([1.5, 2.25]), grain=grain)
        with pytest.raises((ad.ConversionError, ad.BranchError)):
            ad.compile_gradient(f, np.array([1.5, 2.25]), grain=grain, branches=True)


def _named_by_its_text(x):
    names = [f"a{v:.1f}" for v in x]
    return x[0] if "a1.5" in names else x[1]


DECIDED_BY_TEXT = [
    lambda x: f"{x[0]:.1f}".startswith("1.5") * x[1] + x[0],
    lambda x: len(str(x[0])) * x[1],
    lambda x: x[0] if str(x[0]) == "1.5" else x[1],
    lambda x: {"1.5": 2.0}.get(f"{x[0]:.1f}", 5.0) * x[1],
    lambda x: x[0] * sum(letter == "5" for letter in str(x[0])),
    _named_by_its_text,
]


@GRAINS
@pytest.mark.parametrize("f", DECIDED_BY_TEXT)
def test_a_program_for_all_points_is_not_decided_by_the_text_of_its_example(f, grain):
    x = np.array([1.5, 2.25])
    assert ad.value_and_grad(f, grain=grain)(x)[0] == f(x)
    for branches in (False, True):
        with pytest.raises(ad.BranchError, match="depends on the values"):
            ad.compile_gradient(f, x, grain=grain, branches=branches)
