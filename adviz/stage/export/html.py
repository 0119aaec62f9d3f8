"""A scene in HTML: the still picture that replaces a live view, and a standalone page."""

import gzip
import json
from base64 import b64encode
from collections.abc import Iterator, Mapping
from hashlib import sha256
from html import escape

from ..drawing.flow_lane import rests_of
from ..drawing.frames import Film, key_film, key_frames
from ..drawing.marks import summary, titled
from ..drawing.pictures import NoEngine
from ..scene.document import Scene, is_show
from ..scene.node_details import Adjoints, Detail
from ..scene.panels import GraphPanel
from .svg import MOMENT, book, markup, svg

STILL = "adviz-still"  # the id of the still picture on a page, by which the front end hides it

MOST_PICTURES = 66_000  # characters of the still pictures of a show; the front end takes 150,000 of its page
FEWEST_FRAMES = 3

LOST = "A still picture. Run this cell to explore it."  # replaces the live view in a notebook whose kernel is gone

#: What a script of a page begins with. It imports the front end from the page itself: a module from a Blob works in a
#: file and without a network. The front end and all documents are compressed to a third.
UNPACK = """
const unpack = (id) => {
  const packed = atob(document.getElementById(id).textContent);
  const bytes = new Uint8Array(packed.length);
  for (let k = 0; k < bytes.length; k++) bytes[k] = packed.charCodeAt(k);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
};
const frontEnd = async (id) => {
  const source = URL.createObjectURL(new Blob([await unpack(id)], { type: "text/javascript" }));
  try {
    return await import(source);
  } finally {
    URL.revokeObjectURL(source);
  }
};
"""

START = """
const main = document.getElementById("adviz-explorer");
try {
  const { mount } = await frontEnd("adviz-bundle");
  mount(main, await unpack("adviz-document"));
} catch (error) {
  main.textContent = `This page is damaged, so there is only a still picture. (${error})`;
}
"""

#: Allows the script of the page, known by its hash, and what it makes of the data of the page; nothing else.
POLICY = (
    "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data: blob:; font-src data:; "
    "style-src 'unsafe-inline'; script-src 'sha256-{hash}' blob:"
)

STYLE = """
:root { color-scheme: light dark; }
body { margin: 0; padding: 12px; font: 13px/1.45 system-ui, sans-serif; }
/* Where the Explorer has two columns */
@media (min-width: 666px) {
  #adviz-explorer { --page-height: calc(100vh - 26px); }
  #adviz-explorer .adviz-frame { height: var(--page-height); }
  #adviz-explorer :is(.adviz-frame, .adviz-show) { resize: none; }
}
[data-adviz-id] > div { max-height: none !important; }
"""

NOTEBOOK_STYLE = """
[data-adviz-id="{id}"] > img {{ display: none; }}
.jp-OutputArea-child:has(+ .jp-OutputArea-child [data-adviz-id="{id}"]) > .jupyter-widgets:not(:has(*)) {{
  font-size: 0;
  &::before {{ content: "{lost}"; font-size: 13px; }}
}}
"""

#: Shows the chosen moment of a show, or the last one if the browser cannot tell which is chosen.
SHOW_STYLE = f"""
.adviz-show fieldset {{{{ border: 0; margin: 0; padding: 4px 0; font-size: 12px !important; }}}}
.adviz-show label {{{{ margin-right: 10px; white-space: nowrap; }}}}
.adviz-show [{MOMENT}]:not([{MOMENT}~="{{last}}"]) {{{{ display: none; }}}}
"""
CHOSEN_STYLE = f"""
.adviz-show:has(input[value="{{k}}"]:checked) {{{{
  [{MOMENT}] {{{{ display: none; }}}}
  [{MOMENT}~="{{k}}"] {{{{ display: inline; }}}}
}}}}
"""

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="adviz">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
{body}
{data}
<script type="module">{script}</script>
</body>
</html>
"""


DATA = '<script type="application/gzip" id="{id}">{value}</script>'
BODY = """<main id="adviz-explorer"></main>
{still}
<noscript><p>Scripts are off, so this is a still picture.</p></noscript>"""


def static_html(scene: Scene, id: str) -> str:
    """Return the picture and a line on the size of the graph, under `data-adviz-id`, without scripts.

    It follows the theme of the page. A large picture is scaled down as long as it is readable, or else scrolled. Of a
    show there are key frames, with buttons to choose one. Where there is no engine to draw them, the live view goes
    without.
    """
    try:
        still = strip(key_film(scene), id) if is_show(scene) else scrolled(svg(scene, "auto"))
    except NoEngine as error:
        still = f"<p>{escape(str(error))}</p>"
    return framed(scene, id, still)


def notebook_html(scene: Scene, id: str, known: Adjoints | None = None, film: Film | None = None) -> str:
    """Return the still picture for an output in a notebook, right after the output of the live view.

    A show has the ``film`` of its key frames.

    Where Jupyter has lost the live view, it writes an error in its place, which is replaced by advice. Where Jupyter
    does not trust the notebook, it removes styles and inline pictures, but leaves their words: these have no size here,
    and the picture is repeated as an image, which a style hides unless styles are removed.
    """
    style, end = "font-size:0", len(scene["steps"])
    if film:
        picture, still = markup(film.picture(end), "auto"), strip(film, id, style)
    else:
        picture = svg(scene, "auto", known=known)
        still = scrolled(picture, style)
    image = base64(picture.encode())
    return framed(
        scene,
        id,
        f"<style>{NOTEBOOK_STYLE.format(id=id, lost=LOST)}</style>",
        still,
        f'<img alt="" style="max-width:100%" src="data:image/svg+xml;base64,{image}">',
    )


def strip(film: Film, id: str, style: str = "") -> str:
    """Return the key frames of a film on top of each other, with a button for each that needs no script.

    The buttons are one group for the keyboard; `id` distinguishes it from the groups of other shows on the page. Of
    pictures that take much room there are fewer.
    """
    scene, cursors = film.scene, key_frames(film.scene)
    pictures = pages(film, cursors, id)
    while len(pictures) > MOST_PICTURES and len(cursors) > FEWEST_FRAMES:
        fewer = min(len(cursors) - 1, len(cursors) * MOST_PICTURES // len(pictures))
        cursors = key_frames(scene, max(FEWEST_FRAMES, fewer))
        pictures = pages(film, cursors, id)
    last, rests = len(cursors) - 1, rests_of(scene)
    names = [escape(rests[cursor]["name"]) if rests else f"{cursor:,}" for cursor in cursors]
    rules = [SHOW_STYLE.format(last=last), *(CHOSEN_STYLE.format(k=k) for k in range(len(cursors)))]
    buttons = [
        f'<label><input type="radio" name="{escape(id)}" value="{k}"{" checked" * (k == last)}> {name}</label>'
        for k, name in enumerate(names)
    ]
    chooser = f'<fieldset style="{style}">{"" if rests else "After step "}{" ".join(buttons)}</fieldset>'
    # Higher than other pictures, since the words of a moment are at its foot.
    drawn = scrolled(pictures, f"max-height:1000px;{style}")
    return f'<div class="adviz-show"><style>{"".join(rules)}</style>{chooser}{drawn}</div>'


def pages(film: Film, cursors: list[int], id: str) -> str:
    """Return some moments of a film, one of which is seen at a time."""
    return book([film.picture(cursor) for cursor in cursors], scope=f"[data-adviz-id={json.dumps(id)}]")


def framed(scene: Scene, id: str, *content: str) -> str:
    """Return the content and a line on the size of the graph, under `data-adviz-id`."""
    size = f'<div style="margin:4px 0;font-size:12px;opacity:.75">{escape(summary(scene))}</div>'
    return "\n".join([f'<div data-adviz-id="{escape(id)}">', *content, size, *listings(scene), "</div>"])


def listings(scene: Scene) -> Iterator[str]:
    """Yield the source of a compiled program and of its function, to unfold; nothing for other scenes."""
    for panel in scene["panels"]:
        if panel["kind"] == "function":
            for file in [*panel["files"], *scene["source"]["files"]]:
                text = f'<pre style="max-height:360px;overflow:auto">{escape(file["text"])}</pre>'
                yield f"<details><summary>{escape(file['name'])}</summary>{text}</details>"


def scrolled(picture: str, style: str = "") -> str:
    """Return a picture in a scrolling box that fits into a notebook."""
    return f'<div style="max-height:720px;overflow:auto;{style}">{picture}</div>'


def page(
    scene: Scene,
    columns: bytes,
    views: dict[int, GraphPanel],
    details: dict[int, Detail],
    bundle: str,
    *,
    show: dict | None = None,
    traits: dict | None = None,
    adjoints: dict[int, Adjoints] | None = None,
) -> str:
    """Return a file that shows `scene` without a kernel or a network.

    `columns` is the binary buffer of the scene; `views` are placed panels by scope, and `details` those of the
    inspector by node, as far as the page has them; `bundle` is the text of the front end; `show` is what differs in the
    Scene of the evaluation; `traits` are those of the widget to keep; `adjoints` are those of the outputs to choose
    from, by their numbers. Where scripts are off, the still picture remains.
    Raises ValueError for a NaN or infinity in the documents, which JSON lacks.
    """
    document = {
        "scene": scene,
        "columns": base64(columns),
        "views": views,
        "details": details,
        "show": show,
        "traits": traits or {},
        "adjoints": adjoints or {},
        "fallback": STILL,
    }
    body = BODY.format(still=static_html(scene, STILL))
    data = {"adviz-document": document, "adviz-bundle": bundle}
    return assembled(titled(scene) or "adviz", STYLE, body, data, START)


def assembled(title: str, style: str, body: str, data: Mapping[str, object], start: str) -> str:
    """Return a page; its script ``start`` unpacks ``data`` by their ids, of which some are bundles of the front end."""
    script = UNPACK + start
    return PAGE.format(
        policy=POLICY.format(hash=base64(sha256(script.encode()).digest())),
        title=escape(title),
        style=style,
        body=body,
        data="\n".join(DATA.format(id=id, value=embedded(value)) for id, value in data.items()),
        script=script,
    )


def embedded(value: object) -> str:
    """Return `value` in JSON, compressed and in base64: nothing in it can be taken for markup."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    return base64(gzip.compress(text.encode("ascii"), mtime=0))


def base64(data: bytes) -> str:
    """Return `data` in base64."""
    return b64encode(data).decode("ascii")
