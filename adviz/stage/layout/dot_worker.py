"""The process in which Graphviz runs: reads one job per line of standard input, and writes one answer per line.

It is run by its path, with the folder of pygraphviz as its only argument, and imports nothing of adviz, so that it
starts in some 40 ms. It ends with its standard input: with the process that started it, however that ends.

A job, in px: {"nodes": [[width, height, rank], ...], "edges": [[tail, head], ...], "node_gap": ..., "layer_gap": ...,
"orderings": [...], "deadline": seconds}. A rank is "source", "sink" or null; an ordering is "" or "in" (the edges into
a node keep their order in any case). "weights", if given, are one per edge: heavy edges are short and straight.
"groups", if given, are boxes around nodes: {"parent": the box around it, or -1, "nodes": [...], "wide": the letters of
its label}. The answer has one placement per ordering: {"size": [width, height], "nodes": [[x, y], ...],
"edges": [[x0, y0, x1, y1, ...], ...], "groups": [[x0, y0, x1, y1], ...]}, y down. No text of the user is ever passed
here.
"""

import importlib
import json
import os
import signal
import sys

OPTIONS = {
    "graph": 'nodesep={node_gap} ranksep={layer_gap} splines=true ordering="{ordering}"',
    "node": 'shape=box fixedsize=true label=""',
    "edge": "arrowhead=none",
}
INCH = 72.0  # Graphviz counts in points, and node sizes in inches; a point here is a px


def document(job: dict, ordering: str) -> str:
    """Return the job in the DOT language: nodes n0, n1, ...; each edge carries its number as its id."""
    gaps = {name: job[name] / INCH for name in ("node_gap", "layer_gap")}
    lines = [f"{kind} [{options.format(**gaps, ordering=ordering)}]" for kind, options in OPTIONS.items()]
    for index, (width, height, _) in enumerate(job["nodes"]):
        lines.append(f"n{index} [width={width / INCH:.4f} height={height / INCH:.4f}]")
    for rank in ("source", "sink"):
        members = "; ".join(f"n{index}" for index, node in enumerate(job["nodes"]) if node[2] == rank)
        if members:
            lines.append(f"{{ rank={rank}; {members} }}")
    lines += groups(job.get("groups", []), -1)
    weights = job.get("weights") or [1] * len(job["edges"])
    edges = enumerate(zip(job["edges"], weights, strict=True))
    lines += [f"n{tail} -> n{head} [id={index} weight={weight}]" for index, ((tail, head), weight) in edges]
    return "digraph {\n" + "\n".join(lines) + "\n}"


def groups(boxes: list, parent: int) -> list:
    """Return the boxes inside one, each with its nodes and with room for a label of so many letters."""
    lines: list = []
    for index, box in enumerate(boxes):
        if box["parent"] != parent:
            continue
        label = f'label="{"n" * box["wide"]}" fontsize=12 margin=10'
        members = "; ".join(f"n{node}" for node in box["nodes"])
        lines.append(f"subgraph cluster_{index} {{ {label}; {members}")
        lines += [*groups(boxes, index), "}"]
    return lines


def placement(job: dict, ordering: str) -> dict:
    """Return the placement of `job`; Graphviz's y goes up."""
    from pygraphviz import AGraph

    placed = json.loads(AGraph(string=document(job, ordering)).draw(format="json0", prog="dot"))
    *_, width, height = map(float, placed["bb"].split(","))

    def points(position: str) -> list[float]:
        pairs = [pair.split(",") for pair in position.split()]
        return [number for x, y in pairs for number in (float(x), round(height - float(y), 3))]

    nodes: list = [None] * len(job["nodes"])
    boxes: list = [None] * len(job.get("groups", []))
    for item in placed.get("objects", ()):
        if item["name"].startswith("cluster_"):
            low, bottom, high, top = map(float, item["bb"].split(","))
            boxes[int(item["name"].removeprefix("cluster_"))] = [low, height - top, high, height - bottom]
        elif "nodes" not in item:  # the groups of equal rank are objects too
            nodes[int(item["name"][1:])] = points(item["pos"])
    edges: list = [None] * len(job["edges"])
    for item in placed.get("edges", ()):
        edges[int(item["id"])] = points(item["pos"])
    return {"size": [width, height], "nodes": nodes, "edges": edges, "groups": boxes}


def alarm(seconds: int) -> None:
    """End this process after so many seconds (0: never), even inside Graphviz, in case its parent is gone."""
    if hasattr(signal, "alarm"):
        signal.alarm(seconds)


def main() -> None:
    """Answer job after job until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is meant for the kernel
    replies = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what a library prints must not mix with the replies
    sys.path.append(sys.argv[1])
    importlib.import_module("pygraphviz")  # before the first job comes
    for line in sys.stdin:
        job = json.loads(line)
        alarm(int(job["deadline"]) + 2)
        answer = [placement(job, ordering) for ordering in job["orderings"]]
        alarm(0)
        json.dump(answer, replies)
        replies.write("\n")
        replies.flush()


if __name__ == "__main__":
    main()
