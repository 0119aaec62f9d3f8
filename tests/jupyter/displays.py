"""What a View shows in a notebook, and saves."""

from collections.abc import Callable

import numpy as np

HOSTILE = '</script><script>alert(1)</script><img src=x onerror="alert(2)">'


def words_of_still(view, monkeypatch) -> str:
    """The words of the still picture that a View shows beside its live view."""
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda data, **_: shown.append(data))
    view._ipython_display_()
    live, still = shown
    assert "application/vnd.jupyter.widget-view+json" in live
    assert f'data-adviz-id="{view.fallback}"' in still["text/html"]
    assert "<script" not in still["text/html"]
    assert "image/png" in still
    return still["text/plain"]


def hostile_function() -> Callable:
    """A function with a name that is markup."""

    def innocent(x):
        return np.sin(x)

    innocent.__name__ = HOSTILE
    return innocent


def assert_harmless(file) -> None:
    """No name has become markup in a file."""
    text = file.read_text(encoding="utf-8")
    assert "<script>alert" not in text
    assert "<img" not in text.split('id="adviz-bundle"')[0]
