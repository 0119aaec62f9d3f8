"""The error of programs: of functions that cannot be compiled, and of programs that cannot run."""

from __future__ import annotations

from ..graph.errors import AdvizError


class ProgramError(AdvizError, ValueError):
    """A function cannot be compiled to a program, or a program cannot be run as asked.

    >>> import adviz
    >>> adviz.compile_jacobian(lambda x: x * x, 3.0, form="rows")
    Traceback (most recent call last):
    adviz.kernels.program_errors.ProgramError: form is 'rows'; it can be 'dense', 'coo' or 'csr'.
    """


def missing_operation(operation: str, library: str) -> ProgramError:
    """Return the error of a back end that does not have an operation.

    >>> str(missing_operation("erf", "Numba")).partition(".")[0]
    'Numba has no operation erf, which the program needs'
    """
    return ProgramError(
        f"{library} has no operation {operation}, which the program needs. "
        'Compile it with backend="numpy", or write the function with other operations.'
    )
