"""What an op is called in a picture and in sentences, and what it says of itself."""

from __future__ import annotations

import numpy as np

from ....lazy.ops import Op
from ...scene import captions

LONGEST = 22  # characters of an expression that a box is named after
KINDS = {
    "placeholder": "placeholder",
    "variable": "variable",
    "persistent": "persistent",
    "constant": "constant",
    "doall": "makes ops run",
    "sequential": "one after the other",
    "initialize": "initializer",
}


def called(op: Op) -> str:
    """Return the name of an op in sentences; where it has none, its expression, or what it does.

    >>> import adviz
    >>> x = adviz.lazy.placeholder((2,))
    >>> called(x), called((x * x + 1).args[0]), called(adviz.lazy.constant(2.0))
    ('x', 'x * x', '2')
    """
    if op.kind == "constant" and op.shape == ():
        return captions.number(op.initial).replace("-", "−")
    return captions.shortened(op.own_name) if op.own_name else _expression(op) or _worded(op)


def _expression(op: Op) -> str:
    """Return the expression that built an op, if it is short; a part of a derivative was written nowhere."""
    place = op.origin if op.derived_from is None and op.kind == "operation" else None
    text = " ".join(place.text.replace("np.", "").split()) if place else ""
    return text if 0 < len(text) <= LONGEST and "=" not in text else ""


def _worded(op: Op) -> str:
    if op.kind == "assign":
        return f"assign {called(op.args[0].storage)}"
    return op.what


def detail(op: Op) -> str:
    """Return the kind and the shape of an op, as its box says them below its name.

    >>> import adviz
    >>> detail(adviz.lazy.placeholder((2, 3))), detail(adviz.lazy.constant(1.0))
    ('placeholder [2×3]', '')
    """
    if op.kind == "constant" and op.shape == ():
        return ""
    if op.kind == "assign":
        return f"assign to {called(op.args[0])}"
    word = KINDS.get(op.kind) or ("view" if is_storage_view(op) else op.what)
    if word == called(op):
        word = ""
    numbers = [called(arg) for arg in op.args if is_literal(arg)]
    if numbers and called(op) != _expression(op):
        word = f"{word} with {captions.listed(numbers)}".strip()
    shape = f"[{captions.shape(op.shape)}]" if op.shape else "" if word else "number"
    return " ".join(filter(None, [word, shape]))


def is_literal(op: Op) -> bool:
    """Whether an op is a plain number of an expression, which that says already."""
    return op.kind == "constant" and op.shape == () and op.given_name in ("", f"{op.initial:g}")


def is_storage_view(op: Op) -> bool:
    """Whether an op shows a part of storage, and computes nothing."""
    return op.is_view and op.storage.is_assignable


def title(op: Op) -> str:
    """Return all that is to be said of an op in a line."""
    parts = [f"{called(op)}: {KINDS.get(op.kind, op.what)}"]
    if op.has_value:
        parts.append(f"{np.dtype(op.dtype)} {kind(op)}")
    if op.derived_from is not None:
        of = op.derived_from if op.adjoint_of is None else op.adjoint_of
        parts.append(f"part of a derivative, {'adjoint of' if op.adjoint_of is not None else 'from'} {called(of)}")
    parts += [f"{key} {value}" for key, value in op.metadata.items()]
    if op.control_deps:
        parts.append(f"must run after {captions.listed(captions.few([*map(called, op.control_deps)], '…'))}")
    parts.append(op.file_info)
    return "; ".join(parts)


def kind(op: Op) -> str:
    """Return what has the shape of an op, in words.

    >>> import adviz
    >>> kind(adviz.lazy.placeholder((2, 3))), kind(adviz.lazy.placeholder())
    ('2×3 matrix', 'number')
    """
    return captions.kind(op.shape) if op.shape else "number"
