"""Errors and warnings of tracing and differentiation: what was wrong, where in the user's source, what to do."""

from __future__ import annotations

from ..graph.errors import AdvizError


class InputError(AdvizError, TypeError):
    """An argument to differentiate is not made of real numbers.

    >>> import adviz
    >>> adviz.trace(lambda x: x, "three")
    Traceback (most recent call last):
    adviz.engine.trace_errors.InputError: Argument x is str, not real. ...
    """


class OutputError(AdvizError, TypeError):
    """The function returned something that cannot be differentiated as asked.

    >>> import adviz
    >>> adviz.grad(lambda x: (x, x))(1.0)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    adviz.engine.trace_errors.OutputError: grad needs a function that returns one number; ...
    """


class ConversionError(AdvizError, TypeError):
    """A traced value was turned into a plain number, which would detach it from the graph.

    >>> import adviz
    >>> adviz.trace(lambda x: float(x), 1.0)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    adviz.engine.trace_errors.ConversionError: float(x) would detach a traced value from the graph: ...
    """


class ArrayWriteError(AdvizError, TypeError):
    """A traced value was written where no trace can follow it, as into an array that was there before.

    >>> import adviz, numpy
    >>> totals = numpy.zeros(2)
    >>> def f(x):
    ...     totals[0] = x[0]
    ...     return x
    >>> adviz.trace(f, numpy.ones(2))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    adviz.engine.trace_errors.ArrayWriteError: A traced value was written into ...
    """


class GradientError(AdvizError, ValueError):
    """A gradient that was written by hand is not the gradient: see :func:`adviz.check_gradient`.

    >>> import adviz, numpy
    >>> adviz.check_gradient(lambda x: numpy.sum(x * x), lambda x: x, 3.0)
    Traceback (most recent call last):
    adviz.engine.trace_errors.GradientError: The gradient of <lambda> is wrong.
      with respect to x: 3 instead of 6.
        All entries are 0.5 times the right ones.
    """


class BranchError(AdvizError, ValueError):
    """A whole array of traced values was used as the condition of an ``if`` or ``while``.

    >>> import adviz, numpy
    >>> adviz.trace(lambda x: x if x > 0 else -x, numpy.ones(2))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    adviz.engine.trace_errors.BranchError: An array was used as a condition. Use np.where for a choice per entry, ...
    """


class MissingBlockError(AdvizError, NotImplementedError, TypeError):
    """A function met a traced value and adviz has no Block for it.

    >>> import adviz, numpy
    >>> adviz.trace(lambda x: numpy.histogram(x), numpy.ones(2))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    adviz.engine.trace_errors.MissingBlockError: adviz has no Block for np.histogram. ...
    """


class BlockError(AdvizError, ValueError):
    """A Block of one's own returned a value or a Jacobian that does not fit.

    >>> from adviz import SimpleBlock, Variable
    >>> class cube(SimpleBlock):
    ...     def data_fn(self, x):
    ...         return x.data**3
    ...
    ...     def gradient_fn(self, x):
    ...         return x.data[:1]
    >>> cube()(Variable([1.0, 2.0]))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    adviz.engine.trace_errors.BlockError: gradient_fn of the Block cube returned an array of shape (1,); ...
    """


class DomainError(AdvizError, ValueError):
    """A function was asked for at a point where it, or its derivative, does not exist.

    >>> from adviz import Variable
    >>> 1 / Variable([1.0, 0.0])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    adviz.engine.trace_errors.DomainError: Division by zero: an entry of the divisor is 0...
    """


class ModeError(AdvizError, ValueError):
    """An unknown mode, or something that the present mode does not have.

    >>> import adviz
    >>> adviz.set_mode("sideways")
    Traceback (most recent call last):
    adviz.engine.trace_errors.ModeError: mode is 'sideways'; it can be 'forward' or 'reverse'
    """


class ResetGraphError(AdvizError, RuntimeError):
    """A Variable was used whose graph was replaced by that of a new input Variable.

    >>> import adviz
    >>> adviz.set_mode("reverse")
    >>> x = adviz.Variable(1.0)
    >>> y = adviz.Variable(2.0)
    >>> x * x  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    adviz.engine.trace_errors.ResetGraphError: This Variable belongs to a graph that was replaced when another input ...
    >>> adviz.set_mode("forward")
    """


class TraceClosedError(AdvizError, RuntimeError):
    """A Variable was used in another thread than that of its trace.

    What a program keeps of a trace that has ended is no Variable any more, but the number or array that it was.

    >>> import adviz
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor() as pool:
    ...     adviz.trace(lambda x: pool.submit(lambda: x + 1).result(), 1.0)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    adviz.engine.trace_errors.TraceClosedError: A traced value was used in another thread than the one that traces ...
    """


class NonFiniteWarning(RuntimeWarning):
    """NaN or infinity arises in the forward pass, or in a derivative of a finite result.

    >>> import adviz, numpy, warnings
    >>> with warnings.catch_warnings(record=True, action="always") as caught:
    ...     graph = adviz.trace(lambda x: numpy.log(x), 0.0)
    >>> print(str(caught[0].message).splitlines()[0])
    infinity arises in node 1, v1 (log), from finite operands.
    """


class IndependentOutputWarning(UserWarning):
    """An output does not depend on any input; its derivative is zero.

    >>> import adviz, warnings
    >>> with warnings.catch_warnings(record=True, action="always") as caught:
    ...     adviz.grad(lambda x: 3.0)(1.0)
    0.0
    >>> len(caught)
    1
    """
