"""Small problems, and their cheapest orders by trying all of them with the verbs of elimination."""

from itertools import combinations

from hypothesis import strategies as st

from adviz import CGraph, Counting, LineGraph, examples, line_graph, linearize
from adviz.algorithms.elimination.counting import PLAIN
from adviz.algorithms.elimination.moves import eliminate_edge, eliminate_face, eliminate_vertex
from adviz.algorithms.search.problem import Structure, mask_of


def network() -> CGraph:
    case = examples["two-layer network"]
    return linearize(case.program, *case.arguments)


@st.composite
def structures(draw: st.DrawFn, intermediates: int = 7, largest: int = 3) -> Structure:
    """Structures of weighted vertices, each of which is on a path from an input to an output."""
    inputs, inner, outputs = (draw(st.integers(1, most)) for most in (3, intermediates, 3))
    count = inputs + inner + outputs
    pairs = [(i, j) for i, j in combinations(range(count), 2) if i < inputs + inner and j >= inputs]
    edges = set(draw(st.lists(st.sampled_from(pairs), max_size=3 * count)))
    edges |= {(draw(st.integers(0, min(j, inputs + inner) - 1)), j) for j in range(inputs, count)}
    edges |= {(i, draw(st.integers(max(i + 1, inputs), count - 1))) for i in range(inputs + inner)}
    sizes = tuple(draw(st.integers(1, largest)) for _ in range(count))
    before = tuple(mask_of(i for i, j in edges if j == k) for k in range(count))
    behind = tuple(mask_of(j for i, j in edges if i == k) for k in range(count))
    return Structure(tuple(range(count)), before, behind, sizes, mask_of(range(inputs, inputs + inner)))


@st.composite
def chained(draw: st.DrawFn, intermediates: int = 7, largest: int = 30) -> Structure:
    """Structures like those of :func:`structures` that consist of chains, the first of which have many predecessors."""
    random = draw(st.randoms(use_true_random=False))
    inputs, inner, outputs = random.randint(1, 3), random.randint(1, intermediates), random.randint(1, 3)
    end, dense, edges = inputs + inner, random.random() / 2, set()
    for j in range(inputs, end):
        if j > inputs and random.random() < 0.6:
            edges.add((j - 1, j))
        else:
            edges |= {(i, j) for i in range(j) if random.random() < dense} or {(random.randrange(j), j)}
    edges |= {(i, k) for i in range(end) for k in range(end, end + outputs) if random.random() < dense / 3}
    edges |= {(random.randrange(end), k) for k in range(end, end + outputs)}
    edges |= {(i, random.randrange(end, end + outputs)) for i in {*range(end)} - {i for i, _ in edges}}
    sizes = tuple(random.randint(1, largest) for _ in range(end + outputs))
    before = tuple(mask_of(i for i, j in edges if j == k) for k in range(end + outputs))
    behind = tuple(mask_of(j for i, j in edges if i == k) for k in range(end + outputs))
    return Structure(tuple(range(end + outputs)), before, behind, sizes, mask_of(range(inputs, end)))


def all_graphs(vertices: int) -> list[CGraph]:
    """All graphs on so many ordered vertices with an edge between the first two and at least one intermediate."""
    pairs = list(combinations(range(vertices), 2))
    found = []
    for chosen in range(1, 1 << len(pairs), 2):
        graph = CGraph.from_edges([pair for k, pair in enumerate(pairs) if chosen >> k & 1])
        if graph.intermediates:
            found.append(graph)
    return found


def cheapest(graph: CGraph, technique: str, counting: Counting = PLAIN) -> int:
    """The least multiplications of any order, found without bounds; states that were met are not tried again."""
    moves, eliminate, key = {
        "vertex": (lambda graph: graph.intermediates, eliminate_vertex, _labelled_edges),
        "edge": (_edges, eliminate_edge, _labelled_edges),
        "face": (lambda dual: dual.interior_faces, eliminate_face, _labelled_faces),
    }[technique]
    known = {}

    def least(state):
        name = key(state)
        if name not in known:
            known[name] = min((cost + least(after) for cost, after in map(tried, *branches(state))), default=0)
        return known[name]

    def branches(state):
        options = moves(state)
        return [state] * len(options), options

    def tried(state, move):
        after = state.copy()
        return sum(step.multiplications for step in eliminate(after, move, counting)), after

    return least(line_graph(graph) if technique == "face" else graph)


def _edges(graph: CGraph) -> list:
    fronts = [("front", i, j) for i, j in graph.edges if graph.is_intermediate(j)]
    return fronts + [("back", i, j) for i, j in graph.edges if graph.is_intermediate(i)]


def _labelled_edges(graph: CGraph) -> frozenset:
    return frozenset((i, j, _known(graph.partial(i, j))) for i, j in graph.edges)


def _labelled_faces(dual: LineGraph) -> tuple[frozenset, frozenset]:
    return frozenset(dual.faces), frozenset((e, _known(dual.label(e))) for e in dual.nodes)


def _known(label: object) -> object:
    """What costs depend on: constants, and whether a label is a number or a matrix; or a Jacobian, whatever it is."""
    return label if isinstance(label, int) or hasattr(label, "normal") else type(label)


def run(graph: CGraph, found: object, counting: Counting = PLAIN) -> int:
    """The multiplications of an order that a search found, made to its end."""
    trial = line_graph(graph) if found.technique == "face" else graph.copy()
    eliminate = {"vertex": eliminate_vertex, "edge": eliminate_edge, "face": eliminate_face}[found.technique]
    total = 0
    for move in found.order:
        total += sum(step.multiplications for step in eliminate(trial, move, counting))
    assert trial.is_tripartite if found.technique == "face" else trial.is_bipartite
    return total
