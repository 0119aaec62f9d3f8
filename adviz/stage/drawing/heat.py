"""The hues of derivatives."""

from __future__ import annotations

from typing import Literal

Sign = Literal[-1, 0, 1] | None


def hue(sign: Sign) -> str:
    """Return the color of a derivative; one that is not finite is grey like zero, and its text says what it is."""
    return "positive" if sign == 1 else "negative" if sign == -1 else "zero"
