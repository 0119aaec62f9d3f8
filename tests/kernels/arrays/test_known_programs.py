"""Ten programs that people know: what adviz writes is right, reviewed, and hardly longer than what a person writes.

``python -m tests.kernels.arrays.test_known_programs`` writes the sources down for review.
"""

from pathlib import Path

import numpy as np
import pytest

import adviz as ad

from .programs import KNOWN

SOURCES = Path(__file__).parent / "sources"


def compiled(name):
    known = KNOWN[name]
    return ad.compile_gradient(
        known.function, *known.draw(np.random.default_rng(0)), inputs=_which(known), grain="array"
    )


def _which(known):
    return known.inputs if len(known.inputs) > 1 else known.inputs[0]


def assert_close(found, expected):
    (value, gradient), (right, exact) = found, expected
    np.testing.assert_allclose(value, right, rtol=1e-12)
    pairs = zip(gradient, exact, strict=True) if isinstance(exact, tuple) else [(gradient, exact)]
    for one, other in pairs:
        np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-11)


@pytest.mark.parametrize("name", KNOWN)
def test_the_program_agrees_with_the_engine_at_other_points(name):
    known, program = KNOWN[name], compiled(name)
    for seed in (1, 2):
        point = known.draw(np.random.default_rng(seed))
        exact = ad.value_and_grad(known.function, _which(known))(*point)
        assert_close(program(*point), exact)


@pytest.mark.parametrize("name", KNOWN)
def test_the_source_is_the_one_that_was_reviewed(name):
    assert compiled(name).source + "\n" == (SOURCES / f"{name}.txt").read_text(encoding="utf-8")


ALONG = {"recurrent_tangents": ("recurrent", ad.compile_jvp), "recurrent_product": ("recurrent", ad.compile_hvp)}
"""Sources of other derivatives that were reviewed, by file."""


def along(name):
    known, compile_along = KNOWN[ALONG[name][0]], ALONG[name][1]
    return compile_along(known.function, *known.draw(np.random.default_rng(0)), grain="array")


@pytest.mark.parametrize("name", ALONG)
def test_the_source_along_tangents_is_the_one_that_was_reviewed(name):
    assert along(name).source + "\n" == (SOURCES / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", KNOWN)
def test_programs_along_tangents_agree_with_the_engine(name):
    known = KNOWN[name]
    point, tangents = (known.draw(np.random.default_rng(seed)) for seed in (1, 2))
    pushed = ad.compile_jvp(known.function, *point, grain="array")(point, tangents)
    assert_close((pushed.values, pushed.tangents), ad.jvp(known.function, point, tangents))
    twice = ad.compile_hvp(known.function, *point, grain="array")(point, tangents)
    assert_close((twice.value, twice.product), (pushed.values, ad.hvp(known.function, point, tangents)))


def lines_of(source: str) -> int:
    """Lines of code: no definition, no text, no comments."""
    lines = [line.strip() for line in source.splitlines()[1:]]
    return sum(1 for line in lines if line and not line.startswith(("#", '"""')))


@pytest.mark.parametrize("name", KNOWN)
def test_the_source_has_at_most_half_more_lines_than_a_person_needs(name):
    assert lines_of(compiled(name).source) <= 1.5 * KNOWN[name].lines


if __name__ == "__main__":
    SOURCES.mkdir(exist_ok=True)
    for each in KNOWN:
        text = compiled(each).source + "\n"
        (SOURCES / f"{each}.txt").write_text(text, encoding="utf-8")
        print(each, lines_of(text), KNOWN[each].lines)
    for each in ALONG:
        (SOURCES / f"{each}.txt").write_text(along(each).source + "\n", encoding="utf-8")
