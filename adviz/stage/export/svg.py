"""The graph of a scene as one standalone SVG: no script, no external reference, every text escaped."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from html import escape, unescape
from itertools import groupby

from ..drawing.marks import Arrow, Box, Cells, Curve, Item, Mark, Picture, Text, View
from ..drawing.pictures import still
from ..scene import theme as looks
from ..scene.document import Scene
from ..scene.node_details import Adjoints

STACKS = {"sans": looks.SANS, "mono": looks.MONO, "serif": looks.SERIF}

#: The class of a picture. The rules of theme "auto" hold for all pictures on a page, so they may be repeated.
CLASS = "adviz-picture"

MOMENT = "data-moments"  # the attribute of what is not in every picture of a book

STRAIGHT = 1e-3  # square px that a curve may enclose with its chord, which is drawn in its place

READABLE = 0.6  # a picture on a page is not scaled down further

LETTER = r"[^\W\d⁰¹²³⁴⁵⁶⁷⁸⁹]"
SYMBOLS = re.compile(rf"({LETTER}+)(?!{LETTER}|\w*\(| \w)|{LETTER}+|(?:(?!{LETTER}).)+")
"""A name that is no function; else other signs, or the name of a function: one with a bracket or an operand behind."""

SHARED = r"width|height|rx", r"fill|stroke|stroke-\w+|font-\w+|text-anchor", "opacity"
LOOKS = re.compile("".join([rf"(?= (?:{'|'.join(SHARED)})=)", *(rf'((?: (?:{each})="[^"]*")*)' for each in SHARED)]))
"""How a mark looks: the attributes of its size, of its paint and of its strength, each of which many marks share."""
LENGTHS = re.compile(r"((?:width|height|rx|font-size):[\d.]+)")
FALLBACK = re.compile(r"(var\([\w-]+),#\w+\)")

Paint = Callable[[str], str]
Attributes = Mapping[str, str | float | None]

FORMULA = "adviz-math"
"""The class of a formula in a sentence. Sentences have many: their font is named once, as are their italics."""
ITALIC: Attributes = {"font-style": "italic"}


def svg(scene: Scene, theme: str = "light", stacks: dict[str, str] = STACKS, known: Adjoints | None = None) -> str:
    """Return the picture of `scene` in the theme "light", "dark" or "auto".

    "auto" follows the page it stands in (JupyterLab, VS Code) or else the system. There are no ids in it, so any
    number may stand on one page. `stacks` gives the CSS font families of "sans", "mono" and "serif". `known` are the
    adjoints that stand beside the values.
    """
    return markup(still(scene, known), theme, stacks)


def markup(drawn: Picture, theme: str = "light", stacks: dict[str, str] = STACKS, view: View | None = None) -> str:
    """Return a picture as SVG, or a part of it, its ``view``; the other options are those of `svg`."""
    layers = [part for _, part in parts(drawn, painter(theme), stacks)]
    return document(drawn, drawn.summary, layers, theme, stacks, view)


def book(pictures: Sequence[Picture], theme: str = "auto", scope: str | None = None) -> str:
    """Return pictures of one show on top of each other; the style of the page chooses which one is visible.

    What is not in all of them is in a group with the attribute `MOMENT`, the numbers of its pictures. A part that is in
    several pictures is written once. Within a `scope`, the selector of what the book stands in, how marks look is
    written once too, in rules of CSS.
    """
    paint = painter(theme)
    places: dict[Hashable, dict[str, list[int]]] = {}
    for k, drawn in enumerate(pictures):
        for place, part in parts(drawn, paint, STACKS):
            places.setdefault(place, {}).setdefault(part, []).append(k)
    each = [(seen, part) for variants in places.values() for part, seen in variants.items()]
    layers = []
    for seen, together in groupby(each, lambda one: one[0]):
        layer = "\n".join(part for _, part in together)
        is_in_all = len(seen) == len(pictures)
        layers.append(layer if is_in_all else element("g", {MOMENT: " ".join(map(str, seen))}, layer))
    rules = ""
    if scope is not None:
        layers, rules = _classed(layers, scope)
    summary = " ".join(drawn.summary for drawn in pictures)
    return document(pictures[0], summary, layers, theme, STACKS, rules=rules)


def _classed(layers: Sequence[str], scope: str) -> tuple[list[str], str]:
    """Return layers in which looks are classes, and the rules of these within ``scope``."""
    looks = Counter(look for layer in layers for match in LOOKS.finditer(layer) for look in match.groups() if look)
    names = {look: f"k{k}" for k, (look, _) in enumerate(looks.most_common())}

    def named(match: re.Match[str]) -> str:
        classes = " ".join(names[look] for look in match.groups() if look)
        return f' class="{classes}"'

    rules = "".join(f".{name}{{{_declared(look)}}}" for look, name in names.items())
    return [LOOKS.sub(named, layer) for layer in layers], f"{scope}{{{rules}}}"


def _declared(attributes: str) -> str:
    """Return attributes as declarations of CSS. There is a style where this is read, so that no color needs another."""
    css = ";".join(f"{name}:{unescape(value)}" for name, value in re.findall(r'([\w-]+)="([^"]*)"', attributes))
    return FALLBACK.sub(r"\1)", LENGTHS.sub(r"\1px", css))


def parts(drawn: Picture, paint: Paint, stacks: dict[str, str]) -> Iterator[tuple[Hashable, str]]:
    """Yield the frame and the items, each with its place in the drawing order."""
    for mark in drawn.frame:
        text = translate(mark, paint, stacks)
        yield text, text
    counts: Counter[tuple[str, str]] = Counter()
    for item in drawn.items:
        key = (item.key, item.kind)
        counts[key] += 1
        yield (*key, counts[key]), group(item, paint, stacks)


def document(
    drawn: Picture,
    summary: str,
    layers: Sequence[str],
    theme: str,
    stacks: dict[str, str],
    view: View | None = None,
    rules: str = "",
) -> str:
    """Return the whole document around its layers, with more ``rules`` of CSS for them."""
    x, y, w, h, pixels = view or View(0, 0, drawn.width, drawn.height, (drawn.width, drawn.height))
    frame = {
        "xmlns": "http://www.w3.org/2000/svg",
        "class": CLASS,
        "width": number(pixels[0]),
        "height": number(pixels[1]),
        "viewBox": f"{x:.10g} {y:.10g} {w:.10g} {h:.10g}",
        "role": "img",
        "aria-label": ", ".join(text for text in (drawn.title or "Graph", summary) if text),
        "font-family": stacks["sans"],
        "text-anchor": "middle",
        # On a page: scaled down to its width, but never so far that it cannot be read.
        "style": f"max-width:max(100%,{number(READABLE * drawn.width)}px);height:auto" if theme == "auto" else None,
    }
    corner = {"x": f"{x:.10g}", "y": f"{y:.10g}"} if view else {}
    paper = element("rect", {**corner, "width": "100%", "height": "100%", "fill": painter(theme)("paper")})
    if theme == "auto":
        rules = style({"paper", *re.findall(r"--adviz-([\w-]+)", "".join([rules, *layers]))}) + rules
    if any(FORMULA in layer for layer in layers):
        rules += f".{FORMULA}{{font-family:{stacks['serif']}}}.{FORMULA} tspan{{font-style:italic}}"
    lines = [element("style", {}, rules) if rules else "", paper, *layers]
    return element("svg", frame, "\n" + "\n".join(line for line in lines if line) + "\n")


def painter(name: str) -> Paint:
    """Return the function from the name of a color to the value of an attribute."""
    table = looks.colors("light" if name == "auto" else name)
    if name == "auto":  # the light color remains if a page removes the style
        return lambda color: _variable(color, table) if color else "none"
    return lambda color: looks.color(table, color) if color else "none"


def _variable(color: str, table: dict[str, str]) -> str:
    """Return a color that follows the theme of the page."""
    base, _, share = color.partition(" ")
    known = f"var(--adviz-{base},{table[base]})"
    return f"color-mix(in oklab,{known} {share}%,{_variable('cell', table)})" if share else known


def style(used: Collection[str]) -> str:
    """Return the rules that give the colors of "auto" that are ``used`` their values."""

    def rule(name: str, selector: str) -> str:
        values = ";".join(f"--adviz-{color}:{value}" for color, value in looks.colors(name).items() if color in used)
        return f"{selector}{{{values}}}"

    rules = [rule("light", f".{CLASS}"), f"@media(prefers-color-scheme:dark){{{rule('dark', f'.{CLASS}')}}}"]
    rules += [rule(name, ",".join(f"{page} .{CLASS}" for page in pages)) for name, pages in looks.PAGES.items()]
    return "".join(rules)


def group(item: Item, paint: Paint, stacks: dict[str, str]) -> str:
    """Return one node or edge, with its title for the pointer and the screen reader."""
    title = element("title", {}, escape(item.title)) if item.title else ""
    marks = "".join(translate(mark, paint, stacks) for mark in item.marks)
    return element("g", {"data-item": item.key}, title + marks)


def translate(mark: Mark, paint: Paint, stacks: dict[str, str]) -> str:
    """Return one mark in SVG."""
    match mark:
        case Box():
            place: Attributes = {"x": mark.x, "y": mark.y, "width": mark.w, "height": mark.h, "rx": mark.corner}
            line = stroke(paint, mark.line, mark.thickness, looks.DASH if mark.dashed else None)
            return element("rect", {**place, "fill": paint(mark.fill), **line, **faded(mark)})
        case Curve():
            path: Attributes = {"d": "".join(chain(mark.points)), "fill": paint(mark.fill)}
            dash = looks.DOTS if mark.dotted else looks.DASH if mark.dashed else None
            return element("path", {**path, **stroke(paint, mark.line, mark.thickness, dash), **faded(mark)})
        case Arrow():
            return element("path", {"d": f"M{numbers(mark.points)}Z", "fill": paint(mark.fill), **faded(mark)})
        case Cells():
            boxes = (mark.boxes[k : k + 4] for k in range(0, len(mark.boxes), 4))
            outline = "".join(
                f"M{numbers([x, y])}h{numbers([w])}v{numbers([h])}h{numbers([-w])}z" for x, y, w, h in boxes
            )
            return element("path", {"d": outline, "fill": paint(mark.fill), **faded(mark)})
        case Text():
            attributes: dict[str, str | float | None] = {"x": mark.x, "y": mark.y, "font-size": mark.size}
            attributes["fill"] = paint(mark.fill)
            if mark.font == "bold":
                attributes["font-weight"] = "700"
            elif mark.font != "sans":
                attributes["font-family"] = stacks[mark.font]
            if mark.anchor != "middle":
                attributes["text-anchor"] = mark.anchor
            content = typeset(mark.text) if mark.font == "serif" else sentence(mark, paint)
            return element("text", {**attributes, **faded(mark)}, content)


def chain(points: Sequence[float]) -> Iterator[str]:
    """Yield a chain of cubic Bezier curves, with a line for each that is straight.

    >>> list(chain([0, 0, 1, 0, 2, 0, 3, 0, 3, 1, 3, 2, 4, 2]))
    ['M0 0', 'L3 0', 'C3 1 3 2 4 2']
    """
    yield f"M{numbers(points[:2])}"
    for k in range(0, len(points) - 2, 6):
        x, y, *_, right, bottom = piece = points[k : k + 8]
        w, h = right - x, bottom - y
        along = [(px - x, py - y) for px, py in (piece[2:4], piece[4:6])]
        bent = any(abs(w * b - h * a) > STRAIGHT or not 0 <= w * a + h * b <= w * w + h * h for a, b in along)
        yield f"C{numbers(piece[2:])}" if bent else f"L{numbers(piece[6:])}"


def typeset(text: str, italic: Attributes = ITALIC) -> str:
    """Return mathematics as SVG: identifiers in italics; names of functions, digits and signs upright."""
    return "".join(
        element("tspan", italic, escape(match[0])) if match[1] and match[1] != "NaN" else escape(match[0])
        for match in SYMBOLS.finditer(text)
    )


def sentence(mark: Text, paint: Paint) -> str:
    """Return a text as SVG: its formulas as mathematics, and its results in their colors."""
    return "".join(
        escape(text)
        if color is None
        else element("tspan", {"fill": paint(color), "font-weight": "700"}, escape(text))
        if color
        else element("tspan", {"class": FORMULA}, typeset(text, {}))
        for text, color in mark.pieces()
    )


def faded(mark: Mark) -> Attributes:
    """Return the opacity of a mark that is not opaque."""
    return {"opacity": mark.opacity} if mark.opacity < 1 else {}


def stroke(paint: Paint, color: str, thickness: float, dash: tuple[float, float] | None) -> Attributes:
    """Return the attributes of a line; none if it has no color."""
    if not color:
        return {}
    line: Attributes = {"stroke": paint(color), "stroke-width": thickness}
    return {**line, "stroke-dasharray": numbers(dash)} if dash else line


def element(name: str, attributes: Attributes, content: str | None = None) -> str:
    """Return an XML element; attributes are escaped, or left out if None; `content` is markup."""
    given = {key: value for key, value in attributes.items() if value is not None}
    texts = {key: value if isinstance(value, str) else number(value) for key, value in given.items()}
    start = " ".join([name, *(f'{key}="{escape(text)}"' for key, text in texts.items())])
    return f"<{start}/>" if content is None else f"<{start}>{content}</{name}>"


def number(value: float) -> str:
    """Return a number in px to a hundredth, as short as possible."""
    return f"{round(value, 2) + 0.0:.10g}"


def numbers(values: Iterable[float]) -> str:
    """Return numbers with spaces between them."""
    return " ".join(map(number, values))
