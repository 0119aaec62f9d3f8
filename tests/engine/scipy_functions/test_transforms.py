"""``scipy.fft`` on traced values: against SciPy's own values, and against differences of them."""

import numpy as np
import pytest
import scipy.fft as sf

import adviz as ad

from ..checks import GRAINS
from ..scipys import check

RNG = np.random.default_rng(5)
X, TABLE = RNG.normal(size=6), RNG.normal(size=(4, 3))

FUNCTIONS = {
    "a spectrum": (lambda x: np.abs(sf.rfft(x)) ** 2, (X,)),
    "fft": (lambda x: sf.fft(x, n=8).real + sf.fft(x, n=8, norm="ortho").imag, (X,)),
    "ifft": (lambda x: sf.ifft(sf.fft(x) * np.exp(1j * np.arange(6))).real, (X,)),
    "irfft": (lambda x: sf.irfft(sf.rfft(x) ** 2, n=6), (X,)),
    "fft2": (lambda x: np.abs(sf.fft2(x)), (TABLE,)),
    "fftn along one axis": (lambda x: sf.fftn(x, axes=(0,)).imag, (TABLE,)),
    "rfftn of another shape": (lambda x: sf.rfftn(x, (4, 4), (0, 1)).real, (TABLE,)),
    "dct": (sf.dct, (X,)),
    "dct of another type along another axis": (lambda x: sf.dct(x, 1, axis=0), (TABLE,)),
    "idct": (lambda x: sf.idct(sf.dct(x, norm="ortho") ** 2, norm="ortho"), (X,)),
    "dst": (lambda x: sf.dst(x, 3, n=4), (X,)),
}


@GRAINS
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_transform_has_scipys_value_and_its_derivatives(name, grain):
    check(*FUNCTIONS[name], grain, 1e-11)


def test_what_is_not_covered_is_named():
    for name, f in {"dctn": lambda x: sf.dctn(x), "fft with plan": lambda x: sf.fft(x, plan=1).real}.items():
        with pytest.raises(ad.MissingBlockError, match=rf"no Block for scipy\.fft\.{name}"):
            ad.trace(f, TABLE)
