"""Functions that programs bring along where NumPy has none: each as source, defined above the program that calls it.

Those that compute a Block are in its record (``helper``).
"""

from __future__ import annotations

import re

from ...engine.blocks import BLOCKS
from ..schedules import REVOLVE
from ..terms.array_terms import Term

HELPERS = {
    "real": '''
def real(x):
    """The real part of x, if its imaginary part is 0: the program is one of real numbers."""
    if np.any(np.imag(x)):
        raise ValueError("Eigenvalues or functions of a matrix are complex here; the program is one of real numbers.")
    return np.real(x)
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
"""By name; those of the records are called alone, and call ``real`` at most."""
OF_LOOPS = ("revolve", "checkpointed")
"""Helpers of loops, which know nothing of arrays."""


def helper_of(term: Term) -> str | None:
    """Return the helper that computes an operation, if one does.

    >>> from adviz.engine.rules.powers import LOGISTIC
    >>> from ..terms.array_terms import Terms
    >>> helper_of(Terms().apply(LOGISTIC, Terms().input(0, (), float)))
    'logistic'
    """
    helper: str = term.operation.helper if term.operation is not None else ""
    return _name(helper) if helper else None


def _name(helper: str) -> str:
    return helper.removeprefix("def ").partition("(")[0]


def helpers() -> dict[str, str]:
    """Return the sources of all helpers by their names, each after those that it calls.

    >>> print(helpers()["qr_in_one"])
    def qr_in_one(a):
        \"\"\"q and r, below each other.\"\"\"
        return np.concatenate([*np.linalg.qr(a)], axis=-2)
    """
    of_records = {_name(block.helper): block.helper for block in BLOCKS if block.helper}
    return {name: text.strip() for name, text in (HELPERS | of_records).items()}


def needed_by(source: str) -> dict[str, str]:
    """Return the helpers that a source calls, and those that they call: their sources by their names.

    >>> list(needed_by("w = eig_in_one(a)"))
    ['real', 'eig_in_one']
    """
    result: dict[str, str] = {}
    for name, text in reversed(helpers().items()):
        if any(re.search(rf"(?<![\w.]){name}\(", each) for each in (source, *result.values())):
            result[name] = text
    return dict(reversed(result.items()))
