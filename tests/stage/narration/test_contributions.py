"""Products and sums in words: what is printed holds to the printed digits, or says that it does not quite."""

import re

import numpy as np
from hypothesis import assume, given, settings

import adviz as ad
from adviz.stage.narration.flows import Contributions
from adviz.stage.scene import captions, formulas
from adviz.stage.shows.flow_scene import named

from ..programs import EXPRESSIONS, NUMBERS, compiled, is_finite, quietly
from .test_flows import forward, reverse

NUMBER = r"(−?[\d.]+(?:e[−+]\d+)?)"


def parts_of(graph, direction=None):
    return Contributions(forward(graph, direction) if direction else reverse(graph), named(graph, "f"))


def read(text):
    return float(text.replace("−", "-"))


def agrees(sign, value, result):
    """Whether a sign says truly if a value, as printed, is the printed result."""
    return sign == ("=" if captions.decimals(value) == result else "≈")


@given(EXPRESSIONS, NUMBERS, NUMBERS)
@settings(max_examples=80, deadline=None)
def test_printed_equations_hold_to_the_printed_digits_or_say_so(expression, x, y):
    graph = quietly(compiled(expression), x, y)
    assume(is_finite(graph))
    for parts in (parts_of(graph), parts_of(graph, {0: 1.0, 1: 0.5})):
        for edge, sent in parts.flow.sent.items():
            one, other, sign, result = re.fullmatch(
                rf"{NUMBER} · \(?{NUMBER}\)? ([=≈]) {NUMBER}", parts.equation(edge)
            ).groups()
            assert agrees(sign, read(one) * read(other), result)
            assert result == captions.decimals(sent.product)
        for node in parts.flow.sums:
            terms, sign, result = re.fullmatch(rf"(.*) ([=≈]) {NUMBER}", parts.added(node)).groups()
            assert result == captions.decimals(parts.flow.results[node])
            if "…" not in terms:
                assert agrees(sign, sum(read(term.strip("()")) for term in terms.split(" + ")), result)


def test_an_equation_that_rounding_spoils_says_so():
    parts = parts_of(ad.trace(lambda x: np.sin(np.sin(x)) * 3.0, 1.0))
    signs = [re.search("[=≈]", parts.equation(edge))[0] for edge in parts.flow.sent]
    assert signs[0] == "="
    assert "≈" in signs


def test_negative_factors_and_terms_stand_in_brackets():
    parts = parts_of(ad.trace(lambda x: -3.0 * x - x, 2.0))
    assert [parts.equation(edge) for edge in parts.flow.sent] == ["1 · 1 = 1", "1 · (−1) = −1", "1 · (−3) = −3"]
    assert {parts.added(0)} <= {"−1 + (−3) = −4", "−3 + (−1) = −4"}


def test_of_many_terms_some_are_written():
    parts = parts_of(ad.trace(lambda x: sum(x * k for k in range(1, 9)), 1.0))
    assert "…" in parts.added(0)
    assert parts.added(0).endswith("= 36")
    assert len(parts.terms(0)) == 8


def test_a_symbol_is_told_before_its_number_unless_it_is_the_number():
    parts = parts_of(ad.trace(lambda x, y: np.sin(x) + x * y, 1.0, 2.0))
    told = {parts.explained(edge) for edge in parts.flow.sent}
    assert {"1·1 = 1", "1·cos x = 1·0.5403 = 0.5403", "1·y = 1·2 = 2", "1·x = 1·1 = 1"} == told


def test_infinite_and_undefined_numbers_are_told():
    parts = parts_of(quietly(lambda x: np.sqrt(x) * x, 0.0))
    assert any("∞" in parts.equation(edge) for edge in parts.flow.sent)
    assert any("NaN" in parts.equation(edge) for edge in parts.flow.sent)


def test_arrays_are_told_by_what_is_done_with_them_and_their_shape():
    graph = ad.trace(lambda W, x, b: np.sum(W @ x + b), np.ones((3, 2)), np.ones(2), 1.0)
    parts = parts_of(graph)
    told = " | ".join(parts.explained(edge) for edge in parts.flow.sent)
    assert "a 3×2 matrix" in told
    assert "a vector of length 2" in told
    assert not any(re.search(r"\d\.\d{5}", parts.explained(edge)) for edge in parts.flow.sent)


def test_formulas_say_what_the_sentence_says():
    parts = parts_of(ad.trace(lambda x, y: np.sin(x) + x * y, 1.0, 2.0))
    assert formulas.text(parts.product((2, 0))).endswith("cos x = 1 · 0.5403 = 0.5403")
    assert formulas.text(parts.total(0)).endswith("= 2 + 0.5403 = 2.5403")
