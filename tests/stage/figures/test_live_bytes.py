"""The figure of the bytes in use: what it shows is what the cost of a program says, for one program or several."""

import json

import numpy as np
import pytest

import adviz as ad
from adviz.stage.figures.live_bytes import FAR, MOST_POINTS, points
from adviz.stage.scene import theme

from ..panels import HOSTILE


def relaxation(x, a):
    for _ in range(60):
        x = np.tanh(a * x) + 0.5 * np.sin(x)
    return np.sum(x**2)


def program(checkpoints=None, n=1000):
    return ad.compile_gradient(relaxation, np.ones(n), 0.7, grain="array", checkpoints=checkpoints)


@pytest.fixture(scope="module")
def programs():
    """The same program with and without checkpoints."""
    return {"all kept": program(), "five": program(5), "two": program(2)}


def curves(figure):
    return [trace for trace in figure.data if trace.mode == "lines"]


def peaks(figure):
    return [trace for trace in figure.data if trace.mode == "markers"]


def test_each_program_has_a_curve_and_its_peak_is_that_of_its_cost(programs):
    figure = ad.figures.live_bytes(programs)
    for curve, peak, (name, each) in zip(curves(figure), peaks(figure), programs.items(), strict=True):
        assert max(curve.y) == each.cost.peak_bytes == peak.y[0]
        assert peak.x[0] == curve.x[list(curve.y).index(max(curve.y))]
        assert curve.x[-1] == each.cost.operations
        assert list(curve.x) == sorted(curve.x)
        assert curve.name.startswith(f"{name}: at most ")
        assert f"{each.cost.operations:,} operations" in curve.name


def test_the_axis_is_logarithmic_where_peaks_are_far_apart(programs):
    costs = [each.cost.peak_bytes for each in programs.values()]
    assert max(costs) > FAR * min(costs)
    assert ad.figures.live_bytes(programs).layout.yaxis.type == "log"
    assert ad.figures.live_bytes(programs["two"]).layout.yaxis.type == "linear"


def test_a_program_alone_has_its_peak_in_the_title_and_no_legend(programs):
    figure = ad.figures.live_bytes(programs["five"])
    assert figure.layout.title.text.startswith("relaxation: bytes in use while the program runs, at most ")
    assert not figure.layout.showlegend


def test_a_point_says_which_line_runs(programs):
    (curve,) = curves(ad.figures.live_bytes(programs["five"]))
    told = " ".join(curve.customdata)
    assert "steps = checkpointed(step, x, 60, checkpoints=5)" in told
    assert "for k in reversed(range(60)):" in told


def test_long_runs_are_drawn_with_few_points_and_the_same_peak():
    def long(x):
        for _ in range(3000):
            x = np.sin(x) * 1.1
        return np.sum(x)

    for checkpoints in (None, 3):
        cost = ad.compile_gradient(long, np.ones(10), grain="array", checkpoints=checkpoints).cost
        drawn = list(points(cost))
        assert len(drawn) <= MOST_POINTS + 3
        assert max(point.bytes for point in drawn) == cost.peak_bytes
        assert drawn[-1].operations == cost.operations


def test_a_program_that_computes_nothing_has_a_flat_curve():
    (curve,) = curves(ad.figures.live_bytes(ad.compile(lambda x: x, np.ones(3), grain="array")))
    assert set(curve.y) == {0}


def test_a_program_from_another_process_is_shown(programs):
    import pickle

    sent = pickle.loads(pickle.dumps(programs["five"]))
    assert ad.figures.live_bytes(sent).to_json() == ad.figures.live_bytes(programs["five"]).to_json()


@pytest.mark.parametrize(
    "wrong", [np.sin, {"one": np.sin}, {}, ad.compile_jacobian(lambda x: x * x, 3.0)], ids=lambda each: type(each)
)
def test_anything_else_is_refused(wrong):
    with pytest.raises(ad.InputError, match=r"live_bytes shows programs on arrays, not .*grain='array'"):
        ad.figures.live_bytes(wrong)


@pytest.mark.parametrize("name", [*HOSTILE, "<b>bold</b>", "$\\TeX$"])
def test_names_are_text_and_not_plotlys_html(programs, name):
    figure = ad.figures.live_bytes({name: programs["two"]})
    data = json.loads(figure.to_json())["data"]
    assert "<" not in data[0]["name"]
    assert "$" not in data[0]["name"]


@pytest.mark.parametrize("look", ["light", "dark"])
def test_figures_have_the_colors_of_the_theme(programs, look):
    figure = ad.figures.live_bytes(programs, theme=look)
    assert figure.layout.paper_bgcolor == theme.colors(look)["paper"]
    assert figure.layout.font.color == theme.colors(look)["ink"]
    assert len({curve.line.color for curve in curves(figure)}) == len(programs)
