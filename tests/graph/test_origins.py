"""Origins: the exact sub-expression that made each node, down to the column, and the name it was given."""

import linecache
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import adviz as ad
from adviz.graph.origins import Origin, head_of, origin, source

X = np.array([0.3, 0.5, 0.7])


def texts(f, *args, grain="array"):
    """The source text of every node that has an origin."""
    return [node.origin.text for node in ad.trace(f, *args, grain=grain) if node.origin]


def from_source(text, name="f", filename="<made up>", register=True):
    """A function from source that is in no file, as in a notebook's cell."""
    if register:
        linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    namespace = {"np": np}
    exec(compile(text, filename, "exec"), namespace)
    return namespace[name]


@pytest.fixture(autouse=True)
def forget_made_up_sources():
    yield
    for name in [name for name in linecache.cache if name.startswith("<")]:
        del linecache.cache[name]


# ---- the text of the sub-expression ----


def test_operators():
    def f(x, y):
        return -(x + y) * x / (y - 1) ** 2 % 3 // 1 + abs(x) - +y

    assert texts(f, 2.0, 3.0) == [
        "x + y",
        "-(x + y)",
        "-(x + y) * x",
        "y - 1",
        "(y - 1) ** 2",
        "-(x + y) * x / (y - 1) ** 2",
        "-(x + y) * x / (y - 1) ** 2 % 3",
        "-(x + y) * x / (y - 1) ** 2 % 3 // 1",
        "abs(x)",
        "-(x + y) * x / (y - 1) ** 2 % 3 // 1 + abs(x)",
        "+y",
        "-(x + y) * x / (y - 1) ** 2 % 3 // 1 + abs(x) - +y",
    ]


def test_calls_subscripts_attributes_and_matrix_products():
    def f(x, W):
        return np.tanh(W @ x)[1:].sum() + x[0] * np.linalg.norm(x) + W.T[0, 1]

    assert texts(f, X, np.eye(3)) == [
        "W @ x",
        "np.tanh(W @ x)",
        "np.tanh(W @ x)[1:]",
        "np.tanh(W @ x)[1:].sum()",
        "x[0]",
        *["np.linalg.norm(x)"] * 3,
        "x[0] * np.linalg.norm(x)",
        "np.tanh(W @ x)[1:].sum() + x[0] * np.linalg.norm(x)",
        "W.T",
        "W.T[0, 1]",
        "np.tanh(W @ x)[1:].sum() + x[0] * np.linalg.norm(x) + W.T[0, 1]",
    ]


def test_expressions_over_several_lines():
    def f(x):
        return np.sin(
            x
            * 2
        ) + (
            x
        )  # fmt: skip

    found = [node.origin for node in ad.trace(f, 1.0) if node.origin]
    assert [place.text for place in found] == [
        "x\n            * 2",
        "np.sin(\n            x\n            * 2\n        )",
        "np.sin(\n            x\n            * 2\n        ) + (\n            x\n        )",
    ]
    first = f.__code__.co_firstlineno
    assert [(place.line - first, place.end_line - first) for place in found] == [(2, 3), (1, 4), (1, 6)]
    assert "\n" not in str(found[2])


def test_columns_count_characters_not_bytes():
    def f(x):
        Größe, naïve = "日本語 🎉", x; return x * len(Größe) + np.sin(naïve)  # noqa: E702  # fmt: skip

    places = [node.origin for node in ad.trace(f, 1.0) if node.origin]
    assert [place.text for place in places] == ["x * len(Größe)", "np.sin(naïve)", "x * len(Größe) + np.sin(naïve)"]
    line = linecache.getline(__file__, places[0].line)
    assert line[places[0].column : places[0].end_column] == "x * len(Größe)"
    assert places[1].column == line.index("np.sin(naïve)")


def test_lambdas_nested_functions_and_comprehensions():
    def outer(x):
        def inner(t):
            return t * 2 + sum(t**k for k in (1, 2))

        return (lambda t: inner(t) - 1)(x) + sum([k * x for k in range(1)])

    graph = ad.trace(outer, 2.0)
    found = {(node.origin.function.rpartition(".")[2], node.origin.text) for node in graph if node.origin}
    assert found == {
        ("inner", "t * 2"),
        ("<genexpr>", "t**k"),
        ("inner", "sum(t**k for k in (1, 2))"),
        ("inner", "t * 2 + sum(t**k for k in (1, 2))"),
        ("<lambda>", "inner(t) - 1"),
        ("<listcomp>" if sys.version_info < (3, 12) else "outer", "k * x"),
        ("outer", "sum([k * x for k in range(1)])"),
        ("outer", "(lambda t: inner(t) - 1)(x) + sum([k * x for k in range(1)])"),
    }


def test_where_numpys_own_code_makes_a_node_the_origin_is_the_users_call():
    assert set(texts(lambda x: np.median(x) + np.cross(x, x).sum(), X)) == {
        "np.median(x)",
        "np.cross(x, x)",
        "np.cross(x, x).sum()",
        "np.median(x) + np.cross(x, x).sum()",
    }


# ---- source from everywhere ----


def test_source_of_a_notebooks_cell():
    f = from_source("# a cell\ndef f(x):\n    y = np.exp(x)\n    return y * 2\n", filename="<ipython-input-7>")
    graph = ad.trace(f, 1.0)
    assert [(n.origin.file, n.origin.line, n.origin.text) for n in graph if n.origin] == [
        ("<ipython-input-7>", 3, "np.exp(x)"),
        ("<ipython-input-7>", 4, "y * 2"),
    ]
    assert graph[1].name == "y"
    assert str(graph[1].origin) == "<ipython-input-7>:3:9, in f: np.exp(x)"
    assert source(f.__code__) == ("<ipython-input-7>", "f", 2, "def f(x):\n    y = np.exp(x)\n    return y * 2")


def test_code_without_source():
    f = from_source("def f(x):\n    for k in range(2):\n        x = np.sin(x) * x\n    return x", register=False)
    graph = ad.trace(f, 1.0)
    assert graph[1].origin == Origin("<made up>", "f", 3, 12, 3, 21, "")
    assert str(graph[1].origin) == "<made up>:3:13, in f"
    assert graph[1].name is None
    assert graph[1].scope == "f › loop › iteration 1"
    assert source(f.__code__).text == ""
    assert "sin" in graph.summary()


def test_code_without_columns():
    """As Python runs with ``-X no_debug_ranges``: the line is all that is known."""
    f = from_source("def f(x):\n    return np.sin(x) * 2\n")
    positions = [(line, line, None, None) for line, *_ in f.__code__.co_positions()]
    code = SimpleNamespace(co_positions=lambda: positions, co_filename="<made up>", co_qualname="f")
    graph = ad.trace(f, 1.0)
    assert origin(code, graph.offsets[1]) == Origin("<made up>", "f", 2, 0, 2, 24, "return np.sin(x) * 2")


def test_source_that_does_not_parse_any_more_still_has_its_text():
    f = from_source("def f(x):\n    y = x * 2\n    return y\n")
    lines = ["def f(x):\n", "    y = x * 2\n", "    return y y y\n"]
    linecache.cache["<made up>"] = (1, None, lines, "<made up>")
    graph = ad.trace(f, 1.0)
    assert (graph[1].origin.text, graph[1].name) == ("x * 2", None)


def test_functions_in_two_files_that_look_alike_are_told_apart():
    f, g = (from_source(f"def f(x):\n    {name} = x * 2\n    return {name}", filename=f"<{name}>") for name in "ab")
    graph = ad.trace(lambda x: f(x) + g(x), 1.0)
    assert [graph.name(k) for k in (1, 2)] == ["a", "b"]
    assert [graph[k].origin.file for k in (1, 2)] == ["<a>", "<b>"]


def test_the_head_of_a_function_is_below_its_decorators():
    def repeated(times):
        return lambda f: f

    @repeated(
        2,
    )
    @repeated(3)
    def f(x):
        return x

    first = f.__code__.co_firstlineno
    assert (head_of(f.__code__).line, head_of(f.__code__).text) == (first + 4, "def f(x):")
    assert head_of(repeated.__code__).line == repeated.__code__.co_firstlineno
    assert head_of((lambda: 1).__code__).text.startswith("assert head_of((lambda: 1)")


def test_the_text_of_a_function_holds_all_of_it():
    def f(x):
        def g(t):
            def h(s):
                return s + 1

            return h

        return g(x)(x)

    assert source(f.__code__).text.endswith("return g(x)(x)")
    assert "return s + 1" in source(f.__code__).text
    assert source(f.__code__).line == f.__code__.co_firstlineno


# ---- names ----


def test_names_come_from_assignments():
    def f(x):
        a = np.sin(x)
        b = c = a * 2
        d, (e, g) = a + 1, (b + 2, c + 3)
        h: float = d * e
        h += g
        if (i := h - 1) > 0:
            i = i / 2
        j = -(np.cos(x))  # not cos, but its negative
        k = x
        return i + j + k

    graph = ad.trace(f, 1.0)
    found = {node.origin.text: node.name for node in graph if node.origin}
    assert found["np.sin(x)"] == "a"
    assert found["a * 2"] == "b"
    assert (found["a + 1"], found["b + 2"], found["c + 3"]) == ("d", "e", "g")
    assert (found["d * e"], found["h += g"]) == ("h", "h")
    assert (found["h - 1"], found["i / 2"]) == ("i", "i")
    assert (found["np.cos(x)"], found["-(np.cos(x))"]) == (None, "j")
    assert found["i + j + k"] is None
    assert graph.label(1) == "a (sin)"


def test_starred_targets_give_no_wrong_names():
    def f(x):
        *a, b = x + 1, x + 2, x + 3
        return a[0] * b

    assert [node.name for node in ad.trace(f, 1.0)] == ["x", None, None, None, None, None]


def test_what_is_written_into_has_the_name_of_the_array():
    def f(x, rows):
        out = np.zeros(3)
        out[0] = x[0]
        out[1:] += x[1:]
        np.add.at(out, [0, 0], x[:2])
        np.multiply(x, 2.0, out=out)
        rows[0][1] = x[2]
        x *= 2.0
        x.sort()
        return np.sum(out * x) + np.sum(rows)

    graph = ad.trace(f, np.array([0.3, 0.1, 0.2]), np.ones((2, 2)))
    assert [graph.name(node.index) for node in graph if node.block.name == "set"] == ["out"] * 4 + ["rows", "x", "x"]
