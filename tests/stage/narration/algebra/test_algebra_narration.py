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


def test_before_the_first_step_it_is_said_what_there_is_and_what_will_come():
    start, *others = factored(CROSSED)
    narrator = AlgebraNarrator(Namer([start, *others]))
    assert narrator.invitation(start, "backward", len(others)) == (
        "The Jacobian is a sum over 6 paths: 16 multiplications. Vertices on several paths are split, from the inputs "
        "on, so that brackets can be set. Press play, or → for one step."
    )
    (simple,) = factored(ad.examples["two diamonds"].graph())
    assert "nothing has to be split" in AlgebraNarrator(Namer([simple])).invitation(simple, "backward", 0)


def test_a_split_says_why_into_what_and_what_is_copied():
    captions, ending = told(CROSSED)
    assert captions[0] == (
        "v2 is used twice, by v4 and v5, so its edge in is on several paths. It is split into v2 and v2′, and e₂₁ "
        "is on 2 edges now. The cost stays at 16 multiplications."
    )
    assert captions[1].endswith("The cost falls from 16 to 12 multiplications.")
    assert ending == "Every block is simple now: each entry is one expression, with brackets in brackets."


def test_splitting_from_the_outputs_on_tells_of_what_a_vertex_depends_on():
    captions, _ = told(CROSSED, "forward")
    assert captions[0].startswith("v6 depends on v3 and v4, so its edge out is on several paths.")


def test_a_reference_says_what_its_edge_stands_for():
    assert told(CROSSED)[0][2] == (
        "The block from v1 to v4 is needed several times, so it is computed once: a new edge stands for "
        "X₁ = e₄₂ e₂₁ + e₄₃ e₃₁. The cost falls from 12 to 10 multiplications."
    )


def test_a_joint_says_which_copies_are_one_again():
    captions, _ = told(CROSSED, "paths")
    assert captions[-1] == (
        "v4′ and v4‴ are copies with the same way to the output, so they are joined again: "
        "e₆₄ is written one time fewer. The cost falls from 11 to 10 multiplications."
    )


def test_many_copies_are_counted_and_not_listed():
    captions, _ = told(ad.examples["Naumann 2004"].graph(), "paths")
    assert "v4 has 4 edges in and 2 out" in captions[2]
    assert "It is split into 8 vertices, and what leads to it and from it is copied." in captions[2]


def test_a_page_says_what_it_has_and_what_it_takes_alone():
    captions, ending = told(ad.examples["slide"].graph(), "pages")
    assert captions[1] == "Page 2, out of the graph: what leads from v2 to v4. On its own it takes 1 multiplication."
    assert captions[4].startswith("Page 5, out of the graph: what leads from v1 to v6 without passing v4.")
    assert captions[-1].endswith("That takes 7 multiplications.")
    assert ending == ""
    assert told(CROSSED, "pages")[0] == [
        "No page comes out of this graph: taken as a whole, its expressions take 8 multiplications."
    ]


def test_copies_have_dashes_and_names_that_are_alike_their_numbers():
    graph = ad.CGraph.from_edges([(0, 1), (1, 2), (2, 3), (1, 3)], names={1: "u", 2: "u"})
    namer = Namer(list(factored(graph)))
    assert [namer.called(each) for each in (0, 1, Copy(1, 2), Copy(2, 5))] == ["v0", "u (v1)", "u′ (v1)", "u′⁵ (v2)"]
    assert namer.letter(Letter(3, Copy(1, 2))) == "e₃₁"
