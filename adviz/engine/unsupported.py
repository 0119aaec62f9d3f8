"""Errors that look at the user's frame: why a traced value cannot go where the program puts it, and what to do."""

from __future__ import annotations

import ast
import linecache
import math
import re
from collections.abc import Callable
from dis import opname
from functools import wraps
from inspect import getattr_static
from types import FrameType, ModuleType
from typing import Any, TypeVar

import numpy as np

from ..graph.errors import AdvizError
from ..graph.origins import Origin, Syntax, origin, place_called, syntax_at
from ..graph.syntax_trees import parse
from ..graph.wengert_list import ABSENT
from .blocks import is_traced
from .rules.selection import READ
from .tape import Tape, current_tape, user_frame, user_origin
from .trace_errors import ArrayWriteError, BranchError, ConversionError, MissingBlockError

# ---- numbers that are read ----


TEXT, DECISION, COMPUTATION = "text", "decision", "computation"
"""What a program has a number for, as far as its source tells; the last stands for everything else."""

_ON_THE_WAY = (float, int, abs, round, min, max)
"""Functions whose results are used as their arguments are."""
_IN_TEXT = (print, format, repr, str, ascii, str.format)
_IN_DECISIONS = (range, bool, math.isnan, math.isinf, math.isfinite, math.isclose, np.isnan, np.isinf, np.isfinite)
_READING_TEXT = frozenset({"float", "complex", "Decimal", "Fraction", "eval", "literal_eval", "loads", "astype"})
"""Names of functions that make a number of a text; a whole one, as ``int`` makes it, is constant."""
_READING_TEXT |= {"fromstring", "loadtxt", "genfromtxt", "float64", "float32", "longdouble"}
_ASKING_TEXT = frozenset({"startswith", "endswith", "find", "index", "count", "isdigit", "len", "int", "hash", "ord"})
_ASKING_TEXT |= {each.__name__ for each in (sorted, min, max, set, frozenset)}
"""Names of functions whose results the text decides about."""
_HANDING_ON_TEXT = frozenset(
    {"array", "asarray", "str", "repr", "format", "StringIO", "list", "tuple", "item", "tolist"}
)
_HANDING_ON_TEXT |= {"strip", "lstrip", "rstrip", "replace", "split", "join", "ljust", "rjust", "zfill", "mod"}
_AROUND_TEXT: tuple[type[ast.expr], ...] = (ast.BinOp, ast.JoinedStr, ast.FormattedValue, ast.Attribute, ast.IfExp)
_AROUND_TEXT += (ast.Subscript, ast.Starred, ast.Tuple, ast.List, ast.ListComp, ast.GeneratorExp)
"""Expressions that are texts, or sequences of texts, if a part of them is one."""
_LOGS = ("logging", "warnings", "_warnings")
"""Modules whose functions make text of what they are given."""
_OF_ALL_NAMES = ("locals", "vars", "eval", "exec")
"""What reaches a variable without its name."""


def plain_number(variable: Any, kind: Any, name: str) -> Any:
    """The number of a Variable, as a ``kind`` that is called ``name``; raises the refusal where it would be cut off."""
    frame, tape = user_frame(), variable.tape
    kept: list[ast.expr] = []
    if frame is None or not isinstance(tape, Tape) or not _is_reading(frame, kind, tape.symbolic, kept):
        raise cut_off(name)
    number = kind(variable.data)
    _check_kept(kept, number, frame)
    if not tape.symbolic:  # such a graph holds at every point, and there its text would be another one
        _note(tape, variable.index, float(number), frame)
    return number


def _note(tape: Tape, index: int, number: float, frame: FrameType) -> None:
    """Write the row of a reading, made where the program asked for it: it may be the library for logs that formats."""
    above: FrameType | None = frame
    while above is not None and above is not tape.root:
        if above.f_globals.get("__name__") in _LOGS and above.f_back is not None:
            frame = above.f_back
        above = above.f_back
    if frame is not tape.frame:
        tape.enter(frame)
    tape.write(READ.number, index, ABSENT, number, tape.origin.f_lasti)


def check_text(text: str) -> str:
    """Return a text that is made of a traced value; raises the refusal where a number is made of it again.

    Where a trace is to hold at every point, it raises one where something is decided by the text, too.
    """
    tape = current_tape()
    frame = user_frame() if tape is not None else None
    if tape is not None and frame is not None:
        syntax, result = syntax_at(frame.f_code, frame.f_lasti), set[Any]()
        for node in syntax.nodes:
            result |= _purposes_of_text(node, frame, syntax)
        if COMPUTATION in result:
            raise cut_off("a text")
        if tape.symbolic and not result <= {TEXT}:
            raise decided_by_data()
        _check_kept([each for each in result if isinstance(each, ast.expr)], text, frame)
    return text


def _check_kept(kept: list[ast.expr], key: Any, frame: FrameType) -> None:
    """Raise if a key made of a traced number is in a dictionary where the program keeps results, and has a plain one.

    It may have been rounded on its way, and be a part of the key.
    """
    for of in kept:
        results = found_as(frame, of)
        if not isinstance(results, dict) or not any(map(_is_part(key), [*results])):
            continue
        places = syntax_at(frame.f_code, frame.f_lasti).parents.items()
        if ast.unparse(of) in map(stored, places) and any(
            _is_part(key)(each) and isinstance(value, float | np.ndarray) and not is_traced(value)
            for each, value in results.items()
        ):
            raise kept_by_number(ast.unparse(of))


def _is_part(made: Any) -> Callable[[Any], bool]:
    """Return the question whether a key is made of a number, perhaps rounded or in a text, or of a text."""
    known = {made} if isinstance(made, str) else {made, *(round(made, digits) for digits in range(16))}

    def is_part(key: Any) -> bool:
        if isinstance(key, tuple):
            return any(map(is_part, key))
        if isinstance(key, str):
            return made in key if isinstance(made, str) else not known.isdisjoint(map(float, NUMBER.findall(key)))
        return key in known

    return is_part


NUMBER = re.compile(r"-?\d+\.?\d*(?:e[+-]?\d+)?")


def _is_reading(frame: FrameType, kind: Any, symbolic: bool, kept: list[ast.expr]) -> bool:
    """Return whether the instruction that runs in a frame makes a number that is then only read; notes where kept."""
    syntax = syntax_at(frame.f_code, frame.f_lasti)
    result: set[Any] = set()
    for node in syntax.nodes:
        if isinstance(node, ast.Call) and _is_type_of_numbers(found_as(frame, node.func)):
            is_constant = issubclass(kind, int | np.integer) and not symbolic
            result |= {DECISION} if is_constant else _purposes(node, frame, syntax)
        else:
            result |= _purposes_of_text(node, frame, syntax) if _is_formatted(frame, node) else {COMPUTATION}
    kept += [each for each in result if isinstance(each, ast.expr)]
    result = {DECISION if isinstance(each, ast.expr) else each for each in result}
    return bool(result) and result <= ({TEXT} if symbolic else {TEXT, DECISION})


def _is_type_of_numbers(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, float | int | np.floating | np.integer)


def _is_formatted(frame: FrameType, node: ast.AST) -> bool:
    """Return whether an operation is the ``%`` of a text."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mod):
        return False
    return isinstance(node.left, ast.JoinedStr) or isinstance(found_as(frame, node.left), str)


def _purposes(node: ast.AST, frame: FrameType, syntax: Syntax, variables: frozenset[str] = frozenset()) -> set[Any]:
    """What the value of an expression is for: by what is around it, and around the variable that it is given to.

    Of a key it is also the expression of the dictionary, or the sequence, that it is looked up in.
    """
    above = syntax.parents.get(node)
    if (of := looked_up_in(above)) not in (None, node):
        return {DECISION, of}
    match above:
        case ast.FormattedValue():
            return _purposes_of_text(above, frame, syntax, variables)
        case ast.Expr():
            return {TEXT}
        case ast.Compare() | ast.Slice() | ast.UnaryOp(op=ast.Not()):
            return {DECISION}
        case ast.If(test=part) | ast.While(test=part) | ast.IfExp(test=part) | ast.Subscript(slice=part) if (
            part is node
        ):
            return {DECISION}
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return _purposes_of_variable(name, above, frame, syntax, variables, _purposes)
        case ast.NamedExpr() | ast.Lambda() | ast.Yield() | ast.YieldFrom() | ast.Await():
            return {COMPUTATION}
        case ast.expr() | ast.keyword():
            called = found_as(frame, above.func) if isinstance(above, ast.Call) and above.func is not node else float
            purpose = TEXT if _is_formatted(frame, above) else _purpose_in(called)
            if purpose == TEXT:
                return _purposes_of_text(above, frame, syntax, variables)
            return {purpose} if purpose else _purposes(above, frame, syntax, variables)
    return {COMPUTATION}


def _purposes_of_text(
    node: ast.AST, frame: FrameType, syntax: Syntax, variables: frozenset[str] = frozenset()
) -> set[Any]:
    """What a text is for, as far as the function tells: a number is made of it again, or it is a key, or only text."""
    above = syntax.parents.get(node)
    if (of := looked_up_in(above)) not in (None, node):
        return {TEXT, of}
    match above:
        case ast.Compare() | ast.Match() | ast.For() | ast.comprehension():
            return {TEXT, DECISION}
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return {TEXT} | _purposes_of_variable(name, above, frame, syntax, variables, _purposes_of_text)
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name) as function):
            if not _READING_TEXT.isdisjoint((name, getattr(found_as(frame, function), "__name__", ""))):
                return {COMPUTATION}
            if name in _ASKING_TEXT:
                return {TEXT, DECISION}
            return _purposes_of_text(above, frame, syntax, variables) if name in _HANDING_ON_TEXT else {TEXT}
    return _purposes_of_text(above, frame, syntax, variables) if isinstance(above, _AROUND_TEXT) else {TEXT}


def _purpose_in(called: Any) -> str:
    """Return what a function has its arguments for; nothing where that is what its result is for."""
    if not callable(called):
        return COMPUTATION
    if called in _IN_TEXT or getattr(called, "__module__", "") in _LOGS:
        return TEXT
    return DECISION if called in _IN_DECISIONS else "" if called in _ON_THE_WAY else COMPUTATION


def _purposes_of_variable(
    name: str,
    assignment: ast.AST,
    frame: FrameType,
    syntax: Syntax,
    variables: frozenset[str],
    purposes: Callable[..., set[Any]],
) -> set[Any]:
    """Return what a variable of a function is for, wherever the function has its name."""
    if name in variables:
        return set()
    function: ast.AST | None = assignment
    while function is not None and not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
        function = syntax.parents.get(function)
    result: set[Any] = {TEXT if function else COMPUTATION}
    for node in ast.walk(function) if function else ():
        match node:
            case ast.Name(id=known, ctx=ast.Load()) if known == name:
                result |= purposes(node, frame, syntax, variables | {name})
            case ast.AugAssign(target=ast.Name(id=known)) if known == name:
                result.add(COMPUTATION)
            case ast.Global(names=names) | ast.Nonlocal(names=names) if name in names:
                result.add(COMPUTATION)
            case ast.Name(id=known) if known in _OF_ALL_NAMES:
                result.add(COMPUTATION)
    return result


LOOKING_UP = frozenset({"__contains__", "__getitem__", "get", "pop", "setdefault"})
"""Methods of dictionaries that look a key up."""


def looked_up_in(expression: ast.AST | None) -> ast.expr | None:
    """Return what is looked up in, in an expression."""
    match expression:
        case ast.Subscript(value=of, ctx=ast.Load()):
            return of
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[of]):
            return of
        case ast.Call(func=ast.Attribute(value=of, attr=name)) if name in LOOKING_UP:
            return of
    return None


def stored(node: tuple[ast.AST, ast.AST]) -> str:
    """Return what a part of a program stores a result in, by key; counting up is not storing a result."""
    match node:
        case ast.Subscript(value=of, ctx=ast.Store()), above if not isinstance(above, ast.AugAssign):
            return ast.unparse(of)
        case ast.Call(func=ast.Attribute(value=of, attr="setdefault")), _:
            return ast.unparse(of)
    return ""


Refusal = TypeVar("Refusal", bound=AdvizError)


LONGEST = 60
"""The characters of source that an error repeats, at most."""


def complex_value(name: str) -> MissingBlockError:
    """Return the error for a Block that made complex numbers."""
    return MissingBlockError(
        f"The Block {name} made complex numbers, and Blocks are real. Compute their real and imaginary parts.",
        user_origin(),
    )


def _not_to_be_caught(refusal: Callable[..., Refusal]) -> Callable[..., Refusal]:
    """Errors that end a trace even where the program catches them, and would go another way than without."""

    @wraps(refusal)
    def noted(*args: Any) -> Refusal:
        error, tape = refusal(*args), current_tape()
        if tape is not None:
            tape.refuse(error)
        return error

    return noted


@_not_to_be_caught
def decided_by_data() -> BranchError:
    """Return the error for a decision by the data in a program for all points, which takes one branch only."""
    return BranchError(
        "What is computed here depends on the values, and a program for all points takes one way only. "
        "Use np.where for a choice per point, or np.maximum, np.minimum, np.abs; or compile it with branches=True.",
        user_origin(),
    )


@_not_to_be_caught
def sized_by_data(name: str) -> BranchError:
    """The error for a result whose size depends on the data, in a program for all points, whose arrays keep theirs."""
    return BranchError(
        f"How many numbers {name} gives depends on the values, and in a program for all points every array keeps its "
        "shape. Write np.where(condition, x, 0.0) instead of x[condition], and np.sum(np.where(condition, x, 0.0)) for "
        "the sum of what is chosen.",
        user_origin(),
    )


@_not_to_be_caught
def kept_by_number(name: str) -> BranchError:
    """Return the error for a result that was computed from another number of the same value."""
    return BranchError(
        f"`{name}` keeps results by number, and has one of a number that is equal, but has another derivative: one of "
        "an earlier call, or another input with the same value. Begin with an empty dict in each call, or use "
        "functools.cache, whose results are kept apart while a function is traced.",
        user_origin(),
    )


@_not_to_be_caught
def plain_index() -> ConversionError:
    """Return the error for indices and conditions that are nodes, where plain numbers are needed."""
    return ConversionError(
        "Indices, counts or conditions that are computed from traced values met something that takes plain numbers "
        "only. Write np.take(a, i, axis=0) instead of a[i] if a is not traced, or a = np.asarray(a) before; "
        "x[i + np.arange(n)] instead of a slice from i; lengths and ranges cannot depend on values.",
        user_origin(),
    )


def unwritable() -> ArrayWriteError:
    """Return the error for a traced value that was to go into an array which no trace can follow."""
    frame = user_frame()
    place = origin(frame.f_code, frame.f_lasti) if frame else None
    name = place.text.split("[")[0] if place else ""
    target = value_of(name, frame) if frame else None
    if isinstance(target, np.ndarray) and target.dtype.kind not in "fiub":
        kind = "with fields" if target.dtype.names else f"of {target.dtype}"
        advice = "Keep an array for each of the fields, as in a dict." if target.dtype.names else "Make one of floats."
        return ArrayWriteError(f"A traced value was written into `{name}`, an array {kind}. {advice}", place)
    if frame and name.isidentifier() and name not in frame.f_code.co_varnames:
        array = f"`{name}`, which was not made in the traced function{_assigned(name, frame)}"
        advice = f"Write into a copy: {name} = np.array({name})."
    else:
        array = "an array that was not made in the traced function, or by a function that adviz does not know"
        advice = "Write into a copy of it: np.array(a)."
    return ArrayWriteError(f"A traced value was written into {array}. {advice}", place)


def _assigned(name: str, frame: FrameType) -> str:
    """Where a module first assigns a name, by the text of its source."""
    path = frame.f_code.co_filename
    if value_of(name, frame) is not None:
        for number, line in enumerate(linecache.getlines(path), 1):
            if line.startswith(f"{name} ") and "=" in line:
                return f" but at {place_called(path, number)}"
    return ""


def of_plain_numbers(frame: FrameType | None, place: Origin | None) -> ConversionError | None:
    """Return the error for a traced value in a function of ``math`` or ``cmath`` that is called at a place in a frame.

    ``None`` for other functions. It counts what the program calls, under whatever name: after ``from math import *``,
    ``sin(x)`` is ``math.sin``.
    """
    function = _called_function(frame, place.text) if frame and place else None
    module, name = getattr(function, "__module__", None), getattr(function, "__name__", "")
    if module not in ("math", "cmath"):
        return None
    meant = {"fsum": "sum", "dist": "linalg.norm", "phase": "angle"}.get(name, name)
    known = hasattr(np, meant.split(".")[0])
    otherwise = "Write it out with NumPy's functions, or make a Block: adviz.define."
    advice = f"Use np.{meant} instead." if known else otherwise
    return ConversionError(f"{module}.{name} works on plain numbers only. {advice}", place)


def _called_function(frame: FrameType, text: str) -> object:
    """Return what a frame has under the name that an expression calls; ``None`` if it calls nothing that has one."""
    try:
        expression = parse(text, mode="eval").body
    except SyntaxError:
        return None
    return found_as(frame, expression.func) if isinstance(expression, ast.Call) else None


def value_of(name: str, frame: FrameType) -> Any:
    """Return what a name stands for in a frame; ``None`` if it has none of that name."""
    for space in (frame.f_locals, frame.f_globals):
        if name in space:
            return space[name]
    try:
        return frame.f_builtins[name]  # in a trace, other names of the module are looked up there
    except KeyError:
        return None


def found_as(frame: FrameType, expression: ast.AST) -> Any:
    """What a frame has under a name such as ``np.sin`` or ``self.log.info``, or a constant; ``None`` for the rest."""
    match expression:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return value_of(name, frame)
        case ast.Attribute(value=of, attr=name):  # attributes that are computed are not asked for, but those of modules
            owner = found_as(frame, of)
            return (getattr if isinstance(owner, ModuleType) else getattr_static)(owner, name, None)
    return None


READ_ONLY = (
    "This array is read-only, as what np.broadcast_to and np.diagonal give is in NumPy, and here what np.asarray gives "
    "of a traced array, too. Take np.array or .copy() of it to write to."
)
OF_MEMORY = "A traced value is no plain memory: do this after tracing, or pass arrays as keyword arguments."


def used_as_count() -> ConversionError:
    """Return the error for a traced value where Python takes a whole number; ``bytearray(x)`` counts its bytes so."""
    frame = user_frame()
    place = origin(frame.f_code, frame.f_lasti) if frame else None
    if frame and place and _called_function(frame, place.text) in (bytearray, bytes):
        return ConversionError(OF_MEMORY, place)
    return ConversionError(
        "A traced value was used as an index or a count. "
        "Pass whole numbers as keyword arguments: those are not traced.",
        place,
    )


AS_INDEX = (
    "A traced array was used as an index: what it picks depends on values. Pass whole numbers, such as labels, as "
    "keyword arguments: those are not traced. For a choice per entry use np.where."
)
AS_LIST = (
    "A list of numbers that is passed to a function is traced as an array: it has no methods of lists, and + adds its "
    "entries. Write [*x, 1.0] for a list, or pass np.array(x) to add."
)


def is_list(value: Any) -> bool:
    """Return whether a traced array is an argument that was passed as a list."""
    tape = current_tape()
    return tape is not None and any(value is each for each in tape.lists)


def check_no_list(value: Any) -> None:
    """Raise if a program adds to a list what it was passed as one: the entries would be added up."""
    if is_list(value):
        raise ConversionError(AS_LIST, user_origin())


@_not_to_be_caught
def cut_off(name: str) -> AdvizError:
    """Return the error for a traced value that is turned into a plain number; the advice depends on the caller."""
    frame = user_frame()
    place = origin(frame.f_code, frame.f_lasti) if frame else None
    if frame and opname[frame.f_code.co_code[frame.f_lasti]] == "STORE_SUBSCR":
        return unwritable()
    if place and place.text.startswith("complex("):
        return ConversionError("complex() makes plain numbers only. Write x + 1j * y instead.", place)
    text = place.text if place and len(place.text) <= LONGEST and "\n" not in place.text else ""
    what = f"{text} would detach a traced value" if text else f"Making {name} of a traced value would detach it"
    return of_plain_numbers(frame, place) or ConversionError(
        f"{what} from the graph: what is computed with the number would have no "
        "derivative. Leave the value as it is, or convert after tracing. Where the number is only read, it may be "
        "made: print(float(x)), if float(x) < 1.",
        place,
    )
