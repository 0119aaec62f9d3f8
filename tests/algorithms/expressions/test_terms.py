"""Sets of expressions: what they cost, which paths they are the sum of, and what cannot be put together."""

import pytest
import sympy

from adviz.algorithms.expressions import ExpressionError, Expressions, Letter, Reference, parsed
from adviz.algorithms.expressions.terms import added, folded, multiplied

from .paper import EQUATIONS, figure_4_1


def in_sympy(expressions):
    """Each entry by SymPy's non-commutative algebra, multiplied out."""
    known = {}

    def symbol(leaf):
        return known[leaf.name] if isinstance(leaf, Reference) else sympy.Symbol(str(leaf), commutative=False)

    def value(expression):
        return folded(expression, symbol, lambda made, _: sympy.Mul(*made), lambda made, _: sympy.Add(*made))

    for name, expression in expressions.references.items():
        known[name] = value(expression)
    return {entry: sympy.expand(value(expression)) for entry, expression in expressions.entries.items()}


@pytest.mark.parametrize("number", EQUATIONS)
def test_the_equations_of_the_paper_have_its_counts(number):
    text, count = EQUATIONS[number]
    assert parsed(text).multiplications == count


@pytest.mark.parametrize(("one", "other"), [("4.1", "4.2"), ("4.3", "4.4"), ("4.3", "4.5")])
def test_the_equations_of_one_graph_are_equal(one, other):
    left, right = (parsed(EQUATIONS[number][0]) for number in (one, other))
    assert in_sympy(left) == in_sympy(right)
    assert {entry: sorted(map(str, paths)) for entry, paths in left.paths().items()} == {
        entry: sorted(map(str, paths)) for entry, paths in right.paths().items()
    }


def test_paths_are_counted_without_listing_them():
    lines = ["X1 = e01 e12 + e03 e32"]
    lines += [f"X{k} = X{k - 1} (e[{2 * k - 2},{2 * k}] + e[{2 * k - 2},a{k}] e[a{k},{2 * k}])" for k in range(2, 41)]
    expressions = parsed("\n".join([*lines, "e[0,80] = X40"]))
    assert expressions.count_paths() == 2**40
    with pytest.raises(ExpressionError, match=r"1,099,511,627,776 paths, more than 100,000"):
        expressions.paths()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: multiplied(Letter(1, 2), Letter(3, 4)), "e12 and e34 cannot be multiplied"),
        (lambda: added(Letter(1, 2), Letter(1, 3)), "e12 and e13 cannot be added"),
        (lambda: Expressions({(1, 3): Letter(1, 2)}), "does not close"),
        (lambda: Expressions({(1, 2): Reference("X", 1, 2)}), "not defined before"),
        (lambda: Expressions({(1, 2): Reference("X", 1, 2)}, {"X": Letter(1, 3)}), "but it leads from 3"),
        (lambda: parsed("e19 = e19").evaluated(figure_4_1()), "The graph has no edge e19"),
    ],
)
def test_what_does_not_meet_close_or_stand_before_is_refused(make, message):
    with pytest.raises(ExpressionError, match=message):
        make()


def test_a_notebook_shows_formulas_and_a_list_names_what_is_in_it():
    found = parsed("X = e45 e57 + e46 e67\ne17 = e14 X")
    assert repr(found) == "<Expressions: 1 entry, 1 reference, 3 multiplications>"
    assert [repr(each) for each in found.references.values()] == ["<Sum: e45 e57 + e46 e67>"]
    assert repr(found.letters[:2]) == "[<Letter: e45>, <Letter: e57>]"
    shown = found._repr_latex_()
    assert shown.startswith("$\\displaystyle\\begin{aligned}\nX &= e_{45} e_{57} + e_{46} e_{67} \\\\\n")
    many = Expressions({}, {f"X{k}": Letter(1, 2) for k in range(2_000)})
    assert many._repr_latex_() is None
