"""The picture of an op graph: ops with what they are, three kinds of edges, and boxes around what belongs together.

A solid edge leads a value on, or back into storage, a dashed one says what must run before, a dotted one what is stored
before all else. An initializer of storage is drawn as the value that it stores; constants show their value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from ....lazy.composites import Schema
from ....lazy.ops import Op
from ...layout import placing
from ...narration.op_narration import (
    called,
    composites_around,
    detail,
    is_storage_view,
    outermost,
    title,
    value_of,
    whole_detail,
    whole_name,
)
from ...scene import captions, heat_maps, theme
from ...scene.document import Scene, Tables
from ...scene.document import Step as SceneStep
from ...scene.panels import GraphPanel, UnplacedEdge, UnplacedGroup, UnplacedItem
from .. import explorer_scene

# ---- boxes of composite ops ----

# Composite ops of ops as one box each: which ops are in it, and which steps are one step as long as it is folded.
#
# The ops of a composite op are built one after the other, and depend on nothing that is built later: folding makes no
# circle.


class Composite(NamedTuple):
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


def composites(ops: Iterable[Op]) -> list[Composite]:
    """Return the composite ops of which two ops or more are drawn, the outermost ones; those inside are their ops.

    >>> import adviz
    >>> p = adviz.lazy.softmax(adviz.lazy.placeholder((3,)))
    >>> [(each.key, each.schema.name, len(each.ops)) for each in composites(p.ordered_ops())]
    [('c1', 'softmax', 5)]
    """
    ops_of: dict[Schema, list[Op]] = {}
    for op in ops:
        if (schema := outermost(op)) is not None:
            ops_of.setdefault(schema, []).append(op)
    several = [(schema, own) for schema, own in ops_of.items() if len(own) > 1]
    return [Composite(schema, k, tuple(own)) for k, (schema, own) in enumerate(several, start=1)]


def item(composite: Composite, number: Mapping[Op, int], like: UnplacedItem | None) -> UnplacedItem:
    """Return the folded box of a composite op; ``like`` is the item of its value, whose value it shows."""
    count = captions.plural(len(composite.ops), "op")
    name = whole_name(composite.schema)
    of_value = like["title"].partition("; ")[2] if like else "nothing here needs its value, but other ops of it"
    result: UnplacedItem = {
        "key": composite.key,
        "kind": "scope",
        "label": name,
        "detail": whole_detail(composite.schema),
        "family": "op",
        "node": number[composite.value] if composite.value is not None else None,
        "span": [composite.scope, composite.scope + 1],
        "count": len(composite.ops),
        "repeat": 1,
        "uses": 0,
        "dead": like["dead"] if like else False,
        "title": f"{name}: {composite.schema.name}, {count}, folded; {of_value}",
    }
    if like and "room" in like:
        result["room"] = like["room"]
    return result


def folded_edges(edges: Iterable[UnplacedEdge], home: Mapping[str, str]) -> list[UnplacedEdge]:
    """Return edges between boxes: ``home`` has the key of the box that an item is in. Edges inside are left out."""
    result: dict[str, UnplacedEdge] = {}
    for edge in edges:
        tail, head = (home.get(each, each) for each in (edge["tail"], edge["head"]))
        key, is_own = f"{tail}>{head}", (tail, head) == (edge["tail"], edge["head"])
        if tail != head and (key not in result or result[key]["kind"] == "control"):
            result[key] = {**edge, "key": key, "tail": tail, "head": head, "count": edge["count"] if is_own else 1}
    return [*result.values()]


def columns(composites: Sequence[Composite], ops: Sequence[Op]) -> dict[str, np.ndarray]:
    """Return the columns of scopes: that of all ops, and one for each composite op."""
    scope = {op: each.scope for each in composites for op in each.ops}
    inner = len(composites)
    return {
        "scope": np.array([scope.get(op, 0) for op in ops], np.int32),
        "scope_parent": np.array([-1, *([0] * inner)], np.int32),
        "scope_end": np.array([inner + 1, *(each.scope + 1 for each in composites)], np.int32),
        "scope_nodes": np.array([len(ops), *(len(each.ops) for each in composites)], np.uint16),
    }


def fold_steps(
    steps: Sequence[SceneStep],
    subjects: Sequence[Op],
    composites: Iterable[Composite],
    number: Mapping[Op, int],
    explain: Callable[[Composite, Sequence[int]], str],
) -> None:
    """Make those steps coarse ones in which ops of one composite op come one after the other, and its box their focus.

    ``subjects`` are the ops that the steps are about, ``number`` has their numbers. ``explain`` returns the sentence of
    such steps, which it gets by their places.
    """
    home = {op: each for each in composites for op in each.ops}
    boxes = {f"graph/{number[op]}": f"graph/{each.key}" for op, each in home.items()}
    for step in steps:
        step["focus"] = [*dict.fromkeys(key for each in step["focus"] for key in (each, boxes.get(each, each)))]
    runs: list[list[int]] = []
    for k, op in enumerate(subjects):
        if k and op in home and home[op] is home.get(subjects[k - 1]):
            steps[k]["coarse"] = False
            runs[-1].append(k)
        else:
            runs.append([k])
    for run in runs:
        if len(run) > 1:
            steps[run[0]]["whole"] = explain(home[subjects[run[0]]], run)


# ---- the picture ----


DERIVED = "derivatives"
"""The label of the box around ops that are built by differentiating."""
MAP_ROOM = 26.0  # px below the words of an op, for a heat map
SORTS: dict[str, Literal["storage", "constant", "assign", "order"]] = {
    "variable": "storage",
    "persistent": "storage",
    "constant": "constant",
    "assign": "assign",
    "doall": "order",
    "sequential": "order",
}


def picture(
    ops: Sequence[Op],
    results: Iterable[Op],
    run: str,
    *,
    valued: bool = True,
    initial: bool = False,
    unused: Iterable[Op] = (),
) -> GraphPanel:
    """Return ops as a placed graph panel: with room for a value each, and with what is stored at first, if wanted.

    What is ``unused`` is drawn as such. Composite ops are folded; the picture of all ops is ``opened`` in it.
    """
    number = {op: k for k, op in enumerate(ops)}
    returned, dead = set(results), set(unused)
    nodes = [_item(op, k, op in returned, valued, op in dead) for op, k in number.items()]
    edges = [*_edges(number)]
    if initial:
        for op, k in number.items():
            if op.initializers and not op.is_constant:
                edges.append(_edge(f"first{k}", str(k), 1, "initializer"))
                nodes.append(_stored_first(op, k))
    composite_ops = composites(ops)
    opened = _placed(run, nodes, edges, _groups((number[op], _around(op)) for op in ops))
    if not composite_ops:
        return opened
    home = {str(number[op]): each.key for each in composite_ops for op in each.ops}
    boxes = [item(each, number, None if each.value is None else nodes[number[each.value]]) for each in composite_ops]
    others = [node for node in nodes if node["key"] not in home]
    place = {node["key"]: k for k, node in enumerate([*others, *boxes])}
    grouped = {place[home.get(str(number[op]), str(number[op]))]: op for op in ops}
    groups = _groups((k, _metadata(op)) for k, op in sorted(grouped.items()))
    folded = _placed(run, [*others, *boxes], folded_edges(edges, home), groups)
    return {**folded, "opened": opened}


def _placed(run: str, nodes: list[UnplacedItem], edges: list[UnplacedEdge], groups: list[UnplacedGroup]) -> GraphPanel:
    return placing.place(
        {
            "id": "graph" if run == "ops" else f"graph-{run}",
            "kind": "graph",
            "run": run,
            "scope": 0,
            "path": [],
            "siblings": None,
            "note": None,
            "nodes": nodes,
            "edges": edges,
            "groups": groups,
        },
        ranks={},
        layer_gap=theme.EXPLORER_GAP,
    )


def _item(op: Op, k: int, is_returned: bool, valued: bool, is_dead: bool = False) -> UnplacedItem:
    is_result = is_returned and op.kind == "operation" and not is_storage_view(op)
    item: UnplacedItem = {
        "key": str(k),
        "kind": "input" if op.is_input else "output" if is_result else "block",
        "label": called(op),
        "detail": detail(op),
        "family": "op",
        "node": k,
        "span": None,
        "count": 1,
        "repeat": 1,
        "uses": 0,
        "dead": is_dead,
        "title": title(op),
    }
    if op.kind in SORTS:
        item["sort"] = SORTS[op.kind]
    if op.derived_from is not None:
        item["derived"] = True
    if valued and op.has_value and not (op.is_constant and op.shape == ()):
        item["room"] = MAP_ROOM if op.shape else theme.STATE_LINE
    return item


def _stored_first(op: Op, k: int) -> UnplacedItem:
    """Return what is stored in an op before all else."""
    value = np.asarray(op.initial)
    same = value.size and (value == value.ravel()[0]).all()
    label = captions.signed(value.ravel()[0]) if same else captions.value(value)
    item: UnplacedItem = {
        **_item(op, k, False, False),
        "key": f"first{k}",
        "kind": "outside",
        "label": label,
        "detail": "",
        "node": None,
        "title": f"{called(op)} holds {label} at first",
    }
    item.pop("sort", None)
    return item


def _edges(number: Mapping[Op, int]) -> Iterator[UnplacedEdge]:
    for op, k in number.items():
        target = op.args[0] if op.kind == "assign" else None
        for arg, count in Counter(arg for arg in op.args if arg in number).items():
            yield _edge(str(number[arg]), str(k), count, "target" if arg is target else "data")
        for before in op.control_deps:
            if before in number and before not in op.args:
                yield _edge(str(number[before]), str(k), 1, "control")


def _edge(tail: str, head: str, count: int, kind: str) -> UnplacedEdge:
    return {"key": f"{tail}>{head}", "tail": tail, "head": head, "count": count, "kind": kind}


def _metadata(op: Op) -> list[tuple[Any, str]]:
    """Return the boxes that metadata put an op in, from the outside in: what tells each from others, and its label."""
    labels = [DERIVED] if op.derived_from is not None else []
    labels += [f"{key}: {value}" for key, value in op.metadata.items()]
    return [(label, label) for label in labels]


def _around(op: Op) -> list[tuple[Any, str]]:
    """Return the boxes that an op is in where composite ops are opened, each of which has a box, too."""
    return [*_metadata(op), *((schema, schema.name) for schema in composites_around(op))]


def _groups(placed: Iterable[tuple[int, list[tuple[Any, str]]]]) -> list[UnplacedGroup]:
    """Return the boxes around items, each of which comes by its place, with the boxes that it is in."""
    place: dict[tuple[Any, ...], int] = {}
    result: list[UnplacedGroup] = []
    for k, path in placed:
        parent = -1
        for depth, (_, label) in enumerate(path):
            inner = tuple(key for key, _ in path[: depth + 1])
            if inner not in place:
                place[inner] = len(result)
                group: UnplacedGroup = {"label": captions.shortened(label), "parent": parent, "nodes": []}
                result.append(group if isinstance(inner[-1], str) else {**group, "composite": True})
            parent = place[inner]
            result[parent]["nodes"].append(k)
    return result


# ---- what panels know of the ops besides ----


def base(ops: Sequence[Op], name: str) -> tuple[Scene, bytes]:
    """Return a Scene of ops without panels, with their source and their names, and the buffer of its columns."""
    boxes = composites(ops)
    codes = list({id(op.code): op.code for op in ops if op.code is not None}.values())
    numbers = np.array([next((k for k, code in enumerate(codes) if code is op.code), -1) for op in ops])
    offsets = np.array([op.offset for op in ops])
    files, spans, of_node = explorer_scene.spans_of(codes, numbers, offsets)
    known = list({op.what: op for op in ops})
    tables: Tables = {
        "blocks": [{"name": what, "family": "op", "symbol": what} for what in known],
        "spans": spans,
        "names": {str(k): called(op) for k, op in enumerate(ops)},
        "scope_labels": [name, *(whole_name(each.schema) for each in boxes)],
    }
    entries, packed = explorer_scene.pack(
        {**_columns(ops, known), **columns(boxes, ops), "span": of_node.astype(np.int32)}
    )
    scene: Scene = {
        "version": 1,
        "title": name,
        "panels": [],
        "steps": [],
        "source": {"files": files},
        "tables": tables,
        "columns": entries,
    }
    return scene, packed


def _columns(ops: Sequence[Op], blocks: Sequence[str]) -> dict[str, np.ndarray]:
    number = {op: k for k, op in enumerate(ops)}
    args = [[number[arg] for arg in op.args if arg in number] for op in ops]
    rest = [(k, arg) for k, all_args in enumerate(args) for arg in all_args[2:]]
    return {
        "block": np.array([blocks.index(op.what) for op in ops], np.uint16),
        "flags": np.full(len(ops), explorer_scene.LIVE, np.uint8),
        "first": np.array([(*each, -1)[0] for each in args], np.int32),
        "second": np.array([(*each, -1, -1)[1] for each in args], np.int32),
        "rest_node": np.array([k for k, _ in rest], np.int32),
        "rest_operand": np.array([arg for _, arg in rest], np.int32),
        "bytes": np.array([op.bytes for op in ops], np.float32),
    }


def on_stage(value: Any) -> Any:
    """Return a value as the picture of ops shows it: a number, or the heat map of an array."""
    if value is None or isinstance(value, bool):
        return value
    if np.ndim(value):
        return heat_maps.heat_map(value)
    return float(value) if np.isfinite(value) else captions.number(value)
