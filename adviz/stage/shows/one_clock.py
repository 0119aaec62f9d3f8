"""Several runs on one clock: their steps become joint steps of one Scene."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from itertools import zip_longest

from ..narration.playing import COSTS, RESULT, Run, result, total
from ..scene import captions
from ..scene.document import Part, Question, Step

Steps = list[Step]


def in_lockstep(played: list[Steps], runs: list[Run]) -> Iterator[Step]:
    """Yield joint steps in which all runs visit their nodes together, move by move; a run that has ended waits."""
    for visits in zip_longest(*map(_visits, played), fillvalue=()):
        for k, moves in enumerate(zip_longest(*visits)):
            parts = [(run, move) for run, move in zip(runs, moves, strict=True) if move]
            yield {**_joint(parts), "coarse": not k}


def _visits(documents: Steps) -> Iterator[Steps]:
    """Yield the steps of a run, one coarse step at a time."""
    visit: Steps = []
    for document in documents:
        if document["coarse"] and visit:
            yield visit
            visit = []
        visit.append(document)
    yield visit


def by_events(played: list[Steps], runs: list[Run]) -> Iterator[Step]:
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


def moments(steps: Steps, run: Run) -> list[int]:
    """Return which joint steps have a step of a run."""
    return [
        k
        for k, step in enumerate(steps)
        if any(part["run"] == run.id and part["kind"] != RESULT for part in step.get("parts", [step]))
    ]


def results(runs: list[Run], played: list[Steps]) -> Step:
    """Return the step that says what several runs have cost."""
    parts = []
    for run, documents in zip(runs, played, strict=True):
        cost, last = total(document["cost"] for document in documents), documents[-1]
        work = [captions.plural(cost[name], name[:-1]) for name in ("multiplications", "additions")]
        if cost["comparisons"]:
            work.append(captions.plural(cost["comparisons"], "comparison"))
        text = f"In all {captions.listed([captions.plural(cost['visits'], 'visit'), *work])}"
        parts.append((run, result(last, f"{text}; at most {captions.amount(int(last['peak']))} alive.")))
    return _joint(parts)


ALIGNMENTS = {"step": in_lockstep, "event": by_events}


def _joint(parts: list[tuple[Run, Step]]) -> Step:
    """Join steps of several runs: their edits and costs together, and what each of them is in ``parts``."""
    documents = [document for _, document in parts]
    questions: Iterator[Question] = (
        {**question, "prompt": f"{run.label}: {question['prompt']}"}
        for run, document in parts
        if (question := document["question"])
    )
    joint: Step = {
        **documents[0],
        "caption": _said((run, document["caption"]) for run, document in parts),
        "focus": [key for document in documents for key in document["focus"]],
        "cost": total(document["cost"] for document in documents),
        "edits": [edit for document in documents for edit in document["edits"]],
        "question": next(questions, None),
    }
    if any("whole" in document for document in documents):
        joint["whole"] = _said((run, document.get("whole") or document["caption"]) for run, document in parts)
    if len(documents) > 1:
        joint["parts"] = list(map(part, documents))
    return joint


def part(document: Step) -> Part:
    """Return what a joint step says of one of its runs."""
    result: Part = {
        "run": document["run"],
        "kind": document["kind"],
        "node": document["node"],
        "edge": document["edge"],
        "formula": document["formula"],
        "caption": document["caption"],
        "cost": document["cost"],
        "bytes": document["bytes"],
        "peak": document["peak"],
    }
    for name in ("whole", "product", "merge"):
        if name in document:
            result[name] = document[name]
    return result


def _said(sentences: Iterable[tuple[Run, str]]) -> str:
    return " ".join(f"{run.label[0].upper()}{run.label[1:]}: {sentence}" for run, sentence in sentences)
