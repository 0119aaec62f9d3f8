"""Several runs on one clock: their steps become joint steps of one Scene."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from itertools import zip_longest

from ..narration.playing import COSTS, Document, Run

Steps = list[Document]

OF_EACH_RUN = tuple("run kind node edge formula caption whole cost bytes peak product merge".split())
"""What a joint step says of each run separately."""


def in_lockstep(played: list[Steps], runs: list[Run]) -> Iterator[Document]:
    """Yield joint steps in which all runs visit their nodes together, move by move; a run that has ended waits."""
    for visits in zip_longest(*map(_visits, played), fillvalue=()):
        for k, moves in enumerate(zip_longest(*visits)):
            parts = [(run, move) for run, move in zip(runs, moves, strict=True) if move]
            yield _joint(parts) | {"coarse": not k}


def _visits(documents: Steps) -> Iterator[Steps]:
    """Yield the steps of a run, one coarse step at a time."""
    visit: Steps = []
    for document in documents:
        if document["coarse"] and visit:
            yield visit
            visit = []
        visit.append(document)
    yield visit


def by_events(played: list[Steps], runs: list[Run]) -> Iterator[Document]:
    """Yield the moves by time; a move takes as long as its operations and comparisons, at least 1."""
    clocks = [(0, k, 0) for k in range(len(runs))]
    while clocks:
        time, k, place = heappop(clocks)
        document = played[k][place]
        joint = _joint([(runs[k], document)])
        joint.pop("whole", None)  # other runs move in between
        yield joint
        if place + 1 < len(played[k]):
            work = sum(document["cost"][name] for name in COSTS)
            heappush(clocks, (time + max(work, document.get("moves", 1)), k, place + 1))


ALIGNMENTS = {"step": in_lockstep, "event": by_events}


def _joint(parts: list[tuple[Run, Document]]) -> Document:
    """Join steps of several runs: their edits and costs together, and what each of them is in ``parts``."""
    documents = [document for _, document in parts]
    questions = (
        document["question"] | {"prompt": f"{run.label}: {document['question']['prompt']}"}
        for run, document in parts
        if document["question"]
    )
    joint = documents[0] | {
        "caption": _said((run, document["caption"]) for run, document in parts),
        "focus": [key for document in documents for key in document["focus"]],
        "cost": {name: sum(document["cost"][name] for document in documents) for name in documents[0]["cost"]},
        "edits": [edit for document in documents for edit in document["edits"]],
        "question": next(questions, None),
    }
    if any("whole" in document for document in documents):
        joint["whole"] = _said((run, document.get("whole") or document["caption"]) for run, document in parts)
    if len(documents) > 1:
        joint["parts"] = [{name: document[name] for name in OF_EACH_RUN if name in document} for document in documents]
    return joint


def _said(sentences: Iterable[tuple[Run, str]]) -> str:
    return " ".join(f"{run.label[0].upper()}{run.label[1:]}: {sentence}" for run, sentence in sentences)
