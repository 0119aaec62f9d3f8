"""The base class of all errors of adviz."""

from __future__ import annotations

from .origins import Origin


class AdvizError(Exception):
    """Any error that adviz raises; ``origin`` is the place in the user's source, if known.

    >>> import adviz
    >>> try:
    ...     adviz.trace(lambda x: float(x), 1.0)
    ... except AdvizError as error:
    ...     print(error.origin.line)
    2
    """

    def __init__(self, message: str, origin: Origin | None = None):
        super().__init__(f"{message}\n  at {origin}" if origin else message)
        self.origin = origin
