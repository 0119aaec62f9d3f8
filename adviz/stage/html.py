"""A scene in HTML: the still picture that stands in for a live view, and a page of its own that needs nothing else."""

import json
from base64 import b64encode
from hashlib import sha256
from html import escape

from .drawing import heading, panel_of, summary
from .svg import svg

#: The id of the still picture in a page; the front end hides it by that while it is alive.
STILL = "adviz-still"

#: Stands in a notebook where the live view would be, when its kernel is gone.
LOST = "A still picture. Run this cell to explore it."

#: Imports the front end from the page itself: a module from a Blob works from a file and without a network.
START = """
const read = (id) => JSON.parse(document.getElementById(id).textContent);
const source = URL.createObjectURL(new Blob([read("adviz-bundle")], { type: "text/javascript" }));
try {
  const { mount } = await import(source);
  mount(document.getElementById("adviz-explorer"), read("adviz-document"));
} finally {
  URL.revokeObjectURL(source);
}
"""

#: Nothing from anywhere: only the script above, known by its hash, and what it makes of the page's own data.
POLICY = (
    "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data: blob:; font-src data:; "
    "style-src 'unsafe-inline'; script-src 'sha256-{hash}' blob:"
)

STYLE = """
:root { color-scheme: light dark; }
body { margin: 0; padding: 12px; font: 13px/1.45 system-ui, sans-serif; }
@media (min-width: 780px) { #adviz-explorer .adviz-frame { height: calc(100vh - 26px); resize: none; } }
[data-adviz-id] > div { max-height: none !important; }
"""

NOTEBOOK_STYLE = """
[data-adviz-id="{id}"] > img {{ display: none; }}
.jp-OutputArea-child:has(+ .jp-OutputArea-child [data-adviz-id="{id}"]) > .jupyter-widgets:not(:has(*)) {{
  font-size: 0;
  &::before {{ content: "{lost}"; font-size: 13px; }}
}}
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
<script type="application/json" id="adviz-document">{document}</script>
<script type="application/json" id="adviz-bundle">{bundle}</script>
<script type="module">{start}</script>
</body>
</html>
"""


def static_html(scene: dict, id: str) -> str:
    """Return the picture and a line on the size of the graph, under `data-adviz-id`, without scripts.

    It follows the theme of the page. A large picture is scaled down while it stays readable, and else scrolled.
    """
    return framed(scene, id, scrolled(svg(scene, "auto")))


def notebook_html(scene: dict, id: str) -> str:
    """Return the still picture for an output in a notebook, right after the output that is the live view.

    Where Jupyter has lost the live view, it writes an error in its place; what a person can do then stands there
    instead. Where Jupyter does not trust the notebook, it takes styles and inline pictures out, but leaves their words:
    those have no size here, and the picture is there once more as an image, which a style hides if there are styles.
    """
    picture = svg(scene, "auto")
    image = b64encode(picture.encode()).decode("ascii")
    return framed(
        scene,
        id,
        f"<style>{NOTEBOOK_STYLE.format(id=id, lost=LOST)}</style>",
        scrolled(picture, "font-size:0"),
        f'<img alt="" style="max-width:100%" src="data:image/svg+xml;base64,{image}">',
    )


def framed(scene: dict, id: str, *content: str) -> str:
    """Return the content and a line on the size of the graph, under `data-adviz-id`."""
    size = f'<div style="margin:4px 0;font-size:12px;opacity:.75">{escape(summary(scene))}</div>'
    return "\n".join([f'<div data-adviz-id="{escape(id)}">', *content, size, "</div>"])


def scrolled(picture: str, style: str = "") -> str:
    """Return a picture in a box that is no higher than a notebook can show."""
    return f'<div style="max-height:720px;overflow:auto;{style}">{picture}</div>'


def page(scene: dict, columns: bytes, views: dict[int, dict], details: dict[int, dict], bundle: str) -> str:
    """Return a file that shows `scene` without a kernel or a network.

    `columns` is the scene's binary buffer; `views` are the placed panels by scope, and `details` the inspector's by
    node, as far as the page is to have them; `bundle` is the text of the front end's module. Where scripts are off,
    the still picture remains. Raises ValueError for a NaN or infinity in the documents: JSON has none.
    """
    document = {
        "scene": scene,
        "columns": b64encode(columns).decode("ascii"),
        "views": views,
        "details": details,
        "fallback": STILL,
    }
    return PAGE.format(
        policy=POLICY.format(hash=b64encode(sha256(START.encode()).digest()).decode("ascii")),
        title=escape(heading(scene, panel_of(scene, "graph")) or "adviz"),
        style=STYLE,
        still=static_html(scene, STILL),
        document=embedded(document),
        bundle=embedded(bundle),
        start=START,
    )


def embedded(value: object) -> str:
    """Return `value` in JSON that no HTML parser can take for markup, in ASCII."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
