"""Functions that programs bring along where NumPy has none: each as source, defined above the program that calls it."""

from __future__ import annotations

import re

from ..schedules import REVOLVE
from ..terms.array_terms import Term

HELPERS = {
    "logistic": '''
def logistic(x):
    """1 / (1 + exp(-x)), without overflow."""
    e = np.exp(-np.abs(x))
    return np.where(x >= 0, 1, e) / (1 + e)
''',
    "logsumexp": '''
def logsumexp(x, axis, keepdims):
    """log(sum(exp(x))), without overflow."""
    top = np.max(x, axis=axis, keepdims=True) if x.size else 0.0
    top = np.where(np.isfinite(top), top, 0.0)
    total = np.log(np.sum(np.exp(x - top), axis=axis, keepdims=True)) + top
    return total if keepdims else np.squeeze(total, axis)
''',
    "real": '''
def real(x):
    """The real part of x, if its imaginary part is 0: the program is one of real numbers."""
    if np.any(np.imag(x)):
        raise ValueError("Eigenvalues or functions of a matrix are complex here; the program is one of real numbers.")
    return np.real(x)
''',
    "eigh_in_one": '''
def eigh_in_one(a, uplo):
    """Eigenvalues of symmetric matrices, with the eigenvectors as columns below them."""
    w, v = np.linalg.eigh(a, uplo)
    return np.concatenate([w[..., None, :], v], axis=-2)
''',
    "eig_in_one": '''
def eig_in_one(a):
    """Eigenvalues of matrices, with the eigenvectors as columns below them."""
    w, v = np.linalg.eig(a)
    return np.concatenate([real(w)[..., None, :], real(v)], axis=-2)
''',
    "svd_in_one": '''
def svd_in_one(a):
    """u, a row of singular values, and v, below each other."""
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    return np.concatenate([u, s[..., None, :], np.swapaxes(vh, -1, -2)], axis=-2)
''',
    "qr_in_one": '''
def qr_in_one(a):
    """q and r, below each other."""
    return np.concatenate(np.linalg.qr(a), axis=-2)
''',
    "fft_of_real": '''
def fft_of_real(x, axes, norm):
    """The real and the imaginary part of a Fourier transform."""
    z = np.fft.fftn(x, axes=axes, norm=norm)
    return np.stack([z.real, z.imag])
''',
    "fft_of_parts": '''
def fft_of_parts(x, axes, norm):
    """The real and the imaginary part of the Fourier transform of x[0] + 1j * x[1]."""
    z = np.fft.fftn(x[0] + 1j * x[1], axes=axes, norm=norm)
    return np.stack([z.real, z.imag])
''',
    "ifft_of_parts": '''
def ifft_of_parts(x, axes, norm):
    """The real and the imaginary part of the inverse Fourier transform of x[0] + 1j * x[1]."""
    z = np.fft.ifftn(x[0] + 1j * x[1], axes=axes, norm=norm)
    return np.stack([z.real, z.imag])
''',
    "revolve": REVOLVE,
    "checkpointed": '''
def checkpointed(step, state, n, checkpoints, advance=None):
    """Yield the state after n iterations; then, from the last one to the first, what their derivatives take.

    step(k, state) runs iteration k, and returns the state after it with what its derivative takes. Where not all
    of the state matters for derivatives, advance(k, state) returns the rest of it as it is, and takes less time.
    """
    kept, is_again = {}, False
    for action, k in revolve(n, checkpoints):
        if action == "keep":
            kept[k] = state
        elif action == "restore":
            state = kept[k]
        elif action == "advance":
            state = advance(k, state) if advance and is_again else step(k, state)[0]
        else:
            kept.pop(k, None)
            state, taken = step(k, state)
            if not is_again:
                yield state
            is_again = True
            yield taken
''',
}
"""By name; a helper calls only helpers above it."""
OF_LOOPS = ("revolve", "checkpointed")
"""Helpers of loops, which know nothing of arrays."""


def helper_of(term: Term) -> str | None:
    """Return the helper that computes an operation, if one does.

    >>> from adviz.engine.rules.powers import LOGISTIC
    >>> from ..terms.array_terms import Terms
    >>> helper_of(Terms().apply(LOGISTIC, Terms().input(0, (), float)))
    'logistic'
    """
    name: str = term.operation.code.partition("(")[0] if term.operation is not None else ""
    return name if name in HELPERS else None


def needed_by(source: str) -> list[str]:
    """Return the helpers that a source calls, and those that they call.

    >>> needed_by("w = eig_in_one(a)")
    ['real', 'eig_in_one']
    """
    result: list[str] = []
    for name in reversed(HELPERS):
        if any(re.search(rf"(?<![\w.]){name}\(", text) for text in (source, *(HELPERS[each] for each in result))):
            result.insert(0, name)
    return result
