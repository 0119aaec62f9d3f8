"""``scipy.fft`` on traced values: NumPy's transforms, and those into cosines and sines as matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.fft import _realtransforms_backend as real_transforms

from ..functions.arguments import Function, Overrides, check_unsupported, joined
from .calling_scipy import linear

ALONG_AN_AXIS = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
ALONG_SEVERAL = ("fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn")


def _transform(name: str) -> Function:
    """Return SciPy's function of the name that NumPy's has; how it computes makes no difference."""
    numpys = getattr(np.fft, name)

    def apply(
        x: Any, n: Any = None, axis: Any = None, norm: Any = None, *_: Any, plan: Any = None, **settings: Any
    ) -> Any:
        check_unsupported(f"scipy.fft.{name}", "Omit it.", plan=plan)
        which = {key: settings.pop(key) for key in ("s", "axes") if key in settings}
        given = {"norm": norm} | ({} if n is None else {first: n}) | ({} if axis is None else {second: axis})
        return numpys(joined(x), **given, **which)

    first, second = ("n", "axis") if name in ALONG_AN_AXIS else ("s", "axes")
    return apply


FUNCTIONS: Overrides = {name: _transform(name) for name in ALONG_AN_AXIS + ALONG_SEVERAL}
FUNCTIONS |= {name: linear("scipy.fft", getattr(real_transforms, name), 0) for name in ("dct", "idct", "dst", "idst")}
