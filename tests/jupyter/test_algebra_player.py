"""The Player of the algebra of a graph: what can be shown, and the reader's order of levels in Python."""

import gzip
import json
import re
from base64 import b64decode

import pytest
import traitlets

import adviz as ad

CROSSED = ad.examples["two crossed diamonds"]


@pytest.fixture(scope="module")
def shown():
    return ad.show_algebra(CROSSED, effort=0)


@pytest.fixture
def player(shown):
    shown.association = []
    shown.selection = []
    return shown


def saved(path):
    """The document of a saved page."""
    packed = re.search(r'id="adviz-document">([^<]*)<', path.read_text(encoding="utf-8"))
    return json.loads(gzip.decompress(b64decode(packed[1])))


@pytest.mark.long
def test_an_order_is_read_back_as_accumulated_takes_it(player):
    player.association = [[0, 1], [2, 3]]
    assert (player.order, player.multiplications) == (None, 6)
    player.association = [((0, 1), (2, 3))]
    matrices = ad.algebra.local_jacobians(CROSSED.graph())
    assert player.order == ((0, 1), (2, 3))
    assert player.multiplications == ad.algebra.accumulated(matrices, player.order).multiplications == 9


@pytest.mark.parametrize(
    "wrong", [[0], [1, 0, 2, 3], [[0, 2], 1, 3], [[0, 1, 2], 3], ["a", 1, 2, 3], [[0, 1], 2, 3, 4]]
)
def test_what_is_no_order_is_refused_with_what_is_one(player, wrong):
    with pytest.raises(traitlets.TraitError, match=r"each of the 4 matrices once, .* such as \[\[0, 1\], 2, 3\]"):
        player.association = wrong
    assert player.association == []


def test_a_saved_page_keeps_the_order_made(player, tmp_path):
    assert "association" not in saved(player.save(tmp_path / "page.html")).get("traits", {})
    player.association = [[0, 1], 2, 3]
    assert saved(player.save(tmp_path / "page.html"))["traits"]["association"] == [[0, 1], 2, 3]


@pytest.mark.long
def test_functions_graphs_and_examples_are_shown():
    def f(x, y):
        u = x * y
        return u * x + y * u

    of_function = ad.show_algebra(f, 2.0, 3.0, effort=0)
    of_graph = ad.show_algebra(ad.linearize(f, 2.0, 3.0), effort=0)
    assert of_function.scene["title"] == "f"
    sets = [
        next(p for p in each.scene["panels"] if p["kind"] == "expressions")["sets"] for each in (of_function, of_graph)
    ]
    assert sets[0] == sets[1]


@pytest.mark.parametrize(
    ("thing", "error", "message"),
    [
        ("lion", ad.ShowError, r"not a text; an example is adviz.examples\['lion'\]"),
        (ad.line_graph(CROSSED.graph()), ad.ShowError, r"no letters to factor: show its CGraph"),
        (3, ad.AdvizError, r"ad.show_algebra\(f, x\)"),
    ],
)
def test_what_cannot_be_shown_is_told(thing, error, message):
    with pytest.raises(error, match=message):
        ad.show_algebra(thing)


def test_a_graph_takes_no_arguments_and_a_misspelled_option_is_named():
    with pytest.raises(ad.ShowError, match="leave the arguments out"):
        ad.show_algebra(CROSSED, 1.0)
    with pytest.raises(ad.AdvizError, match="way"):
        ad.show_algebra(CROSSED, ways="forward")


def test_vertices_are_selected_by_their_numbers_in_the_picture(player):
    player.selection = [0, 3]
    with pytest.raises(traitlets.TraitError, match="selection has 99"):
        player.selection = [99]


@pytest.mark.long
def test_the_still_one_says_what_the_show_comes_to(player):
    assert "The cost falls from 16 to 12 multiplications." in player._still()["text/plain"]
