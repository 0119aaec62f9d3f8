"""Schemas: what several ops are as a whole, with a derivative of the whole.

A schema belongs to the op that is its value. Derivatives ask it instead of its parts, which is more accurate and
shorter; pictures may show its parts as one box.

Source: the schemas of Nervana Graph (2016); the derivatives are those of textbooks, such as Goodfellow, Bengio and
Courville, Deep Learning (2016), sections 6.2.2 and 8.7.1.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from typing import Any

from ..engine.tape import user_origin
from .building import constant
from .contexts import current_schema, within
from .naming import in_axes, with_axes
from .op_errors import OpError
from .ops import Op, moment


class Schema:
    """Several ops that are one function of ``args``; ``kept`` is what else its derivative needs.

    ``ops`` are its parts, whose ``part_of`` it is; ``part_of`` is the schema around it, if there is one.

    A schema of your own is a subclass with a method ``contributions(y, adjoint)``: for each argument what the adjoint
    of the value ``y`` contributes to its adjoint, as a function without arguments that builds the op.

    >>> import adviz
    >>> y = adviz.lazy.softmax(adviz.lazy.placeholder((3,), name="x"))
    >>> y.schemas[0], [op.what for op in y.schemas[0].ops], y.part_of is y.schemas[0]
    (<Softmax of x: 5 ops>, ['max', 'subtract', 'exp', 'sum', 'divide'], True)
    """

    def __init__(self, args: Iterable[Op], **kept: Any):
        self.args = tuple(args)
        self.__dict__.update(kept)
        self.ops: list[Op] = []
        self.part_of: Schema | None = current_schema()

    @property
    def name(self) -> str:
        """What it is called: ``"log sum exp"``."""
        return "".join(f" {each.lower()}" if each.isupper() else each for each in type(self).__name__).strip()

    def contributions(self, y: Op, adjoint: Op) -> Iterable[Callable[[], Any]]:
        """For each argument, in order, how what it gets of an adjoint is built."""
        raise NotImplementedError

    def adjoints(self, y: Op, adjoint: Op, varies: Container[Op]) -> list[tuple[Op, Op]]:
        """Return what the adjoint of the value passes on to those arguments that vary; the ops belong to the value."""
        before = moment()
        builders = zip(self.args, self.contributions(y, in_kind(adjoint, y)), strict=True)
        result = [(arg, self._checked(arg, build())) for arg, build in builders if arg in varies]
        pending = [op for _, op in result]
        while pending:
            op = pending.pop()
            if op.number > before and op.derived_from is None:
                pending += op.args
                op.belong_to(y)
        return result

    def _checked(self, arg: Op, contribution: Any) -> Op:
        """Return what an argument gets of an adjoint, which is of its shape."""
        op = contribution if isinstance(contribution, Op) else constant(contribution)
        is_turned = bool(arg.axes) and set(arg.axes or ()) == set(op.axes or ())
        if op.shape != arg.shape and not is_turned:
            raise OpError(
                f"{self.name} gives {arg.name}, of shape {arg.axes or arg.shape}, a contribution of shape "
                f"{op.axes or op.shape}; they must agree.",
                op.origin or user_origin(),
            )
        return op

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {', '.join(arg.name for arg in self.args)}: {len(self.ops)} ops>"


def in_kind(op: Op, like: Op) -> Op:
    """Return an op of the shape of another one, with the axes of that."""
    is_turned = op.axes and like.axes and {*op.axes} == {*like.axes}
    return in_axes(op, like.axes) if is_turned else with_axes(op, like.axes)


def composite(schema: Schema, build: Callable[[], tuple[Op, Op | None]]) -> Op:
    """Return the value of ops that ``build`` builds as one, and which of them the schema has the derivative of, if any.

    Where it has none, that of the parts is taken.
    """
    with within(schema):
        value, whole = build()
    pending, known = [value], set(schema.args)
    while pending:
        op = pending.pop()
        if op not in known and op.part_of is schema:
            known.add(op)
            schema.ops.append(op)
            pending += op.args
    schema.ops.sort(key=lambda op: op.number)
    for op in schema.ops:
        op.is_step = op is not value
    if whole is not None:
        whole.add_schema(schema)
    return value
