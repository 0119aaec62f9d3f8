"""What an op is called in a picture and in sentences, and what it says of itself."""

from __future__ import annotations

import re

import numpy as np

from ....lazy.axes import Axis
from ....lazy.ops import Op
from ....lazy.schemas import Schema
from ...scene import captions

LONGEST = 22  # characters of an expression that a box is named after
LONGEST_SPOKEN = 60  # and of one in a sentence
ROOM = 28  # characters of what a box says below its name
LIBRARIES = re.compile(r"\b(?:np|ad\.lazy|adviz\.lazy|lazy)\.")
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
    is_written = op.derived_from is None and op.kind == "operation" and not (op.is_step or is_inner(op))
    text = written(op) if is_written else ""
    return text if 0 < len(text) <= LONGEST and "=" not in text else ""


def spoken(op: Op) -> str:
    """Return what an op is called where it is told of: its expression may be longer than a box has room for.

    What has neither a name nor an expression is told with its operand, if that is one.

    >>> import adviz
    >>> x, W = adviz.lazy.placeholder((2, 3)), adviz.lazy.variable((3, 4), 0.0)
    >>> (first, _) = adviz.lazy.deriv((x @ W).sum(), W).args
    >>> called(first), spoken(first), spoken((x - x * x + x * x * x + 1).args[0])
    ('transpose', 'transpose of x', 'x - x * x + x * x * x')
    """
    name = called(op)
    if op.kind != "operation" or name != op.what:
        return name
    if op.derived_from is None and not (op.is_step or is_inner(op)):
        text = written(op)
        return text if 0 < len(text) <= LONGEST_SPOKEN and "=" not in text else name
    return f"{name} of {called(op.args[0])}" if len(op.args) == 1 else name


def tells_operand(op: Op) -> bool:
    """Return whether an op is told with its operand."""
    return len(op.args) == 1 and spoken(op) == f"{op.what} of {called(op.args[0])}"


def operand(op: Op) -> str:
    """Return what an op is called where another one is told of, that takes its value: in few words."""
    name = spoken(op)
    return name if len(name) <= LONGEST else called(op)


def written(op: Op) -> str:
    """Return the expression of the program that built an op, without the names of libraries; "" where there is none."""
    place = op.origin
    return " ".join(LIBRARIES.sub("", place.text).split()) if place else ""


def _worded(op: Op) -> str:
    if op.kind == "assign":
        return f"assign {called(op.args[0].storage)}"
    whole = outermost(op)
    return whole.name if whole is not None and value_of(whole) is op else op.what


# ---- compounds ----


def outermost(op: Op) -> Schema | None:
    """Return the compound that an op was built in; of one inside another, the outer one."""
    around = compounds_around(op)
    return around[0] if around else None


def compounds_around(op: Op) -> list[Schema]:
    """Return the compounds that an op was built in, the outermost first."""
    result: list[Schema] = []
    schema = op.part_of
    while schema is not None:
        result.insert(0, schema)
        schema = schema.part_of
    return result


def value_of(schema: Schema) -> Op | None:
    """Return the op that is the value of a compound.

    >>> import adviz
    >>> p = adviz.lazy.softmax(adviz.lazy.placeholder((3,)))
    >>> value_of(p.part_of) is p, is_inner(p.args[0])
    (True, True)
    """
    return next((op for op in reversed(schema.ops) if not op.is_step), None)


def is_inner(op: Op) -> bool:
    """Whether an op is a part of a compound, and not its value: the expression of the program is that of the value."""
    whole = outermost(op)
    return whole is not None and value_of(whole) is not op


def whole_name(schema: Schema) -> str:
    """Return the name of a compound in sentences: that of its value."""
    value = value_of(schema)
    return called(value) if value is not None else schema.name


def whole_detail(schema: Schema) -> str:
    """Return what a compound is, and of what shape, as its box says them below its name.

    >>> import adviz
    >>> p = adviz.lazy.softmax(adviz.lazy.placeholder((3,)))
    >>> p.name = "p"
    >>> whole_detail(p.part_of)
    'softmax [3]'
    """
    value, word = value_of(schema), schema.name if whole_name(schema) != schema.name else ""
    return " ".join(filter(None, [word, shape_of(value) if value is not None else ""]))


# ---- what an op says of itself ----


def detail(op: Op) -> str:
    """Return the kind and the shape of an op, as its box says them below its name.

    >>> import adviz
    >>> detail(adviz.lazy.placeholder((2, 3), name="x")), detail(adviz.lazy.constant(1.0))
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
    shape = shape_of(op) if op.shape else "" if word else "number"
    if op.axes and len(word) + len(shape) >= ROOM:
        return shape
    return " ".join(filter(None, [word, shape]))


def shape_of(op: Op) -> str:
    """Return the shape of an op as its box says it: the lengths of its axes, with their names if they have some.

    >>> import adviz
    >>> unit, batch = adviz.lazy.axis("unit", 10), adviz.lazy.axis("batch", 32)
    >>> shape_of(adviz.lazy.placeholder((unit, batch))), shape_of(adviz.lazy.placeholder((2, 3)))
    ('unit 10 × batch 32', '[2×3]')
    """
    if op.axes:
        return " × ".join(f"{named(axis)} {axis.length}" for axis in op.axes)
    return f"[{captions.shape(op.shape)}]" if op.shape else ""


def named(axis: Axis) -> str:
    """Return the name of an axis, with the part of it that it is, and what tells it from its duals."""
    return captions.shortened(repr(axis).removesuffix(f" ({axis.length})"))


def is_literal(op: Op) -> bool:
    """Return whether an op is a plain number of an expression, which that says already."""
    return op.kind == "constant" and op.shape == () and op.given_name in ("", f"{op.initial:g}")


def is_storage_view(op: Op) -> bool:
    """Return whether an op shows a part of storage, and computes nothing."""
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
    if op.axes:
        noun = captions.kind(op.shape).split(" of ")[0].split(" ")[-1] if op.shape else "array"
        return f"{noun} with {'the axis' if len(op.axes) == 1 else 'the axes'} {shape_of(op)}"
    return captions.kind(op.shape) if op.shape else "number"
