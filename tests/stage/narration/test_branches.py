"""The branches that a run has taken: in the caption of its result, and in its source."""

import numpy as np
import pytest

import adviz as ad


def kinked(x, y):
    if x > 0:  # noqa: SIM108
        z = x * y
    else:
        z = -x
    return z * z


def choosing(x):
    return x * x if not x > 1 else x


def either(x, y):
    if x > 0 or y > 0:
        x = x * y
    elif x < -10:
        x = -x
    return x


def repeated(x):
    while x < 10.0:
        x = x * x
    return x


def mixed(x):
    s = 0.0
    for k in range(3):
        if x * k > 1:  # noqa: SIM108
            s = s + x
        else:
            s = s + x * x
    return s


def result_of(f, *args):
    step = ad.show_backward(f, *args).scene["steps"][-1]
    return step["rests"]["nodes"]["caption"]


def skipped(f, *args):
    """The source that was not run, each stretch as it is written, with its first line from that of the function."""
    scene = ad.show_backward(f, *args).scene
    panel = next(each for each in scene["panels"] if each["kind"] == "code")
    file = scene["source"]["files"][0]
    lines = file["text"].split("\n")
    return [
        (first - file["line"], lines[first - file["line"]][start:end] if first == last else "…")
        for _, first, start, last, end, _ in panel.get("skipped", [])
    ]


def line(f, place):
    return f.__code__.co_firstlineno + place


@pytest.mark.parametrize(
    ("f", "args", "sentence"),
    [
        (kinked, (0.5, 2.0), "holds while x > 0 (line {1}): a branch not taken is not differentiated."),
        (kinked, (-0.5, 2.0), "holds while x ≤ 0 (line {1}): a branch not taken is not differentiated."),
        (choosing, (0.5,), "holds while not x > 1 (line {1}): a branch not taken is not differentiated."),
        (either, (-1.0, 2.0), "holds while x > 0 or y > 0 (line {1}): a branch not taken is not differentiated."),
        (repeated, (2.0,), "holds while the loop (line {1}) takes 2 iterations."),
        (mixed, (0.7,), "holds while x * k > 1 (line {3}) comes out as it did each time."),
    ],
)
def test_the_result_says_where_it_holds(f, args, sentence):
    said = sentence.replace("{1}", str(line(f, 1))).replace("{3}", str(line(f, 3)))
    assert result_of(f, *args).endswith(f" This derivative {said}")


def test_without_a_decision_nothing_is_added():
    assert "holds while" not in result_of(lambda x: np.sin(x) * x, 1.0)
    assert "holds while" not in result_of(lambda x, flag=True: x * x if flag else x, 1.0)


def test_what_was_not_run_is_known():
    assert skipped(kinked, 0.5, 2.0) == [(4, "z = -x")]
    assert skipped(kinked, -0.5, 2.0) == [(2, "z = x * y")]
    assert skipped(choosing, 0.5) == [(1, "x")]
    assert skipped(either, -1.0, 2.0) == [(3, "…")]
    assert skipped(repeated, 2.0) == []
    assert skipped(mixed, 0.7) == []
    assert skipped(repeated, 20.0) == [(2, "x = x * x")]
