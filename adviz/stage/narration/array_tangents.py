"""What array operations do with tangents: the symbol on an edge and the sentence of a rule, in forward mode.

The words of the Blocks say how an adjoint is passed back, which between arrays is a product with the transposed local
Jacobian; a tangent meets the Jacobian itself.
"""

from __future__ import annotations

import re

FORMS = [
    (r"Σ copies", "copies"),
    (r"(.*\S), Σ.*|(−?)Σ.*", r"\1\2"),  # an operand that is repeated: the tangent is broadcast, as the value is
    (r"broadcast( / \d+)?", r"Σ\1"),
    (r"at (\[.*\])", r"\1"),
    (r"(0 at \[.*\])", r"\1"),
    (r"part (\w+)", r"as part \1"),
    (r"(0|−?1|reshape|transpose|ᵀ|flip)", r"\1"),
    (r"roll back", "roll"),
    (r"cumsum from the end", "cumsum"),
    (r"⋆ (.*)", r"∗ \1"),
    (r"Fᴴ ·", "F ·"),
    (r"(.*)⁻ᵀ · \(…\) · (.*)⁻ᵀ", r"\1⁻¹ · (…) · \2⁻¹"),
    (r"(.*)⁻ᵀ · \(…\) · (.*)ᵀ", r"\1⁻¹ · (…) · \2"),
    (r"(.*)⁻ᵀ ·", r"\1⁻¹ ·"),
    (r"· (.*[^⁻])ᵀ", r"· \1"),
    (r"(.*[^⁻])ᵀ ·", r"\1 ·"),
]
"""Forms of the product with the transposed Jacobian, and of the one with the Jacobian itself."""
JACOBIAN = "J ·"
LINEAR = "Small changes act linearly: the tangent is multiplied by the local Jacobian J."
ENTRY_BY_ENTRY = "Entry by entry, the tangent of each operand is multiplied by its local partial."


def form(symbol: str, is_elementwise: bool, is_reduced: bool) -> str:
    """Return how a tangent is multiplied where an adjoint is multiplied as ``symbol`` says.

    ``is_reduced``: the value has fewer axes than the operand.

    >>> form("· Wᵀ", False, False), form("⊙ (1 − h²)", True, False), form("Σ rows", True, False)
    ('· W', '⊙ (1 − h²)', '1')
    """
    for pattern, written in FORMS:
        if found := re.fullmatch(pattern, symbol):
            told = found.expand(written)
            return told if told not in ("", "−") else f"{told}1"
    if is_elementwise or re.match(r"· (?!.*⁻)", symbol):
        return symbol
    if symbol.startswith("⊙") and is_reduced:
        return f"{symbol}, Σ"
    return JACOBIAN


def passed(gate: str) -> str:
    """Return what becomes of the tangent of an operand of an elementwise Block."""
    plain = {"0": "does not count", "1": "counts as it is", "−1": "counts with the opposite sign"}
    return plain.get(gate) or f"is multiplied by {gate.removeprefix('⊙ ').removeprefix('· ')}"
