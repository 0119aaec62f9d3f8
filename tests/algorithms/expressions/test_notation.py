"""The notation of the paper is read and written; what cannot be read is shown."""

import pytest
from hypothesis import given

from adviz import CGraph
from adviz.algorithms.expressions import ExpressionError, expressions, latex, mathml, parsed

from ...graph.dags import graphs
from .paper import figure_4_1


@given(graphs(vertices=7))
def test_expressions_of_graphs_are_read_again(graph):
    found = expressions(graph)
    assert parsed(str(found)) == found


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("e17 e12", "no '='"),
        ("e17 = ", "is missing"),
        ("e17 = e12 +", "is missing"),
        ("e17 = (e12 e27", "not closed"),
        ("e17 = e12 e27)", "closes nothing"),
        ("e17 = e12 ? e27", "cannot be read"),
        ("e17 = e12 Y", "Y is not defined before it"),
        ("e17 = e12 e37", "cannot be multiplied"),
        ("e17 = e12 e27 + e13 e38", "cannot be added"),
        ("e18 = e12 e27", "does not close"),
        ("e17 = e17\ne17 = e17", "defined twice"),
        ("X = e17\nX = e17", "defined twice"),
        ("1 = e17", "stands an entry"),
        ("e17 = " + "(" * 300 + "e17" + ")" * 300, "brackets are open"),
        ("x" * 200_000, "200,000 characters"),
    ],
)
def test_what_cannot_be_read_says_why(text, message):
    with pytest.raises(ExpressionError, match=message.replace("?", r"\?")):
        parsed(text)


def test_the_place_is_shown():
    with pytest.raises(ExpressionError) as caught:
        parsed("e17 = e12 (e27 + Y)")
    assert str(caught.value).splitlines()[1:] == ["  e17 = e12 (e27 + Y)", "                   ^"]


def test_names_are_text_in_every_notation():
    found = parsed("e[<b>y</b>,x_1] = e[<b>y</b>,x_1]")
    assert "<b>" not in mathml(found)
    assert "x_1" not in latex(found)


HOSTILE = [
    "a,b",
    "f[0]",
    "",
    "12",
    "-3",
    " 3",
    "a=b",
    "a\nb",
    "a\u2028b",
    '"',
    "\\",
    "<script>",
    "x y",
    "é",
    "e12",
    "X",
    "a\x1cb",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_any_name_of_a_vertex_is_read_again(name):
    found = expressions(CGraph.from_edges([(name, "m"), (name, "k"), ("m", "y"), ("k", "y")]))
    assert parsed(str(found)) == found


def test_a_name_whose_quotes_cannot_be_read_is_told():
    with pytest.raises(ExpressionError, match="is no name") as caught:
        parsed(r'e21 = e["\q",1]')
    assert str(caught.value).splitlines()[-1] == " " * 8 + "^"


def test_latex_and_mathml_have_all_lines():
    found = expressions(figure_4_1("b"))
    assert latex(found).count("&=") == mathml(found).count("<mtr>") == 2


@pytest.mark.parametrize("text", ["", "\n", "X = e12 e27"])
def test_a_text_without_an_entry_is_refused(text):
    with pytest.raises(ExpressionError, match=r"There is no entry\. A line such as e17 = e12 e27"):
        parsed(text)
