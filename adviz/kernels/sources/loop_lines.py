"""Loops of a program as lines: forward with the state passed on and kept, backward with adjoints added up.

Tangents go with what they are the tangents of: those of the state forward, those of adjoints backward.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ...engine.blocks import INPUT
from ...graph.reach import reachable
from ..derivations.loop_bodies import Body, Taken
from ..terms.array_terms import LOOP, Term, made_of, seeds_dot_of, seeds_of
from ..terms.quotient_rules import is_zero
from .checkpoint_lines import Iteration, iteration_of, plain, tupled
from .lines import WIDTH, Line, Writer, changed_by
from .names import Names
from .operator_printing import Printed
from .printing import Printer, growing_text

# ---- assignments ----


def begun(term: Term, texts: Mapping[str, str], is_derivative: bool) -> list[Line]:
    """Return names that get their first values; those of constants share lines."""
    plain: list[tuple[str, str]] = []
    result: list[Line] = []
    for name, text in texts.items():
        if text == name:
            continue
        if not text.startswith(("np.zeros(", "zeros(", "np.eye(", "0.0")):
            result.append(Line(term, (f"{name} = {text}",), "", None, is_derivative))
            continue
        if plain and len(_all_at_once([*plain, (name, text)])) > WIDTH - 4:
            result.append(Line(term, (_all_at_once(plain),), "", None, is_derivative))
            plain = []
        plain.append((name, text))
    return [*result, Line(term, (_all_at_once(plain),), "", None, is_derivative)] if plain else result


def _all_at_once(pairs: Sequence[tuple[str, str]]) -> str:
    return f"{', '.join(name for name, _ in pairs)} = {', '.join(text for _, text in pairs)}"


def assigned(term: Term, texts: Mapping[str, str], is_derivative: bool) -> list[Line]:
    """Return names that get new values, all at once, or one by one where the line would be too long."""
    changed = {name: text for name, text in texts.items() if name != text}
    result: list[dict[str, str]] = []
    while changed and len(_all_at_once([*changed.items()])) > WIDTH - 8:
        name = next((name for name in changed if not _is_read(name, changed)), None)
        if name is None:
            break
        result.append({name: changed.pop(name)})
    result += [changed] if changed else []
    return [Line(term, (_all_at_once([*each.items()]),), "", None, is_derivative, 1) for each in result]


def _is_read(name: str, texts: Mapping[str, str]) -> bool:
    """Return whether the text of another name has a name in it."""
    return any(re.search(rf"\b{name}\b", text) for other, text in texts.items() if other != name)


def added(term: Term, name: str, text: str, printer: Printer) -> Line:
    """Return what is added to an array or an entry of it in an iteration, or subtracted."""
    array, _, key = name.removesuffix("]").partition("[")
    is_made_anew = bool(key) and not printer.changes_arrays
    statement = printer.added(array, key, text) if is_made_anew else f"{name} {changed_by(text)}"
    return Line(term, (statement,), "", None, True, 1)


# ---- loops ----


BOUND = re.compile(r"((?:\w+, )*\w+) = ")
"""The names that a statement gives values to."""


@dataclass
class LoopWriter:
    """Writes the loops of a program; ``bodies`` are their iterations, by the first node, as are ``checkpoints``: how
    many states a loop keeps at the same time, instead of what all iterations leave for their derivatives.

    What a loop leaves has the name of its state, and another one where it is ``apart``.
    """

    bodies: Mapping[int, Body]
    checkpoints: Mapping[int, int] = field(default_factory=dict)
    apart: frozenset[Term] = frozenset()
    made: dict[int, _Loop] = field(default_factory=dict)
    is_within: bool = False

    def __call__(self, writer: Writer, group: list[Term]) -> list[Line]:
        """Return the lines of a loop that makes a group of terms, to which it gives their texts."""
        info = made_of(group[0])
        if info.part == "forward":
            self.made[info.loop] = _Loop(self, info.loop, writer, group)
            return self.made[info.loop].forward(group)
        return self.made[info.loop].backward(writer, group)

    def iterations(self) -> dict[int, Iteration]:
        """Return what an iteration of each loop consists of, by the first node of the loop."""
        return {start: loop.iteration for start, loop in self.made.items()}

    def overwritten(self, writer: Writer, lines: Sequence[Line]) -> frozenset[Term]:
        """Return what loops leave under names that their way back gives to something of an iteration needed later.

        ``lines`` are all of a program, or of an iteration that the loops are within.
        """
        result, own = set[Term](), {*writer.order}
        groups = [term for loop in self.made.values() for term in loop.group]
        for start, loop in self.made.items():
            left = {term for term in groups if writer.printed[term].text in loop.rebound()}
            is_back = [line.term in own and _is_backward(line.term, start) for line in lines]
            if left and any(is_back):
                after = zip(lines[is_back.index(True) :], is_back[is_back.index(True) :], strict=True)
                terms = [line.term for line, is_of_loop in after if not is_of_loop and line.term in own]
                result |= left & self._needed(writer, terms)
        return frozenset(result)

    def _needed(self, writer: Writer, terms: Sequence[Term]) -> set[Term]:
        """Return what the lines of these terms, and the results, take from loops."""
        results = writer.inlined if self.is_within else writer.results  # values are passed on before the way back
        taken = [*results, *(operand for term in terms for operand in self._taken_by(term))]

        def made_of(term: Term) -> Sequence[Term]:
            return () if term.operation is LOOP or term in writer.standing else term.operands

        return {term for term in reachable(taken, made_of) if term.operation is LOOP and term not in writer.standing}

    def _taken_by(self, term: Term) -> list[Term]:
        """Return the operands of a term; of one that a loop makes, of all that the loop makes forward and backward."""
        if term.operation is not LOOP:
            return list(term.operands)
        loop = self.made[made_of(term).loop]
        return [operand for each in (*loop.group, *loop.group_back) for operand in each.operands]


def lines_with_loops(loops: LoopWriter, begin: Callable[[LoopWriter], Writer]) -> tuple[Writer, LoopWriter, list[Line]]:
    """Return the lines of a program, and who wrote them: once more where what a loop leaves needs a name of its own."""
    while True:
        writer = begin(loops)
        lines = writer.lines()
        more = loops.overwritten(writer, lines) - loops.apart
        if not more:
            return writer, loops, lines
        loops = replace(loops, apart=loops.apart | more, made={})


def _is_backward(term: Term, loop: int) -> bool:
    """Return whether a term is made by the way back of a loop."""
    return term.operation is LOOP and made_of(term)[:2] == (loop, "backward")


class _Loop:
    """A loop that is being written: the names of its state, of what it takes and of what it keeps."""

    def __init__(self, loops: LoopWriter, start: int, writer: Writer, group: Sequence[Term]):
        self.is_within, self.checkpoints, body = loops.is_within, loops.checkpoints.get(start), loops.bodies[start]
        self.apart, self.group_back = loops.apart, list[Term]()
        self.body, self.loop, self.main, self.group = body, body.loop, writer, group
        self.is_pulled = any(_is_backward(term, start) for term in writer.order)  # else nothing takes its adjoints
        names = writer.names
        self.counter = names.new("k")
        self.given = dict(zip((key for key, _ in self.loop.taken), self._printed_operands(group[0]), strict=False))
        self.given_dot = self._tangents_given()
        texts = {taken: self._taken(taken) for taken in body.takes}
        self.state = {place: texts["state", place] for place in self.loop.firsts}
        self.adjoint = {place: names.new(f"{self.state[place]}{body.suffix}") for place in body.pulled}
        texts |= {("adjoint", place): name for place, name in self.adjoint.items()}
        self.tangent = {key: self._tangent(key, texts[key]) for key in body.moved}
        self.parameters = dict(enumerate([*texts.values(), *self.tangent.values()]))
        self.after = {**self._after(self.state, body.after), **self._after(self.state_dot, body.after_dot)}
        self.steps = names.new("steps")  # before those of loops within
        self.used = dict(names.used)
        self._write({})
        numbers = {name: number for number, name in self.parameters.items()}
        overwritten = {
            after: name for name, after in self.after.items() if self._may_overwrite(name, after, numbers.get(name))
        }
        if overwritten:
            self._write(overwritten)
        if self.iteration.way in ("nothing", "recomputed"):
            del names.used[self.steps]

    def _write(self, overwritten: Mapping[Term, str]) -> None:
        """Write the lines of an iteration; ``overwritten`` is state that gets its new value at once."""
        body, names = self.body, self.main.names
        preset = {term: f"{name}_next" for name, term in self.after.items()}
        values, adjoints = (
            [*values.values(), *tangents.values()]
            for values, tangents in ((body.after, body.after_dot), (body.adjoints, body.adjoints_dot))
        )
        adjoints = adjoints if self.is_pulled else []
        results, constants = [*values, *adjoints], self.main.constants

        def begin(loops: LoopWriter) -> Writer:
            names.used.clear()
            names.used.update(self.used)
            inner = Names(body.translation, self.parameters, (), values, preset, overwritten)
            inner.used = names.used
            printer, inlined = self.main.printer, frozenset(adjoints)
            made = Writer(body.translation, inner, values, results, constants, write_loop=loops, printer=printer)
            made.inlined = inlined
            return made

        self.inner, self.within, self.lines = lines_with_loops(LoopWriter(body.bodies, is_within=True), begin)
        terms, self.kept = self._kept()
        numbers = {name: number for number, name in self.parameters.items()}
        after = {numbers[name]: term for name, term in self.after.items()}
        forward, derivative = self._terms_of_lines(False), self._terms_of_lines(True)
        within = self.within.iterations()
        self.iteration = iteration_of(forward, derivative, terms, after, self.checkpoints, within)

    def _after(self, names: Mapping[int, str], after: Mapping[int, Term]) -> dict[str, Term]:
        return {names[place]: term for place, term in after.items() if place in names}

    def _may_overwrite(self, name: str, after: Term, number: int | None) -> bool:
        """Return whether nothing needs the state before an iteration, an input, once that after it is known."""
        forward = self._terms_of_lines(False)
        if name in self.kept or after not in forward or self._is_read_again(name, after):
            return False
        if any(term.operation is INPUT and term.value == number for term in self.after.values()):
            return False
        later = forward[forward.index(after) + 1 :]
        loops = {term for term in later if term.operation is LOOP}
        groups = [each for term in loops for each in self.within.made[made_of(term).loop].group]
        taken = (each for term in (*later, *groups) for each in term.operands)
        inside = reachable(taken, lambda term: () if term in self.inner.standing else term.operands)
        return not any(term.operation is INPUT and term.value == number for term in inside)

    def _is_read_again(self, name: str, after: Term) -> bool:
        """Tell whether statements read the state when what comes after it is begun, as where an array is changed."""
        texts = [text for line in self.lines if not line.is_derivative for text in line.statements]
        made = self.inner.printed[after].text
        start = next((k for k, text in enumerate(texts) if text.startswith(f"{made} = ")), len(texts))
        is_copy = texts[start:][:1] == [f"{made} = {name}.copy()"]  # the statement after it can read either
        return any(re.search(rf"\b{name}\b", text) for text in texts[start + 1 + is_copy :])

    def _taken(self, taken: Taken) -> str:
        """Return how something that an iteration takes is written."""
        kind, place = taken
        if kind == "state":
            name = self.body.names[taken]
            return name if self._is_taken_over(place, name, self.given) else self.main.names.new(name)
        if kind == "fixed":
            return self.given[taken].text
        base, key = self.loop.entries[place]
        return self.main.printer.entry(self.given["entries", base].text, growing_text(key, self.counter))

    def _tangent(self, taken: Taken, name: str) -> str:
        """Return how the tangent of something that an iteration takes, called ``name``, is written."""
        kind, place = taken
        if kind == "fixed":
            return self.given_dot[taken].text
        if kind == "entries":
            base, key = self.loop.entries[place]
            return self.main.printer.entry(self.given_dot["entries", base].text, growing_text(key, self.counter))
        name = f"{name}{self.body.translation.suffix}"
        is_taken_over = kind == "state" and self._is_taken_over(place, name, self.given_dot)
        return name if is_taken_over else self.main.names.new(name)

    @property
    def state_dot(self) -> dict[int, str]:
        """The names of tangents of the state, by places."""
        return {place: name for (kind, place), name in self.tangent.items() if kind == "state"}

    def _printed_operands(self, term: Term) -> list[Printed]:
        return [self.main.printed[each] for each in term.operands[1:]]

    def _tangents_given(self) -> dict[Taken, Printed]:
        """Return the texts of the tangents of what the loop takes."""
        term = next((each for each in self.group if each.operands[0].value.moved is not None), None)
        if term is None:
            return {}
        printed = self._printed_operands(term)[len(self.loop.taken) :]
        numbers = term.operands[0].value.moved
        return {self.loop.taken[number][0]: printed for number, printed in zip(numbers, printed, strict=True)}

    def _is_taken_over(self, place: int, name: str, given: Mapping[Taken, Printed]) -> bool:
        """Tell whether an argument of this name is only the state that the loop begins with, or its tangent."""
        if self.is_within or ("state", place) not in given or given["state", place].text != name:
            return False
        is_once = sum(printed.text == name for printed in given.values()) == 1
        operands = [operand for each in self.group for operand in each.operands[1:]]
        term = next(each for each in operands if self.main.printed[each].text == name)
        return is_once and term not in self.main.others and len(self.main.loops_of[term]) == 1

    def _terms_of_lines(self, is_derivative: bool) -> list[Term]:
        """Return what the lines of an iteration compute, but for the iterations of loops within."""
        own = {*self.inner.order}
        return [line.term for line in self.lines if line.is_derivative is is_derivative and line.term in own]

    def _kept(self) -> tuple[list[Term], list[str]]:
        """Return what backward lines take of the forward ones, and of the state before an iteration, with names.

        Loops within have names for what they keep.
        """
        derivative = self._terms_of_lines(True)
        pending = [each for term in (*derivative, *self.inner.inlined) for each in (term, *term.operands)]
        backward, seen, wanted = {*derivative}, set[Term](), dict[Term, None]()
        steps: dict[str, None] = {}
        while pending:
            term = pending.pop()
            if term in seen:
                continue
            seen.add(term)
            is_state = term.operation is INPUT and self.parameters[term.value] in self.after
            is_left = term.operation is LOOP and made_of(term).part == "forward"
            if is_state or is_left or (term in self.inner.standing and term not in backward):
                wanted[term] = None
            else:
                pending += term.operands
                if term.operation is LOOP:
                    within = self.within.made[made_of(term).loop]
                    pending += within.outside()
                    steps |= dict.fromkeys([within.steps] if within.kept else [])
        terms = [term for term in wanted if self.inner.printed[term].text.isidentifier()]
        terms.sort(key=lambda term: term.number)
        return terms, list(dict.fromkeys([*(self.inner.printed[term].text for term in terms), *steps]))

    def outside(self) -> list[Term]:
        """Return what its lines read from outside, forward and backward, but for the state that it begins with."""
        result = []
        for term in self.group:
            numbers = [*range(len(self.loop.taken)), *(made_of(term).moved or ())]
            keys = [self.loop.taken[number][0] for number in numbers]
            result += [each for key, each in zip(keys, term.operands[1:], strict=True) if key[0] != "state"]
        return result

    def forward(self, group: Sequence[Term]) -> list[Line]:
        """Return the loop of values."""
        term = group[0]
        places = [place for place, first in self.loop.firsts.items() if first is not None]
        firsts = {self.state[place]: self._first(place) for place in places}
        firsts |= {name: self._first_dot(place) for place, name in self.state_dot.items() if place in places}
        made = begun(term, firsts, False)
        made += self._with_checkpoints(term) if self.iteration.way == "checkpoints" else self._in_turn(term)
        for each in group:
            info = made_of(each)
            names = self.state if info.moved is None else self.state_dot
            text = names.get(info.key) or self.main.printer.zeros(each.shape, each.dtype)
            if each in self.apart:
                text, state = self.main.names.new(f"{text}_last"), text
                made.append(plain(term, f"{text} = {state}"))
            self.main.printed[each] = Printed(text)
        return made

    def rebound(self) -> set[str]:
        """Return the names that the loop of adjoints gives to what it takes of each iteration."""
        again = (statement for line in self._again() for statement in line.statements)
        bound = [names for names in map(BOUND.match, again) if names is not None]
        return {*self.kept, *(name.strip() for names in bound for name in names[1].split(","))}

    def _in_turn(self, term: Term) -> list[Line]:
        """Return all iterations, one after the other; each may keep what its derivative takes."""
        made, is_saved = [], self.iteration.way == "kept"
        if is_saved:
            made.append(Line(term, (f"{self.steps} = []",), "", None, False))
        repeated = [line._replace(indent=line.indent + 1) for line in self.lines if not line.is_derivative]
        if is_saved:
            repeated.append(Line(term, (f"{self.steps}.append({tupled(self.kept)})",), "", None, False, 1))
        repeated += assigned(term, {name: self.inner.printed[each].text for name, each in self.after.items()}, False)
        return made + self._repeated(term, f"range({self.loop.iterations})", repeated, False)

    def _with_checkpoints(self, term: Term) -> list[Line]:
        """Return the iteration as a function, which is run again from states that are kept."""
        new, loop, iteration = self.main.names.new, self.loop, self.iteration
        taken = {self.state[place] for place, first in loop.firsts.items() if first is not None}
        before = [name if name in taken else None for name in self.after]
        after = [self.inner.printed[each].text for each in self.after.values()]
        step, advance = new("step"), "" if iteration.is_all_advanced else new("advance")
        state, lines = new("state"), [line for line in self.lines if not line.is_derivative]

        def function(name: str, lines: Sequence[Line], returned: str) -> Iterator[Line]:
            given = [each or "_" for each in before]
            yield plain(term, f"def {name}({self.counter}, {given[0] if len(given) == 1 else state}):")
            if len(given) > 1:
                yield plain(term, f"{', '.join(given)} = {state}", 1)
            yield from (line._replace(indent=line.indent + 1) for line in lines)
            yield plain(term, f"return {returned}", 1)

        made = [*function(step, lines, f"{tupled(after)}, {tupled(self.kept)}")]
        if advance:  # computes no more of the state than derivatives depend on
            triples = zip(iteration.after, before, after, strict=True)
            texts = [text if number in iteration.carried else name or "None" for number, name, text in triples]
            made += function(advance, [line for line in lines if line.term in iteration.advanced], ", ".join(texts))
        more = f", advance={advance}" if advance else ""
        given = tupled([name or "None" for name in before])
        arguments = f"{step}, {given}, {loop.iterations}, checkpoints={iteration.checkpoints}{more}"
        made.append(plain(term, f"{self.steps} = checkpointed({arguments})"))
        return [*made, plain(term, f"{', '.join(self.after)} = next({self.steps})")]

    def _back(self, term: Term) -> list[Line]:
        """Return how an iteration of the loop of adjoints gets what it takes."""
        way, kept = self.iteration.way, ", ".join(self.kept)
        if way == "recomputed":
            return [line._replace(indent=line.indent + 1, is_derivative=True) for line in self._again()]
        text = {"kept": f"{self.steps}[{self.counter}]", "checkpoints": f"next({self.steps})"}.get(way)
        return [Line(term, (f"{kept} = {text}",), "", None, True, 1)] if text else []

    def _again(self) -> list[Line]:
        """Return the lines of an iteration that its derivative computes again."""
        recomputed, forward = self.iteration.recomputed, [line for line in self.lines if not line.is_derivative]
        if self.iteration.way != "recomputed":
            return []
        return forward if self.within.made else [line for line in forward if line.term in recomputed]

    def _repeated(self, term: Term, numbers: str, lines: list[Line], is_derivative: bool) -> list[Line]:
        """Return lines in a loop; nothing where the loop passes on what it takes."""
        head = Line(term, (f"for {self.counter} in {numbers}:",), "", None, is_derivative)
        return [head, *lines] if lines else []

    def _first(self, place: int) -> str:
        if place in self.body.begins:
            return self.main.constant(self.body.begins[place])
        return self.given["state", place].text

    def _first_dot(self, place: int) -> str:
        after = self.body.after[place]
        given = self.given_dot.get(("state", place))
        return given.text if given is not None else self.main.printer.zeros(after.shape, after.dtype)

    def backward(self, writer: Writer, group: Sequence[Term]) -> list[Line]:
        """Return the loop of adjoints, from the last iteration to the first, with their tangents if there are any."""
        term, body = group[0], self.body
        self.group_back = list(group)
        values = [each for each in group if made_of(each).moved is None]
        tangents = [each for each in group if made_of(each).moved is not None]
        parts = [self._pulled(writer, values, self.adjoint, body.adjoints, seeds_of(term))]
        if tangents:
            names = {place: name for (kind, place), name in self.tangent.items() if kind == "adjoint"}
            parts.append(self._pulled(writer, tangents, names, body.adjoints_dot, seeds_dot_of(tangents[0])))
        made = begun(term, {name: text for part in parts for name, text in part.firsts.items()}, True)
        repeated = [line._replace(indent=line.indent + 1) for line in self.lines if line.is_derivative]
        repeated += [added(term, target, text, self.main.printer) for part in parts for target, text in part.added]
        repeated += assigned(term, {name: text for part in parts for name, text in part.before.items()}, True)
        repeated = [*self._back(term), *repeated] if repeated else []
        return made + self._repeated(term, f"reversed(range({self.loop.iterations}))", repeated, True)

    def _pulled(
        self,
        writer: Writer,
        group: Sequence[Term],
        names: Mapping[int, str],
        adjoints: Mapping[Taken, Term],
        seeds: Mapping[int, Term],
    ) -> _Pulled:
        """Return how the adjoints in a group are passed back, or their tangents; to the group it gives texts."""
        wanted = {made_of(each).key: each for each in group}
        used = ({taken[1] for taken in adjoints if taken[0] == "state"} | {*seeds}) & {*names}
        sums = {key: writer.names.new(self._called(key, term)) for key, term in wanted.items() if key[0] != "state"}
        firsts, before = {}, {}
        for place in sorted(used):
            after, adjoint = self.body.after[place], adjoints.get(("state", place))
            zeros = self.main.printer.zeros(after.shape, after.dtype)
            firsts[names[place]] = writer.printed[seeds[place]].text if place in seeds else zeros
            before[names[place]] = self.inner.printed[adjoint].text if adjoint is not None else zeros
        firsts |= {name: self.main.printer.zeros(wanted[key].shape, wanted[key].dtype) for key, name in sums.items()}
        targets = [target for key, name in sums.items() for target in self._targets(key, name, adjoints)]
        for key, each in wanted.items():
            writer.printed[each] = Printed(sums[key] if key in sums else self._at_first(key[1], each, names))
        summed = [(target, adjoints[key]) for key, target in targets if not is_zero(adjoints[key])]
        return _Pulled(firsts, [(target, self.inner.printed[term].text) for target, term in summed], before)

    def _called(self, key: Taken, term: Term) -> str:
        """Return what a sum of adjoints is called; it may be a part of the adjoint."""
        if term in self.main.translation.known:
            return self.main.names.wanted(term)
        return f"{self.given[key].text}{self.body.suffix}_sum"

    def _at_first(self, place: int, term: Term, names: Mapping[int, str]) -> str:
        """Return the adjoint of what the state begins with, or its tangent."""
        if place in names:
            return names[place]
        is_known = place in self.body.known and made_of(term).moved is None
        return (
            self.main.constant(self.body.known[place]) if is_known else self.main.printer.zeros(term.shape, term.dtype)
        )

    def _targets(self, taken: Taken, name: str, adjoints: Mapping[Taken, Term]) -> Iterator[tuple[Taken, str]]:
        """Yield what of an iteration is added up in an array, and where in it."""
        if taken[0] == "fixed":
            if taken in adjoints:
                yield taken, name
            return
        for place, (base, key) in self.loop.entries.items():
            if base == taken[1] and ("entries", place) in adjoints:
                yield ("entries", place), f"{name}[{growing_text(key, self.counter)}]"


class _Pulled(NamedTuple):
    """What adjoints are before the loop, what is added to which in an iteration, and what they are before it."""

    firsts: dict[str, str]
    added: list[tuple[str, str]]
    before: dict[str, str]
