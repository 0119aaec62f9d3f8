"""Graph panels for the tests of this folder, made by hand or at random: unplaced, as folding makes them."""

from __future__ import annotations

import base64
import gzip
import json
import re
from random import Random

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "]]>",
    "-->",
    "</title></svg><h1>out</h1>",
    "&lt;&amp;",
    "\u202eright to left",
    "\x00\x1b[31m\ud800",
    "",
    "🦊👩‍🚀 漢字 v̇ v̄ ∂×≤",
    "W" * 5000,
    "\\N \\G {a|b} %s {0} $x$",
    "line\u2028break\nand\ttab",
]


def node(key: str, label: str, kind: str = "block", family: str = "arithmetic", **others) -> dict:
    """Return an unplaced item of a graph panel."""
    defaults = {
        "detail": "",
        "node": int(key[1:]) if kind != "scope" else None,
        "span": None,
        "count": 1,
        "repeat": 1,
        "uses": 1,
        "dead": False,
        "title": f"{label}, {key}",
    }
    return {"key": key, "kind": kind, "label": label, "family": family, **defaults, **others}


def edge(tail: str, head: str, count: int = 1, kind: str = "data") -> dict:
    """Return an unplaced edge of a graph panel."""
    return {"key": f"{tail}>{head}", "tail": tail, "head": head, "count": count, "kind": kind}


def panel(nodes: list[dict], edges: list[dict]) -> dict:
    """Return an unplaced graph panel."""
    path = [{"scope": 0, "label": "two_layer"}]
    return {"id": "graph", "kind": "graph", "scope": 0, "path": path, "siblings": None, "nodes": nodes, "edges": edges}


def scene(placed: dict, title: str = "two_layer(x, W, b)") -> dict:
    """Return a scene with a placed graph panel."""
    sizes = {"id": "sizes", "kind": "sizes", "nodes": 1204, "edges": 2310, "depth": 310, "width": 9, "bytes": 96_320}
    sizes |= {"dead": 1, "inputs": 3, "outputs": 1, "literals": 4}
    panels = [placed, {"id": "code", "kind": "code"}, sizes]
    return {"version": 1, "title": title, "panels": panels, "steps": [], "source": {"files": []}, "tables": {}}


def every_kind() -> dict:
    """Return a panel with every kind of item and edge, and blocks of all families."""
    nodes = [
        node("n0", "x", "input", "input", detail="(64, 10)", uses=2),
        node("n1", "W", "input", "input", detail="(10, 32)"),
        node("n2", "b", "input", "input", detail="(32,)", uses=3),
        node("n3", "@", family="linear", detail="(64, 32)"),
        node("n4", "+", detail="h = (64, 32)", uses=12_345),
        node("n5", "tanh", family="trigonometric", detail="(64, 32)"),
        node("s1", "for k", "scope", "neutral", detail="40,000 nodes", count=40_000, repeat=1000, span=[4, 2004]),
        node("s2", "normalize", "scope", "neutral", detail="12 nodes", count=12, span=[2004, 2005], uses=2),
        node("n6", "maximum", family="selection"),
        node("n7", "exp", family="power"),
        node("n8", "sum", family="reduction", detail="3.1416"),
        node("n9", "reshape", family="shape", dead=True, uses=0),
        node("n10", "W2", "outside", "linear"),
        node("n11", "a_very_long_name_of_a_function_that_nobody_wants_to_read", family="yours", detail="0.8415"),
        node("n12", "loss", "output", "output", detail="2.302585"),
        node("n13", "h", "output", "output"),
    ]
    pairs = "0>3 1>3 3>4 2>4 4>5 5>s1 2>s1 s1>s2 s2>6 s2>7 6>8 7>8 7>9 10>11 8>11 11>12 4>13".split()
    ends = [[part if part[0] == "s" else f"n{part}" for part in pair.split(">")] for pair in pairs]
    edges = [edge(tail, head, count=1000 if head == "s1" else 1) for tail, head in ends]
    return panel(nodes, [*edges, edge("n2", "n7", kind="returned")])


def random_panel(count: int, seed: int, reach: int = 12) -> dict:
    """Return a random acyclic panel with about `count` items: each takes one or two operands among the last `reach`."""
    random = Random(seed)
    inputs = max(1, count // 12)
    nodes, pairs = [], {}
    for k in range(count):
        text = f"v{k} = {random.random():.3g}" if random.random() < 0.5 else ""
        kind = "input" if k < inputs else "block"
        nodes.append(node(f"n{k}", random.choice(["sin", "×", "maximum", "+"]), kind, detail=text))
        for _ in range(random.choice((1, 2, 2)) if k >= inputs else 0):
            low = 0 if random.random() < 0.08 else max(0, k - reach)
            pairs[random.randrange(low, k), k] = True
    last = [k for k in range(inputs, count) if not any(tail == k for tail, _ in pairs)]
    for k, tail in enumerate(last, start=count):
        nodes.append(node(f"n{k}", f"y{k}", "output"))
        pairs[tail, k] = True
    return panel(nodes, [edge(f"n{tail}", f"n{head}") for tail, head in pairs])


def unpacked(page, id):
    """What a saved page carries under an id: the document, or the text of the front end."""
    packed = re.search(rf'id="{id}">([A-Za-z0-9+/=]*)</script>', page)[1]
    return json.loads(gzip.decompress(base64.b64decode(packed)))
