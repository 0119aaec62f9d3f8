"""The graph of a scene as plain text: the simplest renderer, for text/plain and for tests."""

from ..drawing.marks import graph_of, heading, summary
from ..layout.layered import topological
from ..scene.document import Scene
from ..scene.panels import Item
from ..scene.text_widths import printable

MARKERS = {"input": "in ", "output": "out", "scope": "[+]", "outside": "...", "block": "   "}


def text(scene: Scene) -> str:
    """Return a listing of the opened scope: a line per item with its operands, operands first.

    For f(x) = sin(x) * x:

        f
        3 nodes · 3 edges · 1 input · 1 output · depth 2 · 24 B
        in  n0  x             used 2
            n1  sin    n0     used 1
        out n2  ×      n1 n0
    """
    panel = graph_of(scene)
    operands: dict[str, list[str]] = {node["key"]: [] for node in panel["nodes"]}
    for edge in panel["edges"]:
        operands[edge["head"]].append(edge["tail"] + (f" (×{edge['count']:,})" if edge["count"] > 1 else ""))
    index = {node["key"]: k for k, node in enumerate(panel["nodes"])}
    pairs = [(index[edge["tail"]], index[edge["head"]]) for edge in panel["edges"]]
    nodes = [panel["nodes"][k] for k in topological(len(index), pairs)]
    rows = [_row(node, operands[node["key"]]) for node in nodes]
    widths = [max(map(len, column), default=0) for column in zip(*rows, strict=True)]
    lines = ["  ".join(cell.ljust(size) for cell, size in zip(cells, widths, strict=True)).rstrip() for cells in rows]
    head = [heading(scene, panel), summary(scene)]
    return "\n".join([*(line for line in head if line), *lines, *([note] if (note := panel.get("note")) else [])])


def _row(node: Item, operands: list[str]) -> list[str]:
    """Return the cells of one item: kind and key, label, operands, detail, use."""
    label = node["label"] + (f" × {node['repeat']:,}" if node["repeat"] > 1 else "")
    use = "dead" if node["dead"] else f"used {node['uses']:,}" if node["uses"] else ""
    cells = [f"{MARKERS[node['kind']]} {node['key']}", label, " ".join(operands), node["detail"], use]
    return [printable(cell).rstrip() if k else cell for k, cell in enumerate(cells)]
