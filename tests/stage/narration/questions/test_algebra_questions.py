"""Questions about a factorization: the answers are those of the algebra, and mistakes are told apart."""

import pytest

import adviz as ad
from adviz.algorithms.expressions import accumulated, local_jacobians
from adviz.stage.narration.algebra_narration import Namer
from adviz.stage.narration.factored_moments import factored
from adviz.stage.narration.questions.algebra_questions import Examiner

CROSSED = ad.examples["two crossed diamonds"].graph()


def asked(graph, way="backward", levels=True):
    """The questions before all steps."""
    moments = list(factored(graph, way))
    examiner = Examiner(Namer(moments), way, local_jacobians(graph) if levels else ())
    last = len(moments) - 1
    return moments, [examiner.ask(moments[k - 1], moments[k], k, k == last) for k in range(1, last + 1)]


@pytest.mark.parametrize(
    ("way", "right", "wrong"), [("backward", "v3", {"v4", "v5", "v6"}), ("forward", "v5", {"v2", "v3", "v4"})]
)
def test_the_vertex_that_is_split_next_is_asked_for_and_others_depend_on_it(way, right, wrong):
    _, (_, which, *_) = asked(CROSSED, way)
    assert (which["prompt"], which["answer"]) == ("Which vertex is split next?", right)
    assert wrong <= set(which["choices"])
    reasons = dict(which["diagnoses"])
    told = {
        "backward": "v5 depends on v4, which is split before it.",
        "forward": "v2 is used by v4, which is split before it.",
    }
    assert reasons[{"backward": "v5", "forward": "v2"}[way]] == told[way]


@pytest.mark.parametrize("name", ["two crossed diamonds", "slide", "Naumann 2004", "scalar lion", "bat"])
@pytest.mark.parametrize("way", ["backward", "forward", "paths"])
def test_counted_answers_are_the_costs_of_the_algebra_and_no_mistake_is_right(name, way):
    moments, questions = asked(ad.examples[name].graph(), way, levels=False)
    for question, now in zip(questions, moments[1:], strict=True):
        if question["kind"] == "number":
            assert question["answer"] == now.multiplications
        assert question["answer"] not in [wrong for wrong, _ in question["diagnoses"]]


def test_at_the_end_an_order_of_levels_is_asked_for():
    graph = ad.examples["slide"].graph()
    _, questions = asked(graph)
    matrices = local_jacobians(graph)
    last = questions[-1]
    assert last["prompt"].startswith("The levels are multiplied in the order ((J₁ J₂) J₃) J₄.")
    assert last["answer"] == accumulated(matrices, "left to right").multiplications == 10
    assert dict(last["diagnoses"])[float(accumulated(matrices).multiplications)].startswith(
        "That is the cheapest order"
    )
    assert 17.0 in dict(last["diagnoses"])


def test_without_levels_nothing_is_asked_about_them():
    _, questions = asked(CROSSED, levels=False)
    assert not [question for question in questions if "J₁" in question["prompt"]]
