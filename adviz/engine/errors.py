"""Errors and warnings of tracing and differentiation: what was wrong, where in the user's source, what to do."""

from __future__ import annotations

from ..graph.origins import Origin


class AdvizError(Exception):
    """Any error that adviz raises about a traced program; ``origin`` is the place in the user's source, if known."""

    def __init__(self, message: str, origin: Origin | None = None):
        super().__init__(f"{message}\n  at {origin}" if origin else message)
        self.origin = origin


class InputError(AdvizError, TypeError):
    """An argument to differentiate is not made of real numbers."""


class OutputError(AdvizError, TypeError):
    """The function returned something that cannot be differentiated as asked."""


class ConversionError(AdvizError, TypeError):
    """A traced value was turned into a plain number, which would cut it off from the graph."""


class ArrayWriteError(AdvizError, TypeError):
    """A traced value was written into an array of plain numbers, or written to itself."""


class BranchError(AdvizError, ValueError):
    """A whole array of traced values was used as the condition of an ``if`` or ``while``."""


class MissingBlockError(AdvizError, NotImplementedError, TypeError):
    """A function met a traced value and adviz has no Block for it."""


class BlockError(AdvizError, ValueError):
    """A Block of one's own returned a value or a Jacobian that does not fit."""


class DomainError(AdvizError, ValueError):
    """A function was asked for at a point where it, or its derivative, does not exist."""


class ModeError(AdvizError, ValueError):
    """An unknown mode, or something that the present mode does not have."""


class ResetGraphError(AdvizError, RuntimeError):
    """A Variable was used whose graph was reset, or replaced by a new input Variable."""


class TraceClosedError(AdvizError, RuntimeError):
    """A Variable was used outside the trace it belongs to."""


class NonFiniteWarning(RuntimeWarning):
    """NaN or infinity was born in the forward pass."""


class IndependentOutputWarning(UserWarning):
    """An output does not depend on any input; its derivative is zero."""
