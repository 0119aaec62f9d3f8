"""Random control flow: the iteration that every node is put in is the one a program that counts for itself reports."""

import random

import numpy as np
import pytest

import adviz as ad

OPERATIONS = ["x = x * 0.5", "x = x + 1", "x = np.sin(x)", "x = -x", "x += 0.5", "x = abs(x)"]


class Writer:
    """Writes the same random program twice: as it is traced, and as it keeps count of its own iterations.

    Every body begins with an operation, unless it is ``quiet``: then bodies that hold loops may do nothing else.
    """

    def __init__(self, seed, quiet=False):
        self.random, self.loops, self.quiet = random.Random(seed), 0, quiet
        self.traced, self.counting = ["def f(x):"], ["def f():", "    stack, log, entries = [], [], 0"]
        self.body(1, depth=3, counter=None)
        self.traced.append("    return x")
        self.counting.append("    return log")

    def both(self, indent, line):
        self.traced.append("    " * indent + line)
        self.counting.append("    " * indent + line)

    def operation(self, indent):
        self.traced.append("    " * indent + self.random.choice(OPERATIONS))
        self.counting.append("    " * indent + "log.append(tuple(map(tuple, stack)))")

    def body(self, indent, depth, counter):
        if self.quiet and depth and self.random.random() < 0.6:
            for _ in range(self.random.randint(1, 2)):
                self.loop(indent, depth - 1, counter)
            return
        self.operation(indent)
        for _ in range(self.random.randint(1, 3)):
            kinds = [self.operation] if depth == 0 else [self.operation, self.loop, self.loop, self.attempt]
            if counter and depth:
                kinds += [self.branch, self.leave]
            kind = self.random.choice(kinds)
            kind(indent) if kind == self.operation else kind(indent, depth - 1, counter)

    def loop(self, indent, depth, _):
        self.loops += 1
        counter, turns = f"k{self.loops}", self.random.randint(0, 3)
        self.counting.append("    " * indent + "entries += 1; stack.append([entries, 0])")
        if self.random.random() < 0.6:
            self.both(indent, f"for {counter} in range({turns}):")
        else:
            self.both(indent, f"{counter} = 0")
            self.both(indent, f"while {counter} < {turns}:")
            self.both(indent + 1, f"{counter} += 1")
        self.counting.append("    " * (indent + 1) + "stack[-1][1] += 1")
        self.body(indent + 1, depth, counter)
        self.counting.append("    " * indent + "stack.pop()")

    def branch(self, indent, depth, counter):
        self.both(indent, f"if {counter} % 2:")
        self.body(indent + 1, depth, counter)
        self.both(indent, "else:")
        self.body(indent + 1, depth, counter)

    def leave(self, indent, depth, counter):
        self.both(indent, f"if {counter} == {self.random.randint(0, 3)}:")
        self.both(indent + 1, self.random.choice(["continue", "break"]))

    def attempt(self, indent, depth, counter):
        self.both(indent, "try:")
        self.body(indent + 1, depth, counter)
        self.both(indent + 1, f"if {counter} % 2: raise ValueError" if counter else "pass")
        self.both(indent, "except ValueError:")
        self.operation(indent + 1)


def run(lines, **names):
    exec(compile("\n".join(lines), "<random>", "exec"), names)
    return names["f"]


def iterations(graph, node):
    """Which iteration of each loop around it a node was made in."""
    path = graph.scopes.path(graph.scopes.of_node[node])
    return tuple(graph.scopes[scope].ordinal for scope in path if graph.scopes[scope].kind == "iteration")


def numbered(log):
    """The stacks of a log, the iterations of each loop numbered as they are met: those that do nothing do not count."""
    met = {}
    for stack in log:
        for entry, turn in stack:
            turns = met.setdefault(entry, {})
            turns.setdefault(turn, len(turns) + 1)
    return [tuple(met[entry][turn] for entry, turn in stack) for stack in log]


@pytest.mark.parametrize("quiet", [False, True])
@pytest.mark.parametrize("start", [0, *(pytest.param(start, marks=pytest.mark.slow) for start in range(40, 400, 40))])
def test_every_node_is_in_its_iteration(start, quiet):
    for seed in range(start, start + 40):
        program = Writer(seed, quiet)
        graph = ad.trace(run(program.traced, np=np), 0.3)
        found = [iterations(graph, node) for node in range(1, len(graph) - 1)]
        assert found == numbered(run(program.counting)()), f"seed {seed}"
