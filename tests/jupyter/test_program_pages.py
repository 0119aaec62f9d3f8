"""The Explorer of programs without a browser: what is compiled, the Scene, displays, files, the roofline."""

import pickle

import numpy as np
import pytest

import adviz as ad

from ..stage.panels import unpacked


def wave(x, y, *, pace=1.0):
    s = np.sin(pace * x)
    return s * y


@pytest.fixture
def explorer():
    return ad.show_program(wave, 1.0, 2.0)


def function_of(scene):
    (panel,) = (panel for panel in scene["panels"] if panel["kind"] == "function")
    return panel


def test_the_program_runs_and_its_graph_is_explored(explorer):
    np.testing.assert_allclose(explorer.program(np.zeros(2), np.array([3.0, 4.0])).jacobian[0], [3.0, 4.0])
    assert explorer.graph is explorer.program.graph
    assert explorer.scene["title"] == "wave_jacobian"


def test_the_function_is_beside_its_program(explorer):
    (file,) = function_of(explorer.scene)["files"]
    assert file["name"] == "wave"
    assert "s = np.sin(pace * x)" in file["text"]


@pytest.mark.parametrize("derivative", ["jacobian", "gradient", "hessian"])
def test_each_derivative_has_a_program(derivative):
    assert ad.show_program(wave, 1.0, 2.0, derivative=derivative).scene["title"] == f"wave_{derivative}"


def test_a_derivative_that_there_is_not_is_refused():
    with pytest.raises(ad.ShowError, match="no derivative is called 'jvp'; there are jacobian, gradient, hessian"):
        ad.show_program(wave, 1.0, 2.0, derivative="jvp")


def test_on_arrays_the_backward_pass_of_a_number_is_shown():
    x = np.ones(3)
    assert ad.show_program(lambda x: np.sum(np.sin(x)), x, grain="array").scene["title"] == "lambda_gradient"
    assert ad.show_program(np.sin, x, grain="array").scene["title"] == "sin_jacobian"


def test_an_example_brings_its_arguments():
    explorer = ad.show_program(ad.examples["slide program"], order="forward")
    assert explorer.program.order == "forward"
    assert len(explorer.program.example) == 2


def test_keywords_of_the_function_and_the_inputs_are_passed_on():
    program = ad.show_program(wave, 0.0, 2.0, inputs=0, pace=3.0).program
    assert program(0.0, 2.0).jacobian == 6.0


def test_arguments_of_the_compiler_are_passed_on():
    def both(x, y):
        return x * y, np.stack([x, x * x])

    program = ad.show_program(both, 1.0, 2.0, outputs=1, points="first", form="coo", fast=True).program
    found = program(np.array([1.0, 2.0, 3.0]), 1.0)
    assert found.values.shape == (3, 2)
    assert found.jacobian.data.shape == (3, 2)
    assert ad.show_program(both, 1.0, 2.0).program.points == "last"


def test_a_program_that_is_compiled_already_is_shown_as_it_is():
    program = ad.compile_hessian(wave, 1.0, 2.0)
    for one in (program, pickle.loads(pickle.dumps(program))):
        explorer = ad.show_program(one)
        assert explorer.program is one
        assert explorer.scene["title"] == "wave_hessian"
        assert function_of(explorer.scene) == function_of(ad.show_program(wave, 1.0, 2.0, derivative="hessian").scene)
    with pytest.raises(ad.ShowError, match="a program is shown as it is"):
        ad.show_program(program, derivative="gradient")


@pytest.mark.slow
def test_the_roofline_of_a_program_that_is_compiled_already_has_it_alone():
    figure = ad.show_program(ad.compile_jacobian(wave, 1.0, 2.0)).roofline(sizes=[10], seconds=0.0)
    assert [trace.name.split(":")[0] for trace in figure.data if trace.mode == "markers"] == ["wave"]


def folded(x, y):
    return x * y if x > y else np.sin(y)


@pytest.mark.long
def test_with_branches_the_way_of_the_example_is_shown():
    explorer = ad.show_program(folded, 1.0, 2.0, branches=True)
    assert isinstance(explorer.program, ad.Branches)
    assert explorer.program(3.0, 2.0).jacobian == (2.0, 3.0)
    (file,) = explorer.scene["source"]["files"]
    assert file["text"] == explorer.program.programs[0].source
    assert explorer._still()["text/plain"].startswith("# Where not x > y")
    figure = explorer.roofline(sizes=[10], seconds=0.0)
    assert len([trace for trace in figure.data if trace.mode == "markers"]) == 4
    assert ad.show_program(explorer.program).scene == explorer.scene


def test_names_are_shown_as_text():
    def tangled(x):
        return x * x

    tangled.__code__ = tangled.__code__.replace(co_name="<img src=x onerror=alert(1)>")
    still = ad.show_program(tangled, 1.0)._still()["text/html"]
    assert "&lt;img src=x" in still
    assert "<img src=x" not in still


def test_a_program_may_run_elsewhere():
    assert ad.show_program(wave, 1.0, 2.0, backend="numpy").program.backend == "numpy"


def test_the_still_shows_both_sources_to_unfold(explorer):
    still = explorer._still()
    assert still["text/plain"].startswith(explorer.program.source)
    assert still["text/html"].count("<details>") == 2
    assert "s = np.sin(pace * x)" in still["text/html"]


def test_a_saved_page_has_the_function_and_the_program(explorer, tmp_path):
    page = explorer.save(tmp_path / "wave.html").read_text("utf-8")
    scene = unpacked(page, "adviz-document")["scene"]
    assert scene == explorer.scene
    assert function_of(scene)["span_of"]


def test_the_roofline_has_this_program_and_those_of_all_named_orders():
    (vertex,) = ad.linearize(lambda x, y: np.sin(x) * y, 1.0, 2.0, grain="scalar").intermediates
    explorer = ad.show_program(lambda x, y: np.sin(x) * y, 1.0, 2.0, order=[vertex])
    figure = explorer.roofline(sizes=[10], seconds=0.0)
    names = [trace.name.split(":")[0] for trace in figure.data if trace.mode == "markers"]
    assert names == ["this order", "best", "forward", "reverse", "markowitz"]


def test_an_order_that_has_a_name_is_there_once(explorer):
    figure = explorer.roofline(sizes=[10], seconds=0.0)
    names = [trace.name.split(":")[0] for trace in figure.data if trace.mode == "markers"]
    assert names == ["best", "forward", "reverse", "markowitz"]


# ---- programs on arrays ----


def layer(W, b, x, t):
    h = np.tanh(x @ W + b)
    return np.mean((h - t) ** 2)


EXAMPLE = np.ones((3, 2)), np.zeros(2), np.ones((5, 3)), np.ones((5, 2))


def on_arrays(**options):
    return ad.show_program(layer, *EXAMPLE, derivative="gradient", grain="array", inputs=[0, 1], **options)


def line_of(explorer, text):
    return next(k for k, each in enumerate(explorer.program.lines, 1) if text in each.text)


def nodes_at(explorer, line):
    spans = explorer.scene["tables"]["spans"]
    places = unpacked_spans(explorer)
    return [node for node, span in enumerate(places) if span >= 0 and spans[span][1] <= line <= spans[span][3]]


def unpacked_spans(explorer):
    found, spans = [], explorer.scene["tables"]["spans"]
    for node in range(len(explorer.graph)):
        origin = explorer.graph.origin(node)
        place = origin and [0, origin.line, origin.column, origin.end_line, origin.end_column]
        found.append(next((k for k, each in enumerate(spans) if each[:5] == place), -1))
    return found


def test_a_program_on_arrays_is_beside_its_function_and_its_graph():
    explorer = on_arrays()
    assert explorer.program.source.splitlines()[0] == "def layer_gradient(W, b, x, t):"
    (file,) = explorer.scene["source"]["files"]
    assert file["text"].rstrip() == explorer.program.source
    assert "h = np.tanh(x @ W + b)" in function_of(explorer.scene)["files"][0]["text"]
    assert [explorer.graph.blocks[node].name for node in nodes_at(explorer, line_of(explorer, "W_adj ="))] == [
        "transpose",
        "matmul",
    ]


def test_a_line_of_the_function_is_that_of_its_value_and_of_its_adjoint():
    explorer = on_arrays()
    panel = function_of(explorer.scene)
    of_line = {
        node
        for node, span in enumerate(panel["span_of"])
        if span >= 0 and "tanh" in line_at(panel, panel["spans"][span])
    }
    lines = {explorer.graph.origin(node).line for node in of_line if explorer.graph.origin(node)}
    assert {line_of(explorer, "h = "), line_of(explorer, "h_sum_adj = ")} <= lines


def line_at(panel, span):
    file = panel["files"][span[0]]
    return file["text"].splitlines()[span[1] - file["line"]]


def test_values_and_derivatives_are_parts_of_the_graph():
    graph = on_arrays().graph
    names = {graph.scopes.places[scope][0] for scope in graph.scopes.of_node}
    assert names == {"arguments", "values", "derivatives", "results"}


def test_long_functions_are_shown_on_arrays_and_short_ones_are_not():
    big = np.ones((30, 20)), np.zeros(20), np.ones((50, 30)), np.ones((50, 20))
    assert isinstance(ad.show_program(layer, *big, derivative="gradient").program, ad.ArrayProgram)
    assert isinstance(ad.show_program(wave, 1.0, 2.0).program, ad.Program)


def test_a_program_on_arrays_from_another_process_is_shown_with_its_function():
    program = on_arrays().program
    explorer = ad.show_program(pickle.loads(pickle.dumps(program)))
    assert function_of(explorer.scene) == function_of(on_arrays().scene)
    with pytest.raises(ad.ShowError, match="a roofline is of programs over many points"):
        explorer.roofline()


def test_integers_and_loops_are_explored_too():
    def f(x, indices):
        for _ in range(4):
            x = np.sin(x) + x[indices]
        return np.sum(x)

    explorer = ad.show_program(f, np.ones(3), np.array([2, 0, 1]), derivative="gradient", grain="array", inputs=0)
    assert explorer.graph.block_counts()["sin"] == 4
