"""An array program as source: NumPy with the user's names, in a part for values and one for derivatives."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...engine.blocks import INPUT
from ...engine.calls import is_container, leaves
from ...engine.rules.reshaping import BROADCAST
from ...graph.origins import Origin
from ..derivations.loop_bodies import Body
from ..derivations.translation import Translation
from ..points.results import structure_text
from ..terms.array_terms import Term, in_order, viewed
from .checkpoint_lines import Iteration
from .helpers import helper_of
from .lines import NUMPY, Line, Writer
from .loop_lines import LoopWriter, lines_with_loops
from .names import Names
from .operator_printing import Printed
from .printing import Printer, PrinterFor

LONG = 4
"""Lines from which on the parts of a program have headings."""
COLUMN = 56
"""The column at which comments begin, at most."""


class Row(NamedTuple):
    """A line of the source; ``term`` is what it computes, if anything, ``origin`` the user's expression behind it."""

    text: str
    term: Term | None = None
    origin: Origin | None = None
    is_derivative: bool = False

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave out the term, which no other process knows."""
        return Row, (self.text, None, self.origin, self.is_derivative)


class Run(NamedTuple):
    """A line as it is run: its text, its operations on numbers, and the bytes in use after it.

    ``is_again`` says whether the same line has been run before.
    """

    text: str
    operations: int
    bytes: int
    is_again: bool


class Written(NamedTuple):
    """A function as source: its ``rows``, and the ``constants`` that it takes from its module.

    ``title`` is the name of the user's function, ``summary`` says what the function returns; ``iterations`` are those
    of its loops, by the first node. Where lines are run again, ``runs`` has all that compute something.
    """

    name: str
    title: str
    summary: str
    rows: list[Row]
    constants: dict[str, np.ndarray]
    iterations: Mapping[int, Iteration] = {}
    runs: Sequence[Run] = ()

    @property
    def source(self) -> str:
        """The text of the function."""
        return "\n".join(row.text for row in self.rows)

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave out the iterations, which are made of terms."""
        return Written, (*self[:5], {}, self.runs)


def in_numpy(inputs: Mapping[int, str], results: Sequence[Term]) -> Printer:
    """Return the language of NumPy, whatever the program."""
    return NUMPY


def written(
    translation: Translation,
    name: str,
    arguments: Mapping[str, Any],
    template: Any,
    count: int,
    summary: str,
    parts: tuple[str, str],
    bodies: Mapping[int, Body] | None = None,
    preset: Mapping[Term, str] | None = None,
    checkpoints: Mapping[int, int] | None = None,
    printer_for: PrinterFor = in_numpy,
    apart: Callable[[Writer], set[Term]] | None = None,
    exact: Mapping[Term, str] | None = None,
) -> Written:
    """Write the results of a translation as a function of ``arguments``, which are examples by their names.

    ``template`` has the structure of the results, of which the first ``count`` arrays are values of the user's
    function; ``parts`` are the headings of values and derivatives, ``bodies`` the iterations of loops, ``preset`` the
    names of some terms, and ``checkpoints`` how many states each loop keeps, where that is not all. ``printer_for``
    chooses the printer. ``apart`` chooses terms that get lines of their own, from how the program is written without.
    """
    helpers = (helper_of(term) for term in in_order(translation.results) if term.operands)
    taken = [*printer_for({}, ()).taken, *(("revolve", "checkpointed", "next") if checkpoints else ())]
    used = Names(translation, {}, ["np", "scipy", "float", "bool", "real", name, *taken, *filter(None, helpers)])
    parameters = {argument: used.new(argument, "x") for argument in arguments}
    inputs, unpacking = _unpacking(arguments, parameters, translation.inputs, used)
    begin = partial(Names, translation, inputs, used.used, translation.results[:count], preset, exact)
    printer = printer_for(inputs, translation.results)

    def writer_of(loops: LoopWriter, standing_only: Container[Term] | None = None) -> Writer:
        made = Writer(
            translation, begin(), translation.results[:count], translation.results, write_loop=loops, printer=printer
        )
        made.standing_only = standing_only
        return made

    loops = LoopWriter(bodies or {}, checkpoints or {})
    writer, loops, lines = lines_with_loops(loops, writer_of)
    if apart is not None:
        standing = {*writer.standing, *apart(writer)}
        writer, loops, lines = lines_with_loops(loops, partial(writer_of, standing_only=standing))
    shared = [
        term for term in in_order(translation.results) if term.name == "loop" and _may_be_shared(term, bodies or {})
    ]
    texts = _results(translation.results, writer.printed, shared, printer)
    rows = [
        Row(f"def {name}({', '.join(parameters.values())}):"),
        Row(f'    """{quoted(summary)}"""'),
        *unpacking,
        *_body(lines, parts),
        Row(f"    return {_returned(template, iter(texts))}"),
    ]
    return Written(name, translation.graph.title, summary, rows, writer.constants, loops.iterations())


def quoted(text: str) -> str:
    """Return a text as it stands within three quotation marks: keys and titles are the user's, and end nothing.

    >>> print(quoted("the key \\\\n"))
    the key \\\\n
    """
    is_plain = '"' not in text and "\\" not in text
    return text if is_plain else text.replace("\\", "\\\\").replace('"', '\\"')


def _unpacking(
    arguments: Mapping[str, Any], parameters: Mapping[str, str], given: Sequence[str], used: Names
) -> tuple[dict[int, str], list[Row]]:
    """Return the names of all arrays in the arguments, by number, and the lines that take them out of structures."""
    inputs: dict[int, str] = {}
    rows = []
    for argument, example in arguments.items():
        parameter, first = parameters[argument], len(inputs)
        if not is_container(example):
            inputs[first] = parameter
            continue
        paths = [path for path, _ in leaves(example, parameter)]
        for _, name in zip(paths, given[first:], strict=False):
            inputs[len(inputs)] = used.new(re.sub(r"\W+", "_", name).strip("_"), "x")
        names = list(inputs.values())[first:]
        if isinstance(example, tuple | list) and not any(map(is_container, example)):
            rows.append(Row(f"    {', '.join(names)}{',' * (len(names) == 1)} = {parameter}"))
        else:
            rows += [Row(f"    {name} = {path}") for name, path in zip(names, paths, strict=True)]
    return inputs, rows


def _body(lines: Sequence[Line], parts: tuple[str, str]) -> Iterator[Row]:
    """Yield the lines with their comments, below the headings of their parts."""
    heading = None
    has_both = len({line.is_derivative for line in lines}) > 1 and len(lines) >= LONG
    for line in lines:
        if has_both and heading != parts[line.is_derivative] and parts[0] != parts[1]:
            heading = parts[line.is_derivative]
            yield Row(f"    # {heading}")
        for number, statement in enumerate(line.statements):
            text = f"    {'    ' * line.indent}{statement}"
            if line.comment and not number and line.comment.replace(" ", "") not in text.replace(" ", ""):
                text = f"{text:<{COLUMN}}  # {line.comment}"
            yield Row(text, line.term, line.origin, line.is_derivative)


def _results(
    results: Sequence[Term], printed: Mapping[Term, Printed], shared: Container[Term], printer: Printer
) -> list[str]:
    """Return how results are returned: arrays of their own, that share no memory with arguments or other results."""
    taken: set[Term] = set()
    result = []
    for term in results:
        base, is_shared = term, False
        while (seen := viewed(base)) is not None and not (base.is_of(BROADCAST) and not seen.shape):
            is_shared = is_shared or base.operation.is_read_only
            base = seen
        text = printed[term]
        is_written_out = base.is_constant or base.is_of(BROADCAST)
        is_new = is_written_out and "(" in printed[base].text  # as in np.zeros(3)
        is_shared = is_shared or (not is_new and (base in taken or base.operation is INPUT or base in shared))
        is_shared = is_shared or (base.is_constant and not is_new)
        if not term.shape and term.operation is not None and term.operation.gives_array:
            text = printer.finished(text)
        result.append(printer.copied(text).text if is_shared and term.shape else text.text)
        taken.add(base)
    return result


def _may_be_shared(term: Term, bodies: Mapping[int, Body]) -> bool:
    """Return whether what a loop makes may be part of what it takes."""
    made = term.operands[0].value
    body = bodies[made.loop]
    if made.moved is None:
        result = body.after[made.key] if made.part == "forward" else body.adjoints.get(made.key)
    else:
        result = body.after_dot[made.key] if made.part == "forward" else body.adjoints_dot.get(made.key)
    if made.part == "backward" and made.key[0] != "state":
        return False
    while result is not None and (seen := viewed(result)) is not None:
        result = seen
    return result is None or not result.operands


def _returned(template: Any, texts: Iterator[str]) -> str:
    text = structure_text(template, texts)
    is_tuple = isinstance(template, tuple) and len(template) > 1
    return text[1:-1] if is_tuple else text
