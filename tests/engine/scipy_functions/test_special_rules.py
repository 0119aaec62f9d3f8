"""The formulas of special functions are those that are computed."""

import re

import numpy as np
import pytest
import scipy.special

from adviz.engine.scipy_functions.special import LAMBERTW, SPECIAL
from adviz.engine.scipy_functions.special_rules import unknown

from ..test_blocks import READING

OWN = [
    (r"⌊(.*?)⌋", r"np.floor(\1)"),
    (r"\|(.*?)\|", r"np.abs(\1)"),
    (r"\b(max|clip)\(", r"np.\1("),
    (r"np.max\(", "np.maximum("),
    (r"\bsign (\w+)", r"np.sign(\1)"),
    (r"\bln \((.*?)\)", r"np.log(\1)"),
    (r"√(\w+)", r"√(\1)"),
]
"""A formula as Python, before the patterns that all formulas share."""
POINTS = [
    (0.37, 0.81, 0.62, 0.45),
    (1.7, 2.3, 0.4, 0.3),
    (2.3, 1.7, 0.3, 0.6),
    (3.0, 5.0, 0.4, 0.5),
    (0.3, 2.0, 3.0, 0.2),
    (-0.5, 0.5, 0.5, 0.5),
]
BLOCKS = [*dict.fromkeys(SPECIAL.values()), LAMBERTW]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.name)
def test_a_formula_is_what_is_computed(block):
    """A formula is empty where no closed form is known."""
    compared = 0
    for point in POINTS:
        operands = list(map(np.float64, point[: len(block.partials)]))
        if block is LAMBERTW:
            operands[1] = np.float64(0)
        if block.name == "expn":  # whose order is a whole number that is not negative
            operands[0] = np.ceil(np.abs(operands[0]))
        y = np.float64(block.compute(*operands))
        if not np.isfinite(y):
            continue
        for formula, partial in zip(block.formulas, block.partials, strict=True):
            assert (partial is unknown) == (not formula)
            if formula and np.isfinite(expected := partial(y, *operands)):
                text = formula.format(a="a", b="b", c="c", d="d", y="y")
                for pattern, replacement in OWN + READING:
                    text = re.sub(pattern, replacement, text)
                names = vars(scipy.special) | {"np": np, "y": y} | dict(zip("abcd", operands, strict=False))
                assert eval(text, names) == pytest.approx(expected, rel=1e-9), formula
                compared += 1
    assert compared
