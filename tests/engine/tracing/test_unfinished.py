"""The graph that an exception keeps: what was traced until then, and nothing that outlives the exception."""

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest

import adviz as ad

from ... import cells
from ..checks import GRAINS


class Stopped(Exception):
    """An exception of the user's own."""


def stops(x):
    h = np.tanh(x[0])
    for _ in range(2):
        h = h * x[1]
    raise Stopped("far enough")


def kept_by(f, *args, kind=Exception, **settings):
    with pytest.raises(kind) as caught:
        ad.trace(f, *args, **settings)
    return caught.value


@GRAINS
def test_an_exception_of_the_users_own_keeps_the_graph_up_to_there(grain):
    error = kept_by(stops, np.array([0.5, 2.0]), kind=Stopped, grain=grain)
    assert error.args == ("far enough",)
    graph = error.graph
    assert isinstance(graph, ad.Graph)
    assert [node.block.name for node in graph if node.block.name in ("tanh", "multiply")] == ["tanh", *["multiply"] * 2]
    assert graph[-1].value == pytest.approx(np.tanh(0.5) * 4)
    assert graph[-1].name == "h"
    assert graph.outputs == []
    assert graph.title == "stops, up to Stopped"
    assert (graph.origin(len(graph) - 1).text, sum(graph.times_used)) == ("h * x[1]", graph.edges)
    assert all(graph.live)


def test_it_can_be_explored_and_played_and_is_not_swept():
    graph = kept_by(stops, np.array([0.5, 2.0])).graph
    explorer = ad.explore(graph)
    assert explorer.scene["title"] == "stops, up to Stopped"
    assert not any(item["dead"] for item in explorer.scene["panels"][0]["nodes"])
    assert explorer.play().scene["steps"][-1]["caption"].endswith("= 1.8485.")
    with pytest.raises(ad.SeedError):
        ad.show_backward(graph)


def test_errors_of_adviz_keep_it_too_and_have_none_where_nothing_was_traced():
    assert kept_by(lambda x: float(x * x), 1.0, kind=ad.ConversionError).graph[1].block.name == "multiply"
    assert kept_by(lambda x: None, 1.0, kind=ad.OutputError).graph.inputs == [0]
    with pytest.raises(ad.OutputError) as caught:
        ad.grad(lambda x: x)(np.ones(2))
    assert caught.value.graph is None
    assert ad.AdvizError("no").graph is None


@pytest.mark.parametrize(
    "run",
    [ad.grad(stops), ad.jacobian(stops), lambda x: ad.compile_gradient(stops, x), lambda x: ad.show_forward(stops, x)],
    ids=["grad", "jacobian", "compile", "show"],
)
def test_whatever_traces_the_function_keeps_it(run):
    with pytest.raises(Stopped) as caught:
        run(np.array([0.5, 2.0]))
    assert caught.value.graph[-1].name == "h"


def test_of_nested_traces_the_outermost_keeps_it():
    def outer(x):
        return ad.grad(stops)(np.stack([2.0 * x, x]))

    graph = kept_by(outer, 0.25, kind=Stopped).graph
    assert graph.title == "outer, up to Stopped"
    assert graph[-1].value == pytest.approx(np.tanh(0.5) * 0.25**2)
    assert {type(node.value) for node in graph} <= {float, np.ndarray, np.float64}


def test_an_exception_that_was_caught_inside_is_left_alone():
    found = []

    def f(x):
        try:
            return ad.grad(stops)(np.stack([x, x]))[0]
        except Stopped as error:
            found.append(error)
            return x

    assert ad.trace(f, 1.0).outputs
    assert vars(found[0]) == {}


def test_an_attribute_of_that_name_that_an_exception_has_of_its_own_stays():
    class HasGraph(Exception):
        graph = "mine"

    class Refuses(Exception):
        graph = None

        def __setattr__(self, name, value):
            if name == "graph":
                raise AttributeError(name)
            super().__setattr__(name, value)

    def raises(error):
        def f(x):
            raise error

        return kept_by(f, 1.0, kind=type(error))

    assert raises(HasGraph()).graph == "mine"
    assert raises(Refuses()).graph is None


def test_one_exception_that_is_raised_twice_keeps_the_last_graph():
    error = Stopped()

    def f(x):
        if x > 1:
            x = x * x
        raise error

    assert len(kept_by(f, 1.0).graph) == 1
    assert len(kept_by(f, 2.0).graph) > 1


def test_memory_that_is_short_is_not_held():
    def f(x):
        raise MemoryError

    assert not hasattr(kept_by(f, 1.0), "graph")


@pytest.mark.slow
@pytest.mark.parametrize("give_up", ["raise", "float"])
@pytest.mark.parametrize("is_nested", [False, True])
def test_the_arrays_are_let_go_with_the_exception_and_not_by_the_garbage_collector(give_up, is_nested):

    def f(x):
        y = x * np.arange(3.0)
        if give_up == "raise":
            raise Stopped
        return float(y)

    run = (lambda x: ad.grad(f)(x)) if is_nested else f
    gc.collect()
    gc.disable()
    try:
        try:
            ad.grad(run)(np.ones(3))
        except (Stopped, ad.ConversionError) as error:
            watched = [weakref.ref(value) for value in error.graph.values]
        assert len(watched) > 1
        assert {reference() for reference in watched} == {None}
    finally:
        gc.enable()


def test_it_is_left_out_where_the_exception_is_pickled():
    error = kept_by(stops, np.array([0.5, 2.0]))
    sent = pickle.loads(pickle.dumps(error))
    assert (type(sent), sent.args, sent.graph) == (Stopped, ("far enough",), None)
    copied = copy.copy(error.graph)
    assert copied.summary() == error.graph.summary()
    assert copied is not error.graph


@pytest.mark.long
def test_in_ipython_it_is_left_out_with_how_the_exception_is_shown():
    cell = """
        import adviz as ad, pickle
        def f(x):
            y = x * x
            raise ValueError("no")
        try:
            ad.trace(f, 1.0)
        except ValueError as error:
            sent = pickle.loads(pickle.dumps(error))
            print(sent.args, sent.graph)
        """
    assert cells.told_by("shell", [cell]) == ["('no',) None\n"]
