"""Sentences for building first and running later, beside computing at once."""

from __future__ import annotations

from ....lazy.ops import Op
from .op_narration import a, listed, valued
from .op_words import called


def built(op: Op) -> str:
    """Return what is said when a line has built an op."""
    if op.kind == "placeholder":
        return f"{called(op)} is a placeholder for {a(op)}: it has no value."
    return f"The line builds {called(op)}: {a(op)} to be. Nothing is computed."


def evaluated(op: Op, value: object) -> str:
    """Return what is said when a line has computed a value at once."""
    told = valued(op, value)
    if op.kind in ("placeholder", "constant"):
        return f"{called(op)} is there: {told}."
    return f"The line computes {called(op)}: {told}."


def compiled(ops: int, needed: int) -> str:
    """Return what is said when all is built, before anything runs."""
    left = ops - needed
    spared = (
        f" {'One op is' if left == 1 else f'{left} ops are'} needed for no result, and will not run." if left else ""
    )
    return f"f has returned, and nothing is computed: the graph is whole before it runs.{spared}"


def is_done(results: list[str]) -> str:
    """Return what is said of computing at once when the function has returned."""
    return f"f has returned {listed(results)}: all is computed, and the graph was never there."


def ran(op: Op, value: object) -> str:
    """Return what is said when an op runs later."""
    told = valued(op, value)
    if op.kind == "placeholder":
        return f"A value comes for {called(op)}: {told}. No line of f runs now."
    return f"{called(op)} runs: {told}."


def ending(count: int) -> str:
    """Return what is said at the end of what was built first."""
    return f"To compute again with other values, the {count} ops run again, and f is not called."
