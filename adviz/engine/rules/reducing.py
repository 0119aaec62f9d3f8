"""Rules of reductions: sum, mean, prod, max, min, logsumexp, bincount; and of cumulative sums and products.

Operands after the first are settings unless said: an axis, a shape, a key. They are not differentiated; their Jacobian
is ``None``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..blocks import Rule, Words, is_traced, source_of
from ..devices import as_like
from ..jacobians.local import Jacobian, LinearMap, Reduction
from . import abstract_values, operation_counts, rows
from .elementwise import holds_objects, marked, note_tie
from .gathering import Indexing, split
from .textbook import added


def shifted(x: Any, axis: int, by: int, fill: float) -> Any:
    """Shift the entries by ``by`` places along the axis; the first ones are ``fill``."""
    before = [slice(None)] * (axis % np.ndim(x))
    first = as_like(np.full(np.shape(x[(*before, slice(by))]), fill), x)
    return np.concatenate([first, x[(*before, slice(max(np.shape(x)[axis] - by, 0)))]], axis)


def products_of_others(x: Any) -> Any:
    """For each entry the product of the others along the last axis; entries may be 0."""
    before = np.cumprod(shifted(x, -1, 1, 1.0), axis=-1)
    return before * np.flip(np.cumprod(shifted(np.flip(x, -1), -1, 1, 1.0), axis=-1), -1)


def _weights_of_prod(y: Any, x: Any, axis: Any) -> Any:
    axes = tuple(range(np.ndim(x))) if axis is None else tuple(np.atleast_1d(axis) % np.ndim(x))
    remaining = tuple(k for k in range(np.ndim(x)) if k not in axes)
    rows = np.transpose(x, remaining + axes)
    shape = np.shape(rows)
    others = products_of_others(np.reshape(rows, (*shape[: len(remaining)], math.prod(shape[len(remaining) :]))))
    return np.transpose(np.reshape(others, shape), tuple(np.argsort(remaining + axes)))


def _weights_of_extreme(y: Any, x: Any, axis: Any) -> np.ndarray:
    """1 at the largest (smallest) entry, shared equally among ties.

    In the scalar grain a reduction is one operation on two numbers after the other, and each of those shares equally.
    """
    top = y if axis is None or np.ndim(y) == np.ndim(x) else np.expand_dims(y, axis)
    chosen = np.equal(x, top)
    count = np.sum(chosen, axis=axis, keepdims=True)
    if is_traced(x) and x.tape.symbolic:
        note_tie(x, np.where(count > 1, top, np.nan))
        return chosen / count
    if not (is_traced(x) or holds_objects(x)):
        return chosen / count
    return marked(chosen / count, x, chosen & (count > 1))


def logsumexp(x: Any, axis: Any, keepdims: Any) -> Any:
    """log(sum(exp(x))), without overflow."""
    top = np.max(x, axis=axis, keepdims=True) if np.size(x) else 0.0
    top = np.where(np.isfinite(top), top, 0.0)
    total = np.log(np.sum(np.exp(x - top), axis=axis, keepdims=True)) + top
    return total if keepdims else np.squeeze(total, axis)


def _weights_of_log_sum_exp(y: Any, x: Any, axis: Any) -> Any:
    """Return the softmax; 0 where all entries are minus infinity."""
    total = y if axis is None or np.ndim(y) == np.ndim(x) else np.expand_dims(y, axis)
    return np.exp(x - np.where(np.equal(total, -np.inf), 0.0, total))


def _reduction(name: str, symbol: str, fn: Callable[..., Any], weights: Callable[..., Any], **record: Any) -> Rule:
    def jacobians(y: Any, x: Any, axis: Any, keepdims: bool) -> list[Jacobian | None]:
        return [Reduction(weights(y, x, axis), axis, keepdims, np.shape(y), np.shape(x)), None, None]

    def compute(x: Any, axis: Any, keepdims: bool) -> Any:
        return fn(x, axis=axis, keepdims=keepdims)

    return Rule(name, compute, jacobians, "reduction", symbol, **(rows.reduced(name) | record))


def _at_ties(y: Any, x: Any, axis: Any, keepdims: bool) -> Any:
    top = y if axis is None or np.ndim(y) == np.ndim(x) else np.expand_dims(y, axis)
    return np.greater(np.sum(np.equal(x, top) * 1.0, axis=axis), 1.0)


SUM = _reduction(
    "sum",
    "Σ",
    np.sum,
    lambda y, x, axis: 1.0,
    noun="total",
    count=operation_counts.fewer_by_results,
    batched=rows.reductions,
    abstract_eval=abstract_values.summed,
    words=Words(
        "A sum responds equally to each of its terms, so every entry of {a} receives the adjoint of the sum it is in.",
        (
            (
                ("broadcast / {n}", "That is the rule of the mean; a sum is not divided by the number of its terms."),
                ("⊙ {a}", "That multiplies with the values; every term of a sum has the partial 1."),
                ("Σ", "The adjoint of a sum has one number for all of its terms: it is spread, not summed again."),
            ),
        ),
        gates=(("broadcast", "Σ"),),
        forward="A sum changes by the sum of the changes of its terms.",
    ),
)
MEAN = _reduction(
    "mean",
    "mean",
    np.mean,
    lambda y, x, axis: np.size(y) / max(np.size(x), 1),
    **rows.reduced("mean", "real"),
    count=operation_counts.size_of_operand,
    batched=rows.reductions,
    abstract_eval=abstract_values.averaged,
    words=Words(
        "A mean is a sum divided by {n}, so every entry of {a} receives the adjoint divided by {n}.",
        (
            (
                ("broadcast", "The factor 1/{n} is missing: a mean is a sum divided by the number of its terms."),
                ("⊙ {a} / {n}", "That multiplies with the values; every term of a mean has the partial 1/{n}."),
            ),
        ),
        gates=(("broadcast / {n}", "Σ / {n}"),),
        forward="A mean changes by the mean of the changes of its terms.",
    ),
)
PROD = _reduction(
    "prod",
    "Π",
    np.prod,
    _weights_of_prod,
    count=operation_counts.fewer_by_results,
    batched=rows.reductions,
    words=Words(
        "The product rule for many factors: each entry of {a} has for its partial the product of the others.",
        (
            (
                ("broadcast", "That is the rule of a sum."),
                ("⊙ {a}", "That is the entry itself; its partial is the product of all the others."),
                ("· {y}", "That is the product of all; the entry itself has to be left out."),
            ),
        ),
        gates=(("⊙ Π others", "⊙ Π others, Σ"),),
    ),
)


def _extreme(name: str, fn: Callable[..., Any], which: str) -> Rule:
    return _reduction(
        name,
        name,
        fn,
        _weights_of_extreme,
        kink=_at_ties,
        count=operation_counts.fewer_by_results,
        batched=rows.reductions,
        abstract_eval=abstract_values.extreme,
        words=Words(
            f"Only the {which} entry matters: it receives the whole adjoint, equal ones share it, and all others"
            " receive 0.",
            (
                (
                    ("broadcast", f"That is the rule of a sum; only the {which} entry matters."),
                    ("⊙ {a}", f"The {which} entry has the partial 1, not its value."),
                ),
            ),
            gates=((f"⊙ [{{a}} = {name}]", f"⊙ [{{a}} = {name}], Σ"),),
            forward=f"Only the {which} entry matters: the value changes as that entry does.",
        ),
    )


MAX, MIN = _extreme("max", np.max, "largest"), _extreme("min", np.min, "smallest")
LOG_SUM_EXP = _reduction(
    "logsumexp",
    "log Σ exp",
    logsumexp,
    _weights_of_log_sum_exp,
    by_rows=None,
    code="logsumexp({a}, {b}, {c})",
    helper=source_of(logsumexp),
    standard="logsumexp({a}, {b}, {c})",
    gives_array=True,
    count=operation_counts.log_sum_exp,
    words=Words(
        "The gradient of log Σ exp is the softmax: each entry of {a} receives its share of the adjoint.",
        (
            (
                (
                    "⊙ e^{a}",
                    "Those are the exponentials; they have to be divided by their sum, which gives the softmax.",
                ),
                ("broadcast", "That is the rule of a sum; here each entry receives its share only, the softmax."),
            ),
        ),
        gates=(("⊙ softmax({a})", "⊙ softmax({a}), Σ"),),
    ),
)
BINCOUNT = Rule(
    "bincount",
    lambda w, places, size: np.bincount(as_like(places, w), w, size),
    lambda y, w, places, size: [Indexing(*split(places), np.shape(y), np.shape(w), placed=True), None, None],
    "reduction",
    code="np.bincount({b}, {a}, {c})",
    standard="summed_at({b!array}, {a!reals}, {c})",
    words=added(
        "Each weight was added to one bin, and receives the adjoint of that bin.",
        ("Σ", "Each weight receives the adjoint of its own bin only."),
    ),
    count=operation_counts.size_of_operand,
)


# ---- cumulative ----


def _recurrence(factors: Any, terms: Any, axis: int) -> Any:
    """``s[i] = terms[i] + factors[i] * s[i - 1]``, by combining neighbours, pairs, fours … (Hillis and Steele 1986)."""
    by = 1
    while by < np.shape(terms)[axis]:
        terms = terms + factors * shifted(terms, axis, by, 0.0)
        factors, by = factors * shifted(factors, axis, by, 0.0), 2 * by
    return terms


def _cumprod(y: Any, x: Any, axis: int) -> list[Jacobian | None]:
    """Without division by ``x``, so that entries may be 0."""
    before = shifted(y, axis, 1, 1.0)

    def vjp(adjoint: Any) -> Any:
        factors = shifted(np.flip(x, axis), axis, 1, 0.0)
        return before * np.flip(_recurrence(factors, np.flip(adjoint, axis), axis), axis)

    return [LinearMap(lambda tangent: _recurrence(x, before * tangent, axis), vjp, np.shape(y), np.shape(x)), None]


CUMSUM = Rule(
    "cumsum",
    np.cumsum,
    lambda y, x, axis: [
        LinearMap(
            lambda tangent: np.cumsum(tangent, axis),
            lambda adjoint: np.flip(np.cumsum(np.flip(adjoint, axis), axis), axis),
            np.shape(y),
            np.shape(x),
        ),
        None,
    ],
    "linear",
    batched=rows.along_axis,
    by_rows=rows.along_another_axis,
    code="np.cumsum({a}, axis={b:None})",
    standard="xp.cumulative_sum({a!whole}, axis={b})",
    words=Words(
        "Each entry of {a} is in its own sum and in all later ones, so its adjoint is the sum of the adjoints"
        " from there"
        " to the end.",
        (
            (
                (
                    "cumsum",
                    "That sums from the beginning; an entry is in the later sums, so it is summed from the end.",
                ),
                ("1", "Each entry is in all later sums, too; their adjoints add up."),
            ),
        ),
        gates=(("cumsum from the end", "cumsum"),),
    ),
    count=operation_counts.cumulative,
)
CUMPROD = Rule(
    "cumprod",
    np.cumprod,
    _cumprod,
    "arithmetic",
    code="np.cumprod({a}, axis={b:None})",
    standard="xp.cumulative_prod({a!whole}, axis={b})",
    words=Words(
        "Each entry of {a} is a factor of its own product and of all later ones; the product rule gives each"
        " the product"
        " of the other factors, and the contributions add up.",
        ((("⊙ {y}", "Those are the products themselves; of each the entry's own factor has to be left out."),),),
        gates=("cumsum from the end (… ⊙ {y}) / {a}",),
    ),
    count=operation_counts.cumulative,
)
