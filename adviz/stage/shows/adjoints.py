"""The derivatives of one output with respect to all nodes of a graph, as the Explorer shows them.

They are computed once, by the reverse sweep of the engine, and only when they are asked for.
"""

from __future__ import annotations

import re
from array import array
from base64 import b64encode
from collections import Counter
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ...engine.devices import to_numpy
from ...engine.sweeps import sweeps
from ...graph.files.saved_values import are_saved
from ...graph.graph import Graph
from ...graph.scopes import ARGUMENT
from ..scene.captions import number, plural
from ..scene.document import DerivativesPanel, DifferentiableOutput
from ..scene.heat_maps import heat_map
from ..scene.node_details import Adjoints
from ..scene.panels import HeatMap

MOST_NODES = 20_000  # of a graph whose adjoints are shown
MOST_BYTES = 200_000_000  # of its values: the adjoints take as many again
MOST_MAPS = 1_000  # arrays whose adjoints are shown
MOST_OUTPUTS = 40  # outputs, and entries of outputs, to choose from
PLACE = re.compile(r"\[(\d+(?:, \d+)*)\]$")  # of an entry, in its name

_adjoints: WeakKeyDictionary[Graph, dict[int, Adjoints]] = WeakKeyDictionary()


class NoAdjointsError(ValueError):
    """There is no output to differentiate, or the adjoints would take too much time or memory."""


def derivatives_panel(graph: Graph) -> DerivativesPanel:
    """Return the outputs that can be differentiated; a single one that is a number is chosen.

    >>> import adviz
    >>> panel = derivatives_panel(adviz.trace(lambda x, y: (x * y, np.sin(x)), 3.0, 2.0))
    >>> [output["label"] for output in panel["outputs"]], panel["chosen"], panel["why"]
    (['result[0]', 'result[1]'], None, None)
    """
    why = refusal(graph)
    outputs = [] if why else differentiable_outputs(graph)
    alone = len(graph.outputs) == 1 and len(outputs) == 1
    return {
        "id": "derivatives",
        "kind": "derivatives",
        "outputs": outputs,
        "chosen": 0 if alone else None,
        "why": why if outputs or why else "No output depends on an input, so all derivatives are 0.",
    }


def refusal(graph: Graph) -> str | None:
    """Return why the adjoints of a graph are not shown; ``None`` where they are."""
    if not are_saved(graph.values):
        return "The graph was saved without values, so there are no derivatives."
    if len(graph) > MOST_NODES:
        return f"Adjoints are shown for graphs of up to {MOST_NODES:,} nodes; this one has {len(graph):,}."
    if graph.bytes > MOST_BYTES:
        return f"Adjoints are shown for graphs that hold up to {MOST_BYTES // 10**6} MB; this one holds more."
    return None


def differentiable_outputs(graph: Graph) -> list[DifferentiableOutput]:
    """Return the outputs that depend on an input, entry by entry, with their names; at most ``MOST_OUTPUTS``."""
    reached = bytearray(len(graph))
    for index in graph.inputs:
        reached[index] = 1
    for index in range(len(graph)):
        if any(reached[operand] for operand in graph.operand_nodes(index)):
            reached[index] = 1
    result: list[DifferentiableOutput] = []
    for output, name in zip(graph.outputs, _names(graph), strict=True):
        if not reached[output]:
            continue
        shape = np.shape(graph.values[output])
        places: list[int | None] = [None] if not shape else [*range(min(int(np.prod(shape)), MOST_OUTPUTS))]
        for place in places:
            entry = "" if place is None else f"[{', '.join(str(int(k)) for k in np.unravel_index(place, shape))}]"
            result.append({"node": output, "place": place, "label": name + entry})
        if len(result) >= MOST_OUTPUTS:
            break
    return result[:MOST_OUTPUTS]


def _names(graph: Graph) -> list[str]:
    """Return the name of each output: that of the value returned, if no other value has it, or that of the function."""
    taken = Counter(graph.names[index] for index in graph.inputs if index in graph.names)
    returned = [graph.name(graph.first[output]) for output in graph.outputs]
    taken.update(name for name in returned if name)
    function = graph.title if graph.title.isidentifier() else "f"
    several = len(graph.outputs) > 1
    return [
        name if name and taken[name] == 1 else graph.names.get(output) or (f"{function}[{k}]" if several else function)
        for k, (output, name) in enumerate(zip(graph.outputs, returned, strict=True))
    ]


def adjoints(graph: Graph, choice: int) -> Adjoints:
    """Return the derivatives of the chosen output with respect to all nodes; computed once.

    Raises :class:`NoAdjointsError` where they would take too much, and ``IndexError`` for an output that there is not.

    >>> import adviz
    >>> from base64 import b64decode
    >>> derivatives = adjoints(adviz.trace(lambda x, y: np.sin(x) + x * y, 0.0, 2.0), 0)
    >>> np.frombuffer(b64decode(derivatives["numbers"]))
    array([3., 0., 1., 1., 1., 1.])
    """
    known = _adjoints.setdefault(graph, {})
    if choice not in known:
        if why := refusal(graph):
            raise NoAdjointsError(why)
        outputs = differentiable_outputs(graph)
        if not 0 <= choice < len(outputs):
            raise IndexError(f"output {choice} of {len(outputs)} that can be differentiated")
        known[choice] = _document(graph, _swept(graph, outputs[choice]), _caution(graph, outputs[choice]))
    return known[choice]


def _swept(graph: Graph, output: DifferentiableOutput) -> dict[int, Any]:
    """Return the adjoints of the nodes that the output depends on."""
    seed: Any = 1.0
    if output["place"] is not None:
        seed = np.zeros(np.shape(graph.values[output["node"]]))
        seed.reshape(-1)[output["place"]] = 1.0
    return sweeps(graph).reverse({output["node"]: seed}, every=True)


def _caution(graph: Graph, output: DifferentiableOutput) -> str:
    """Return a sentence where the output has no finite value, with the first node that has none; else nothing."""
    value = np.ravel(to_numpy(graph.values[output["node"]]))[output["place"] or 0]
    if np.isfinite(value):
        return ""
    first = next(k for k, each in enumerate(graph.values) if not np.isfinite(to_numpy(each)).all())
    what = f"{output['label']} is {number(value)}"
    return f"{what}, so it has no derivatives here: {graph.label(first)} is not finite."


def _document(graph: Graph, swept: dict[int, Any], caution: str) -> Adjoints:
    numbers, left_out = np.zeros(len(graph)), 0
    maps: dict[str, HeatMap] = {}
    arrays = [] if isinstance(graph.values, array) else [k for k, value in enumerate(graph.values) if np.ndim(value)]
    is_array = set(arrays)
    for index, adjoint in swept.items():
        if index not in is_array:
            numbers[index] = float(np.reshape(to_numpy(adjoint), ()))
    for index in arrays:
        if len(maps) == MOST_MAPS:
            left_out = len(arrays) - MOST_MAPS
            break
        adjoint = np.asarray(to_numpy(swept.get(index, 0.0)), float)
        maps[f"n{index}"] = heat_map(np.broadcast_to(adjoint, np.shape(graph.values[index])))
    for scope, nodes in arguments(graph).items():
        maps[f"s{scope}"] = entries(graph, nodes, numbers)
    return {
        "numbers": b64encode(numbers.astype("<f8").tobytes()).decode("ascii"),
        "maps": maps,
        "note": caution or (f"The adjoints of {plural(left_out, 'array')} are not shown." if left_out else None),
    }


def arguments(graph: Graph) -> dict[int, list[int]]:
    """Return the nodes of each argument and each result that is made of several, by its scope."""
    tree = graph.scopes
    result: dict[int, list[int]] = {scope: [] for scope in range(len(tree)) if tree.kinds[scope] == ARGUMENT}
    for node, scope in enumerate(tree.of_node) if result else ():
        if scope in result:
            result[scope].append(node)
    return {scope: nodes for scope, nodes in result.items() if nodes}


def entries(graph: Graph, nodes: list[int], numbers: Any) -> HeatMap:
    """Return the numbers of the nodes that are entries of one argument, at the places that their names tell.

    >>> import adviz
    >>> graph = adviz.trace(lambda A: np.sum(A), np.ones((2, 3)), grain="scalar")
    >>> entries(graph, graph.inputs, graph.values)["shape"]
    [2, 3]
    """
    data = np.array([float(numbers[node]) for node in nodes])
    matches = [PLACE.search(graph.names.get(node, "")) for node in nodes]
    places = [tuple(map(int, match[1].split(", "))) for match in matches if match]
    if len(places) < len(nodes) or len({*map(len, places)}) > 1:
        return heat_map(data)
    shape = np.max(places, axis=0) + 1
    if np.prod(shape) != len(nodes):
        return heat_map(data)
    whole = np.zeros(shape)
    whole[tuple(np.transpose(places))] = data
    return heat_map(whole)
