"""Words of rules that several of them have in common: what a textbook says of them, and the wrong factors people take.

In a form of two sides, such as ``−{y}ᵀ · (…) · {y}ᵀ``, the adjoint of the value is in the place of the dots. The
mistakes that every rule has, such as taking the value for the derivative, are in ``stage/narration/local_partials.py``.
The page RULES.md shows all of them.
"""

from __future__ import annotations

from typing import Any

from ..blocks import Words

Mistake = tuple[str, str]
UNMOVED = "1", "That is the adjoint as it came; its entries have to go back to where they were taken from."
ONES = "⊙ {a}", "That multiplies with the values; only their places matter here, the factors are 1."
CONSTANT = Words(
    "The result is flat wherever it does not jump, so nothing passes through it.",
    ((("1", "That would be a smooth dependence; the result is flat, and jumps."),),),
    gates=(("0", "0"),),
)
MOVED = "Entries only change their places, and their tangents go with them."
JACOBIAN = "Jᵀ {size}"
COMPARISON = Words(
    "A condition is 1 or 0 and flat wherever it does not jump, so nothing passes through it: its partials are 0.",
    ((("1", "That would be a smooth dependence; a condition is flat, and jumps."),),) * 2,
)


def one(rule: str, *mistakes: Mistake, **others: Any) -> Words:
    """Return words of a function of one operand."""
    return Words(rule, (mistakes,), **others)


def flat(name: str, between: str = "between its jumps") -> Words:
    """Return words of a piecewise constant function."""
    jump = ("1", f"{between[0].upper()}{between[1:]} the value does not change at all, so the partial is 0.")
    return Words(f"{name} is constant {between}, so its derivative is 0.", ((jump,), (jump,)))


def units(forward: str, backward: str, factor: str, inverse: str) -> Words:
    """Return words of a conversion of angles."""
    diagnosis = f"That is the factor from {backward} to {forward}."
    return one(f"The conversion from {forward} to {backward} is a constant factor, {factor}.", (inverse, diagnosis))


def inverse(name: str, reason: str, *mistakes: Mistake) -> Words:
    """Return words of an inverse function."""
    return one(f"{reason}: {{partials}}.", *mistakes)


def extreme(word: str, sign: str, opposite: str) -> Words:
    """Return words of the larger or the smaller one of two operands."""
    return Words(
        f"Only the {word} operand matters: {{partials}}.",
        tuple(
            (
                (own, f"That is {own} itself; its partial is 1 where it is taken and 0 where it is not."),
                (wrong, f"Only the {word} operand is passed the adjoint, not the other one."),
            )
            for own, wrong in (("{a}", f"[{{a}} {opposite} {{b}}]"), ("{b}", f"[{{b}} {opposite} {{a}}]"))
        ),
        short=(f"[{{a}} {sign} {{b}}]", f"[{{b}} {sign} {{a}}]"),
        arrays=f"Only the {word} operand matters, entry by entry: [a:{{a}} receives the adjoint where {{a}}"
        f" {sign} {{b}}]"
        f"[ab:, and ][b:{{b}} where {{b}} {sign} {{a}}]; where both are equal, each has half.",
        cases=(
            (
                lambda y, a, b: a == b,
                "{a} and {b} are equal here, where the function has a kink: the mean of the one-sided"
                " derivatives is 1/2.",
            ),
            (
                lambda y, a, b: y == a,
                f"Only the {word} operand matters: {{a}} {sign} {{b}}, so [a:{{a}} receives the whole adjoint]"
                "[ab: and ][b:{b} receives nothing].",
            ),
            (
                lambda y, a, b: y == b,
                f"Only the {word} operand matters: {{b}} {sign} {{a}}, so [b:{{b}} receives the whole adjoint]"
                "[ab: and ][a:{a} receives nothing].",
            ),
        ),
    )


def moved(gate: Any, rule: str, *mistakes: tuple[str, str], **others: Any) -> Words:
    """Return words of a function that only moves entries."""
    return Words(rule, ((*mistakes, ONES),), gates=(gate,), forward=MOVED, **others)


def added(rule: str, *mistakes: Mistake) -> Words:
    """Return words of a function that adds each entry at a place of its result."""
    return Words(rule, ((*mistakes, ONES),), gates=("its places",))


def of_matrix(gate: Any, rule: str, *mistakes: tuple[str, str]) -> Words:
    """Return words of a function of one matrix."""
    return Words(rule, (mistakes,), gates=(gate,))
