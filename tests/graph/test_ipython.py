"""What a person sees of errors, warnings and places in IPython and in a notebook; in plain Python all is as ever."""

import re
import subprocess
import sys
import traceback
from types import SimpleNamespace

import pytest

import adviz as ad
from adviz.graph import ipython

from .. import cells

CELLS = {
    "start": "import adviz as ad, numpy as np, sys, traceback",
    "adviz's": """
        def f(x):
            y = np.sin(x)
            return float(y)

        ad.grad(f)(1.0)
        """,
    "the user's": """
        def g(x):
            y = np.sin(x)
            raise KeyError("k")

        ad.trace(g, 1.0)
        """,
    "explored": "print(ad.explore(sys.last_value.graph).graph, type(sys.last_value))",
    "whole": """
        steps = "".join(traceback.format_exception(sys.last_value))
        print("engine/trace.py" in steps, "_render" in steps)
        """,
    "of the library": "ad.grad(lambda x: x.reshape(3, 3))(np.ones(4))",
    "shown": "ad.show_backward(g, 1.0)",
    "nested": "ad.trace(ad.grad(g), 1.0)",
    "before tracing": "ad.grad(f, argnums=2)(1.0)",
    "of a show": "ad.show_backward(lambda x: x * x, 3.0, engine='tapes')",
    "warning": """
        x = -1.0
        ad.trace(lambda x: np.log(x), x)
        """,
    "places": """
        graph = ad.trace(lambda x: np.exp(x), 1.0)
        explorer = ad.explore(graph)
        print(graph[1].origin, explorer.scene["source"]["files"][0]["path"], sep="; ")
        """,
    "global array": """
        totals = np.zeros(2)
        def h(x):
            totals[0] = x
            return x
        ad.trace(h, 1.0)
        """,
    "an exception of no traced function": "1 / 0",
    "caught": """
        try:
            ad.trace(g, 1.0)
        except KeyError as error:
            print(error.args, error.__notes__)
        """,
    "misspelt": "ad.show_backwards",
    "without a result": """
        def forgetful(x):
            y = np.sin(x)

        ad.trace(forgetful, 1.0)
        """,
    "a player": "player, explorer = ad.show_backward(lambda x: x * x, 3.0), ad.explore(lambda x: x * x, 3.0)",
    "no folder": "player.save('nodir/page.html')",
    "no folder for a picture": "player.save('nodir/page.png')",
    "no folder for a graph": "explorer.save('nodir/graph.html')",
    "no folder for a program": "ad.compile_gradient(lambda x: x * x, 3.0).save('nodir/program.py')",
    "no such moment": "player.save('page.png', cursor=99)",
    "no path": "player.save(3)",
    "no cursor": "player.cursor = 'end'",
    "no trait": "player.cursors = 3",
    "no node": "explorer.selection = [99]",
}
OWN = ("adviz/engine", "adviz/jupyter", "adviz/graph", "adviz/kernels", "traitlets.py", "pathlib")


@pytest.fixture(scope="module", params=[cells.SHELLS[0], pytest.param(cells.SHELLS[1], marks=pytest.mark.slow)])
def told(request):
    return dict(zip(CELLS, cells.told_by(request.param, list(CELLS.values())), strict=True))


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("adviz's", ["Cell In[2], line 5", "Cell In[2], line 3, in f(x)", "ConversionError: float("]),
        ("the user's", ["Cell In[3], line 5", "Cell In[3], line 3, in g(x)", "KeyError: 'k'"]),
        ("of the library", ["Cell In[6], line 1", "in <lambda>(x)", "ValueError: cannot reshape"]),
        ("shown", ["Cell In[7], line 1", "Cell In[3], line 3, in g(x)", "KeyError: 'k'"]),
        ("nested", ["Cell In[8], line 1", "Cell In[3], line 3, in g(x)", "KeyError: 'k'"]),
        ("before tracing", ["Cell In[9], line 1", "OptionError: argnums is 2"]),
        ("of a show", ["Cell In[10], line 1", "ShowError: "]),
        ("misspelt", ["Cell In[16], line 1", "AttributeError: module 'adviz' has no", "did you mean 'show_backward'?"]),
        ("without a result", ["Cell In[17], line 4", "at Cell In[17], line 1, in forgetful: def forgetful(x):"]),
        ("no folder", ["Cell In[19], line 1", "FileNotFoundError: there is no folder 'nodir' for page.html; make it"]),
        ("no folder for a picture", ["FileNotFoundError: there is no folder 'nodir' for page.png; make it first"]),
        ("no folder for a graph", ["FileNotFoundError: there is no folder 'nodir' for graph.html; make it first"]),
        ("no folder for a program", ["FileNotFoundError: there is no folder 'nodir' for program.py; make it first"]),
        ("no such moment", ["Cell In[23], line 1", "IndexError: there is no moment 99; this show has cursors 0 to"]),
        ("no path", ["Cell In[24], line 1", "TypeError: "]),
        ("no cursor", ["Cell In[25], line 1", "TraitError: cursor is 'end'; this show has cursors 0 to"]),
        ("no trait", ["Cell In[26], line 1", "AttributeError: a Player has no 'cursors'; did you mean 'cursor'?"]),
        ("no node", ["Cell In[27], line 1", "TraitError: selection has node 99, but the graph has nodes 0 to 2"]),
    ],
)
def test_a_traceback_has_the_frames_of_the_user_and_the_sentence(told, name, lines):
    text = told[name]
    assert [line for line in lines if line not in text] == []
    assert not any(path in text for path in OWN)
    assert "hidden" not in text
    assert len(text.splitlines()) < 20


def test_places_are_named_by_their_cells(told):
    assert "at Cell In[2], line 3, in f: float(y)" in told["adviz's"]
    assert told["places"].startswith("Cell In[12], line 1, in <lambda>: np.exp(x); Cell In[12]")
    assert "`totals`, which was not made in the traced function but at Cell In[13], line 1." in told["global array"]
    assert not [name for name, text in told.items() if "ipython-input" in text or "ipykernel" in text]


def test_a_warning_is_of_its_cell(told):
    assert "Cell In[11]:2: NonFiniteWarning: NaN arises" in told["warning"]
    assert "at Cell In[11], line 2, in <lambda>: np.log(x)" in told["warning"]


def test_an_exception_of_the_users_own_stays_theirs_and_has_the_graph(told):
    assert ipython_note() in told["the user's"]
    assert told["explored"].strip() == "<Graph of g, up to KeyError: 2 nodes, 1 edge> <class 'KeyError'>"
    assert told["caught"].strip() == f"('k',) ['{ipython_note()}']"


def test_a_function_that_ran_to_its_end_is_kept_whole(told):
    assert "adviz kept the graph: import sys;" in told["without a result"]


def test_the_traceback_itself_is_whole(told):
    assert told["whole"].split() == ["True", "False"]


def test_other_exceptions_are_shown_as_ever(told):
    assert "ZeroDivisionError" in told["an exception of no traced function"]


def ipython_note():
    return "adviz kept the graph up to this line: import sys; ad.explore(sys.last_value.graph)"


# ---- plain Python ----


def raises(x):
    raise KeyError("k")


def test_in_plain_python_tracebacks_are_whole_and_nothing_is_added():
    with pytest.raises(KeyError) as caught:
        ad.trace(raises, 1.0)
    names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert names[1:] == ["trace", "record", "raises"]
    assert vars(caught.value).keys() == {"graph"}
    program = "import adviz, numpy as np\nadviz.trace(lambda x: float(x), 1.0)"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ran.stderr.count("engine") >= 3
    # since Python 3.13 also the source of such a program is known
    said = r"adviz\.engine\.trace_errors\.ConversionError: (Making a float|float\(x\))"
    assert re.match(said, ran.stderr.splitlines()[-2])


def test_a_file_keeps_its_path_and_ipython_is_not_imported_for_a_name():
    program = "import sys, adviz.graph.ipython as i\nprint(i.called('a.py'), i.shell(), 'IPython' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ran.stdout.split() == ["a.py", "None", "False"]


def test_what_a_library_does_for_adviz_is_not_shown_either():
    with pytest.raises(AttributeError) as caught:
        ad.trace(lambda x: x + copied(x), 1.0)
    steps = ipython.users_steps(caught.value.__traceback__)
    files = [frame.filename for frame in traceback.extract_tb(steps)]
    assert set(files) == {__file__}


def copied(x):
    return x.no_such_attribute


def test_a_traceback_of_nothing_but_adviz_is_shown_whole():
    with pytest.raises(ad.InputError) as caught:
        ad.trace(3, 4)
    own = caught.value.__traceback__.tb_next
    assert ipython.users_steps(own) is own


def test_a_renderer_that_does_not_find_its_exception_says_what_python_says(monkeypatch):
    monkeypatch.setattr(ipython, "shell", lambda: SimpleNamespace(InteractiveTB=None))
    monkeypatch.setattr(sys, "last_value", None, raising=False)
    try:
        raise ZeroDivisionError("zero")
    except ZeroDivisionError:
        assert ipython.Rendering()()[-1] == "ZeroDivisionError: zero"


def test_an_error_is_rendered_by_python_where_no_shell_is():
    error = ad.InputError("no")
    assert error._render_traceback_()[-1].endswith("InputError: no")
