"""The page of the figures of Zhou's notes: each drawn anew, with what is certain of it and what is a reconstruction.

``python -m tests.stage.figures_page`` writes it; a test makes it anew and compares.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import adviz as ad
from adviz.algorithms.examples.figures import FIGURES
from adviz.stage.drawing.frames import Film
from adviz.stage.drawing.marks import Picture
from adviz.stage.export.svg import markup
from adviz.stage.scene.document import Show
from adviz.stage.shows.algebra_scene import algebra_scene
from adviz.stage.shows.elimination_scene import elimination_scene

DOCS = Path(__file__).parents[2] / "docs"
PAGE, PICTURES = DOCS / "algebra_figures.md", DOCS / "figures"
algebra = ad.algebra
BEFORE = """# The figures of the notes

Y. Zhou's *Notes on Computational Graph and Jacobian Accumulation* (arXiv 2012.15034) are the source of `ad.algebra`. \
Their pictures and formulas are lost to us, their text is not. These are the figures as adviz draws them, and under \
each is said what is certain and what is a reconstruction. Vertices are numbered from the outputs, which the notes \
call roots, to the inputs, their terminals; arrows follow the data. In Python, `ad.examples["figure 4.1 (b)"].graph()` \
is such a graph.
"""


class Drawing(NamedTuple):
    """A picture: the name of its file, what stands under it, and the moment of the show it is of."""

    name: str
    text: str
    show: Show
    moment: int


def graph(number: str) -> ad.CGraph:
    """The graph of a figure."""
    return FIGURES[f"figure {number}"].graph()


def letters(drawn: ad.CGraph) -> Show:
    """A graph with its letters."""
    return algebra_scene(drawn, panels=["graph"], effort=0)[0]


def line_graph(drawn: ad.CGraph) -> Show:
    """The line graph of a graph."""
    return elimination_scene(drawn, technique="face", panels=["linegraph"], own=False)[0]


def split(drawn: ad.CGraph, splits: object, count: int | None = None) -> ad.CGraph:
    """A graph after so many splits."""
    for number, _ in enumerate(splits(drawn, references=False), 1):  # type: ignore[operator]
        if number == count:
            break
    return drawn


def plain(number: str, name: str = "") -> Drawing:
    """A figure that is a graph."""
    case = FIGURES[f"figure {number}"]
    text = (
        f"**{number}{name}.** {case.shows[0].upper()}{case.shows[1:]}. *{case.certain[0].upper()}{case.certain[1:]}.*"
    )
    return Drawing(_file(number + name), text, letters(case.graph()), 0)


def _file(number: str) -> str:
    return "".join(letter for letter in number if letter.isalnum() or letter == ".")


def drawings() -> Iterator[tuple[str, list[Drawing]]]:
    """Yield each section with its pictures."""
    yield (
        "1 Faces",
        [
            plain("1.1", " (a)"),
            Drawing(
                "1.1b",
                "**1.1 (b).** Its line graph: the four faces at vertex 3 are a biclique, each a multiplication.",
                line_graph(graph("1.1")),
                0,
            ),
        ],
    )
    yield "2 Trees and graphs", list(_trees())
    yield (
        "3 Levels",
        [
            plain("3.1", " (a)"),
            Drawing(
                "3.1b", "**3.1 (b).** With copies of its tail.", letters(algebra.segmented(graph("3.1"), "tail")), 0
            ),
            Drawing(
                "3.1c", "**3.1 (c).** With copies of its head.", letters(algebra.segmented(graph("3.1"), "head")), 0
            ),
        ],
    )
    yield "4 Factorization", list(_factorization())
    yield "5 Several inputs and outputs", list(_pages())


def _trees() -> Iterator[Drawing]:
    for number, name in (("2.2", "two leaves for one input"), ("2.3", "with the common factor written twice")):
        yield plain(number)
        apart = graph(number)
        for _ in algebra.path_splits(apart):
            pass
        yield Drawing(f"{number}tree", f"The same as all of its paths, {name}.", letters(apart), 0)
    yield plain("2.4")


def _factorization() -> Iterator[Drawing]:
    yield plain("4.1 (a)")
    yield plain("4.1 (b)")
    apart = graph("4.1 (a)")
    for _ in algebra.path_splits(apart):
        pass
    yield Drawing("4.1c", "**4.1 (c).** All paths of 4.1 (a): a direct simple block. *It follows.*", letters(apart), 0)
    for name, splits, count, text in (
        ("4.2a", algebra.backward_splits, 2, "Backward factorization of 4.1 (b): vertices 5 and 6 are split"),
        ("4.2b", algebra.backward_splits, None, "and then vertex 4 with the block behind it: equation 4.3"),
        ("4.2c", algebra.forward_splits, 2, "Forward factorization of 4.1 (b): vertices 2 and 3 are split"),
        ("4.2d", algebra.forward_splits, None, "and then vertex 4 with the block before it: equation 4.4"),
    ):
        drawn = letters(split(graph("4.1 (b)"), splits, count))
        yield Drawing(name, f"**4.2 ({name[-1]}).** {text}. *It follows from 4.1 (b).*", drawn, 0)
    text = "**4.3.** The block is one edge, a reference, before 4 is split: equation 4.5. *It follows from 4.1 (b).*"
    yield Drawing("4.3", text, letters(graph("4.1 (b)")), 3)
    yield plain("4.4", " (a)")
    partly = graph("4.4")
    for j in (9, 10, 11, 6, 7, 8):
        for _ in ad.elimination.eliminate_vertex(partly, j):
            pass
    text = "**4.4 (b).** After one product of matrices between sets that are no levels, on each side the cheap one."
    yield Drawing("4.4b", f"{text} *The idea is certain.*", letters(partly), 0)
    yield Drawing("4.5a", "**4.5 (a).** The line graph of 4.1 (b).", line_graph(graph("4.1 (b)")), 0)
    explicit = split(graph("4.1 (b)"), algebra.backward_splits)
    text = "**4.5 (c).** After splitting as in 4.2 (b): no node has more than one way to go on towards the inputs."
    yield Drawing("4.5c", text, line_graph(explicit), 0)
    text = (
        "**4.5 (e).** Naumann's rule splits implicitly, with fewer nodes; here after four moves. *The idea is certain.*"
    )
    yield Drawing("4.5e", text, line_graph(graph("4.1 (b)")), 4)


def _pages() -> Iterator[Drawing]:
    yield plain("5.1", " (a)")
    text = "**5.1 (b).** Its line graph: the label of e₄₆ is followed by two others, of which one leads to output 2."
    yield Drawing("5.1b", text, line_graph(graph("5.1")), 0)
    yield plain("5.2", " (a)")._replace(text=f"{plain('5.2', ' (a)').text}\n\n{_divided(graph('5.2'))}")
    text = "**5.3.** The line graph of figure 5.2 (a). *In the notes it is that of a page, which is lost.*"
    yield Drawing("5.3", text, line_graph(graph("5.2")), 0)


def _divided(whole: ad.CGraph) -> str:
    """The pages of a graph, as a list, and the expressions that they make."""
    found = algebra.pages(whole)
    listed = [f"* page {page.number}: {page.reason}" for page in found.pages]
    return "\n".join([*listed, "", "```", *str(found.expressions).splitlines(), "```"])


def drawn(drawing: Drawing) -> Picture:
    """The picture alone, without title, caption and progress."""
    film = Film({**drawing.show, "title": ""}, [drawing.moment])
    (lane,) = film.lanes
    return Picture(lane.width, lane.body, "", drawing.text, [], [*lane.items(drawing.moment, 1.0)])


def files() -> dict[Path, str]:
    """The page and its pictures, by their files."""
    found, lines = {}, [BEFORE]
    for title, some in drawings():
        lines.append(f"## {title}\n")
        for drawing in some:
            path = PICTURES / f"{drawing.name}.svg"
            found[path] = markup(drawn(drawing), "auto") + "\n"
            lines.append(f"![]({path.relative_to(DOCS)})\n\n{drawing.text}\n")
    return {PAGE: "\n".join(lines)} | found


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
