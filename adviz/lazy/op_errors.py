"""What can be wrong with an op graph: named, with the line where the op was built."""

from __future__ import annotations

from ..graph.errors import AdvizError


class OpError(AdvizError, ValueError):
    """An op cannot be built as it was asked for: shapes do not fit, or it stands for something else than a value.

    >>> import adviz
    >>> adviz.lazy.placeholder((2,)) + adviz.lazy.placeholder((3,))
    Traceback (most recent call last):
    adviz.lazy.op_errors.OpError: add cannot be built of shapes (2,), (3,): ...
    """


class ComputationError(AdvizError, ValueError):
    """A computation cannot be made of these ops, or called with these values."""
