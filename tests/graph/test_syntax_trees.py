"""Python source as a syntax tree, from many threads at once."""

import gc
import sys
import threading

import pytest

from adviz.graph.syntax_trees import parse

SOURCE = "\n".join(f"def f{k}(x):\n    return (x + {k}) * [x, (x, {k})][0]" for k in range(30))


@pytest.fixture(autouse=True)
def threads_change_often():
    before, most = sys.getswitchinterval(), gc.get_threshold()

    def change(*_):
        """Python code, which other threads can come in at while a tree is made."""

    gc.callbacks.append(change)
    gc.set_threshold(20)
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)
    gc.set_threshold(*most)
    gc.callbacks.remove(change)


def test_threads_parse_at_once():
    found = []

    def work():
        found.extend(len(parse(SOURCE).body) for _ in range(20))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [30] * 160


def test_what_is_no_program_is_an_error_and_the_next_is_parsed():
    with pytest.raises(SyntaxError):
        parse("x +")
    assert parse("x", "eval").body.id == "x"
