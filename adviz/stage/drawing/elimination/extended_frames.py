"""What is seen of a large elimination at a moment of a show: the matrices of its panels, below each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...scene.algebra.elimination_panels import ExtendedPanel
from ...scene.document import Step
from ...scene.short_text import OnStage
from ..marks import Item
from .elimination_steps import Beat
from .extended_marks import Labels, Standing, extended


def labels_of(stage: Mapping[str, OnStage]) -> dict[str, OnStage]:
    """Return the labels on stage by the edges that they stand for, without the ends of the line graph.

    >>> labels_of({"vertex/0": True, "node/s.0": 1.0, "node/0.1": 2.0})
    {'0.1': 2.0}
    """
    things = {key.removeprefix("node/"): value for key, value in stage.items() if key.startswith("node/")}
    return {thing: value for thing, value in things.items() if "s." not in thing and ".t" not in thing}


def standing(
    panel: ExtendedPanel, start: Labels, stage: Mapping[str, OnStage], taken: Sequence[Step], played: Sequence[Beat]
) -> Standing:
    """Return what is seen after the steps ``taken``, which lead to this ``stage``; ``played`` are all steps so far."""
    own = f"{panel['run']}/"
    now = {key.removeprefix(own): value for key, value in stage.items() if key.startswith(own)}
    old = dict(now)
    for step in reversed(taken):
        for key, before, _ in reversed(step["edits"]):
            old[key.removeprefix(own)] = before
    there = {key: value for key, value in old.items() if value is not None}
    move = played[played[-1].first :] if played else []
    products = [beat.product for beat in move if beat.product]
    return Standing(panel, start, labels_of(there), labels_of(now), products)


def items(
    panel: ExtendedPanel,
    start: Labels,
    stage: Mapping[str, OnStage],
    taken: Sequence[Step],
    played: Sequence[Beat],
    share: float,
) -> Iterator[Item]:
    """Yield the matrix when so much (0 to 1) of the steps just taken is done."""
    yield Item(panel["id"], "matrix", "", [*extended(standing(panel, start, stage, taken, played), share)])
