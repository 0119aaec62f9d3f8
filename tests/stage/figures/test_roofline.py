"""The roofline: what is measured of programs and of the machine, and where the figure puts it."""

import json

import numpy as np
import pytest

import adviz as ad
from adviz.stage.figures import roofline as roofs
from adviz.stage.figures.roofline import (
    Machine,
    Measured,
    machine,
    measured,
    raced,
    repeated,
    roofline,
    roofline_figure,
)

LIMITS = Machine(bandwidth=2e10, numpy=4e9, product=5e10)
ROWS = {
    "one": Measured(100, 50, {10: 1e-6, 100_000: 1e-7}),
    "<b>two</b>": Measured(300, 50, {10: 3e-6, 100_000: 2e-7}),
}


@pytest.fixture(scope="module")
def figure():
    return roofline_figure("f", ROWS, LIMITS)


def roof(figure):
    return [(list(trace.x), list(trace.y)) for trace in figure.data if "lines" in trace.mode]


def programs(figure):
    return [trace for trace in figure.data if trace.mode == "markers"]


def test_a_product_of_matrices_does_more_operations_than_numpy_one_by_one():
    found = machine(0.1)
    assert found.product > found.numpy > 0 < found.bandwidth


def test_each_call_is_made_three_times_at_least_and_the_quickest_counts():
    made = []
    first, second = raced([lambda: made.append(1), lambda: made.append(2)], 0)
    assert made == [1, 2] * 3
    assert 0 < first < 1 > second > 0


@pytest.mark.parametrize("points", ["first", "last"])
def test_a_batch_is_the_example_so_many_times(points):
    program = ad.compile_jacobian(lambda x, y: x[0] * x[1] * y, [2.0, 3.0], 5.0, points=points)
    vector, number = repeated(program, 4)
    expected = np.array([[2.0, 3.0]] * 4)
    np.testing.assert_array_equal(vector, expected if points == "first" else expected.T)
    np.testing.assert_array_equal(number, [5.0] * 4)


def test_bytes_are_those_of_arguments_and_results():
    program = ad.compile_jacobian(lambda x: np.array([x[0], 2.0 * x[1]]), np.ones(2))
    (row,) = measured([program], [50], seconds=0.0)
    assert row.bytes == 8 * (2 + 2 + 4)
    assert (row.operations, row.intensity) == (program.cost.operations, program.cost.operations / 64)


def test_programs_are_measured_with_each_size_that_there_is_room_for(monkeypatch):
    monkeypatch.setattr(roofs, "ROOM", 24 * 1_000)
    program = ad.compile_jacobian(lambda x: x * x, 3.0)
    (row,) = measured([program], [1_001, 1_000, 10], seconds=0.0)
    assert list(row.seconds) == [10, 1_000]
    assert min(row.seconds.values()) > 0


def test_the_roof_is_memory_until_the_product_of_matrices_is_the_limit(figure):
    memory, product, numpy = roof(figure)
    assert memory[1] == [memory[0][0] * LIMITS.bandwidth, LIMITS.product]
    assert memory[0][1] == product[0][0] == LIMITS.product / LIMITS.bandwidth
    assert product[1] == [LIMITS.product] * 2
    assert (numpy[0][0], numpy[1]) == (LIMITS.numpy / LIMITS.bandwidth, [LIMITS.numpy] * 2)


def test_a_program_is_at_its_operations_per_byte_and_per_second(figure):
    assert [(*trace.x, *trace.y) for trace in programs(figure)] == [(2.0, 1e9), (6.0, 1.5e9)]
    assert figure.layout.sliders[0].active == 1


def test_the_slider_moves_the_programs_and_nothing_else(figure):
    first, _ = figure.layout.sliders[0].steps
    moved, places = first.args
    assert first.label == "10"
    assert [figure.data[place].mode for place in places] == ["markers"] * 2
    assert moved["y"] == [[1e8], [1e8]]
    assert [name.split(": ")[1] for name in moved["name"]] == ["1,000 ns per point", "3,000 ns per point"]


def test_names_are_shown_as_text(figure):
    text = json.dumps([json.loads(figure.to_json())["data"], figure.layout.sliders[0].steps[0].args], default=str)
    assert "<b>two" not in text
    assert "&lt;b&gt;two" in text


def test_the_figure_is_opened_at_the_largest_batch_where_there_is_no_usual_one():
    figure = roofline_figure("f", {"one": Measured(1, 8, {10: 1e-6, 20: 1e-7})}, LIMITS, "dark")
    assert figure.layout.sliders[0].active == 1


def test_a_program_alone_goes_by_its_own_name():
    def cube(x):
        return x * x * x

    figure = roofline(ad.compile_jacobian(cube, 3.0), sizes=[10], seconds=0.0)
    (trace,) = programs(figure)
    assert trace.name.startswith("cube: ")
    assert figure.layout.title.text.startswith("cube")


@pytest.mark.parametrize("sizes", [[], [0]])
def test_without_a_size_there_is_nothing_to_measure(sizes):
    with pytest.raises(ValueError, match="numbers of points"):
        roofline(ad.compile_jacobian(lambda x: x * x, 3.0), sizes=sizes)


def test_a_program_without_operations_has_no_place():
    with pytest.raises(ValueError, match="programs that compute"):
        roofline(ad.compile_jacobian(lambda x: x, 3.0), sizes=[10])


def test_programs_of_other_arrays_are_not_measured():
    import array_api_strict

    program = ad.compile_jacobian(lambda x: x * x, 3.0, backend=array_api_strict)
    with pytest.raises(ValueError, match="backend='numpy'"):
        roofline(program, sizes=[10])
