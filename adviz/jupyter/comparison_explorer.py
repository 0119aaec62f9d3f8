"""Two graphs in one picture: an Explorer of both laid over each other, with a slider from one to the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..engine.trace_errors import InputError
from ..graph.comparing.differences import Comparison, compare_graphs
from ..graph.comparing.union_graph import UnionGraph
from ..graph.graph import Graph
from ..stage.layout import placing
from ..stage.scene.node_details import Detail
from ..stage.scene.panels import GraphPanel
from ..stage.shows.comparison_scene import LABELS, compared_detail, comparison_document, comparison_view
from .explorer import Explorer
from .view import MOST_DETAILS


def show_comparison(
    before: Graph | Comparison, after: Graph | None = None, /, *, labels: tuple[str, str] | None = None
) -> ComparisonExplorer:
    """Explore what differs between two graphs: one picture of both, and a slider from the first to the second.

    ``before`` and ``after`` are graphs, of :func:`adviz.trace` or :func:`adviz.load`, or ``before`` is what
    :func:`adviz.compare_graphs` returned. What is only in one graph, or not the same in both, is told by color and by a
    sign. ``labels`` name the graphs; by default they are called by their titles where these differ, else "before" and
    "after". ``save("page.html")`` writes a page that needs no kernel, ``save("picture.svg")`` a picture.

    Raises ``TypeError`` for anything but graphs, and :class:`~adviz.InputError` for labels that are not two different
    texts.

    >>> import adviz
    >>> f, g = adviz.trace(lambda x: x * x, 3.0), adviz.trace(lambda x: x * x + x, 3.0)
    >>> explorer = show_comparison(f, g, labels=("yesterday", "today"))
    >>> explorer.comparison
    <Comparison of <lambda> and <lambda>: 1 added, 2 used more>
    """
    placing.warm()
    if isinstance(before, Comparison):
        if after is not None:
            raise InputError("A comparison is shown as it is: leave the second graph out.")
        comparison = before
    else:
        comparison = compare_graphs(before, after)  # type: ignore[arg-type]  # it says what is wrong
    return ComparisonExplorer(comparison, labels)


class ComparisonExplorer(Explorer):
    """An Explorer of two graphs laid over each other.

    ``comparison`` has what differs; ``selection`` has nodes of ``graph``, which is the union of both.

    >>> import adviz
    >>> graph = adviz.trace(lambda x: x * x, 3.0)
    >>> ComparisonExplorer(adviz.compare_graphs(graph, graph)).graph.before.tolist()
    [0, 1, 2]
    """

    graph: UnionGraph

    def __init__(self, comparison: Comparison, labels: tuple[str, str] | None = None, **settings: Any):
        self.comparison, self.labels = comparison, _labels(comparison, labels)
        union = UnionGraph(comparison)
        super().__init__(union, shown=comparison_document(union, self.labels), **settings)

    def _answers(self) -> dict[str, Callable[[Any], Any]]:
        return {
            "view": lambda message: self._view(int(message["scope"])),
            "detail": lambda message: compared_detail(self.graph, int(message["node"]), self.labels),
        }

    def _again(self) -> Any:
        return comparison_document(self.graph, self.labels)

    def _view(self, scope: int) -> GraphPanel:
        return comparison_view(self.graph, scope, self.labels)

    def _details(self, nodes: list[int]) -> dict[int, Detail]:
        """Return the details of some nodes, of those that differ, and of as many others as a page has room for."""
        marked = self.graph.differences.nonzero()[0].tolist()
        wanted = list(dict.fromkeys([*nodes, *marked, *range(min(len(self.graph), MOST_DETAILS))]))[:MOST_DETAILS]
        return {node: compared_detail(self.graph, node, self.labels) for node in wanted}

    def _plays(self) -> bool:
        return False


def _labels(comparison: Comparison, labels: tuple[str, str] | None) -> tuple[str, str]:
    if labels is None:
        titles = comparison.before.title, comparison.after.title
        return titles if all(titles) and titles[0] != titles[1] else LABELS
    if not _are_names(labels):
        raise InputError(f"labels must be two different names, as in labels=('yesterday', 'today'); it is {labels!r}")
    return labels[0], labels[1]


def _are_names(labels: Any) -> bool:
    """Return whether these are two texts that tell two graphs apart."""
    is_pair = isinstance(labels, tuple | list) and len(labels) == 2 and all(isinstance(each, str) for each in labels)
    return is_pair and all(each.strip() for each in labels) and labels[0] != labels[1]
