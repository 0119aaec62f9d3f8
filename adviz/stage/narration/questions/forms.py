"""The two forms of a question, with the mistakes that are told apart: for a number, and for one of several choices.

Formulas are told apart from words in prompts, not in the answers, hints and diagnoses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ...scene import captions
from ...scene.document import Question
from ...scene.sentences import marked
from .. import local_partials
from ..contributions import Contributions
from ..flows import EdgeKey, key

# ---- wrong answers ----

# Wrong answers to questions for a number, computed from what people mistake, each with a sentence that says what.
#
# The value for the derivative, one factor for the other, a sum for a product, the total for a share, a contribution
# forgotten, the adjoint not yet multiplied, a wrong sign, degrees for radians. Where two mistakes give the same number
# the first is told; one that gives the right number is none.


MOST = 12  # the most wrong answers that are told apart
CLOSE = 0.012  # numbers that are so close, relative to the right one, cannot be told apart
LARGEST_SUM = 8  # of so many contributions each may be forgotten

Wrong = tuple[float, str]


def alike(number: float, right: float) -> bool:
    """Return whether a wrong number cannot be told from the right one, as one that is rounded could not.

    >>> alike(0.5403, 0.5404), alike(0.002, -0.002), alike(0.0, 0.0)
    (True, False, True)
    """
    return abs(number - right) <= CLOSE * abs(right) or captions.decimals(number) == captions.decimals(right)


def of_product(parts: Contributions, edge: EdgeKey) -> list[Wrong]:
    """Return wrong answers to the question what an edge carries."""
    return _distinct(_of_product(parts, edge), float(parts.flow.sent[edge].product))


def of_sum(parts: Contributions, node: int) -> list[Wrong]:
    """Return wrong answers to the question what the contributions to a node add up to."""
    return _distinct(_of_sum(parts, node), float(parts.flow.results[node]))


def _distinct(options: Iterable[Wrong], right: float) -> list[Wrong]:
    kept: list[Wrong] = []
    with np.errstate(all="ignore"):
        for number, why in options:
            is_known = any(captions.decimals(number) == captions.decimals(other) for other, _ in kept)
            if np.isfinite(number) and not alike(number, right) and not is_known and len(kept) < MOST:
                kept.append((float(number), why))
    return kept


def _of_product(parts: Contributions, edge: EdgeKey) -> Iterator[Wrong]:
    flow, names, graph = parts.flow, parts.names, parts.flow.graph
    source, target, sent = flow.source(edge), flow.target(edge), flow.sent[edge]
    given, partial, word = float(sent.given), parts.partial(edge), "adjoint" if flow.reverse else "tangent"
    factors = [each for each in local_partials.mistaken_numbers(graph, *edge, names) if each[0] != "1"]
    for text, factor, why in factors:
        yield given * factor, f"{captions.decimals(given * factor)} comes from the factor {text}. {why}"
    yield from _in_degrees(parts, edge)
    leaves = f"{captions.decimals(given)} is the {word} of {names(source)}, what leaves {names(source)}."
    yield given, f"{leaves} It has still to be multiplied by the local partial on the edge."
    told = f"{captions.decimals(partial)} is the local partial on the edge alone."
    yield partial, f"{told} It has to be multiplied by the {word} of {names(source)}, {captions.decimals(given)}."
    yield given + partial, "Along a path, partials multiply; only separate paths add."
    yield from _of_other_paths(parts, edge)
    for text, factor, why in factors:
        alone = captions.decimals(factor)
        yield factor, f"{alone} is {text}. {why}" if text != alone else why
    asked = f"Asked for is the {word} of {names(source)} times the local partial."
    for node in (edge[0], target, source):
        value = graph.values[node]
        yield float(value), f"{captions.decimals(value)} is the value of {names(node)}. {asked}"
    yield -given * partial, "The size is right, the sign is not: look at the signs of the two factors."


def _in_degrees(parts: Contributions, edge: EdgeKey) -> Iterator[Wrong]:
    """Yield what a calculator gives that is set to degrees."""
    graph, (node, place) = parts.flow.graph, edge
    block, operand = graph.blocks[node], graph.operand_nodes(node)[place]
    if not block.words.in_radians:
        return
    turned = np.radians(graph.values[operand])
    factor = float(block.partials[place](block.compute(turned), turned))
    name, value = parts.names(operand), captions.decimals(graph.values[operand])
    why = (
        f"{captions.decimals(factor)} is what comes out where {name} = {value} is taken for degrees; it is in radians."
    )
    yield float(parts.flow.sent[edge].given) * factor, why


def _of_other_paths(parts: Contributions, edge: EdgeKey) -> Iterator[Wrong]:
    """Yield all that the target of an edge receives, and what it receives along other edges."""
    flow, names = parts.flow, parts.names
    source, target = flow.source(edge), flow.target(edge)
    if len(parts.terms(target)) < 2:
        return
    total, through = flow.results[target], f"Asked for is only what comes through {names(source)}."
    yield float(total), f"{captions.decimals(total)} is all that {names(target)} receives, over all paths. {through}"
    for other in flow.contributions(target):
        carried = flow.sent[other].product
        if other != edge:
            text = f"{captions.decimals(carried)} is what {names(target)} receives through {names(flow.source(other))}."
            yield float(carried), f"{text} {through}"


def _of_sum(parts: Contributions, node: int) -> Iterator[Wrong]:
    flow, name = parts.flow, parts.names(node)
    terms = [float(term) for term in parts.terms(node)]
    total = float(flow.results[node])
    yield float(np.prod(terms)), "Along a path, partials multiply; contributions of separate paths add."
    ways = [parts.names(flow.source(edge)) for edge in flow.contributions(node)]
    begun = len(terms) - len(ways)
    for place, term in enumerate(terms[:LARGEST_SUM]):
        way = f" through {ways[place - begun]}" if place >= begun else ", the seed"
        text = captions.decimals(term)
        yield total - term, f"That leaves out one contribution: what {name} receives{way}, {text}."
    yield float(np.sum(np.abs(terms))), "The signs count: a negative contribution takes away from the others."
    for term in terms[:LARGEST_SUM]:
        text = f"Contributions add with their own signs: {captions.decimals(term)} is not subtracted."
        yield total - 2 * term, text
    yield total / len(terms), "That is their mean. The effects of separate paths add; they are not averaged."
    value: Any = flow.graph.values[node]
    word = "adjoint" if flow.reverse else "tangent"
    text = f"{captions.decimals(value)} is the value of {name}. Asked for is its {word}, the sum of what has arrived."
    yield float(value), text


# ---- forms ----


TOLERANCE = 0.006  # of an answer, relative to the right one
MOST_CHOICES = 5


def number(
    prompt: str,
    answer: Any,
    wrong: Iterable[Wrong],
    hint: str,
    edge: EdgeKey | None = None,
    nodes: list[int] | None = None,
    tolerance: float = TOLERANCE,
) -> Question:
    """Return a question for a number; ``wrong`` are answers that people give, each with what they mistake."""
    question: Question = {
        "kind": "number",
        "prompt": prompt,
        "answer": float(answer),
        "tolerance": tolerance,
        "hint": hint,
        "diagnoses": [[each, why] for each, why in wrong],
    }
    return _about(question, edge, nodes)


def choice(
    prompt: str,
    right: str,
    wrong: Iterable[tuple[str, str]],
    hint: str,
    edge: EdgeKey | None = None,
    nodes: list[int] | None = None,
    most: int = MOST_CHOICES,
) -> Question:
    """Return a question with its choices in an order that does not depend on which one is right."""
    diagnoses: dict[str, str] = {}
    for text, why in wrong:
        if text != right and len(diagnoses) < most - 1:
            diagnoses.setdefault(text, why)
    question: Question = {
        "kind": "choice",
        "prompt": prompt,
        "answer": right,
        "choices": sorted([right, *diagnoses], key=lambda text: (len(text), text)),
        "hint": hint,
        "diagnoses": [[text, why] for text, why in diagnoses.items()],
    }
    return _about(question, edge, nodes)


def _about(question: Question, edge: EdgeKey | None, nodes: list[int] | None) -> Question:
    question["prompt"], marks = marked(question["prompt"])
    if marks:
        question["marks"] = marks
    if edge is not None:
        question["edge"] = key(edge)
    question["nodes"] = nodes or []
    return question
