"""The details of one node for the inspector: value, local Jacobians, operands, users, origin."""

from __future__ import annotations

import warnings
from contextlib import suppress
from typing import Any

import numpy as np

from ...graph import ipython
from ...graph.files.kept_values import are_kept, is_kept
from ...graph.graph import Graph
from ..scene import captions
from ..scene.heat_maps import heat_map
from ..scene.node_details import Detail, Figures, LiteralOperand, LocalJacobian, NodeOperand, Origin, Value
from .inspected_jacobians import factor, local_jacobian, name_of

MOST_USERS = 50
BINS = 20
MOST_ENTRIES = 10**6  # the figures of larger arrays are estimated
SAMPLE = 999_983  # the number of entries of a sample


def detail(graph: Graph, index: int) -> Detail:
    """Return the details of a node, as a JSON document. Raises ``IndexError`` for a node that does not exist."""
    node = graph[index]
    uses = graph.users(index)
    users = list(dict.fromkeys(uses))
    return {
        "node": index,
        "block": node.block.name,
        "family": node.block.family,
        "name": node.name,
        "called": factor(name_of(graph, index)),
        "formula": captions.formula(graph, index),
        "times_used": node.times_used,
        "live": node.live,
        "scope": node.scope,
        "origin": _origin(graph, index),
        "value": _value(node.value),
        "operands": _operands(graph, index),
        "users": [
            {"node": user, "label": _label(graph, user), "times": uses.count(user)} for user in users[:MOST_USERS]
        ],
        "users_total": len(users),
    }


def _label(graph: Graph, index: int) -> str:
    return f"{graph.numbered(index)} ({captions.label(graph, index)})"


def _origin(graph: Graph, index: int) -> Origin | None:
    place = graph.origin(index)
    if place is None:
        return None
    return {
        "file": graph.codes.index(graph.call_table[graph.calls[index]].code),
        "path": ipython.called(place.file),
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
        "text": place.text,
    }


def _value(data: Any) -> Value:
    """Return a value: written out if it is short, or else by figures and a histogram."""
    if not is_kept(data):
        return {
            "shape": list(data.shape),
            "dtype": str(data.dtype),
            "bytes": getattr(data, "nbytes", 8),
            "text": captions.NOT_SAVED,
        }
    array = np.asarray(data)
    known: Value = {"shape": list(array.shape), "dtype": str(array.dtype), "bytes": array.nbytes, "text": None}
    if array.size <= captions.MOST_NUMBERS:
        with np.printoptions(precision=6, suppress=False, linewidth=60, nanstr="NaN"):
            known["text"] = repr(float(array)).replace("nan", "NaN") if array.ndim == 0 else str(array)
    return {**known, **_figures(array), "map": heat_map(array)} if array.ndim else known


def _figures(array: np.ndarray) -> Figures:
    """Return range, mean, norm and histogram of the finite numbers, and the number of those that are not finite.

    Of a large array the range and the number of entries that are not finite are exact; the rest is estimated from
    ``sample`` entries, and ``note`` says so in words.
    """
    low, high, figures = _range(array)
    sampled = _sample(array) if array.size > MOST_ENTRIES else array
    if sampled is not array:
        words = f"Mean, norm and histogram are estimated from a sample of {sampled.size:,} entries."
        figures |= {"sample": sampled.size, "note": words}
    finite = sampled if figures["nan"] == figures["inf"] == 0 else sampled[np.isfinite(sampled)]
    if not finite.size or low is None or high is None:
        return {**figures, "min": low, "max": high, "mean": None, "norm": None, "histogram": None}
    finite = finite.astype(float, copy=False)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # figures of numbers near the limits of floats may overflow
        norm = np.linalg.norm(finite) * np.sqrt(array.size / sampled.size)
        figures |= {"min": low, "max": high, "mean": _finite(finite.mean()), "norm": _finite(norm)}
        try:
            counts = np.histogram(finite, BINS, (low, high))[0].tolist() if high > low else [finite.size]
        except ValueError:  # a range that is too wide or too narrow to be cut
            counts = [finite.size]
    return {**figures, "histogram": {"low": low, "high": high, "counts": counts}}


def _range(array: np.ndarray) -> tuple[float | None, float | None, Figures]:
    """Return the least and the largest finite entry, and the numbers of NaN and of infinities."""
    low, high = (float(array.min()), float(array.max())) if array.size else (np.nan, np.nan)
    if np.isfinite(low) and np.isfinite(high):  # then all are
        return low, high, {"nan": 0, "inf": 0}
    finite = np.isfinite(array)
    figures: Figures = {"nan": int(np.isnan(array).sum()), "inf": int(np.isinf(array).sum())}
    if not finite.any():
        return None, None, figures
    least, largest = np.min(array, where=finite, initial=np.inf), np.max(array, where=finite, initial=-np.inf)
    return float(least), float(largest), figures


def _sample(array: np.ndarray) -> np.ndarray:
    """Return evenly spaced entries, including the first and the last.

    Their number is prime, so that their distance is not a multiple of the number of columns, and all columns are read.
    """
    places = np.arange(SAMPLE) * (array.size - 1) // (SAMPLE - 1)
    return array.reshape(-1)[places] if array.flags.c_contiguous else array[np.unravel_index(places, array.shape)]


def _finite(value: float) -> float | None:
    """Return a number for JSON, which has no infinity."""
    return float(value) if np.isfinite(value) else None


def _operands(graph: Graph, index: int) -> list[NodeOperand | LiteralOperand]:
    jacobians = _jacobians(graph, index)
    return [
        {"literal": captions.literal(graph.literal(operand))}
        if operand < 0
        else {"node": operand, "label": _label(graph, operand), "jacobian": jacobians.get(place)}
        for place, operand in enumerate(graph.operands(index))
    ]


def _jacobians(graph: Graph, index: int) -> dict[int, LocalJacobian]:
    """Return the local Jacobians by operand.

    There are none of a graph without values, nor of a Block that fails: a file has those of its user by name only.
    """
    if not are_kept(graph.values):
        return {}
    found: dict[int, LocalJacobian] = {}
    with np.errstate(all="ignore"), suppress(Exception):
        waiting = graph.local_jacobians(index)
        for place, operand in enumerate(graph.operands(index)):
            if waiting and waiting[0][0] == operand:
                found[place] = local_jacobian(graph, index, place, waiting.pop(0)[1])
    return found
