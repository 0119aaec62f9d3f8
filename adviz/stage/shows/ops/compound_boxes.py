"""Compounds of ops as one box each: which ops are in it, and which steps are one step as long as it is folded.

The ops of a compound are built one after the other, and depend on nothing that is built later: folding makes no circle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ....lazy.ops import Op
from ....lazy.schemas import Schema
from ...narration.ops.op_words import outermost, value_of, whole_detail, whole_name
from ...scene import captions
from ...scene.document import Step as SceneStep
from ...scene.panels import UnplacedEdge, UnplacedItem


class Compound(NamedTuple):
    """A schema with those of its ops that are drawn; its ``scope`` is its number among the scopes of the Scene."""

    schema: Schema
    scope: int
    ops: tuple[Op, ...]

    @property
    def key(self) -> str:
        """The key of its box."""
        return f"c{self.scope}"

    @property
    def value(self) -> Op | None:
        """The op that is its value; ``None`` where that is not drawn."""
        value = value_of(self.schema)
        return value if value in self.ops else None


def compounds(ops: Iterable[Op]) -> list[Compound]:
    """Return the compounds of which two ops or more are drawn, the outermost ones; those inside are their ops.

    >>> import adviz
    >>> p = adviz.lazy.softmax(adviz.lazy.placeholder((3,)))
    >>> [(each.key, each.schema.name, len(each.ops)) for each in compounds(p.ordered_ops())]
    [('c1', 'softmax', 5)]
    """
    found: dict[Schema, list[Op]] = {}
    for op in ops:
        if (schema := outermost(op)) is not None:
            found.setdefault(schema, []).append(op)
    several = [(schema, own) for schema, own in found.items() if len(own) > 1]
    return [Compound(schema, k, tuple(own)) for k, (schema, own) in enumerate(several, start=1)]


def item(compound: Compound, number: Mapping[Op, int], like: UnplacedItem | None) -> UnplacedItem:
    """Return the folded box of a compound; ``like`` is the item of its value, whose value it shows."""
    count = captions.plural(len(compound.ops), "op")
    name = whole_name(compound.schema)
    of_value = like["title"].partition("; ")[2] if like else "nothing here needs its value, but other ops of it"
    found: UnplacedItem = {
        "key": compound.key,
        "kind": "scope",
        "label": name,
        "detail": whole_detail(compound.schema),
        "family": "op",
        "node": number[compound.value] if compound.value is not None else None,
        "span": [compound.scope, compound.scope + 1],
        "count": len(compound.ops),
        "repeat": 1,
        "uses": 0,
        "dead": like["dead"] if like else False,
        "title": f"{name}: {compound.schema.name}, {count}, folded; {of_value}",
    }
    if like and "room" in like:
        found["room"] = like["room"]
    return found


def folded_edges(edges: Iterable[UnplacedEdge], home: Mapping[str, str]) -> list[UnplacedEdge]:
    """Return edges between boxes: ``home`` has the key of the box that an item is in. Edges inside are left out."""
    found: dict[str, UnplacedEdge] = {}
    for edge in edges:
        tail, head = (home.get(each, each) for each in (edge["tail"], edge["head"]))
        key, is_own = f"{tail}>{head}", (tail, head) == (edge["tail"], edge["head"])
        if tail != head and (key not in found or found[key]["kind"] == "control"):
            found[key] = {**edge, "key": key, "tail": tail, "head": head, "count": edge["count"] if is_own else 1}
    return [*found.values()]


def columns(found: Sequence[Compound], ops: Sequence[Op]) -> dict[str, np.ndarray]:
    """Return the columns of scopes: that of all ops, and one for each compound."""
    scope = {op: each.scope for each in found for op in each.ops}
    inner = len(found)
    return {
        "scope": np.array([scope.get(op, 0) for op in ops], np.int32),
        "scope_parent": np.array([-1, *([0] * inner)], np.int32),
        "scope_end": np.array([inner + 1, *(each.scope + 1 for each in found)], np.int32),
        "scope_nodes": np.array([len(ops), *(len(each.ops) for each in found)], np.uint16),
    }


def fold_steps(
    steps: Sequence[SceneStep],
    subjects: Sequence[Op],
    found: Iterable[Compound],
    number: Mapping[Op, int],
    told: Callable[[Compound, Sequence[int]], str],
) -> None:
    """Make those steps coarse ones in which ops of one compound come one after the other, and its box their focus.

    ``subjects`` are the ops that the steps are about, ``number`` has their numbers. ``told`` returns the sentence of
    such steps, which it gets by their places.
    """
    home = {op: each for each in found for op in each.ops}
    boxes = {f"graph/{number[op]}": f"graph/{each.key}" for op, each in home.items()}
    for step in steps:
        step["focus"] = [*dict.fromkeys(key for each in step["focus"] for key in (each, boxes.get(each, each)))]
    turns: list[list[int]] = []
    for k, op in enumerate(subjects):
        if k and op in home and home[op] is home.get(subjects[k - 1]):
            steps[k]["coarse"] = False
            turns[-1].append(k)
        else:
            turns.append([k])
    for turn in turns:
        if len(turn) > 1:
            steps[turn[0]]["whole"] = told(home[subjects[turn[0]]], turn)
