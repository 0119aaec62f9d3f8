"""What is seen of a large elimination at a moment of a show: the matrices of its panels, below each other."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ...scene.algebra_panels import EliminationVertex, ExtendedPanel
from ...scene.captions import plural
from ...scene.document import Step
from ...scene.short_text import OnStage
from ..flow_motion import eased, within
from ..marks import Box, Cells, Curve, Item, Mark, Text
from .elimination_steps import Beat, Multiplied
from .elimination_values import told, written

# ---- marks of a moment ----

# A moment of a large elimination as marks: the extended Jacobian, and the pivot with its neighbors beside it.
#
# The same marks in the same order as `extended-marks.ts` of the front end; a test compares them. Rows are the
# intermediates and the outputs, columns the inputs and the intermediates: the local partials lie below the diagonal.
# The elimination of a vertex multiplies its row by its column and takes both away; what is left at the end, the corner
# below the inputs, is the Jacobian (Griewank and Walther, *Evaluating Derivatives*, 2nd ed., section 10.1).


LEFT, TOP, SIDE = 96.0, 40.0, 430.0  # of the square of the matrix
LENS, RIGHT = 570.0, 910.0  # from where to where the pivot is told of
MIDDLE, APART = 250.0, 44.0  # the height of the pivot there, and between its neighbors
LABEL = 78.0, 30.0  # the box of a label
MOST = 7  # neighbors that are shown on each side
LEAST, SMALL, USUAL, LARGE = 11.0, 14.0, 16.0, 19.0  # sizes of texts
CHARACTER = 0.58  # the width of a character, as a share of its size
FILL_IN = "pair-2 60"
LOWEST, NARROWEST = 17.0, 44.0  # px of a cell with a number
FREE = 15.0  # px between two names on the diagonal

Labels = Mapping[str, OnStage]  # by the edges that they stand for, with twins: "1.3", "1.3.2"
Span = tuple[float, float]  # the start of a row or a column, and its size


class Standing(NamedTuple):
    """What is seen: what was given, what is there before and after some steps, and the products of their move."""

    panel: ExtendedPanel
    given: Collection[str]
    before: Labels
    after: Labels
    products: Sequence[Multiplied] = ()  # of the move so far

    @property
    def pivot(self) -> str | None:
        """The vertex whose row and column are multiplied."""
        return self.products[-1].via if self.products else None


class Field(NamedTuple):
    """Where rows and columns are, by their vertices."""

    rows: dict[str, Span]
    columns: dict[str, Span]

    def cell(self, row: str, column: str) -> list[float]:
        """Return the left and upper side, the width and the height of a cell."""
        (y, h), (x, w) = self.rows[row], self.columns[column]
        across, down = min(1.0, 0.1 * w), min(1.0, 0.1 * h)
        return [LEFT + x + across, TOP + y + down, w - 2 * across, h - 2 * down]


def extended(standing: Standing, share: float) -> Iterator[Mark]:
    """Yield the marks when so much (0 to 1) of the steps is done."""
    there = _there(standing.before), _there(standing.after)
    one, other = (_field(standing.panel, present) for present in there)
    moved = eased(within(share, 0.6, 1))
    field = Field(
        *(
            {key: _between(span, last[key], moved) for key, span in each.items()}
            for each, last in zip(one, other, strict=True)
        )
    )
    yield Box(LEFT, TOP, SIDE, SIDE, 0, "cell", "faint")
    yield from _bands(standing, field)
    yield from _entries(standing, field, share)
    yield from _headings(standing, field)
    yield from _lens(standing)


# ---- the matrix ----


def _ends(thing: str) -> tuple[str, str]:
    tail, head, *_ = thing.split(".")
    return tail, head


def _there(labels: Iterable[str]) -> set[str]:
    """Return the vertices that have a label."""
    return {end for thing in labels for end in _ends(thing)}


def _field(panel: ExtendedPanel, there: Collection[str]) -> Field:
    def spans(*roles: str) -> dict[str, Span]:
        chosen = [
            (each["thing"], each["role"] != "intermediate" or each["thing"] in there)
            for role in roles
            for each in panel["vertices"]
            if each["role"] == role
        ]
        unit = SIDE / max(1, sum(present for _, present in chosen))
        result, at = {}, 0.0
        for thing, present in chosen:
            result[thing] = at, unit * present
            at += unit * present
        return result

    return Field(spans("intermediate", "output"), spans("input", "intermediate"))


def _between(one: Span, other: Span, share: float) -> Span:
    return one[0] + share * (other[0] - one[0]), one[1] + share * (other[1] - one[1])


def _bands(standing: Standing, field: Field) -> Iterator[Mark]:
    """Yield the diagonal, and the row and the column of the pivot."""
    pivot = standing.pivot
    diagonal = [key for key in field.columns if key in field.rows]
    if pivot:
        x, y, w, h = field.cell(pivot, pivot)
        bands = [LEFT, y, x + w - LEFT, h, x, y, w, TOP + SIDE - y]
        yield Cells(bands, "edge 26")
    yield Cells([number for key in diagonal for number in field.cell(key, key)], "faint 45")


def _entries(standing: Standing, field: Field, share: float) -> Iterator[Mark]:
    """Yield the local partials and the fill-ins, the factors of the move, and its products."""
    before, after = standing.before, standing.after
    things = sorted({*before, *after}, key=lambda thing: [int(end) for end in thing.split(".")])
    gone, landed = 1 - eased(within(share, 0.6, 1)), eased(within(share, 0.3, 0.6))
    for change, opacity in (("stays", 1.0), ("goes", gone), ("comes", landed)):
        for given, fill in ((True, "edge"), (False, FILL_IN)):
            chosen = [
                thing for thing in things if _change(standing, thing) == change and (thing in standing.given) == given
            ]
            if chosen and opacity:
                yield Cells(
                    [number for thing in chosen for number in field.cell(*reversed(_ends(thing)))], fill, opacity
                )
    yield from _factors(standing, field, gone)
    ends = {each["thing"] for each in standing.panel["vertices"] if each["role"] != "intermediate"}
    numbers = _has_numbers(standing, field)
    for number, product in enumerate(standing.products):
        tail, head = _ends(product.result)
        x, y, w, h = field.cell(head, tail)
        shown = landed if number == len(standing.products) - 1 else 1.0
        if shown and w and h:
            yield Cells([x, y, w, h], product.hue, shown)
            size = min(SMALL, 0.9 * w, 0.9 * h)
            if not product.fresh and size >= 8 and not (numbers and {tail, head} <= ends):
                yield Text(x + w / 2, y + h / 2 + 0.35 * size, "+", size, "paper", "bold", opacity=shown)
    yield from _corner(standing, field)


def _change(standing: Standing, thing: str) -> str:
    return "comes" if thing not in standing.before else "stays" if thing in standing.after else "goes"


def _factors(standing: Standing, field: Field, gone: float) -> Iterator[Mark]:
    """Yield the row and the column of the pivot."""
    pivot = standing.pivot
    found = [_ends(thing) for thing in standing.before if pivot in _ends(thing)]
    cells = [number for tail, head in sorted(found, key=_rank) for number in field.cell(head, tail)]
    if cells and pivot:
        yield Cells([*cells, *field.cell(pivot, pivot)], "ink", 1.0 if pivot in _there(standing.after) else gone)


def _rank(ends: tuple[str, str]) -> tuple[int, int]:
    return int(ends[0]), int(ends[1])


def _corner(standing: Standing, field: Field) -> Iterator[Mark]:
    """Yield the Jacobian: its frame, and its numbers where there is room."""
    inputs, outputs = (_role(standing.panel, role) for role in ("input", "output"))
    (top, h), (_, w) = field.rows[outputs[0]["thing"]], field.columns[inputs[0]["thing"]]
    if _has_numbers(standing, field):
        things = [f"{column['thing']}.{row['thing']}" for row in outputs for column in inputs]
        entries = {thing: standing.after[thing] for thing in things if thing in standing.after}
        longest = max((len(told(value)) for value in entries.values()), default=0)
        for thing, value in entries.items():
            x, y, _, _ = field.cell(*reversed(_ends(thing)))
            yield Box(x - 1, y - 1, w, h, 0, "paper", "faint", thickness=1.0)
            yield from written(value, x + w / 2 - 1, y + h / 2 - 1, w - 6, "ink", 1.0, longest)
    yield Box(LEFT, TOP + top, w * len(inputs), h * len(outputs), 0, "", "pair-3", thickness=2.0)


def _has_numbers(standing: Standing, field: Field) -> bool:
    """Return whether the cells of the Jacobian have room for their numbers."""
    row, column = (_role(standing.panel, role)[0]["thing"] for role in ("output", "input"))
    return field.rows[row][1] >= LOWEST and field.columns[column][1] >= NARROWEST


def _role(panel: ExtendedPanel, role: str) -> list[EliminationVertex]:
    return [each for each in panel["vertices"] if each["role"] == role]


# ---- names ----


def _wide(text: str, size: float) -> float:
    return CHARACTER * size * len(text)


def _headings(standing: Standing, field: Field) -> Iterator[Mark]:
    """Yield what rows and columns are: names of inputs and outputs where there is room, or how many they are."""
    panel = standing.panel
    inputs, outputs = (_role(panel, role) for role in ("input", "output"))
    (_, w), (top, h) = field.columns[inputs[0]["thing"]], field.rows[outputs[0]["thing"]]
    size = min(SMALL, (w - 10) / max(_wide(each["name"], 1) for each in inputs))
    if size >= LEAST or max(_wide(each["label"], SMALL) for each in inputs) + 4 <= w:
        for each in inputs:
            x, words = LEFT + field.columns[each["thing"]][0] + w / 2, each["name" if size >= LEAST else "label"]
            yield Text(x, TOP - 10, words, size if size >= LEAST else SMALL, "ink")
    else:
        yield _beginning(LEFT, TOP - 10, plural(len(inputs), "input"), SMALL, "ink")
    if h >= SMALL + 3:
        for each in outputs:
            y = TOP + field.rows[each["thing"]][0] + h / 2 + 0.35 * SMALL
            yield Text(LEFT - 8 - _wide(each["label"], SMALL) / 2, y, each["label"], SMALL, "ink")
    else:
        words = plural(len(outputs), "output")
        yield Text(
            LEFT - 8 - _wide(words, SMALL) / 2, TOP + top + h * len(outputs) / 2 + 0.35 * SMALL, words, SMALL, "ink"
        )
    if left := _left(standing):
        words = f"{plural(left, 'intermediate')} left"
        yield Text(LEFT + SIDE - _wide(words, SMALL) / 2, TOP - 10, words, SMALL, "muted")
    last = -FREE
    for each in _role(panel, "intermediate"):
        (y, high), (x, wide) = field.rows[each["thing"]], field.columns[each["thing"]]
        is_pivot, at = each["thing"] == standing.pivot, TOP + y + high / 2
        is_named = each["label"] != f"v{each['index']}" or high >= FREE
        if not high or not (is_pivot or (is_named and at - last >= FREE)):
            continue
        begin, end = LEFT + x + wide + 6, LEFT + x + wide + 6 + _wide(each["label"], SMALL)
        if end <= LEFT + SIDE + 40:
            yield _beginning(begin, at + 0.35 * SMALL, each["label"], SMALL, "ink", "bold" if is_pivot else "sans")
            last = at


def _beginning(x: float, y: float, words: str, size: float, fill: str, font: str = "sans") -> Text:
    return Text(x, y, words, size, fill, font, anchor="start")


# ---- the pivot ----


def _lens(standing: Standing) -> Iterator[Mark]:
    """Yield the pivot with its neighbors, or what the matrix is."""
    for number, line in enumerate(_words(standing)):
        size = USUAL if number else LARGE
        yield _beginning(
            LENS, TOP + 10 + 26 * number, line, size, "muted" if number else "ink", "sans" if number else "bold"
        )
    if standing.pivot and _left(standing):
        yield from _neighbors(standing, standing.pivot)
    x, y = LENS, TOP + SIDE - 6
    for fill, line, sign in (("edge", "", "given"), (FILL_IN, "", "fill-in"), ("", "pair-3", "Jacobian")):
        yield Box(x, y - 11, 12, 12, 1, fill, line, thickness=2.0)
        yield _beginning(x + 18, y, sign, SMALL, "ink")
        x += 40 + _wide(sign, SMALL)


def _words(standing: Standing) -> list[str]:
    """Return a title and what there is to say of it."""
    panel, pivot, count = standing.panel, standing.pivot, len(standing.after)
    if not _left(standing):
        return ["The Jacobian", f"only the corner is left: {count} {'entry' if count == 1 else 'entries'}"]
    if not pivot:
        told = "A row for each result of an operation,", "a column for each value that is used"
        return ["Extended Jacobian", plural(count, "local partial"), *told]
    vertex = next(each for each in panel["vertices"] if each["thing"] == pivot)
    own = f"v{vertex['index']}"
    rows, columns = (len(_neighboring(standing, pivot, into)) for into in (True, False))
    fresh = sum(product.fresh for product in standing.products)
    counts = plural(fresh, "fill-in"), plural(len(standing.products) - fresh, "absorption")
    return [
        f"Pivot {vertex['label']}" + (f" ({own})" if vertex["label"] != own else ""),
        f"Markowitz degree {rows} × {columns} = {rows * columns}",
        f"so far {counts[0]}, {counts[1]}",
    ]


def _left(standing: Standing) -> int:
    """Return how many intermediates are left."""
    there = _there(standing.after)
    return sum(each["thing"] in there for each in _role(standing.panel, "intermediate"))


def _neighboring(standing: Standing, pivot: str, into: bool) -> list[str]:
    """Return the labels that lead into the pivot, or out of it."""
    result = [thing for thing in standing.before if _ends(thing)[into] == pivot]
    return sorted(result, key=lambda thing: [int(end) for end in thing.split(".")])


def _neighbors(standing: Standing, pivot: str) -> Iterator[Mark]:
    panel, current = standing.panel, standing.products[-1]
    names = {each["thing"]: each["label"] for each in panel["vertices"]}
    wide, high = LABEL
    middle = (LENS + RIGHT) / 2
    spots: dict[str, tuple[float, float]] = {}
    for into, x in ((True, LENS + 66 + wide / 2), (False, RIGHT - 66 - wide / 2)):
        side = _neighboring(standing, pivot, into)
        factor = current.tail if into else current.head
        shown = side[:MOST]
        if factor in side and factor not in shown:
            shown[-1] = factor
        for k, thing in enumerate(shown):
            spots[thing] = x, MIDDLE + APART * (k - (len(shown) - 1) / 2)
        if len(side) > MOST:
            y = MIDDLE + APART * (len(shown) + 1) / 2
            yield Text(x, y, f"and {len(side) - MOST} more", SMALL, "muted")
    for product in standing.products:
        if product.tail in spots and product.head in spots:
            (x, y), (u, v) = spots[product.tail], spots[product.head]
            begin, end = x + wide / 2, u - wide / 2
            half = (begin + end) / 2
            points = [begin, y, half, y, half, MIDDLE, half, MIDDLE, half, MIDDLE, half, v, end, v]
            thickness = 4.0 if product is current else 2.0
            yield Curve(points, product.hue, thickness)
    yield Box(middle - 20, MIDDLE - 20, 40, 40, 20, "paper", "edge", True, 2.0)
    for thing, (x, y) in spots.items():
        into = _ends(thing)[1] == pivot
        is_factor = thing in (current.tail, current.head)
        name = names[_ends(thing)[0 if into else 1]][:10]
        fill, line = (f"{current.hue} 14", current.hue) if is_factor else ("paper", "edge")
        yield Box(x - wide / 2, y - high / 2, wide, high, 6, fill, line, thickness=3.0 if is_factor else 1.0)
        yield from written(standing.before[thing], x, y, wide - 4, "ink", 1.0)
        away = wide / 2 + 6 + _wide(name, SMALL) / 2
        yield Text(x - away if into else x + away, y + 0.35 * SMALL, name, SMALL, "muted")


# ---- pictures ----


def labels_of(stage: Mapping[str, OnStage]) -> dict[str, OnStage]:
    """Return the labels on stage by the edges that they stand for, without the ends of the line graph.

    >>> labels_of({"vertex/0": True, "node/s.0": 1.0, "node/0.1": 2.0})
    {'0.1': 2.0}
    """
    things = {key.removeprefix("node/"): value for key, value in stage.items() if key.startswith("node/")}
    return {thing: value for thing, value in things.items() if "s." not in thing and ".t" not in thing}


def standing(
    panel: ExtendedPanel, start: Labels, stage: Mapping[str, OnStage], taken: Sequence[Step], played: Sequence[Beat]
) -> Standing:
    """Return what is seen after the steps ``taken``, which lead to this ``stage``; ``played`` are all steps so far."""
    own = f"{panel['run']}/"
    now = {key.removeprefix(own): value for key, value in stage.items() if key.startswith(own)}
    old = dict(now)
    for step in reversed(taken):
        for key, before, _ in reversed(step["edits"]):
            old[key.removeprefix(own)] = before
    there = {key: value for key, value in old.items() if value is not None}
    move = played[played[-1].first :] if played else []
    products = [beat.product for beat in move if beat.product]
    return Standing(panel, start, labels_of(there), labels_of(now), products)


def items(
    panel: ExtendedPanel,
    start: Labels,
    stage: Mapping[str, OnStage],
    taken: Sequence[Step],
    played: Sequence[Beat],
    share: float,
) -> Iterator[Item]:
    """Yield the matrix when so much (0 to 1) of the steps just taken is done."""
    yield Item(panel["id"], "matrix", "", [*extended(standing(panel, start, stage, taken, played), share)])
