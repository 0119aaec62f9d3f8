"""A scene in HTML: the still picture that replaces a live view, and a standalone page."""

import gzip
import json
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from html import escape

from ..drawing.frames import Film, key_frames
from ..drawing.marks import summary, titled
from ..scene.node_details import Detail
from ..scene.panels import GraphPanel
from .svg import MOMENT, book, markup, svg

STILL = "adviz-still"  # the id of the still picture on a page, by which the front end hides it

LOST = "A still picture. Run this cell to explore it."  # replaces the live view in a notebook whose kernel is gone

#: Imports the front end from the page itself: a module from a Blob works in a file and without a network. The front end
#: and its document are compressed to a third.
START = """
const unpack = (id) => {
  const packed = atob(document.getElementById(id).textContent);
  const bytes = new Blob([Uint8Array.from(packed, (character) => character.charCodeAt(0))]);
  return new Response(bytes.stream().pipeThrough(new DecompressionStream("gzip"))).json();
};
const main = document.getElementById("adviz-explorer");
let source = "";
try {
  source = URL.createObjectURL(new Blob([await unpack("adviz-bundle")], { type: "text/javascript" }));
  const { mount } = await import(source);
  mount(main, await unpack("adviz-document"));
} catch (error) {
  main.textContent = `This page is damaged, so there is only a still picture. (${error})`;
} finally {
  URL.revokeObjectURL(source);
}
"""

#: Allows the script above, known by its hash, and what it makes of the data of the page; nothing else.
POLICY = (
    "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data: blob:; font-src data:; "
    "style-src 'unsafe-inline'; script-src 'sha256-{hash}' blob:"
)

STYLE = """
:root { color-scheme: light dark; }
body { margin: 0; padding: 12px; font: 13px/1.45 system-ui, sans-serif; }
@media (min-width: 780px) {
  #adviz-explorer :is(.adviz-frame, .adviz-show) { height: calc(100vh - 26px); resize: none; }
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
.adviz-show .{MOMENT}:not(.{MOMENT}-{{last}}) {{{{ display: none; }}}}
"""
CHOSEN_STYLE = f"""
.adviz-show:has(input[value="{{k}}"]:checked) {{{{
  .{MOMENT}:not(.{MOMENT}-{{k}}) {{{{ display: none; }}}}
  .{MOMENT}.{MOMENT}-{{k}} {{{{ display: inline; }}}}
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
<main id="adviz-explorer"></main>
{still}
<noscript><p>Scripts are off, so this is a still picture.</p></noscript>
<script type="application/gzip" id="adviz-document">{document}</script>
<script type="application/gzip" id="adviz-bundle">{bundle}</script>
<script type="module">{start}</script>
</body>
</html>
"""


def static_html(scene: dict, id: str) -> str:
    """Return the picture and a line on the size of the graph, under `data-adviz-id`, without scripts.

    It follows the theme of the page. A large picture is scaled down as long as it is readable, or else scrolled. Of a
    show there are key frames, with buttons to choose one.
    """
    return framed(scene, id, strip(scene, id) if scene.get("runs") else scrolled(svg(scene, "auto")))


def notebook_html(scene: dict, id: str) -> str:
    """Return the still picture for an output in a notebook, right after the output of the live view.

    Where Jupyter has lost the live view, it writes an error in its place, which is replaced by advice. Where Jupyter
    does not trust the notebook, it removes styles and inline pictures, but leaves their words: these have no size here,
    and the picture is repeated as an image, which a style hides unless styles are removed.
    """
    show = scene.get("runs")
    end = len(scene["steps"])
    picture = markup(Film(scene, [end]).picture(end), "auto") if show else svg(scene, "auto")
    image = b64encode(picture.encode()).decode("ascii")
    return framed(
        scene,
        id,
        f"<style>{NOTEBOOK_STYLE.format(id=id, lost=LOST)}</style>",
        strip(scene, id, "font-size:0") if show else scrolled(picture, "font-size:0"),
        f'<img alt="" style="max-width:100%" src="data:image/svg+xml;base64,{image}">',
    )


def strip(scene: dict, id: str, style: str = "") -> str:
    """Return the key frames of a show on top of each other, with a button for each that needs no script.

    The buttons are one group for the keyboard; `id` distinguishes it from the groups of other shows on the page.
    """
    cursors = key_frames(scene)
    film = Film(scene, cursors)
    last = len(cursors) - 1
    rules = [SHOW_STYLE.format(last=last), *(CHOSEN_STYLE.format(k=k) for k in range(len(cursors)))]
    buttons = [
        f'<label><input type="radio" name="{escape(id)}" value="{k}"{" checked" * (k == last)}> {cursor:,}</label>'
        for k, cursor in enumerate(cursors)
    ]
    chooser = f'<fieldset style="{style}">After step {" ".join(buttons)}</fieldset>'
    # Higher than other pictures, since the words of a moment are at its foot.
    drawn = scrolled(book([film.picture(cursor) for cursor in cursors]), f"max-height:1000px;{style}")
    return f'<div class="adviz-show"><style>{"".join(rules)}</style>{chooser}{drawn}</div>'


def framed(scene: dict, id: str, *content: str) -> str:
    """Return the content and a line on the size of the graph, under `data-adviz-id`."""
    size = f'<div style="margin:4px 0;font-size:12px;opacity:.75">{escape(summary(scene))}</div>'
    return "\n".join([f'<div data-adviz-id="{escape(id)}">', *content, size, *listings(scene), "</div>"])


def listings(scene: dict) -> Iterator[str]:
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
    scene: dict,
    columns: bytes,
    views: dict[int, GraphPanel],
    details: dict[int, Detail],
    bundle: str,
    *,
    show: dict | None = None,
    traits: dict | None = None,
) -> str:
    """Return a file that shows `scene` without a kernel or a network.

    `columns` is the binary buffer of the scene; `views` are placed panels by scope, and `details` those of the
    inspector by node, as far as the page has them; `bundle` is the text of the front end; `show` is what differs in the
    Scene of the evaluation; `traits` are those of the widget to keep. Where scripts are off, the still picture remains.
    Raises ValueError for a NaN or infinity in the documents, which JSON lacks.
    """
    document = {
        "scene": scene,
        "columns": b64encode(columns).decode("ascii"),
        "views": views,
        "details": details,
        "show": show,
        "traits": traits or {},
        "fallback": STILL,
    }
    return PAGE.format(
        policy=POLICY.format(hash=b64encode(sha256(START.encode()).digest()).decode("ascii")),
        title=escape(titled(scene) or "adviz"),
        style=STYLE,
        still=static_html(scene, STILL),
        document=embedded(document),
        bundle=embedded(bundle),
        start=START,
    )


def embedded(value: object) -> str:
    """Return `value` in JSON, compressed and in base64: nothing in it can be taken for markup."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    return b64encode(gzip.compress(text.encode("ascii"), mtime=0)).decode("ascii")
