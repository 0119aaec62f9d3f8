"""What is said of a factorization: what is split, joined or named, why, and what it costs."""

from itertools import pairwise

import adviz as ad
from adviz.algorithms.expressions import Letter
from adviz.graph.linearized.cgraph import Copy
from adviz.stage.narration.algebra_narration import AlgebraNarrator, Namer, paged
from adviz.stage.narration.factored_moments import factored

CROSSED = ad.examples["two crossed diamonds"].graph()


def told(graph, way="backward"):
    moments = list(paged(graph) if way == "pages" else factored(graph, way))
    narrator = AlgebraNarrator(Namer(moments))
    captions = [narrator.caption(*pair) for pair in pairwise(moments)]
    return captions, narrator.ending(moments[-1])


def test_where_nothing_has_to_be_split_or_comes_out_it_is_said():
    (simple,) = factored(ad.examples["two diamonds"].graph())
    assert "nothing has to be split" in AlgebraNarrator(Namer([simple])).invitation(simple, "backward", 0)
    assert told(CROSSED, "pages")[0] == [
        "No page comes out of this graph: taken as a whole, its expressions take 8 multiplications."
    ]


def test_splitting_from_the_outputs_on_tells_of_what_a_vertex_depends_on():
    captions, _ = told(CROSSED, "forward")
    assert captions[0].startswith("v6 depends on v3 and v4, so its edge out is on several paths.")


def test_many_copies_are_counted_and_not_listed():
    captions, _ = told(ad.examples["Naumann 2004"].graph(), "paths")
    assert "v4 has 4 edges in and 2 out" in captions[2]
    assert "It is split into 8 vertices, and what leads to it and from it is copied." in captions[2]


def test_copies_have_dashes_and_names_that_are_alike_their_numbers():
    graph = ad.CGraph.from_edges([(0, 1), (1, 2), (2, 3), (1, 3)], names={1: "u", 2: "u"})
    namer = Namer(list(factored(graph)))
    assert [namer.called(each) for each in (0, 1, Copy(1, 2), Copy(2, 5))] == ["v0", "u (v1)", "u′ (v1)", "u′⁵ (v2)"]
    assert namer.letter(Letter(3, Copy(1, 2))) == "e₃₁"
