"""Graphs in files: what is loaded is what was saved, and nothing else is loaded."""

import copy
import pickle
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from hypothesis import given, settings

import adviz as ad
from adviz.graph.files.saved_values import ValuesError
from tests.agreement.array_programs import array_programs
from tests.agreement.writing_programs import program
from tests.graph.graph_parts import contents, structure
from tests.graph.test_random_loops import Writer, run
from tests.primitives import cube


def saved_and_loaded(graph, folder, **options):
    return ad.load(graph.save(folder / "g.adviz", **options))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("graphs")


def check(graph, folder):
    """A graph is the same after it was saved with values, without, and pickled."""
    parts, values = structure(graph), contents(graph)
    for found in (saved_and_loaded(graph, folder, values=True), pickle.loads(pickle.dumps(graph))):
        assert structure(found) == parts
        assert contents(found) == values
    without = saved_and_loaded(graph, folder)
    assert structure(without) == parts
    assert contents(without)["literals"] == values["literals"]
    assert structure(saved_and_loaded(without, folder, values=True)) == parts


@pytest.mark.long
@settings(max_examples=40)
@given(array_programs())
def test_random_programs_on_arrays(folder, program):
    with np.errstate(all="ignore"):
        check(ad.trace(program, *program.inputs(3)), folder)


@pytest.mark.parametrize("seed", range(30))
def test_random_programs_that_write(folder, seed):
    written = program(seed)
    try:
        graph = ad.trace(written.function, written.point)
    except ad.AdvizError as error:
        graph = error.graph
    check(graph, folder)


@pytest.mark.parametrize("quiet", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_random_loops(folder, seed, quiet):
    check(ad.trace(run(Writer(seed, quiet).traced, np=np), 0.3), folder)


def test_views_share_their_memory_and_writes_stay_versions(folder):
    def f(x):
        out = np.zeros(1000)
        for k in range(20):
            out[k] = x[k] * 2
        return out[10:30].reshape(4, 5).T + out[0]

    graph = ad.trace(f, np.arange(1000.0))
    found = saved_and_loaded(graph, folder, values=True)
    assert found.bytes == graph.bytes < 60_000
    check(graph, folder)


def test_a_block_of_ones_own_is_a_name_in_a_file_and_itself_in_a_pickle(folder):
    graph = ad.trace(lambda x: cube()(x), np.array([1.0, 2.0]))
    found = saved_and_loaded(graph, folder, values=True)
    assert found.blocks[1].name == "cube"
    with pytest.raises(ad.MissingBlockError, match="has the Block cube by name only"):
        found.local_jacobians(1)
    again = pickle.loads(pickle.dumps(graph))
    assert isinstance(again.blocks[1], cube)
    check(graph, folder)


def test_a_copy_keeps_the_code(folder):
    graph = ad.trace(lambda x: x * x, 3.0)
    assert copy.copy(graph).codes == graph.codes
    assert structure(copy.deepcopy(graph)) == structure(graph)


def test_a_graph_that_was_loaded_shows_its_source_on_another_machine(folder, tmp_path):
    """A process that has never seen the file tells places, names, loops and text; then with the file changed."""
    module = tmp_path / "elsewhere.py"
    module.write_text(
        textwrap.dedent("""
            import numpy as np

            class Model:
                @staticmethod
                def layer(x):
                    für = np.sin(x) * 2
                    return für

            def f(x):
                for k in range(3):
                    x = Model.layer(x)
                return x
            """),
        encoding="utf-8",
    )
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import adviz, elsewhere\n"
    path = tmp_path / "g.adviz"
    subprocess.run([sys.executable, "-c", code + f"adviz.trace(elsewhere.f, .3).save({str(path)!r})"], check=True)
    module.write_text("something = 'else'\n", encoding="utf-8")
    graph = ad.load(path)
    node = next(node for node in graph if node.block.name == "multiply")
    assert node.name == "für"
    assert node.origin.text == "np.sin(x) * 2"
    assert str(node.origin).endswith("elsewhere.py:7:15, in Model.layer: np.sin(x) * 2")
    assert node.scope == "f › for k in range(3) › iteration 1 › layer"
    explorer = ad.explore(graph)
    texts = [file["text"] for file in explorer.scene["source"]["files"]]
    explorer.close()
    assert "    for k in range(3):" in texts[0]
    assert "für = np.sin(x) * 2" in texts[1]


def test_without_values_a_value_is_refused_by_name(folder):
    graph = saved_and_loaded(ad.trace(lambda x: x * x, np.ones((2, 3))), folder)
    assert (graph[1].shape, graph[1].dtype, graph[1].bytes) == ((2, 3), "float64", 48)
    assert repr(graph[1].value) == "<float64 of shape (2, 3), not saved>"
    for use in (np.asarray, np.sin, lambda value: value[0], float):
        with pytest.raises(ValuesError, match="saved without values"):
            use(graph[1].value)


def test_constants_that_are_no_numbers_are_refused(tmp_path):
    graph = ad.trace(lambda x: x * x, 3.0)
    graph.literals.append(object())
    with pytest.raises(ad.GraphFileError, match="of type object, cannot be saved"):
        graph.save(tmp_path / "g.adviz")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        ad.trace(lambda x: x * x, 3.0).save(tmp_path / "no" / "g.adviz")


def test_a_large_graph_takes_few_bytes(folder):
    def f(x):
        for k in range(4000):
            x = np.sin(x) * 0.5 + k
        return x

    graph = ad.trace(f, 0.3)
    assert graph.save(folder / "g.adviz").stat().st_size < 10 * len(graph)
