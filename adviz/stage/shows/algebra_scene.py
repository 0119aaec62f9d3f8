"""The Scene of the algebra of a graph: its expressions, its chains and blocks, step by step, and its levels.

The keys of its stage are those of the picture of an elimination: ``algebra/vertex/3``, ``algebra/node/1.3`` (whose
value is a letter here) and ``algebra/face/0.1/1.3``. Steps have no cost of their own: what the expressions cost after
each is in their panel.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Literal, get_args

from ...algorithms.expressions import (
    ExpressionError,
    Letter,
    LocalJacobian,
    Product,
    Reference,
    Sum,
    accumulated,
    complex_blocks,
    dependencies,
    local_jacobians,
    multiplications,
    optimal_expressions,
)
from ...algorithms.expressions.decomposition import is_direct
from ...algorithms.expressions.local_jacobians import Order
from ...algorithms.expressions.terms import Expression, added, multiplied, parts, walk
from ...algorithms.search.clock import Budget, budget_of
from ...algorithms.search.optimum import optimal_order
from ...graph.graph import Graph
from ...graph.linearized.cgraph import CGraph, Copy, original
from ...graph.linearized.checked_parts import Edge, Vertex
from ...graph.linearized.line_graph import SINK, SOURCE, LineNode, line_graph
from ...graph.linearized.measures import DIRECTIONS, bauer_multiplications, levels
from ..narration.algebra_narration import AlgebraNarrator, Namer, PageMoment, paged
from ..narration.factored_moments import TOO_LARGE, WAYS, FactoredMoment, Way, edges_of, factored
from ..narration.playing import step_document
from ..narration.questions.algebra_questions import Examiner
from ..scene import captions
from ..scene.algebra_panels import (
    BestCost,
    Dependence,
    Direction,
    EliminationPanel,
    EliminationVertex,
    LevelCost,
    LevelEntry,
    LevelMatrix,
    LevelsPanel,
    OutlineRow,
    WrittenPart,
    WrittenRow,
    WrittenSet,
)
from ..scene.captions import OnStage
from ..scene.document import Panel
from ..scene.document import Step as SceneStep
from . import explorer_scene
from .elimination_scene import described
from .options import Names, Show, ShowError, chosen, chosen_kinds, show_document

# ---- sets as they are written ----


SORTS = {
    ("chain", True): "direct",
    ("chain", False): "indirect",
    ("block", True): "simple",
    ("block", False): "simple, indirect",
}
"""What is said of a chain or a block, by whether it is direct."""
MOST_NAMES = 6  # of vertices in a row
MOST_OF_A_SUM = 44  # the most characters of a chain or block in the outline


def written_set(moment: FactoredMoment, namer: Namer) -> WrittenSet:
    """Return the expressions after a step: references in their order, then the entries."""
    rows = [_reference(name, expression, moment, namer) for name, expression in moment.references.items()]
    page = moment.page if isinstance(moment, PageMoment) else None
    for (output, input_), expression in moment.rows.items():
        letter = namer.index(Letter(output, input_))
        rows.append({"name": letter, "kind": "letter", "edges": [], "parts": _parts(expression, moment, namer)})
    result: WrittenSet = {"rows": rows, "multiplications": moment.multiplications}
    return {**result, "page": page.number} if page else result


def _reference(name: str, expression: Expression, moment: FactoredMoment, namer: Namer) -> WrittenRow:
    edges = [edge for edge, part in moment.parts.items() if isinstance(part, Reference) and part.name == name]
    named = list(map(namer.thing, edges))
    parts = _parts(expression, moment if isinstance(moment, PageMoment) else None, namer)
    return {"name": name, "kind": "reference", "edges": named, "parts": parts}


def _parts(expression: Expression, moment: FactoredMoment | None, namer: Namer) -> list[WrittenPart]:
    """Return the parts of an expression in edges of the graph of a moment, or in letters of the graph at the start."""
    result: list[WrittenPart] = []
    waiting: list[tuple[Expression, int]] = [(expression, -1)]
    while waiting:
        each, of = waiting.pop()
        match each:
            case Product() | Sum():
                result.append(["product" if isinstance(each, Product) else "sum", of, "", ""])
                waiting += [(inner, len(result) - 1) for inner in reversed(parts(each))]
            case Reference(name):
                result.append(["reference", of, name, ""])
            case Letter():
                edge = each.tail, each.head
                leaf = moment.parts[edge] if moment else each
                is_named = isinstance(leaf, Reference)
                name = leaf.name if isinstance(leaf, Reference) else namer.index(leaf)
                result.append(["reference" if is_named else "letter", of, name, namer.thing(edge) if moment else ""])
    return result


# ---- chains and blocks ----


def outline(moment: FactoredMoment, namer: Namer) -> list[OutlineRow]:
    """Return the tree of chains and blocks after a step: first the core that is left, at the end the references."""
    rows = list(_core(moment, namer))
    depth = int(bool(rows))
    for expression in moment.core.edges.values():
        rows += _branch(expression, depth, moment, namer)
    if not isinstance(moment, PageMoment):
        rows += (_named(name, expression, moment, namer) for name, expression in moment.references.items())
    return rows


def _named(name: str, expression: Expression, moment: FactoredMoment, namer: Namer) -> OutlineRow:
    """Return what a reference stands for, with the edges that are there for it."""
    kind, text = _kind(expression), namer.text(expression)
    reference = namer.leaf(Reference(name, expression.head, expression.tail))
    words = f"{kind} {namer.ends(expression.tail, expression.head)}, computed once: {reference}"
    words += f" = {text}" if len(text) <= MOST_OF_A_SUM else ""
    edges = [edge for edge, part in moment.parts.items() if isinstance(part, Reference) and part.name == name]
    return {"depth": 0, "kind": kind, "words": words, "edges": list(map(namer.thing, edges))}


def _kind(expression: Expression) -> Literal["chain", "block"]:
    return "chain" if isinstance(expression, Product) else "block"


def _core(moment: FactoredMoment, namer: Namer) -> Iterator[OutlineRow]:
    core = moment.core
    if core.is_simple:
        return
    try:
        blocks = complex_blocks(moment.graph)
    except ExpressionError:
        blocks = []
    for block in blocks:
        inner = [vertex for vertex in core.intermediates if any(vertex in edge for edge in block.edges)]
        names = [namer.called(vertex) for vertex in inner if vertex not in (block.tail, block.head)]
        shared, have = captions.listed(names), "has" if len(names) == 1 else "have"
        words = f"block {namer.ends(block.tail, block.head)}, complex: {shared} {have} several edges in or out"
        yield {"depth": 0, "kind": "core", "words": words, "edges": list(map(namer.thing, block.edges))}
    if not blocks:
        edges = [namer.thing(edge) for part in core.edges.values() for edge in _edges(part)]
        names = list(map(namer.called, core.intermediates))
        left = captions.listed(names) if len(names) <= MOST_NAMES else f"{len(names)} vertices"
        yield {"depth": 0, "kind": "core", "words": f"core, complex: {left} cannot be contracted", "edges": edges}


def _branch(expression: Expression, depth: int, moment: FactoredMoment, namer: Namer) -> Iterator[OutlineRow]:
    """Yield a chain or a block with those in it."""
    waiting = [(expression, depth)]
    while waiting:
        each, at = waiting.pop()
        if not isinstance(each, Product | Sum):
            continue
        kind = _kind(each)
        sort = SORTS[kind, is_direct(each)]
        text = namer.text(moment.spelled(each))
        words = f"{kind} {namer.ends(each.tail, each.head)}, {sort}"
        words += f": {text}" if len(text) <= MOST_OF_A_SUM else ""
        yield {"depth": at, "kind": kind, "words": words, "edges": list(map(namer.thing, _edges(each)))}
        waiting += [(inner, at + 1) for inner in reversed(parts(each))]


def _edges(expression: Expression) -> list[Edge]:
    return [(each.tail, each.head) for each in walk(expression) if isinstance(each, Letter)]


# ---- dependencies ----


def dependence(moment: FactoredMoment, namer: Namer) -> Dependence:
    """Return which multiplications of the expressions after a step wait for which."""
    order = dependencies(moment.expressions)
    cycle = order.cycle or []
    pairs = [(one, other) for one, others in order.waits.items() for other in others]
    circle = zip(cycle, [*cycle[1:], *cycle[:1]], strict=True)
    pairs = list(dict.fromkeys([*pairs, *circle]))
    texts = list(dict.fromkeys(each for pair in pairs for each in pair))
    return {
        "multiplications": [" · ".join(map(namer.factor, each)) for each in texts],
        "waits": [[texts.index(one), texts.index(other)] for one, other in pairs],
        "cycle": [texts.index(each) for each in cycle],
    }


# ---- tables of levels ----


MOST_LEVELS = 8  # matrices: more have too many orders to be seen
MOST_ROWS = 8  # of a matrix

Entries = dict[tuple[Any, Any], Expression | None]


def levels_panel(graph: CGraph, namer: Namer) -> LevelsPanel:
    """Return the matrices of a graph, or why there are none."""
    panel: LevelsPanel = {
        "id": "levels", "kind": "levels", "matrices": [], "costs": [], "order": 0, "best": 0, "why_not": None
    }  # fmt: skip
    if any(graph.size(vertex) > 1 for vertex in graph.vertices):
        return {**panel, "why_not": "Levels are of numbers, and this graph has arrays."}
    jacobians = local_jacobians(graph)
    rows = max((len(each) for matrix in jacobians for each in (matrix.rows, matrix.columns)), default=0)
    if not 2 <= len(jacobians) <= MOST_LEVELS:
        few, many = (
            "There is only one matrix" if jacobians else "There is no matrix",
            f"There are {len(jacobians)} matrices, more than {MOST_LEVELS}",
        )
        return {**panel, "why_not": f"{few if len(jacobians) < 2 else many}: there is no order to choose."}
    if rows > MOST_ROWS:
        return {**panel, "why_not": f"A level has {rows} values, more than {MOST_ROWS}: its matrix would be too large."}
    best = accumulated(jacobians)
    matrices, costs = _products(jacobians)
    texts = [_matrix(first, stop, *each, namer) for (first, stop), each in matrices.items()]
    return {**panel, "matrices": texts, "costs": costs, "order": as_lists(best.order), "best": best.multiplications}


def as_lists(order: Order) -> Any:
    """Return an order as JSON holds it.

    >>> as_lists(((0, 1), 2))
    [[0, 1], 2]
    """
    return order if isinstance(order, int) else [as_lists(each) for each in order]


Whole = tuple[LocalJacobian, Entries]


def _products(products: list[LocalJacobian]) -> tuple[dict[tuple[int, int], Whole], list[LevelCost]]:
    """Return the products of all stretches of neighbours, and what each way to make one costs."""
    count = len(products)
    matrices: dict[tuple[int, int], Whole] = {}
    costs: list[LevelCost] = []
    for k, matrix in enumerate(products):
        letters: Entries = {}
        for (row, column), label in matrix.entries.items():
            letters[row, column] = None if label is None else Letter(row[0], column[0])
        matrices[k, k + 1] = matrix, letters
    for length in range(2, count + 1):
        for first in range(count - length + 1):
            stop = first + length
            for cut in range(first + 1, stop):
                work = multiplications(matrices[first, cut][0], matrices[cut, stop][0])
                costs.append([first, cut, stop, work])
            (left, one), (right, other) = matrices[first, stop - 1], matrices[stop - 1, stop]
            matrices[first, stop] = left @ right, _entries(one, other)
    return matrices, costs


def _entries(left: Entries, right: Entries) -> Entries:
    result: Entries = {}
    for (row, middle), head in left.items():
        for (at, column), tail in right.items():
            if at != middle:
                continue
            term = multiplied(head, tail) if head and tail else head or tail
            old = result.get((row, column))
            result[row, column] = added(old, term) if old and term else old or term
    return result


def _matrix(first: int, stop: int, matrix: LocalJacobian, entries: Entries, namer: Namer) -> LevelMatrix:
    rows, columns = ([namer.called(vertex) for vertex, _ in side] for side in (matrix.rows, matrix.columns))
    places = {place: k for side in (matrix.rows, matrix.columns) for k, place in enumerate(side)}
    texts: list[LevelEntry] = []
    for (row, column), entry in entries.items():
        text = "" if entry is None else namer.text(entry)
        texts.append([places[row], places[column], text])
    return {"first": first, "stop": stop, "rows": rows, "columns": columns, "entries": texts}


# ---- the factored picture ----


def stage_of(moment: FactoredMoment, namer: Namer) -> dict[str, OnStage]:
    """Return what there is: vertices, letters and the lines between them, by keys of the Scene."""
    result: dict[str, OnStage] = {f"vertex/{namer.numbers[vertex]}": True for vertex in moment.graph.vertices}
    line = line_graph(moment.graph)

    def thing(node: LineNode) -> str:
        ends: dict[Vertex, str] = {SOURCE: "s", SINK: "t"}
        return ".".join(ends.get(end) or namer.numbers[end] for end in node)

    for node in line.nodes:
        part = moment.parts.get((node[0], node[1]))
        result[f"node/{thing(node)}"] = 1 if part is None else namer.leaf(part)
    for one, other in line.faces:
        result[f"face/{thing(one)}/{thing(other)}"] = True
    return result


def picture(moments: list[FactoredMoment], namer: Namer, direction: Direction, run: str) -> EliminationPanel:
    """Return the picture of all moments."""
    for moment in moments:
        level = levels(moment.graph)
        longest, highest = max(level.values(), default=0), max(Counter(level.values()).values(), default=0)
        why = "its paths are too long" if longest > LONGEST else "there are too many copies"
        if longest > LONGEST or highest > HIGHEST:
            raise ShowError(f"this graph is too large for a show: {why} for a picture, so {TOO_LARGE}")
    stories = [(k, moment) for k, moment in enumerate(moments) if not isinstance(moment, PageMoment)]
    copies = [[k, new, old] for k, moment in stories for new, old in _sources(moment, namer).items()]
    return {
        "id": f"elimination-{run}",
        "kind": "elimination",
        "run": run,
        "reading": "graph",
        "fixed": True,
        "direction": direction,
        "vertices": [_vertex(vertex, moments[0].graph, namer) for vertex in namer.vertices],
        "copies": copies,
    }


def _vertex(vertex: Vertex, graph: CGraph, namer: Namer) -> EliminationVertex:
    index, label = namer.indices[original(vertex)], namer.label(vertex)
    detail = "" if namer.label(original(vertex)) == f"v{index}" else f"v{index}"
    return {**described(graph, vertex, namer.numbers[vertex], label, namer.called(vertex), index, detail), "size": 1}


def _sources(moment: FactoredMoment, namer: Namer) -> dict[str, str]:
    """Return by the key of each new thing that of what it comes out of, where that was there before the steps."""
    result: dict[str, str] = {}
    edges: dict[Edge, Edge] = {}
    for step in moment.steps:
        there = edges_of(step)
        if step.kind in ("split", "join"):
            for old, new in zip(there[::2], there[1::2], strict=True):
                edges[new] = edges.get(old, old)
        elif step.kind in ("fill_in", "absorb"):
            edges.setdefault(there[2], edges.get(there[0], there[0]))
    for new, old in edges.items():
        result[f"label/{namer.thing(new)}"] = f"label/{namer.thing(old)}"
        for end, source in zip(new, old, strict=True):
            if isinstance(end, Copy) and end != source:
                result.setdefault(f"vertex/{namer.numbers[end]}", f"vertex/{namer.numbers[source]}")
    return result


# ---- the Scene ----


PanelKind = Literal["graph", "expressions", "outline", "levels", "dependencies"]
PANELS: tuple[PanelKind, ...] = get_args(PanelKind)
RUN = "algebra"
TITLES = {
    "backward": "backward factorization",
    "forward": "forward factorization",
    "paths": "all paths apart, and joined again",
    "pages": "pages, one by one",
}
COUNTED = ", each product counted as one"
MOST_STEPS = 100
EFFORT = 5_000
LONGEST, HIGHEST = 8, 15  # edges of a path, and vertices on a level: of more letters could not be read


def algebra_scene(
    graph: CGraph,
    way: str = "backward",
    *,
    references: bool = True,
    direction: str = "data flow",
    program: Graph | None = None,
    panels: Names | None = None,
    teach: bool = False,
    effort: float | None = None,
    time_limit: float | None = None,
) -> Show:
    """Show the algebra of a graph while it is factored in one of ``WAYS``.

    ``panels`` chooses among ``PANELS``; dependencies are shown where there are some. The cost is shown beside the
    fewest that any expressions take, with the ``effort`` and ``time_limit`` of :func:`~adviz.optimal_order`, 5,000 by
    default. Raises :class:`~adviz.ShowError` for an unknown option and for a graph that is too large to be seen.

    >>> edges = [(7, 5), (7, 6), (5, 4), (6, 4), (4, 2), (4, 3), (5, 2), (6, 3), (2, 1), (3, 1)]
    >>> document, _ = algebra_scene(CGraph.from_edges(edges))
    >>> document["steps"][1]["caption"].split(". ")[-1]
    'The cost falls from 16 to 12 multiplications.'
    """
    (chosen_way,), (arrows,) = chosen("way", [way], WAYS), chosen("direction", [direction], DIRECTIONS)
    try:
        every = paged(graph) if chosen_way == "pages" else factored(graph, chosen_way, references)
        moments = list(every)
        if len(moments) > MOST_STEPS:
            raise ExpressionError(f"There are {len(moments) - 1} steps, more than {MOST_STEPS}: show a smaller part.")
        for moment in moments:
            assert moment.expressions
    except ExpressionError as error:
        raise ShowError(f"this graph is too large for a show: {error}") from None
    namer = Namer(moments)
    stages = [{f"{RUN}/{key}": value for key, value in stage_of(moment, namer).items()} for moment in moments]
    scene, columns = explorer_scene.linearized_document(graph, program)
    shown = _panels(graph, moments, namer, arrows, panels, budget_of(time_limit, effort, EFFORT))
    has_levels = any(panel["kind"] == "levels" and not panel["why_not"] for panel in shown)
    document = show_document(
        scene,
        shown,
        _steps(moments, stages, namer, chosen_way, local_jacobians(graph) if has_levels else ()),
        [{"id": RUN, "label": TITLES[chosen_way] + (COUNTED if _is_sized(graph) else ""), "kind": "forward"}],
        bool(teach),
        start={**stages[0]},
        invitation=AlgebraNarrator(namer).invitation(moments[0], chosen_way, len(moments) - 1),
        own=None,
        why_not_own=None,
    )
    return document, columns


def _panels(
    graph: CGraph,
    moments: list[FactoredMoment],
    namer: Namer,
    direction: Direction,
    panels: Names | None,
    budget: Budget,
) -> list[Panel]:
    result: list[Panel] = []
    for kind in chosen_kinds(panels, PANELS, *PANELS):
        match kind:
            case "graph":
                result.append(picture(moments, namer, direction, RUN))
            case "expressions":
                result.append(
                    {
                        "id": kind,
                        "kind": kind,
                        "run": RUN,
                        "sets": [written_set(moment, namer) for moment in moments],
                        "bauer": bauer_multiplications(_of_numbers(graph)),
                        "optimum": _best(graph, budget),
                    }
                )
            case "outline":
                trees = [outline(moment, namer) for moment in moments]
                result.append({"id": kind, "kind": kind, "run": RUN, "trees": trees})
            case "levels":
                tables = levels_panel(graph, namer)
                if panels is not None or tables["why_not"] is None:
                    result.append(tables)
            case "dependencies":
                sets = [dependence(moment, namer) for moment in moments]
                if panels is not None or any(each["waits"] for each in sets):
                    result.append({"id": kind, "kind": kind, "run": RUN, "sets": sets})
    return result


def _of_numbers(graph: CGraph) -> CGraph:
    """Return the graph with numbers for arrays: expressions count each product as one."""
    return CGraph(graph.vertices, graph.inputs, graph.outputs, dict.fromkeys(graph.edges, 1))


def _is_sized(graph: CGraph) -> bool:
    return any(graph.size(vertex) > 1 for vertex in graph.vertices)


def _best(graph: CGraph, budget: Budget) -> BestCost | None:
    """Return the fewest multiplications of any expressions that are found; of arrays nothing is searched for."""
    if 0 in budget or not graph.intermediates or _is_sized(graph):
        return None
    try:
        best = optimal_expressions(graph, **budget.options)
    except (ExpressionError, ImportError):  # too large for a proof, or without SciPy
        order = optimal_order(graph, "face", units=False, **budget.options)
        return {"multiplications": order.cost, "proved": False}
    return {"multiplications": best.cost, "proved": best.proved}


def _steps(
    moments: list[FactoredMoment],
    stages: list[dict[str, OnStage]],
    namer: Namer,
    way: Way,
    levels: Sequence[LocalJacobian],
) -> list[SceneStep]:
    narrator, examiner, last = AlgebraNarrator(namer), Examiner(namer, way, levels), len(moments) - 1
    steps: list[SceneStep] = []
    for number, now in enumerate(moments[1:], start=1):
        before, old, new = moments[number - 1], stages[number - 1], stages[number]
        caption = narrator.caption(before, now)
        if number == last:
            caption = f"{caption} {narrator.ending(now)}".strip()
        edits = [[key, old.get(key), new.get(key)] for key in {**old, **new} if old.get(key) != new.get(key)]
        steps.append(
            {
                **step_document(RUN, now.kind, caption),
                "focus": [f"edge/{namer.thing(edge)}" for edge in now.edges] if isinstance(now, PageMoment) else [],
                "edits": edits,
                "question": examiner.ask(before, now, number, number == last),
            }
        )
    return steps
