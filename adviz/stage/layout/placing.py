"""Give the nodes of a graph panel their sizes and places, and its edges their routes.

Sizes come from the texts. Places come from Graphviz or, if it is missing, late, or the panel is too large for it, from
the layered layout; the note of the panel then says so.

Operands and inputs keep their order from left to right, if the picture stays clear: `a - b` reads a, b. Graphviz either
ignores the order of the edges into a node or obeys it in any case. So small graphs are placed both ways, and the better
placement is taken.
"""

import atexit
import json
import os
import subprocess
import sys
import threading
import time
from bisect import bisect_right, insort
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import IO, NamedTuple, cast

import numpy as np

from ..scene import theme
from ..scene.panels import GraphPanel, Group, UnplacedBox, UnplacedGraphPanel, UnplacedGroup, UnplacedItem
from ..scene.text_widths import fit, printable, width
from . import layered

# ---- Graphviz ----

# Place a graph with dot of Graphviz, in a worker process that is kept alive between jobs.
#
# Graphviz inside the kernel could not be stopped, and a crash would end the kernel. Here a job that takes too long
# ends the worker, and the next job starts a new one.


WORKER = Path(__file__).with_name("dot_worker.py")


class NoGraphviz(Exception):
    """Graphviz did not place the graph; the message ends a sentence that begins with "Graphviz"."""


class Child(NamedTuple):
    """A running worker process and the two pipes to it."""

    process: subprocess.Popen[str]
    jobs: IO[str]
    answers: IO[str]


class Worker:
    """One Graphviz process, started when needed; any thread may use it, one at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._child: Child | None = None

    def warm(self) -> None:
        """Start the process, if there is none, without waiting for it; never fails."""
        if self._lock.acquire(blocking=False):
            try:
                self._start()
            except NoGraphviz:
                pass  # `place` will raise it
            finally:
                self._lock.release()

    def place(self, job: dict, deadline: float) -> list[dict]:
        """Return the placements of `dot_worker` for `job`, within `deadline` seconds.

        Raises NoGraphviz if Graphviz is missing, stops unexpectedly, or takes longer.
        """
        end = time.monotonic() + deadline
        if not self._lock.acquire(timeout=deadline):
            raise NoGraphviz(f"took longer than {deadline:g} s")
        try:
            line = self._ask(json.dumps({**job, "deadline": deadline}), end)
        finally:
            self._lock.release()
        if line:
            return json.loads(line)
        raise NoGraphviz(f"took longer than {deadline:g} s" if time.monotonic() >= end else "stopped unexpectedly")

    def stop(self) -> None:
        """End the process, if there is one."""
        child, self._child = self._child, None
        if child is not None:
            child.process.kill()
            child.process.communicate()

    def forget(self) -> None:
        """Detach from the process without ending it: after a fork it belongs to the parent, and the lock may, too."""
        child, self._child = self._child, None
        self._lock = threading.Lock()
        if child is not None:
            nowhere = os.open(os.devnull, os.O_RDWR)
            os.dup2(nowhere, child.jobs.fileno())  # a half-written job must not be written twice
            os.dup2(nowhere, child.answers.fileno())
            os.close(nowhere)
            child.process.returncode = 0  # nothing to wait for: not a child of this process

    def _start(self) -> Child:
        if self._child is not None and self._child.process.poll() is None:
            return self._child
        self.stop()
        found = find_spec("pygraphviz")
        if found is None or found.origin is None or not sys.executable:
            raise NoGraphviz("is not installed")
        folder = Path(found.origin).parent.parent
        # -I -S: no user settings, and no site packages except that folder: the start is several times faster.
        command = [sys.executable, "-I", "-S", str(WORKER), str(folder)]
        pipe, quiet = subprocess.PIPE, subprocess.DEVNULL
        try:
            process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=quiet, encoding="ascii")
        except OSError as error:  # no processes here, as in a browser
            raise NoGraphviz(f"could not be started ({error})") from error
        self._child = Child(process, cast(IO[str], process.stdin), cast(IO[str], process.stdout))
        return self._child

    def _ask(self, job: str, end: float) -> str:
        """Return the line that answers a job, or "" if there is none in time."""
        child = self._start()
        # Only a timer that ends the process limits the time of pipes on every system.
        timer = threading.Timer(max(0.0, end - time.monotonic()), child.process.kill)
        timer.daemon = True
        timer.start()
        line = ""
        try:
            child.jobs.write(job + "\n")
            child.jobs.flush()
            line = child.answers.readline()
        except OSError:
            pass  # the process is gone
        finally:
            timer.cancel()
            if not line.endswith("\n"):
                self.stop()  # also when interrupted: a late answer must not be taken for that of the next job
        return line if line.endswith("\n") else ""


worker = Worker()  # the one worker of this process
atexit.register(worker.stop)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=worker.forget)


# ---- nodes and edges ----


LARGE = 3_000  # the most nodes and layers crossed by edges for Graphviz: more take it a second or longer
SMALL = 120  # the most edges of a graph that is placed both ways (which takes some 10 ms more)
CROSSING = 4  # the number of pairs out of order that is as bad as one crossing
RANKS = {"input": "source", "output": "sink"}


def warm() -> None:
    """Start Graphviz without waiting for it, so that the first picture comes sooner."""
    worker.warm()


def place(
    panel: UnplacedGraphPanel,
    *,
    ranks: Mapping[str, str] = RANKS,
    columns: int = 0,
    layer_gap: float = theme.LAYER_GAP,
    deadline: float = 3.0,
) -> GraphPanel:
    """Return a copy of a graph panel with x, y, w, h, points, width, height and note filled in.

    Labels and details that are too long for a node end in "…"; the title of the node then has them in full. `ranks` say
    which kinds stand on the first and on the last layer; items of other kinds stand beside what they are connected to.
    With `columns`, items without edges are placed as a grid. Graphviz gets at most `deadline` seconds. The result is
    always the same, unless that limit is exceeded.
    """
    nodes = [sized(node) for node in panel["nodes"]]
    index = {node["key"]: k for k, node in enumerate(nodes)}
    groups = panel.get("groups", [])
    job = {
        "node_gap": theme.NODE_GAP,
        "layer_gap": layer_gap,
        "orderings": ["", "in"] if 0 < len(panel["edges"]) <= SMALL and not groups else [""],
        "nodes": [[node["w"], node["h"], ranks.get(node["kind"])] for node in nodes],
        "edges": [[index[edge["tail"]], index[edge["head"]]] for edge in panel["edges"]],
        "groups": [{**group, "label": "", "wide": len(group["label"]) + 2} for group in groups],
    }
    placed, note = (grid(job, columns), None) if columns else placement(job, deadline)
    size = [round(length + 2 * theme.MARGIN, 1) for length in placed["size"]]
    boxes = boxed(groups, placed)
    if groups and not boxes:
        note = f"{note} Boxes are left out."
    return {
        **{name: each for name, each in panel.items() if name != "groups"},  # type: ignore[typeddict-item]
        **({"groups": boxes} if boxes else {}),
        "width": size[0],
        "height": size[1],
        "direction": "TB",
        "note": " ".join(filter(None, [panel.get("note"), note])) or None,
        "nodes": [{**node, "x": x, "y": y} for node, (x, y) in zip(nodes, map(shifted, placed["nodes"]), strict=True)],
        "edges": [
            {**edge, "points": shifted(points)} for edge, points in zip(panel["edges"], placed["edges"], strict=True)
        ],
    }


def boxed(groups: Sequence[UnplacedGroup], placed: dict) -> list[Group]:
    """Return the boxes that were placed; another layout places none."""
    result: list[Group] = []
    for group, (left, top, right, bottom) in zip(groups, placed.get("groups", []), strict=False):
        x, y, w, h = (round(number, 1) for number in (left, top, right - left, bottom - top))
        result.append({**group, "x": x + theme.MARGIN, "y": y + theme.MARGIN, "w": w, "h": h})
    return result


def placement(job: dict, deadline: float) -> tuple[dict, str | None]:
    """Return the best placement for a job of `dot_worker`, and a note if Graphviz did not make it."""
    if extent(job) > LARGE:
        reason = "the graph is too large for Graphviz"
    else:
        try:
            return best(worker.place(job, deadline), job), None
        except NoGraphviz as error:
            reason = f"Graphviz {error}"
    return best([layered.place(job)], job), f"Placed by the linear layout: {reason}."


def grid(job: dict, columns: int) -> dict:
    """Return the placement of nodes without edges in rows, from left to right, in columns of equal width."""
    wide = max(w for w, _, _ in job["nodes"]) + theme.NODE_GAP
    high = max(h for _, h, _ in job["nodes"]) + theme.LAYER_GAP / 2
    places = [divmod(k, columns) for k in range(len(job["nodes"]))]
    size = [columns * wide - theme.NODE_GAP, (places[-1][0] + 1) * high - theme.LAYER_GAP / 2]
    corner = (wide - theme.NODE_GAP) / 2, (high - theme.LAYER_GAP / 2) / 2
    return {"size": size, "nodes": [[x * wide + corner[0], y * high + corner[1]] for y, x in places], "edges": []}


def extent(job: dict) -> int:
    """Return a measure of the work to place a job: its nodes, and the layers that its edges cross."""
    count = len(job["nodes"])
    if count + len(job["edges"]) > LARGE:
        return count + len(job["edges"])
    edges, _ = layered.acyclic(count, job["edges"])
    layer = layered.layers([node[2] for node in job["nodes"]], edges)
    return count + sum(max(1, layer[head] - layer[tail]) for tail, head in edges)


def shifted(points: list[float], margin: float = theme.MARGIN) -> list[float]:
    """Return the coordinates moved by the margin, to a tenth of a px."""
    return [round(number + margin, 1) for number in points]


def sized(node: UnplacedItem, whole: float | None = None) -> UnplacedBox:
    """Return the node with w and h, and with texts that fit; its `room`, if any, is left free for another line.

    If `whole` is given, it is the width, and the texts are cut to it.
    """
    room = node.get("room", 0.0)
    padding = theme.PADDING if node["kind"] in ("block", "scope") else theme.PILL_PADDING
    limit = theme.TEXT_LIMIT if whole is None else whole - 2 * padding + 0.1  # widths are rounded
    label = labelled(node, limit)
    detail = fit(node["detail"], theme.DETAIL_SIZE, limit, "mono")
    beside = node.get("beside", 0.0)
    free = 0.0 if "map" in node else beside
    text = max(width(label, theme.LABEL_SIZE), width(detail, theme.DETAIL_SIZE, "mono") + free, beside)
    least = max(theme.MINIMAL_WIDTH, max(text, theme.STATE_WIDTH if room else 0.0) + 2 * padding)
    return {
        **node,
        "label": label,
        "detail": detail,
        "title": titled(node, label, detail),
        "w": whole or round(least, 1),
        "h": (theme.TWO_LINES if detail else theme.ONE_LINE) + room + theme.MAP_ROOM * ("map" in node),
    }


def labelled(node: UnplacedItem, limit: float) -> str:
    """Return the label of a node, cut to `limit` px, but never in its number of repetitions."""
    count = f"× {node.get('repeat', 1):,}"
    if not node["label"].endswith(count):
        return fit(node["label"], theme.LABEL_SIZE, limit)
    tail = f" {count}"
    name = node["label"].removesuffix(count).rstrip()
    return fit(name, theme.LABEL_SIZE, limit - width(tail, theme.LABEL_SIZE)) + tail


def titled(node: UnplacedItem, label: str, detail: str) -> str:
    """Return the title of a node, after every text that was cut."""
    texts = ((node["label"], label), (node["detail"], detail))
    whole = [text for text, drawn in texts if drawn != printable(text)]
    return " · ".join([*(text for text in whole if text not in node["title"]), node["title"]])


# The order from left to right


def best(candidates: list[dict], job: dict) -> dict:
    """Return the placement for a job of `dot_worker` with the fewest faults, mirrored if that is better."""
    wanted = sequences(job)

    def faults(placed: dict) -> int:
        return disorder(placed, wanted)

    # A graph and its mirror image have the same crossings.
    sides = [min(placed, mirrored(placed), key=faults) for placed in candidates]
    if len(sides) == 1:
        return sides[0]
    return min(sides, key=lambda placed: CROSSING * crossings(placed, job["edges"]) + faults(placed))


def sequences(job: dict) -> list[list[int]]:
    """Return the lists of nodes to be read from left to right: the operands of each node, the inputs, the outputs."""
    operands: list[list[int]] = [[] for _ in job["nodes"]]
    for tail, head in job["edges"]:
        operands[head].append(tail)
    ends = [[v for v, (_, _, rank) in enumerate(job["nodes"]) if rank == end] for end in ("source", "sink")]
    return operands + ends


def mirrored(placed: dict) -> dict:
    """Return the placement with left and right exchanged."""
    width = placed["size"][0]

    def mirror(points: list[float]) -> list[float]:
        return [number if k % 2 else width - number for k, number in enumerate(points)]

    groups = [[width - right, top, width - left, bottom] for left, top, right, bottom in placed.get("groups", [])]
    sides = {name: [*map(mirror, placed[name])] for name in ("nodes", "edges")}
    return {**placed, **sides, "groups": groups}


def disorder(placed: dict, wanted: list[list[int]]) -> int:
    """Return the number of pairs of nodes that are out of order."""
    pairs = 0
    for sequence in wanted:
        passed: list[float] = []  # sorted
        for v in sequence:
            x = placed["nodes"][v][0]
            pairs += len(passed) - bisect_right(passed, x)
            insort(passed, x)
    return pairs


def crossings(placed: dict, edges: list[list[int]]) -> int:
    """Return the number of crossings of edges without a common end, counted on the control polygons."""
    lines = [np.reshape(points, (-1, 2)) for points in placed["edges"]]
    start = np.concatenate([line[:-1] for line in lines])
    end = np.concatenate([line[1:] for line in lines])
    owner = np.repeat(np.arange(len(lines)), [len(line) - 1 for line in lines])
    apart = parted(start, end)
    first, second = np.nonzero(apart & apart.T)
    pairs = {(int(owner[i]), int(owner[j])) for i, j in zip(first, second, strict=True)}
    return sum(i < j and not {*edges[i]} & {*edges[j]} for i, j in pairs)


def parted(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Return [i, j]: whether start[j] and end[j] are on different sides of the line through start[i] and end[i]."""
    along = (end - start)[:, None]

    def side(points: np.ndarray) -> np.ndarray:
        across = points[None] - start[:, None]
        return along[..., 0] * across[..., 1] - along[..., 1] * across[..., 0]

    return side(start) * side(end) < 0
