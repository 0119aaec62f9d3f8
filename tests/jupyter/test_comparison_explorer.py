"""ad.show_comparison: what it takes, answers and saves."""

import numpy as np
import pytest

import adviz as ad


@pytest.fixture
def graphs():
    return ad.trace(lambda x: x * x, 3.0), ad.trace(lambda x: np.sin(x) * x, 3.0)


def test_it_takes_graphs_and_a_comparison(graphs):
    explorer = ad.show_comparison(*graphs)
    assert explorer.labels == ("before", "after")
    assert ad.show_comparison(ad.compare_graphs(*graphs)).comparison.partners.tolist() == [0, 2, 3]
    assert len(explorer.graph) == 4
    explorer.selection = [1]


def test_wrong_arguments_are_named(graphs):
    with pytest.raises(TypeError, match="the second argument is of type int"):
        ad.show_comparison(graphs[0], 3)
    with pytest.raises(ad.InputError, match="leave the second graph out"):
        ad.show_comparison(ad.compare_graphs(*graphs), graphs[0])


@pytest.mark.parametrize("labels", ["ab", ("a",), ("a", "a"), ("", "b"), (1, 2), 5, {"a": 1, "b": 2}])
def test_labels_are_two_different_texts(graphs, labels):
    with pytest.raises(ad.InputError, match="two different names"):
        ad.show_comparison(*graphs, labels=labels)


def test_it_answers_the_front_end(graphs):
    explorer, sent = ad.show_comparison(*graphs), []
    explorer.send = sent.append
    for request in ({"type": "view", "scope": 0}, {"type": "detail", "node": 1}, {"type": "play"}):
        explorer._answer(None, {"id": "1", **request}, [])
    assert sent[0]["view"]["nodes"][1]["change"]["state"] == "added"
    assert sent[1]["detail"]["differences"] == ["only in after: node 1 there"]
    assert sent[2]["error"] == "Unknown request 'play'."


def test_it_is_put_away_and_made_again(graphs):
    explorer = ad.show_comparison(*graphs)
    scene = explorer.scene
    explorer.put_away()
    assert explorer.scene == scene
