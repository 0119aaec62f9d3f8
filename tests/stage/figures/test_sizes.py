"""The Plotly figures: what they count, and that names are shown as text."""

import json
from collections import Counter

import numpy as np
import pytest

import adviz as ad
from adviz.stage.figures import sizes as figures
from adviz.stage.scene import theme

from ..panels import HOSTILE


def program(x, W):
    y = np.tanh(x @ W)
    total = 0.0
    for k in range(3):
        total = total + np.sum(y * float(k))
    return total


@pytest.fixture(scope="module")
def graph():
    """A small graph with a loop."""
    return ad.trace(program, np.ones((2, 3)), np.ones((3, 2)))


def texts(figure):
    """Return every text of a figure that Plotly would read as its HTML."""
    found = []

    def collect(value):
        if isinstance(value, dict):
            for each in value.values():
                collect(each)
        elif isinstance(value, list):
            for each in value:
                collect(each)
        elif isinstance(value, str):
            found.append(value)

    collect(json.loads(figure.to_json()))
    return found


def labels(figure, axis="yaxis"):
    """Return the texts beside the bars."""
    return [text.strip() for text in figure.layout[axis].ticktext]


def test_sizes_counts_the_nodes_of_every_block(graph):
    figure = figures.sizes(graph)
    counted = dict(zip(labels(figure), figure.data[0].x, strict=True))
    assert counted == Counter(node.block.name for node in graph)
    assert f"{len(graph)} nodes" in figure.layout.title.text


def test_sizes_counts_the_nodes_of_scopes_that_have_a_name(graph):
    figure = figures.sizes(graph)
    counted = dict(zip(labels(figure, "yaxis2"), figure.data[1].x, strict=True))
    assert counted["for k in range(3)"] == 9
    assert not any(label.startswith("iteration") for label in counted)


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def gates(x):
    for _ in range(5):
        x = sigmoid(x) + sigmoid(-x)
    return sigmoid(x)


def test_bars_of_one_name_are_told_apart_by_the_place_and_repeated_calls_are_one():
    figure = figures.sizes(ad.trace(gates, 0.5))
    line = gates.__code__.co_firstlineno
    assert dict(zip(labels(figure, "yaxis2"), figure.data[1].x, strict=True)) == {
        "for _ in range(5)": 50,
        f"sigmoid (line {line + 2}:13)": 20,
        f"sigmoid (line {line + 2}:26)": 20,
        f"sigmoid (line {line + 3}:12)": 4,
    }


def test_nodes_used_most_are_told_apart():
    def f(x):
        for _ in range(12):
            x = x * x * x
        return x

    figure = figures.times_used(ad.trace(f, 0.9))
    named = labels(figure, "yaxis2")
    assert len(named) == len({*named}) == 10
    assert named[:2] == ["x (input)", "x (multiply) (node 2)"]


def test_bars_have_the_color_of_their_family(graph):
    figure = figures.sizes(graph)
    colors = dict(zip(labels(figure), figure.data[0].marker.color, strict=True))
    assert colors["tanh"] == theme.colors("light")["trigonometric-line"]
    assert colors["input"] == theme.colors("light")["input-line"]


def test_times_used_counts_every_node_once_and_names_those_used_most(graph):
    figure = figures.times_used(graph)
    assert sum(figure.data[0].x) == len(graph)
    assert labels(figure)[:2] == ["0 times", "1 time"]
    assert labels(figure, "yaxis2")[0] == "y (tanh)"
    assert figure.data[1].x[0] == 3


def test_growth_has_a_point_for_every_input_and_the_law_that_fits():
    figure = figures.growth(program, [(np.ones((n, n)), np.ones((n, n))) for n in (8, 2, 4)])
    law, nodes, law_of_bytes, held = figure.data
    assert list(nodes.x) == list(held.x) == [8, 32, 128]
    assert len(set(nodes.y)) == len(set(law.y)) == 1
    assert list(held.y) == sorted(held.y)
    assert law_of_bytes.mode == "lines"
    assert figure.layout.annotations[0].text == "Nodes do not grow"
    assert figure.layout.xaxis.type == figure.layout.yaxis.type == "log"
    assert (
        list(figure.layout.xaxis.ticktext)
        == ["1", "2", "5", "10", "20", "50", "100", "200", "500", "1,000", "2,000", "5,000"][
            : len(figure.layout.xaxis.ticktext)
        ]
    )


def test_growth_in_the_scalar_grain_finds_the_exponent():
    figure = figures.growth(lambda x: np.sum(x * x), [(np.ones(n),) for n in (10, 100, 1000, 10_000)], grain="scalar")
    assert figure.layout.annotations[0].text == "Nodes grow as n<sup>1.00</sup>"


def repeated(x, steps, name=""):
    for _ in range(steps):
        x = np.sin(x)
    return x


def test_where_no_input_grows_a_keyword_does():
    counts = [10, 100, 1000]
    figure = figures.growth(repeated, [1.0] * 3, name=["a", "b", "c"], steps=counts)
    assert list(figure.data[1].x) == counts
    assert figure.layout.annotations[0].text == "Nodes grow as n<sup>1.00</sup>"
    assert figure.layout.xaxis.title.text == "n (steps)"
    with pytest.raises(ValueError, match="one value of steps per input; there are 3 inputs, 1 value"):
        figures.growth(repeated, [1.0] * 3, steps=[10])


SIZES = 4, 8, 16, 32, 64


def test_arguments_that_do_not_grow_are_not_counted():
    weights = np.ones((16, 16))
    figure = figures.growth(lambda x, w: np.sum((x @ w) @ (x @ w).T), [(np.ones((n, 16)), weights) for n in SIZES])
    assert list(figure.data[1].x) == [16 * n for n in SIZES]
    assert figure.layout.annotations[1].text == "Bytes grow as n<sup>2.00</sup>"


def test_an_exponent_that_the_sizes_do_not_tell_is_not_shown():
    figure = figures.growth(lambda x: np.sum(np.outer(x, x)) + np.sum(np.ones(500) * x[0]), [*map(np.ones, (4, 8, 16))])
    assert figure.layout.annotations[1].text == "Bytes: exponent not determined"
    assert [each.mode for each in figure.data] == ["lines", "markers", "lines+markers"]


def test_growth_of_one_point_and_of_none():
    assert figures.growth(np.sin, [(1.0,)]).layout.annotations[0].text == "Nodes over the input"
    with pytest.raises(ValueError, match="at least one input"):
        figures.growth(np.sin, [])


@pytest.mark.parametrize("name", [*HOSTILE, "<b>bold</b>", "<a href='javascript:alert(1)'>x</a>", "$\\TeX$", "&lt;"])
def test_names_are_text_and_not_plotlys_html(name):
    def f(x):
        return np.sin(x) * 2.0

    f.__code__ = f.__code__.replace(co_name=name.encode("utf-8", "replace").decode())
    traced = ad.trace(f, 1.0)
    traced.title = name
    traced.names[0] = name
    for figure in (figures.sizes(traced), figures.times_used(traced)):
        for text in texts(figure):
            assert "<" not in text.replace("<extra></extra>", "")
            assert "$" not in text
            text.encode()


@pytest.mark.parametrize("look", ["light", "dark"])
def test_figures_have_the_colors_of_the_theme(graph, look):
    for figure in (
        figures.sizes(graph, theme=look),
        figures.times_used(graph, theme=look),
        figures.growth(np.sin, [(1.0,)], theme=look),
    ):
        assert figure.layout.paper_bgcolor == theme.colors(look)["paper"]
        assert figure.layout.font.color == theme.colors(look)["ink"]
        assert figure.layout.font.size >= 12


def test_few_are_seen_beside_many():
    """An axis is logarithmic where a short bar would not be seen, with room for the number after the longest."""
    graph = ad.trace(lambda x, y: np.sum(np.sin(x) * y), np.linspace(0, 1, 3000), 2.0, grain="scalar")
    figure = ad.figures.times_used(graph)
    counts = figure.data[0].x
    assert max(counts) > 300 * min(counts)
    assert figure.layout.xaxis.type == "log"
    assert 10 ** figure.layout.xaxis.range[1] > 2 * max(counts)
    few = ad.figures.times_used(ad.trace(lambda x: x * x, 2.0))
    assert few.layout.xaxis.type is None
    assert few.layout.xaxis.range[1] > max(few.data[0].x)
