"""What a textbook says of the rules of whole arrays: how each passes its adjoint on, in array form and in a sentence.

In a form of two sides, such as ``−{y}ᵀ · (…) · {y}ᵀ``, the adjoint of the value is in the place of the dots. The page
RULES.md shows all of them.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import numpy as np

from ..blocks import Words

UNMOVED = "1", "That is the adjoint as it came; its entries have to go back to where they were taken from."
ONES = "⊙ {a}", "That multiplies with the values; only their places matter here, the factors are 1."


def moved(gate: Any, rule: str, *mistakes: tuple[str, str], **others: Any) -> Words:
    """Words of a function that only moves entries."""
    return Words(rule, ((*mistakes, ONES),), gates=(gate,), **others)


def of_matrix(gate: str, rule: str, *mistakes: tuple[str, str]) -> Words:
    """Words of a function of one matrix."""
    return Words(rule, (mistakes,), gates=(gate,))


def _left(value: Any, a: Any, b: Any) -> str:
    """How a matrix product passes its adjoint to the left operand."""
    return f"· {{b}}{'' if _is_dot(a, b) else 'ᵀ'}{_stacked(value, a)}"


def _right(value: Any, a: Any, b: Any) -> str:
    """How a matrix product passes its adjoint to the right operand."""
    return "· {a}" if _is_dot(a, b) else f"{{a}}ᵀ ·{_stacked(value, b)}"


def _is_dot(a: Any, b: Any) -> bool:
    return np.ndim(a) == np.ndim(b) == 1


def _stacked(value: Any, own: Any) -> str:
    """The sum over a stack of products that share one matrix."""
    whole, part = np.shape(value), np.shape(own)
    shared = len(whole) > max(len(part), 2) or (len(part) > 2 and part[:-2] != whole[: len(part) - 2])
    return ", Σ" if shared else ""


def _product_rule(value: Any, a: Any, b: Any) -> str:
    if _is_dot(a, b):
        return (
            "The product rule: [a:{a} receives the adjoint times {b}][ab:, and ][b:{b} receives the adjoint times {a}]."
        )
    ways = (
        "[a:an entry of {a} acts through a row of {b}][ab:, and ][b:an entry of {b} acts through a column of {a}]; so "
        if np.ndim(a) == np.ndim(b) == 2
        else ""
    )
    return (
        f"The product rule for matrices: {ways}[a:{{a}} receives the adjoint times {{b}}ᵀ][ab:, and ]"
        "[b:{b} receives {a}ᵀ times the adjoint]."
    )


def _product_mistakes(value: Any, a: Any, b: Any) -> Any:
    if _is_dot(a, b):
        own = "That is {} itself; the partial with respect to one factor is the other factor."
        return ((("· {a}", own.format("{a}")),), (("· {b}", own.format("{b}")),))
    return (
        (
            ("· {b}", "{b} has to be transposed: the adjoint goes back from its columns to its rows."),
            ("{b}ᵀ ·", "{b} stands on the right of {a}, so its transpose multiplies the adjoint from the right."),
            ("{a}ᵀ ·", "That is the factor of the other edge: it gives the adjoint of {b}."),
        ),
        (
            ("{a} ·", "{a} has to be transposed: the adjoint goes back from its rows to its columns."),
            ("· {a}ᵀ", "{a} stands on the left of {b}, so its transpose multiplies the adjoint from the left."),
            ("· {b}ᵀ", "That is the factor of the other edge: it gives the adjoint of {a}."),
        ),
    )


def _einsum(k: int, value: Any, subscripts: Any, *operands: Any) -> str:
    """The einsum that passes an adjoint on: its own indices first, then those of the other operands."""
    *labels, result = re.split(",|->", str(subscripts))
    return f"einsum {','.join([result, *labels[:k], *labels[k + 1 :]])} → {labels[k]}"


def _transposed(value: Any, own: Any, axes: Any = ()) -> str:
    return "ᵀ" if np.ndim(own) == 2 else "transpose"


def _repeated(value: Any, own: Any, shape: Any = ()) -> str:
    """Which sum undoes that an array was broadcast."""
    whole, part = np.shape(value), np.shape(own)
    extra = len(whole) - len(part)
    axes = [k for k, size in enumerate(whole) if k < extra or (part[k - extra] == 1 and size != 1)]
    if not axes:
        return "1"
    if len(axes) == len(whole):
        return "Σ"
    if len(whole) == 2:
        return "Σ rows" if axes == [0] else "Σ columns"
    return f"Σ {'axis' if len(axes) == 1 else 'axes'} {', '.join(map(str, axes))}"


CONSTANT = Words(
    "The result is flat wherever it does not jump, so nothing passes through it.",
    ((("1", "That would be a smooth dependence; the result is flat, and jumps."),),),
    gates=("0",),
)
JACOBIAN = "Jᵀ {size}"
ARRAYS: dict[str, Words] = {
    # ---- moved and repeated ----
    "arrange": moved("1", "Only the order in memory changed, so the adjoint passes unchanged."),
    "reshape": moved(
        "reshape",
        "Only the arrangement changed, so the adjoint is put back into the shape {shape} of {a}.",
        ("1", "That has the shape of the result; the adjoint of {a} has the shape of {a}, {shape}."),
    ),
    "transpose": moved(
        _transposed,
        "Only the arrangement changed, so the adjoint is transposed back.",
        UNMOVED,
    ),
    "flip": moved("flip", "The order was reversed, so the adjoint is reversed back.", UNMOVED),
    "roll": moved("roll back", "The entries were shifted, so the adjoint is shifted back by as much.", UNMOVED),
    "repeat": moved(
        "Σ copies",
        "Each entry of {a} was used several times, so its adjoint is the sum over its copies.",
        ("mean of copies", "Contributions of copies add up; they are not averaged."),
    ),
    "tile": moved(
        "Σ copies",
        "{a} was used several times, so its adjoint is the sum over its copies.",
        ("mean of copies", "Contributions of copies add up; they are not averaged."),
    ),
    "broadcast_to": moved(
        _repeated,
        "{a} was repeated, so its adjoint is the sum over its copies.",
        ("mean of copies", "Contributions of copies add up; they are not averaged."),
    ),
    "concatenate": Words(
        "Each operand is a part of the result, and receives its part of the adjoint.",
        ((("1", "That is the adjoint of the whole; each operand receives its own part of it."),),),
        gates=("part {part}",),
    ),
    "stack": Words(
        "Each operand is a part of the result, and receives its part of the adjoint.",
        ((("1", "That is the adjoint of the whole; each operand receives its own part of it."),),),
        gates=("part {part}",),
    ),
    # ---- picked and placed ----
    "index": moved(
        "at [{key}]",
        "{a}[{key}] is used and the rest is not: the adjoint goes to [{key}], and all other entries receive 0.",
        ("1", "That is the adjoint of the part; in {a} it stands at [{key}], among zeros."),
        ("broadcast", "Only the entries at [{key}] were used; the others receive 0."),
    ),
    "gather": moved(
        "at the indices",
        "The entries at the indices are used and the rest is not: the adjoint goes back there, and is added up where"
        " one was taken twice.",
        ("1", "That is the adjoint of the part; in {a} it stands at the indices, among zeros."),
    ),
    "scatter": moved(
        "its places",
        "Each entry of {a} was added at a place of the result, and receives the adjoint of that place.",
        ("Σ", "Each entry receives the adjoint of its own place only."),
    ),
    "take": moved(
        "at [{places}]",
        "The entries at [{places}] of {a} are used and the rest is not: the adjoint goes there, and is added up"
        " where one"
        " was taken twice.",
        ("1", "That is the adjoint of the part; in {a} it stands at [{places}], among zeros."),
    ),
    "diagonal": moved(
        "on the diagonal",
        "Only the diagonal of {a} is used: the adjoint goes there, and all other entries receive 0.",
        ("broadcast", "Only the diagonal was used; the others receive 0."),
    ),
    "pad": moved(
        "without margins",
        "{a} is the inner part of the result, and receives the inner part of the adjoint.",
        ("1", "That is the adjoint of the whole; the margins do not depend on {a}."),
    ),
    "diag": moved(
        "its diagonal",
        "{a} is the diagonal of the result, and receives the diagonal of the adjoint.",
        ("1", "That is the adjoint of the whole; the zeros beside the diagonal do not depend on {a}."),
    ),
    "view": moved(
        "at its places",
        "The view shows entries of {a}: the adjoint goes back to their places, and is added up where one is"
        " seen twice.",
        UNMOVED,
    ),
    "sliding_window_view": moved(
        "at its places",
        "Each entry of {a} is in several windows: its adjoint is the sum over them.",
        UNMOVED,
    ),
    "place": moved(
        "its part",
        "{a} is a part of the result, and receives that part of the adjoint.",
        ("1", "That is the adjoint of the whole; the zeros around it do not depend on {a}."),
    ),
    "add_at": moved(
        "its places",
        "Each entry of {a} was added at a place of the result, and receives the adjoint of that place.",
        ("Σ", "Each entry receives the adjoint of its own place only."),
    ),
    "set": Words(
        "At [{c}] the earlier entries were overwritten: [b:{b} receives the adjoint there][ab:, and ]"
        "[a:{a} all the rest of it].",
        (
            (("1", "What was at [{c}] was overwritten and has no influence any more: the adjoint there is 0."),),
            (("1", "That is the adjoint of the whole array; {b} was written to [{c}] only."),),
        ),
        gates=("0 at [{c}]", "its part [{c}]"),
    ),
    "put": Words(
        "At the indices the earlier entries were overwritten: [b:{b} receives the adjoint there][ab:, and ]"
        "[a:{a} all the rest of it].",
        (
            (("1", "What was at the indices was overwritten and has no influence any more: the adjoint there is 0."),),
            (("1", "That is the adjoint of the whole array; {b} was written at the indices only."),),
        ),
        gates=("0 at the indices", "its part"),
    ),
    "bincount": moved(
        "its places",
        "Each weight was added to one bin, and receives the adjoint of that bin.",
        ("Σ", "Each weight receives the adjoint of its own bin only."),
    ),
    # ---- truth values and indices ----
    **dict.fromkeys(("all", "any", "argmax", "argmin", "argsort", "argpartition"), CONSTANT),
    **dict.fromkeys(("lexsort", "searchsorted", "digitize", "signdet"), CONSTANT),
    # ---- reductions ----
    "sum": Words(
        "A sum responds equally to each of its terms, so every entry of {a} receives the adjoint of the sum it is in.",
        (
            (
                ("broadcast / {n}", "That is the rule of the mean; a sum is not divided by the number of its terms."),
                ("⊙ {a}", "That multiplies with the values; every term of a sum has the partial 1."),
                ("Σ", "The adjoint of a sum has one number for all of its terms: it is spread, not summed again."),
            ),
        ),
        gates=("broadcast",),
    ),
    "mean": Words(
        "A mean is a sum divided by {n}, so every entry of {a} receives the adjoint divided by {n}.",
        (
            (
                ("broadcast", "The factor 1/{n} is missing: a mean is a sum divided by the number of its terms."),
                ("⊙ {a} / {n}", "That multiplies with the values; every term of a mean has the partial 1/{n}."),
            ),
        ),
        gates=("broadcast / {n}",),
    ),
    "prod": Words(
        "The product rule for many factors: each entry of {a} has for its partial the product of the others.",
        (
            (
                ("broadcast", "That is the rule of a sum."),
                ("⊙ {a}", "That is the entry itself; its partial is the product of all the others."),
                ("· {y}", "That is the product of all; the entry itself has to be left out."),
            ),
        ),
        gates=("⊙ Π others",),
    ),
    "max": Words(
        "Only the largest entry matters: it receives the whole adjoint, equal ones share it, and all others receive 0.",
        (
            (
                ("broadcast", "That is the rule of a sum; only the largest entry matters."),
                ("⊙ {a}", "The largest entry has the partial 1, not its value."),
            ),
        ),
        gates=("⊙ [{a} = max]",),
    ),
    "min": Words(
        "Only the smallest entry matters: it receives the whole adjoint, equal ones share it, and all others"
        " receive 0.",
        (
            (
                ("broadcast", "That is the rule of a sum; only the smallest entry matters."),
                ("⊙ {a}", "The smallest entry has the partial 1, not its value."),
            ),
        ),
        gates=("⊙ [{a} = min]",),
    ),
    "logsumexp": Words(
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
        gates=("⊙ softmax({a})",),
    ),
    "cumsum": Words(
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
        gates=("cumsum from the end",),
    ),
    "cumprod": Words(
        "Each entry of {a} is a factor of its own product and of all later ones; the product rule gives each"
        " the product"
        " of the other factors, and the contributions add up.",
        ((("⊙ {y}", "Those are the products themselves; of each the entry's own factor has to be left out."),),),
        gates=("cumsum from the end (… ⊙ {y}) / {a}",),
    ),
    # ---- products ----
    "matmul": Words("The product rule.", _product_mistakes, gates=(_left, _right), arrays=_product_rule),
    "einsum": Words(
        "A sum of products is linear in each operand: each receives the adjoint times the other operands, summed over"
        " the indices that it does not have.",
        ((("1", "The other operands are missing as factors."),),),
        gates=tuple(partial(_einsum, k - 1) for k in range(9)),
    ),
    "convolve": Words(
        "A convolution is linear in each operand: the adjoint is correlated with the other one[ab:, so {a} receives"
        " the adjoint ⋆ {b}, and {b} the adjoint ⋆ {a}].",
        (
            (("∗ {b}", "That is convolved once more; to go back, {b} has to be reversed: a correlation."),),
            (("∗ {a}", "That is convolved once more; to go back, {a} has to be reversed: a correlation."),),
        ),
        gates=("⋆ {b}", "⋆ {a}"),
    ),
    "fft": Words(
        "The transform is linear, with a matrix F, so the adjoint is multiplied with its conjugate transpose Fᴴ: the"
        " inverse transform, up to its factor.",
        ((("F ·", "The matrix of the transform has to be transposed and conjugated."),),),
        gates=("Fᴴ ·",),
    ),
    "ifft": Words(
        "The inverse transform is linear, with a matrix F, so the adjoint is multiplied with its conjugate"
        " transpose Fᴴ: the"
        " transform, up to its factor.",
        ((("F ·", "The matrix of the transform has to be transposed and conjugated."),),),
        gates=("Fᴴ ·",),
    ),
    # ---- linear algebra ----
    "solve": Words(
        "For {a} {y} = {b} the transposed system is solved: [b:{b} receives {a}⁻ᵀ times the adjoint][ab:, and ]"
        "[a:{a} receives minus that times {y}ᵀ].",
        (
            (
                ("{a}⁻ᵀ · (…) · {y}ᵀ", "The sign is missing: a larger {a} makes the solution smaller."),
                ("−{a}⁻¹ · (…) · {y}ᵀ", "{a} has to be transposed: the transposed system is solved."),
            ),
            (
                ("{a}⁻¹ ·", "{a} has to be transposed: the transposed system is solved."),
                ("{a}ᵀ ·", "That multiplies with {a}; the system is solved, so it is the inverse."),
            ),
        ),
        gates=("−{a}⁻ᵀ · (…) · {y}ᵀ", "{a}⁻ᵀ ·"),
    ),
    "inv": of_matrix(
        "−{a}⁻ᵀ · (…) · {a}⁻ᵀ",
        "The inverse of a matrix has the rule of the reciprocal, from both sides: {a} receives −{a}⁻ᵀ times the adjoint"
        " times {a}⁻ᵀ.",
        ("{a}⁻ᵀ · (…) · {a}⁻ᵀ", "The sign is missing: a larger matrix has a smaller inverse."),
        ("−{a}⁻¹ · (…) · {a}⁻¹", "The inverses have to be transposed: that is the rule of forward mode."),
        (
            "−{a}⁻ᵀ · {a}⁻ᵀ ·",
            "Matrices do not commute: one inverse stands on the left of the adjoint, the other on its right.",
        ),
    ),
    "det": of_matrix(
        "· det({a})·{a}⁻ᵀ",
        "Jacobi's formula: the partials of a determinant are the cofactors, det({a})·{a}⁻ᵀ.",
        ("· {a}⁻ᵀ", "That is the rule of the logarithm of the determinant; the factor det({a}) is missing."),
        ("· det({a})·{a}⁻¹", "The inverse has to be transposed."),
    ),
    "logabsdet": of_matrix(
        "· {a}⁻ᵀ",
        "The logarithm of a determinant has the transposed inverse for its partials, {a}⁻ᵀ.",
        ("· {a}⁻¹", "The inverse has to be transposed."),
        ("· det({a})·{a}⁻ᵀ", "That is the rule of the determinant itself; the logarithm divides it by det({a})."),
    ),
    "eigvalsh": of_matrix(
        "V diag(…) Vᵀ",
        "An eigenvalue of a symmetric matrix responds to {a} by the outer product of its eigenvector with itself.",
        ("diag(…)", "The eigenvectors are missing: that holds for diagonal matrices only."),
        ("Vᵀ diag(…) V", "The eigenvectors are the columns of V: it stands on the left, its transpose on the right."),
    ),
    "eigvals": of_matrix(
        "V⁻ᵀ diag(…) Vᵀ",
        "An eigenvalue responds to {a} by the outer product of its left and its right eigenvector.",
        ("V diag(…) Vᵀ", "That holds for symmetric matrices, of which the left and right eigenvectors are the same."),
    ),
    "svdvals": of_matrix(
        "U diag(…) Vᵀ",
        "A singular value responds to {a} by the outer product of its left and its right singular vector.",
        ("V diag(…) Uᵀ", "U and V are exchanged: {a} = U diag(s) Vᵀ, and its adjoint has the same form."),
    ),
    "cholesky": of_matrix(
        JACOBIAN,
        "The factor L of {a} = L Lᵀ is differentiated through that equation: two triangular systems are solved with the"
        " adjoint.",
        ("/ (2 · {y})", "That is the rule of the square root of a number; matrices do not commute."),
    ),
    "eigh": of_matrix(
        JACOBIAN,
        "Eigenvalues respond by the outer products of their eigenvectors, and eigenvectors turn towards each other, the"
        " faster the closer their eigenvalues are.",
        ("V diag(…) Vᵀ", "That is the part of the eigenvalues; the eigenvectors change as well."),
    ),
    "eig": of_matrix(
        JACOBIAN,
        "Eigenvalues respond by the outer products of left and right eigenvectors, and eigenvectors turn towards each"
        " other, the faster the closer their eigenvalues are.",
        ("V⁻ᵀ diag(…) Vᵀ", "That is the part of the eigenvalues; the eigenvectors change as well."),
    ),
    "svd": of_matrix(
        JACOBIAN,
        "Singular values respond by the outer products of their vectors, and the vectors turn towards each other, the"
        " faster the closer their singular values are.",
        ("U diag(…) Vᵀ", "That is the part of the singular values; the vectors change as well."),
    ),
    "qr": of_matrix(
        JACOBIAN,
        "The factors of {a} = Q R are differentiated through that equation: Q stays orthogonal and R triangular.",
        ("Q ·", "That is the part of R only; Q changes as well."),
    ),
    "pinv": of_matrix(
        JACOBIAN,
        "The pseudo-inverse has the rule of the inverse, and two terms more for what it leaves out (Golub and"
        " Pereyra).",
        ("−{y}ᵀ · (…) · {y}ᵀ", "That is the rule of the inverse, which only square matrices of full rank have."),
    ),
    "lu": of_matrix(
        JACOBIAN,
        "The factors of {a} = L U are differentiated through that equation: L stays lower and U upper triangular.",
        ("{a}⁻ᵀ ·", "That is the rule of solving a system; here the factors themselves are the value."),
    ),
    "solve_sylvester": Words(
        "For {a} {y} + {y} {b} = {c} the transposed equation {a}ᵀ Z + Z {b}ᵀ = … is solved for the adjoint:"
        " [c:{c} receives Z][ac:, ][a:{a} receives −Z {y}ᵀ][ab:, and ][b:{b} receives −{y}ᵀ Z].",
        (
            (("Z · {y}ᵀ", "The sign is missing: a larger {a} makes the solution smaller."),),
            (("{y}ᵀ · Z", "The sign is missing: a larger {b} makes the solution smaller."),),
            (("1", "The transposed equation has to be solved with the adjoint."),),
        ),
        gates=("−Z · {y}ᵀ", "−{y}ᵀ · Z", "Z"),
    ),
    "lfilter": Words(
        "A filter is linear in its signal: the adjoint runs through the same filter from the end to the beginning.",
        (
            (("filter", "To go back, the filter has to run from the end to the beginning."),),
            (("filter", "To go back, the filter has to run from the end to the beginning."),),
            (("filter", "To go back, the filter has to run from the end to the beginning."),),
        ),
        gates=("correlate with {c}", "correlate with {y}", "filter from the end"),
    ),
    "of a matrix": of_matrix(
        "L({a}ᵀ, …)",
        "A function of a matrix passes the adjoint on by its Fréchet derivative at the transposed matrix, L({a}ᵀ, …).",
        ("{f}′({a}) ·", "Matrices do not commute, so the derivative is no product with one matrix."),
        ("L({a}, …)", "The matrix has to be transposed: that is the rule of forward mode."),
    ),
}
"""By the name of the Block."""
