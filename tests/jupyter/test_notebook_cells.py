"""Views by cell: what a cell no longer shows is closed; what nobody has seen is held by who made it only."""

import gc
import weakref

import pytest
from ipywidgets import Output, VBox
from ipywidgets.widgets import widget as registry

import adviz as ad
from adviz.jupyter import view as module
from adviz.jupyter.view import Cells, present_cell


class Shell:
    """A shell with a kernel that runs cells one after the other."""

    def __init__(self):
        self.events = self.kernel = self
        self.callbacks = {"pre_run_cell": [], "post_run_cell": []}
        self.metadata = {}

    def register(self, event, callback):
        self.callbacks[event].append(callback)

    def get_parent(self):
        return {"metadata": self.metadata}

    def run(self, cell, *views):
        """Run a cell that shows views; what runs it may have no name for it."""
        self.metadata = {"cellId": cell} if cell else {}
        for callback in self.callbacks["pre_run_cell"]:
            callback(None)
        for view in views:
            view._ipython_display_()
        for callback in self.callbacks["post_run_cell"]:
            callback(None)


@pytest.fixture
def shell(monkeypatch):
    registry.Widget.close_all()  # what other tests have left
    shell = Shell()
    monkeypatch.setattr(module, "get_ipython", lambda: shell)
    monkeypatch.setattr("adviz.jupyter.view.cells", Cells())
    monkeypatch.setattr("IPython.display.display", lambda data, **_: None)
    yield shell
    registry.Widget.close_all()


def bump(x):
    return x * x


def explorer():
    return ad.explore(bump, 3.0)


def is_open(view):
    return view.comm is not None and view.comm.comm_id in registry._instances


def test_what_was_not_shown_is_held_by_who_made_it_only():
    before = len(registry._instances)
    view = explorer()
    gone = weakref.ref(view)
    assert len(registry._instances) == before
    del view
    gc.collect()
    assert gone() is None


def test_a_cell_that_is_run_again_closes_what_it_has_shown(shell):
    first, second = explorer(), explorer()
    shell.run("a", first)
    assert is_open(first)
    shell.run("a", second)
    assert (is_open(first), is_open(second)) == (False, True)
    assert len(registry._instances) == 2  # the view and its layout


def test_a_cell_that_shows_nothing_any_more_closes_what_it_has_shown(shell):
    view = explorer()
    shell.run("a", view)
    shell.run("b")
    assert is_open(view)
    shell.run("a")
    assert not is_open(view)
    assert registry._instances == {}


@pytest.mark.slow
def test_two_hundred_runs_of_a_cell_leave_one_view(shell, monkeypatch):
    monkeypatch.setattr("adviz.jupyter.explorer.Explorer._still", lambda self: {})
    graph = ad.trace(bump, 3.0)
    for _ in range(200):
        shell.run("a", ad.explore(graph))
    assert len(registry._instances) == 2


def test_what_another_cell_shows_as_well_stays_open_until_both_are_run_again(shell):
    view = explorer()
    shell.run("a", view)
    shell.run("b", view)
    shell.run("a")
    assert is_open(view)
    shell.run("b")
    assert not is_open(view)


def test_what_the_cell_shows_again_stays_open(shell):
    view = explorer()
    shell.run("a", view)
    name = view.model_id
    shell.run("a", view)
    assert is_open(view)
    assert view.model_id == name


def test_what_was_closed_can_be_shown_again_as_it_was(shell):
    view = explorer()
    shell.run("a", view)
    view.selection = [1]
    scene, name = view.scene, view.model_id
    shell.run("a")
    assert view.comm is None
    assert view.selection == [1]
    shell.run("c", view)
    assert is_open(view)
    assert is_open(view.layout)
    assert (view.scene, view.selection) == (scene, [1])
    assert view.model_id != name
    assert "application/vnd.jupyter.widget-view+json" in view._repr_mimebundle_()[0]


def test_an_explorer_that_was_put_away_keeps_the_graph_and_makes_the_scene_again(shell):
    view = explorer()
    scene, columns = view.scene, view.columns
    shell.run("a", view)
    shell.run("a")
    assert not {"scene", "columns"} & view._trait_values.keys()
    assert (view.columns, view.scene) == (columns, scene)
    view.selection = [1]


def test_a_player_that_was_put_away_keeps_its_show(shell):
    player = ad.show_backward(bump, 3.0)
    shell.run("a", player)
    player.cursor = 2
    scene = player.scene
    shell.run("a")
    assert not is_open(player)
    shell.run("a", player)
    assert (player.cursor, player.scene) == (2, scene)


def test_a_layout_of_the_users_stays_as_it_is(shell):
    view = explorer()
    view.layout.width = "50%"
    shell.run("a", view)
    shell.run("a")
    assert is_open(view.layout)
    shell.run("b", view)
    assert view.layout.width == "50%"


@pytest.mark.parametrize("first", ["a", None])
def test_nothing_is_closed_where_cells_have_no_names(shell, first):
    view = explorer()
    shell.run(first, view)
    shell.run(None, explorer())
    shell.run(None)
    assert is_open(view)


def test_what_was_shown_somewhere_unknown_stays_open(shell):
    view = explorer()
    shell.run(None, view)
    shell.run("a", view)
    shell.run("a")
    assert is_open(view)


def test_what_went_into_an_output_widget_stays_open(shell):
    view, output = explorer(), Output()
    output.msg_id = "7"
    shell.run("a", view)
    output.msg_id = ""
    shell.run("a")
    assert is_open(view)


def test_a_view_inside_another_widget_is_opened_with_it(shell):
    view = explorer()
    box = VBox([view])
    assert is_open(view)
    assert box.get_state()["children"] == [f"IPY_MODEL_{view.model_id}"]


def test_a_view_that_its_owner_has_closed_is_no_trouble(shell):
    view = explorer()
    shell.run("a", view)
    view.close()
    shell.run("a", explorer())
    assert len(registry._instances) == 2


def test_the_cell_is_the_one_that_the_front_end_names(shell):
    shell.metadata = {"cellId": "a"}
    assert present_cell(shell) == "a"
    for metadata in ({}, {"cellId": None}, {"cellId": 3}):
        shell.metadata = metadata
        assert present_cell(shell) is None
    assert present_cell(None) is None


KERNEL = """
import adviz as ad
from ipywidgets.widgets import widget as registry
graph = ad.trace(lambda x: x * x, 3.0)
"""


@pytest.mark.slow
def test_in_a_kernel_a_cell_that_is_run_again_closes_what_it_has_shown():
    from jupyter_client.manager import start_new_kernel

    manager, client = start_new_kernel(kernel_name="python3")
    try:
        heard = []

        def run(code, cell):
            content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}}
            message = client.session.msg("execute_request", content)
            message["metadata"]["cellId"] = cell
            client.shell_channel.send(message)
            while client.get_shell_msg(timeout=60)["parent_header"]["msg_id"] != message["header"]["msg_id"]:
                pass

        run(KERNEL, "start")
        for _ in range(4):
            run("ad.explore(graph)", "a")
        run("print(len(registry._instances), len(get_ipython().kernel.comm_manager.comms))", "end")
        while not heard:
            message = client.get_iopub_msg(timeout=60)
            heard += [message["content"]["text"]] if message["msg_type"] == "stream" else []
        assert heard == ["2 2\n"]
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
