"""The best orders: proved optima of the literature, agreement with all orders of small graphs, and how it all ends."""

import itertools
import math
import threading
import time
from _thread import interrupt_main
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adviz as ad
from adviz.algorithms.elimination.counting import COUNTS
from adviz.algorithms.examples.known_optima import GRAPHS
from adviz.algorithms.search import vertex_search
from adviz.algorithms.search.optimum import TECHNIQUES, Search
from adviz.algorithms.search.path_search import STATE, PathSearch
from adviz.algorithms.search.problem import structure_of

from ...graph.dags import edge_lists, graphs
from .brute import all_graphs, cheapest, run

OPTIMA = [
    pytest.param(name, technique, marks=[pytest.mark.slow] * (technique == "face" and "bat" in name))
    for name, case in GRAPHS.items()
    for technique in case.optima
]
techniques = st.sampled_from(list(TECHNIQUES))
ELIMINATIONS = {"vertex": ad.vertex_elimination, "edge": ad.edge_elimination, "face": ad.face_elimination}
LATE = 20  # s of computing, which a busy machine does not make more: a search beyond would not end at all


def hard(count, window=10, arguments=4, seed=2):
    """A graph like a program in which every value has some arguments among the latest before it."""
    random = Random(seed)
    edges = {(random.randrange(max(0, j - window), j), j) for j in range(4, count + 4) for _ in range(arguments)}
    used = {i for i, _ in edges}
    ends = [(j, count + 4 + random.randrange(4)) for j in range(count + 4) if j not in used]
    return ad.CGraph.from_edges([*sorted(edges), *ends])


# ---- what is found ----


@pytest.mark.parametrize(("name", "technique"), OPTIMA)
def test_optima_of_the_literature_are_proved(name, technique):
    case = GRAPHS[name]
    best = ad.optimal_order(case.graph(), technique)
    assert best.proved
    assert best.cost == best.lower_bound == case.optima[technique] == run(case.graph(), best)


@pytest.mark.parametrize(
    ("vertices", "technique"),
    [
        *((4, each) for each in TECHNIQUES),
        *(pytest.param(5, each, marks=pytest.mark.slow) for each in ("vertex", "edge")),
    ],
)
def test_all_small_graphs_get_their_best_order(vertices, technique):
    for graph in all_graphs(vertices):
        best = ad.optimal_order(graph, technique)
        assert best.proved
        assert best.cost == cheapest(graph, technique) == run(graph, best)


@settings(deadline=None)
@given(graphs(vertices=6, largest=3), techniques, st.sampled_from(COUNTS), st.booleans())
def test_small_graphs_get_their_best_order_whatever_is_counted(graph, technique, count, units):
    if len(graph.edges) > 8:
        return
    counting = ad.Counting(count, units)
    best = ad.optimal_order(graph, technique, count=count, units=units)
    assert best.proved
    assert best.cost == cheapest(graph, technique, counting) == run(graph, best, counting)


@settings(deadline=None, max_examples=30)
@given(graphs(vertices=7))
def test_faces_are_never_dearer_than_edges_nor_edges_than_vertices(graph):
    vertex, edge, face = (ad.optimal_order(graph, technique, effort=10_000) for technique in TECHNIQUES)
    assert vertex.proved
    assert vertex.cost >= edge.lower_bound
    assert vertex.lower_bound >= face.lower_bound
    assert face.cost <= edge.cost <= vertex.cost


@pytest.mark.slow
@pytest.mark.parametrize("technique", ["edge", "face"])
def test_graphs_of_many_intermediates_have_orders_of_edges_and_faces_and_a_bound(technique):
    for count in (13, 20, 40):
        graph = hard(count, arguments=2)
        best = ad.optimal_order(graph, technique, effort=10_000)
        assert 0 < best.lower_bound <= best.cost == run(graph, best)
        assert best.cost <= ad.optimal_order(graph, effort=0).cost


@settings(deadline=None, max_examples=30)
@given(graphs(vertices=12, largest=2), techniques)
def test_what_is_found_at_once_is_no_dearer_than_given_orders(graph, technique):
    best = ad.optimal_order(graph, technique, effort=0)
    for order in ("forward", "reverse", "markowitz"):
        timeline = ad.Timeline(graph.state(), ad.vertex_elimination(graph.copy(), order, ad.Counting()))
        assert best.lower_bound <= best.cost <= timeline.multiplications
    assert run(graph, best) == best.cost


@pytest.mark.parametrize("engine", ["python", "numba"])
def test_costs_beyond_64_bits_are_those_of_small_vertices_times_the_cube_of_the_size(engine):
    edges = [(0, 2), (0, 5), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (2, 5), (3, 4), (3, 5), (3, 6), (4, 5), (4, 6)]
    edges += [(5, 6), (5, 7)]
    vertices, size = range(8), 3_000_000
    large, small = (
        ad.optimal_order(
            ad.CGraph(vertices, [0, 1], [6, 7], dict.fromkeys(edges, 1.5), sizes), count="scalar", engine=engine
        )
        for sizes in (dict.fromkeys(vertices, size), {})
    )
    assert (large.cost, large.lower_bound) == (small.cost * size**3, small.cost * size**3)


@pytest.mark.long
@pytest.mark.parametrize("technique", TECHNIQUES)
@pytest.mark.parametrize("effort", [0, 300, 3000])
def test_a_search_with_the_same_effort_ends_the_same_however_fast_the_machine_is(technique, effort, monkeypatch):
    """A clock on the wall that stands still, or runs, makes no difference."""
    graph = hard(20)
    found = [ad.optimal_order(graph, technique, effort=effort, engine="python")]
    for pace in (0.0, 1.0):
        ticks = itertools.count()
        monkeypatch.setattr(time, "monotonic", lambda pace=pace, ticks=ticks: pace * next(ticks))
        found.append(ad.optimal_order(graph, technique, effort=effort, engine="python"))
    monkeypatch.undo()
    assert len({(str(best.order), best.cost, best.lower_bound, best.states) for best in found}) == 1


@pytest.mark.long
def test_more_effort_finds_no_dearer_order_and_no_weaker_bound():
    graph = hard(18)
    found = [ad.optimal_order(graph, effort=effort, engine="python") for effort in (0, 1000, 5000)]
    assert found[0].cost >= found[1].cost >= found[2].cost
    assert found[0].lower_bound <= found[1].lower_bound <= found[2].lower_bound
    first = ad.optimal_order(graph, effort=300, engine="python")
    assert not first.proved
    assert first.resume(effort=math.inf).proved


def test_a_search_ends_with_its_effort_or_its_time_whichever_is_spent_first():
    graph = hard(40)
    start = time.process_time()
    assert not ad.optimal_order(graph, effort=10**9, time_limit=0.5, engine="python").proved
    assert time.process_time() - start < LATE
    assert ad.optimal_order(graph, effort=100, time_limit=10**6, engine="python").states < 10**4


@pytest.mark.numba
@pytest.mark.usefixtures("is_compiled")
def test_compiled_code_ends_with_its_effort():
    graph = hard(60, 12, 2, 1)
    found = [ad.optimal_order(graph, engine="numba", effort=1000) for _ in range(2)]
    assert found[0].engine == "numba"
    assert found[0].order == found[1].order
    assert found[0].states == found[1].states < 10**6


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_beams_and_annealing_find_orders_without_a_proof(technique):
    graph = GRAPHS["bat"].graph()
    best = ad.beam(graph, technique, effort=1500)
    assert run(graph, best) == best.cost <= 24
    assert best.lower_bound <= GRAPHS["bat"].optima[technique]


def test_annealing_finds_the_best_order_where_products_with_units_are_free():
    graph = ad.linearize(lambda x, y: y * ad.sin(x + y) + ad.exp(y - x) * (x + y), 0.5, 0.25)
    best = ad.anneal(graph, units=False, effort=2500)
    assert best.cost == run(graph, best, ad.Counting(units=False))
    assert best.cost == ad.optimal_order(graph, units=False).cost < ad.optimal_order(graph).cost


@given(st.randoms(use_true_random=False))
def test_orders_cost_what_their_eliminations_do_where_products_with_units_are_free(random):
    shape = hard(12, 6, 2, random.randrange(1000))
    labels = [random.choice([1, -1, 2, 0.5]) for _ in shape.edges]
    graph = ad.CGraph.from_edges(shape.edges, partials=labels)
    structure = structure_of(graph, ad.Counting(units=False))
    order = random.sample(structure.intermediates, 12)
    vertices = [structure.vertices[j] for j in order]
    steps = ad.vertex_elimination(graph, vertices, ad.Counting(units=False))
    assert structure.cost(order) == sum(step.multiplications for step in steps)


@settings(deadline=None, max_examples=20)
@given(graphs(vertices=9, largest=2), st.integers(0, 3))
def test_annealed_orders_cost_what_their_eliminations_do(graph, seed):
    structure = structure_of(graph, ad.Counting(units=False))
    search = PathSearch(structure, "vertex", ("anneal",), seed=seed, orders=[structure.intermediates])
    search.anneal(time.monotonic() + 0.02)
    found, counting = [structure.vertices[j] for j in search.order], ad.Counting(units=False)
    timeline = ad.Timeline(graph.state(), ad.vertex_elimination(graph.copy(), found, counting))
    assert timeline.multiplications == search.cost


# ---- how it ends ----


@pytest.mark.slow
@pytest.mark.parametrize("technique", TECHNIQUES)
@pytest.mark.parametrize("largest", [1, 30])
@pytest.mark.parametrize("count", [60, 150, 300])
def test_a_search_without_hope_of_a_proof_ends_with_its_time(technique, largest, count):
    shape, random = hard(count), Random(count)
    graph = ad.CGraph.from_edges(shape.edges, sizes={vertex: random.randint(1, largest) for vertex in shape.vertices})
    start = time.process_time()
    best = ad.optimal_order(graph, technique, time_limit=2)
    assert time.process_time() - start < LATE
    assert 0 < best.lower_bound <= best.cost == run(graph, best)


@pytest.mark.slow
def test_a_search_ends_with_its_time_while_code_is_compiled(monkeypatch):
    """As in the first search of a process for which nothing is kept on disk."""
    waiting = threading.Event()
    monkeypatch.setattr(vertex_search, "compilation", lambda: waiting)
    graph = hard(60)
    start = time.process_time()
    best = ad.optimal_order(graph, engine="numba", time_limit=2)
    assert time.process_time() - start < LATE
    assert best.engine == "python"
    assert best.cost == run(graph, best)


def started_once(timer):
    """Begin to wait when the search has begun: what comes before takes longer on a busy machine."""

    def progress(best):
        if timer.ident is None:
            timer.start()

    return progress


@pytest.mark.slow
@pytest.mark.parametrize("technique", TECHNIQUES)
def test_an_interrupt_ends_a_search_with_the_best_so_far_and_it_can_go_on(technique):
    graph = hard(60, 12, 2, 1)
    timer = threading.Timer(0.3, interrupt_main)
    progress = started_once(timer)
    best = ad.optimal_order(graph, technique, engine="python", effort=math.inf, progress=progress)
    timer.join()
    assert best.interrupted
    assert best.seconds < 15
    assert run(graph, best) == best.cost
    assert best.resume(0.5).cost <= best.cost


@pytest.fixture
def is_compiled():
    assert ad.optimal_order(hard(25), engine="numba").states > 0


@pytest.mark.numba
@pytest.mark.usefixtures("is_compiled")
def test_an_interrupt_ends_compiled_code():
    graph = hard(60, 12, 2, 1)
    timer = threading.Timer(1, interrupt_main)
    best = ad.optimal_order(graph, engine="numba", effort=math.inf, progress=started_once(timer))
    timer.join()
    assert best.interrupted
    assert best.seconds < 30
    assert run(graph, best) == best.cost


@pytest.mark.slow
def test_progress_is_told_and_never_gets_worse():
    told = []
    best = ad.optimal_order(hard(30), progress=told.append, effort=10_000)
    assert told[-1].cost == best.cost
    costs, bounds = [step.cost for step in told], [step.lower_bound for step in told]
    assert costs == sorted(costs, reverse=True)
    assert bounds == sorted(bounds)


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_with_little_memory_the_bounds_hold(technique):
    graph = GRAPHS["scalar lion"].graph()
    best = ad.optimal_order(graph, technique, memory=20 * STATE, effort=1500)
    optimum = GRAPHS["scalar lion"].optima[technique]
    assert best.lower_bound <= optimum <= best.cost
    assert best.proved == (best.lower_bound == best.cost)
    assert best.states <= 100


@pytest.mark.parametrize("engine", ["python", "numba"])
def test_vertices_are_proved_with_any_memory(engine):
    graph = hard(24)
    found = [ad.optimal_order(graph, memory=memory, engine=engine) for memory in (0, 2000, 1 << 24)]
    assert all(best.proved for best in found)
    assert len({best.cost for best in found}) == 1


# ---- what is given and told ----


def test_an_optimum_tells_whether_it_is_proved():
    best, guess = ad.optimal_order(GRAPHS["lion"], "edge"), ad.anneal(GRAPHS["lion"], effort=0)
    assert repr(best) == f"<Optimum: 11 multiplications by {len(best.order)} edges, proved to be the fewest>"
    assert repr(guess) == "<Optimum: 12 multiplications by 2 vertices, where any order takes at least 0>"


# ---- bad input ----

LION = GRAPHS["lion"]
SEARCHES = [ad.optimal_order, ad.anneal, ad.beam]
BAD = [
    *(
        (search, (lambda x: x,), {}, r"a linearized graph, not a function: give it adviz\.linearize")
        for search in SEARCHES
    ),
    (ad.optimal_order, ("bat",), {}, r"not a str: give it adviz\.examples\['bat'\]"),
    (ad.beam, (ad.examples["Roe flux"],), {}, r"write adviz\.linearize\(adviz\.examples\['Roe flux'\]\)"),
    (ad.optimal_order, (LION, "node"), {}, "no technique is called 'node'; there are vertex, edge, face"),
    (ad.optimal_order, (LION,), {"engine": "c"}, "engine is 'c'"),
    (ad.optimal_order, (LION,), {"count": "flops"}, "count is 'flops'; expected one of 'sparse', 'scalar', 'block'"),
    (ad.optimal_order, (LION,), {"workers": 0}, "workers is 0; expected 1, for this process alone, or more"),
    (ad.anneal, (LION,), {"seed": "x"}, "seed is 'x'; expected a whole number"),
    (ad.beam, (LION,), {"executor": 3}, "executor is 3; expected one of"),
    *((ad.optimal_order, (LION,), {"effort": each}, "expected states, 0 or more") for each in (-1, "much", math.nan)),
    *(
        (search, given, {"time_limit": limit}, "expected seconds, 0 or more, or None for no limit")
        for search, given in [*((each, (LION,)) for each in SEARCHES), (ad.optimal_order(LION).resume, ())]
        for limit in (-1, math.nan, "3")
    ),
]


@pytest.mark.parametrize(("search", "arguments", "options", "words"), BAD)
def test_what_makes_no_sense_is_refused_by_name(search, arguments, options, words):
    with pytest.raises(ValueError, match=words):
        search(*arguments, **options)


def test_a_graph_without_intermediates_is_done():
    best = ad.optimal_order(ad.CGraph.from_edges([(0, 1)]), "face")
    assert (best.order, best.cost, best.proved) == ([], 0, True)


def test_the_graph_stays_as_it_is_and_later_changes_do_not_matter():
    graph = GRAPHS["lion"].graph()
    state = graph.state()
    search = Search(graph, "edge")
    assert graph.state() == state
    list(ad.vertex_elimination(graph))
    assert search.run(math.inf).cost == 11


# ---- dead vertices ----


@settings(deadline=None, max_examples=60)
@given(edge_lists(vertices=6), st.data(), techniques, st.booleans())
def test_what_reaches_no_output_costs_nothing_in_a_best_order(edges, data, technique, units):
    heads = sorted({j for _, j in edges})
    outputs = data.draw(st.lists(st.sampled_from(heads), min_size=1, max_size=2, unique=True))
    graph = ad.CGraph.from_edges(edges, outputs=outputs, prune=False)
    if len(graph.edges) > 8:
        return
    best = ad.optimal_order(graph, technique, units=units)
    assert best.proved
    assert best.cost == run(graph, best, ad.Counting(units=units))
    assert best.cost == cheapest(graph, technique, ad.Counting(units=units))
    assert best.cost == ad.optimal_order(graph.pruned(), technique, units=units).cost


def test_chains_that_end_in_dead_vertices_do_not_raise_the_bound():
    edges = [(0, 7), (1, 2), (1, 4), (2, 3), (2, 4), (3, 6), (4, 5), (5, 6), (7, 8), (8, 9), (9, 10)]
    graph = ad.CGraph.from_edges(edges, dict.fromkeys(range(11), 3), outputs=[10], prune=False)
    best = ad.optimal_order(graph, count="scalar")
    assert best.lower_bound == best.cost == 81


@settings(deadline=None, max_examples=60)
@given(edge_lists(vertices=7), st.data(), techniques, st.sampled_from(["forward", "reverse", "markowitz"]))
def test_orders_by_name_eliminate_dead_vertices_too(edges, data, technique, order):
    outputs = [data.draw(st.sampled_from(sorted({j for _, j in edges})))]
    graph = ad.CGraph.from_edges(edges, outputs=outputs, prune=False)
    live, elimination = graph.pruned(), ELIMINATIONS[technique]
    if technique == "face":
        graph, live = ad.line_graph(graph), ad.line_graph(live)
    for each in (graph, live):
        list(elimination(each, order))
    assert graph.jacobian() == pytest.approx(live.jacobian())
