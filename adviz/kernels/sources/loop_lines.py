"""Loops of a program as lines: forward with the state passed on and kept, backward with adjoints added up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...engine.blocks import INPUT
from ..derivations.loop_bodies import Body
from ..derivations.regular_loops import Key
from ..terms.array_terms import Term
from ..terms.loop_terms import Made
from .dialects import Dialect
from .keys import key_text
from .lines import WIDTH, Line, Writer
from .names import Names
from .operator_phrases import Phrase


@dataclass
class LoopWriter:
    """Writes the loops of a program; ``bodies`` are their iterations, by the first node."""

    bodies: Mapping[int, Body]
    made: dict[int, _Loop] = field(default_factory=dict)

    def __call__(self, writer: Writer, group: list[Term]) -> list[Line]:
        """The lines of a loop that makes a group of terms, to which it gives phrases."""
        info: Made = group[0].operands[0].value
        if info.part == "forward":
            self.made[info.loop] = _Loop(self.bodies[info.loop], writer, group)
            return self.made[info.loop].forward(group)
        return self.made[info.loop].backward(writer, group)


class _Loop:
    """A loop that is being written: the names of its state, of what it takes and of what it keeps."""

    def __init__(self, body: Body, writer: Writer, group: Sequence[Term]):
        self.body, self.loop, self.main, self.group = body, body.loop, writer, group
        names = writer.names
        self.counter = names.new("k")
        self.given = iter_phrases(body, group[0], writer)
        texts = {taken: self._taken(taken) for taken in body.takes}
        self.state = {place: texts["state", place] for place in self.loop.firsts}
        self.adjoint = {
            place: names.new(f"{name}{body.found.suffix}")
            for place, name in self.state.items()
            if place not in body.known
        }
        self.parameters = dict(enumerate([*texts.values(), *self.adjoint.values()]))
        before = dict(names.used)
        self._write({})
        overwritten = {body.after[place]: name for place, name in self.state.items() if self._may_overwrite(place)}
        if overwritten:
            names.used.clear()
            names.used.update(before)
            self._write(overwritten)

    def _write(self, overwritten: Mapping[Term, str]) -> None:
        """Write the lines of an iteration; ``overwritten`` is state that gets its new value at once."""
        body, names = self.body, self.main.names
        preset = {term: f"{self.state[place]}_next" for place, term in body.after.items()}
        inner = Names(body.found, self.parameters, (), list(body.after.values()), preset, overwritten)
        inner.used = names.used
        results = [*body.after.values(), *body.adjoints.values()]
        self.inner = Writer(body.found, inner, list(body.after.values()), results, self.main.constants)
        self.inner.dialect = self.main.dialect
        self.inner.inlined = frozenset(body.adjoints.values())
        self.lines = self.inner.lines()
        self.kept = self._kept()

    def _may_overwrite(self, place: int) -> bool:
        """Whether nothing needs the state before an iteration once that after it is known."""
        after = self.body.after[place]
        forward = [line.term for line in self.lines if not line.is_derivative]
        if self.state[place] in self.kept or after not in forward:
            return False
        number = self.body.takes.index(("state", place))
        later = forward[forward.index(after) + 1 :]
        pending, seen = [each for term in later for each in term.operands], set[Term]()
        while pending:
            term = pending.pop()
            if term.operation is INPUT and term.value == number:
                return False
            if term not in seen and term not in self.inner.standing:
                seen.add(term)
                pending += term.operands
        return True

    def _taken(self, taken: tuple[str, int]) -> str:
        """How something that an iteration takes is written."""
        kind, place = taken
        if kind == "state":
            name = self.main.found.graph.name(self.loop.last + place) or "state"
            return name if self._is_taken_over(place, name) else self.main.names.new(name)
        if kind == "fixed":
            return self.given[place].text
        base, key = self.loop.entries[place]
        return self.main.dialect.entry(self.given[base].text, _growing_text(key, self.counter))

    def _is_taken_over(self, place: int, name: str) -> bool:
        """Whether an argument of this name is nothing else than the state that the loop begins with."""
        first = self.loop.firsts[place]
        if first is None or first < 0 or self.given["first", first].text != name:
            return False
        others = [*self.loop.fixed, *(base for base, _ in self.loop.entries.values())]
        is_once = list(self.loop.firsts.values()).count(first) == 1 and first not in others
        term = next(each for each in self.group[0].operands[1:] if self.main.phrases[each].text == name)
        return is_once and term not in self.main.others and len(self.main.loops_of[term]) == 1

    def _kept(self) -> list[str]:
        """What backward lines take of the forward ones, and of the state before an iteration: the names."""
        derivative = [line.term for line in self.lines if line.is_derivative]
        pending = [each for term in (*derivative, *self.body.adjoints.values()) for each in (term, *term.operands)]
        backward, seen, found = {*derivative}, set[Term](), dict[Term, None]()
        while pending:
            term = pending.pop()
            if term in seen:
                continue
            seen.add(term)
            is_state = term.operation is INPUT and term.value < len(self.state)
            if is_state or (term in self.inner.standing and term not in backward):
                found[term] = None
            elif term.operands:
                pending += term.operands
        return [self.inner.phrases[term].text for term in sorted(found, key=lambda term: term.number)]

    def forward(self, group: Sequence[Term]) -> list[Line]:
        """The loop of values."""
        term = group[0]
        firsts = {
            self.state[place]: self._first(first) for place, first in self.loop.firsts.items() if first is not None
        }
        made = _begun(term, firsts, False)
        if self.kept:
            self.steps = self.main.names.new("steps")
            made.append(Line(term, (f"{self.steps} = []",), "", None, False))
        made.append(Line(term, (f"for {self.counter} in range({self.loop.iterations}):",), "", None, False))
        made += [line._replace(indent=line.indent + 1) for line in self.lines if not line.is_derivative]
        if self.kept:
            kept = ", ".join(self.kept)
            kept = f"({kept})" if len(self.kept) > 1 else kept
            made.append(Line(term, (f"{self.steps}.append({kept})",), "", None, False, 1))
        after = {self.state[place]: self.inner.phrases[each].text for place, each in self.body.after.items()}
        made += _assigned(term, after, False)
        for each in group:
            self.main.phrases[each] = Phrase(self.state[each.operands[0].value.key])
        return made

    def _first(self, first: int) -> str:
        if first < 0:
            literal = self.main.found.graph.literal(first)
            return self.main.constant(literal)
        return self.given["first", first].text

    def backward(self, writer: Writer, group: Sequence[Term]) -> list[Line]:
        """The loop of adjoints, from the last iteration to the first."""
        term, info = group[0], group[0].operands[0].value
        seeds = dict(zip(info.seeds, group[0].operands[1:], strict=True))
        wanted = {each.operands[0].value.key: each for each in group}
        used = {taken[1] for taken in self.body.adjoints if taken[0] == "state"} | {*seeds}
        used -= {*self.body.known}
        firsts = {}
        for place in sorted(used):
            after = self.body.after[place]
            zeros = self.main.dialect.zeros(after.shape, after.dtype)
            firsts[self.adjoint[place]] = writer.phrases[seeds[place]].text if place in seeds else zeros
        sums = dict(self._sums(writer, wanted))
        firsts |= {name: self.main.dialect.zeros(shape, dtype) for name, shape, dtype in sums.values()}
        made = _begun(term, firsts, True)
        made.append(Line(term, (f"for {self.counter} in reversed(range({self.loop.iterations})):",), "", None, True))
        if self.kept:
            made.append(Line(term, (f"{', '.join(self.kept)} = {self.steps}[{self.counter}]",), "", None, True, 1))
        made += [line._replace(indent=line.indent + 1) for line in self.lines if line.is_derivative]
        for taken, (name, _, _) in sums.items():
            for key, target in self._targets(taken, name):
                text = self.inner.phrases[self.body.adjoints[key]].text
                made.append(_added(term, target, text, self.main.dialect))
        before = {}
        for place in sorted(used):
            found, after = self.body.adjoints.get(("state", place)), self.body.after[place]
            zeros = self.main.dialect.zeros(after.shape, after.dtype)
            before[self.adjoint[place]] = self.inner.phrases[found].text if found is not None else zeros
        made += _assigned(term, before, True)
        for key, each in wanted.items():
            writer.phrases[each] = Phrase(self.adjoint[key[1]] if key[0] == "state" else sums[key][0])
        return made

    def _sums(self, writer: Writer, wanted: Mapping[Any, Term]) -> Iterator[tuple[Any, tuple[str, Any, Any]]]:
        """The adjoints that are added up: the name, the shape and the dtype of each."""
        for key, term in wanted.items():
            if key[0] != "state":
                yield key, (writer.names.new(writer.names.wanted(term)), term.shape, term.dtype)

    def _targets(self, taken: tuple[str, int], name: str) -> Iterator[tuple[tuple[str, int], str]]:
        """What of an iteration is added up in an array, and where in it."""
        if taken[0] == "fixed":
            if taken in self.body.adjoints:
                yield taken, name
            return
        for place, (base, key) in self.loop.entries.items():
            if base == taken[1] and ("entries", place) in self.body.adjoints:
                yield ("entries", place), f"{name}[{_growing_text(key, self.counter)}]"


def iter_phrases(body: Body, term: Term, writer: Writer) -> dict[Any, Phrase]:
    """The phrases of what a loop takes: ``("first", node)`` for its state, the node for everything else."""
    loop, given = body.loop, iter(term.operands[1:])
    firsts = [first for first in loop.firsts.values() if first is not None and first >= 0]
    found: dict[Any, Phrase] = {("first", node): writer.phrases[next(given)] for node in firsts}
    found |= {node: writer.phrases[next(given)] for node in loop.fixed}
    return found | {base: writer.phrases[next(given)] for base, _ in loop.entries.values()}


def _begun(term: Term, texts: Mapping[str, str], is_derivative: bool) -> list[Line]:
    """Names that get their first values; those of constants share lines."""
    plain: list[tuple[str, str]] = []
    found: list[Line] = []
    for name, text in texts.items():
        if text == name:
            continue
        if not text.startswith(("np.zeros(", "zeros(", "np.eye(", "0.0")):
            found.append(Line(term, (f"{name} = {text}",), "", None, is_derivative))
            continue
        if plain and len(_all_at_once([*plain, (name, text)])) > WIDTH - 4:
            found.append(Line(term, (_all_at_once(plain),), "", None, is_derivative))
            plain = []
        plain.append((name, text))
    return [*found, Line(term, (_all_at_once(plain),), "", None, is_derivative)] if plain else found


def _all_at_once(pairs: Sequence[tuple[str, str]]) -> str:
    return f"{', '.join(name for name, _ in pairs)} = {', '.join(text for _, text in pairs)}"


def _assigned(term: Term, texts: Mapping[str, str], is_derivative: bool) -> list[Line]:
    """Names that get new values, all at once."""
    changed = {name: text for name, text in texts.items() if name != text}
    if not changed:
        return []
    return [Line(term, (f"{', '.join(changed)} = {', '.join(changed.values())}",), "", None, is_derivative, 1)]


def _added(term: Term, name: str, text: str, dialect: Dialect) -> Line:
    array, _, key = name.removesuffix("]").partition("[")
    if key and not dialect.changes_arrays:
        return Line(term, (dialect.added(array, key, text),), "", None, True, 1)
    if text.startswith("-") and " + " not in text and " - " not in text:
        return Line(term, (f"{name} -= {text[1:]}",), "", None, True, 1)
    return Line(term, (f"{name} += {text}",), "", None, True, 1)


def _growing_text(key: Key, counter: str) -> str:
    """A key as it is in iteration ``counter``: ``k + 1, :``."""
    parts = []
    for part, step in zip(key.first, key.step, strict=True):
        if not step:
            parts.append(key_text((part,)))
        elif step == 1:
            parts.append(f"{counter} + {part}" if part else counter)
        else:
            parts.append(f"{part} - {counter}" if step == -1 else f"{part} + {step} * {counter}")
    return ", ".join(parts)
