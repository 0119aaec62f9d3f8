"""Where vertices and labels of an elimination stand: by longest paths from left to right, in order from top to bottom."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from ..scene.panels import Role

Places = dict[str, tuple[float, float]]


class End(NamedTuple):
    """A vertex; ``size`` is the number of its rows."""

    key: str
    role: Role
    size: int


class Wire(NamedTuple):
    """A label between two vertices, with the size of its box."""

    key: str
    tail: str
    head: str
    w: float
    h: float


def first_places(ends: Sequence[End], wires: Sequence[Wire], W: float, H: float) -> Places:  # noqa: N803
    """Return the centers of all vertices and labels."""
    rank = {end.key: 0 for end in ends}
    for _ in ends:
        for wire in wires:
            rank[wire.head] = max(rank[wire.head], rank[wire.tail] + 1)
    most = max(rank.values(), default=1) or 1
    rank |= {end.key: most for end in ends if end.role == "output"}
    columns: dict[float, list[str]] = {}
    for end in ends:
        columns.setdefault(rank[end.key] / most, []).append(f"vertex/{end.key}")
    for wire in wires:
        middle = (rank[wire.tail] + rank[wire.head]) / 2 / most
        columns.setdefault(middle + (0.001 if middle in {r / most for r in rank.values()} else 0), []).append(
            f"label/{wire.key}"
        )
    return {
        key: (round(60 + (W - 120) * x, 1), round(H * (k + 0.5) / len(keys), 1))
        for x, keys in columns.items()
        for k, key in enumerate(keys)
    }


def born(
    places: Places, ends: Sequence[End], wires: Sequence[Wire], added: Sequence[Wire], W: float, H: float  # noqa: N803
) -> Places:
    """Return the places of new labels: free ones between their ends."""
    found: Places = {}
    for wire in added:
        (x, y), (u, v) = places[f"vertex/{wire.tail}"], places[f"vertex/{wire.head}"]
        taken = [*places.values(), *found.values()]
        spots = [((x + u) / 2, 30.0 + (H - 60) * k / 20) for k in range(21)]
        found[f"label/{wire.key}"] = min(
            spots,
            key=lambda p: sum(500 for q in taken if abs(p[0] - q[0]) < 100 and abs(p[1] - q[1]) < 56)
            + abs(p[1] - (y + v) / 2),
        )
    return found


def relaxed(
    places: Places,
    ends: Sequence[End],
    wires: Sequence[Wire],
    W: float,  # noqa: N803
    H: float,  # noqa: N803
    pairs: Collection[tuple[str, str]] | None = None,
) -> Places:
    """Return the centers of what is left."""
    return first_places(ends, wires, W, H)
