"""The command line: ``adviz lab``, ``adviz trace module:function --args …``, ``adviz explore … --out page.html``,
``adviz budget … --nodes 10000``, ``adviz diff old.adviz new.adviz``, ``adviz lesson backprop --out lesson.html``."""

from __future__ import annotations

import argparse
import ast
import importlib
import inspect
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from . import BudgetError, __version__, budget, compare_graphs, explore, lesson, load, show_comparison, trace
from .engine.measuring import MEASURES
from .graph.errors import AdvizError
from .graph.graph import Graph
from .graph.queries.aggregates import CRITERIA
from .graph.queries.data_table import csv_text

SUFFIX = ".adviz"
"""Of graphs in files, which commands take in the place of a function."""


class UsageError(Exception):
    """Something on the command line is wrong; one line says what."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; the exit status is 2 where the command line is at fault."""
    arguments = parser().parse_args(argv)
    try:
        return arguments.run(arguments)
    except UsageError as error:
        print(f"adviz: {error}", file=sys.stderr)
        return 2


def parser() -> argparse.ArgumentParser:
    """Make the parser of the commands and their arguments."""
    commands = argparse.ArgumentParser(prog="adviz", description="Trace a NumPy function and explore its graph.")
    commands.add_argument("--version", action="version", version=f"adviz {__version__}")
    choices = commands.add_subparsers(required=True, metavar="command")
    lab = choices.add_parser("lab", help="open JupyterLab")
    lab.add_argument("folder", nargs="?", default="notebooks" if os.path.isdir("notebooks") else ".")
    lab.set_defaults(run=run_lab)
    commands_by_name: dict[str, argparse.ArgumentParser] = {}
    for name, run, words in (
        ("trace", run_trace, "print the sizes of a function's graph, or save it"),
        ("budget", run_budget, "fail where a function's graph is larger than its budget"),
        ("explore", run_explore, "save a function's graph as a page to explore, or as a picture"),
    ):
        command = commands_by_name[name] = choices.add_parser(name, help=words)
        command.add_argument(
            "function",
            metavar="module:function",
            help=f"for example scipy.optimize:rosen; or a graph in a {SUFFIX} file",
        )
        command.add_argument(
            "--args", nargs="*", default=[], metavar="ARG", help="numbers and lists, such as 1.5 '[1, 2, 3]'"
        )
        command.add_argument("--grain", choices=("array", "scalar"), default="array")
        command.set_defaults(run=run)
    command.add_argument("--out", default="graph.html", help="file to write: .html, .svg, .png or .pdf")
    _add_kept(commands_by_name, choices)
    command = choices.add_parser("lesson", help="save a lesson of 50 minutes as a page, and as a handout")
    command.add_argument("name", help="backprop, forward-or-reverse or tape-or-graph")
    command.add_argument("--out", default="lesson.html", help="page to write: .html")
    command.add_argument("--handout", metavar="FILE", help="handout for students to write: .pdf")
    command.add_argument("--without-solutions", action="store_true", help="leave out the lecturer's page")
    command.set_defaults(run=run_lesson)
    return commands


def _add_kept(commands: dict[str, argparse.ArgumentParser], choices: Any) -> None:
    """Add what is said of graphs that are kept: files, budgets, differences."""
    commands["trace"].add_argument("--csv", action="store_true", help="print a row per node, or per group, as CSV")
    commands["trace"].add_argument("--by", choices=CRITERIA, help="count the nodes in groups: a table")
    commands["trace"].add_argument("--find", metavar="QUERY", help="print the nodes of a query, such as 'isnan'")
    commands["trace"].add_argument("--out", metavar="FILE", help=f"save the graph: {SUFFIX}")
    commands["trace"].add_argument("--values", action="store_true", help="save the values of the nodes, too")
    for name, measure in MEASURES.items():
        words = f"the most {measure.words}"
        commands["budget"].add_argument(f"--{name.replace('_', '-')}", type=int, metavar="N", help=words)
    diff = choices.add_parser("diff", help="print what differs between two graphs; the status is 1 if anything does")
    for name in ("old", "new"):
        diff.add_argument(name, metavar=f"{name}{SUFFIX}", help="made by adviz trace --out, or by graph.save")
    diff.add_argument("--csv", action="store_true", help="print a row per difference instead")
    diff.add_argument("--out", metavar="FILE", help="save both, laid over each other: .html, .svg, .png or .pdf")
    diff.set_defaults(run=run_diff)


def run_lab(arguments: argparse.Namespace) -> int:
    """Open JupyterLab on a folder."""
    try:
        importlib.import_module("jupyterlab")
    except ImportError:
        raise UsageError("JupyterLab is not installed; install it with: pip install 'adviz[lab]'") from None
    if not os.path.isdir(arguments.folder):
        raise UsageError(f"there is no folder {arguments.folder!r}")
    return subprocess.call([sys.executable, "-m", "jupyterlab", arguments.folder])


def run_trace(arguments: argparse.Namespace) -> int:
    """Print the summary of a graph, its nodes, those of a query or groups of them; save it if asked to."""
    graph = _traced(arguments)
    if arguments.out is not None:
        if not arguments.out.endswith(SUFFIX):
            raise UsageError(f"cannot save as {arguments.out!r}; the suffix can be {SUFFIX}")
        path = _tried(graph.save, arguments.out, values=arguments.values)
        print(f"{path}: {path.stat().st_size:,} bytes", file=sys.stderr)
    print(_answer(graph, arguments), end="" if arguments.csv else "\n")
    return 0


def _answer(graph: Graph, arguments: argparse.Namespace) -> str:
    """Return what is asked of a graph: a table if it is by groups or of a query, else all nodes, or their summary."""
    if arguments.by and arguments.find:
        raise UsageError("--by counts all nodes; leave --find out, or ask for its nodes alone")
    if not arguments.by and not arguments.find:
        return graph.to_csv() if arguments.csv else graph.summary()
    table = graph.by(arguments.by) if arguments.by else _tried(graph.find, arguments.find).table()
    return csv_text(table.columns) if arguments.csv else str(table)


def run_budget(arguments: argparse.Namespace) -> int:
    """Print the sizes of a graph if it is within its budget; else what exceeds it, with the status 1."""
    graph = _traced(arguments)
    try:
        _tried(budget, graph, **{name: getattr(arguments, name) for name in MEASURES})
    except BudgetError as error:
        print(error)
        return 1
    print(graph.summary())
    return 0


def run_diff(arguments: argparse.Namespace) -> int:
    """Print what differs between two graphs in files."""
    comparison = compare_graphs(*(_tried(load, path) for path in (arguments.old, arguments.new)))
    if arguments.out is not None:
        _save(show_comparison(comparison), arguments.out)
    print(csv_text(comparison.table()) if arguments.csv else str(comparison), end="" if arguments.csv else "\n")
    return int(bool(comparison))


def _tried(do: Callable[..., Any], *given: Any, **options: Any) -> Any:
    """Return what a function returns; anything wrong with a file or an option is an error of the command line."""
    try:
        return do(*given, **options)
    except BudgetError:
        raise
    except (AdvizError, OSError) as error:
        raise UsageError(" ".join(str(error).split())) from None


def run_explore(arguments: argparse.Namespace) -> int:
    """Write a page or a picture."""
    graph = _traced(arguments)
    _save(explore(graph), arguments.out, sys.stdout)
    return 0


def _save(explorer: Any, out: str, to: Any = None) -> None:
    """Save an Explorer, and say what was written: beside a result, where errors are written."""
    try:
        path = explorer.save(out)
    except (ValueError, OSError) as error:
        raise UsageError(str(error)) from None
    finally:
        explorer.close()
    print(f"{path}: {path.stat().st_size:,} bytes", file=to or sys.stderr)


def run_lesson(arguments: argparse.Namespace) -> int:
    """Write a lesson and, if asked for, its handout."""
    try:
        chosen = lesson(arguments.name)
        paths = [chosen.save(arguments.out, solutions=not arguments.without_solutions)]
        if arguments.handout is not None:
            paths.append(chosen.save(arguments.handout))
    except (ValueError, OSError) as error:
        raise UsageError(str(error)) from None
    for path in paths:
        print(f"{path}: {path.stat().st_size:,} bytes")
    return 0


def _traced(arguments: argparse.Namespace) -> Graph:
    if arguments.function.endswith(SUFFIX):
        return _tried(load, arguments.function)
    function = _function(arguments.function)
    values = [_value(text) for text in arguments.args]
    try:
        inspect.signature(function).bind(*values)
    except TypeError as error:
        raise UsageError(f"{arguments.function} cannot be called with {len(values)} arguments: {error}") from None
    except ValueError:
        pass  # functions written in C may not say what they take
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_, **__: print(f"adviz: warning: {message}", file=sys.stderr)
        try:
            return trace(function, *values, grain=arguments.grain)
        except AdvizError as error:
            raise UsageError(" ".join(str(error).split())) from None
        except Exception as error:
            raise UsageError(
                f"{arguments.function} raised {type(error).__name__}: {' '.join(str(error).split())}"
            ) from None


def _function(name: str) -> Callable[..., Any]:
    """Return the function that ``module:function`` names; the current folder is looked in first."""
    module_name, colon, path = name.partition(":")
    if not (module_name and colon and path):
        raise UsageError(f"{name!r} is not of the form module:function")
    if "" not in sys.path and os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        result: Any = importlib.import_module(module_name)
    except Exception as error:
        raise UsageError(f"cannot import {module_name!r}: {type(error).__name__}: {error}") from None
    for part in path.split("."):
        if not hasattr(result, part):
            raise UsageError(f"module {module_name!r} has no function {path!r}")
        result = getattr(result, part)
    if not callable(result):
        raise UsageError(f"{name} is {type(result).__name__}, not a function")
    return result


def _value(text: str) -> object:
    """Return an argument: a number, or lists, tuples and dicts of numbers. Never code."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        raise UsageError(f"{text!r} is not a number or a list of numbers") from None


if __name__ == "__main__":
    sys.exit(main())
