"""An enumeration goes on where it was stopped, and any executor finds the same."""

import json
from concurrent.futures import Executor, Future, ThreadPoolExecutor

import pytest

from adviz.algorithms.expressions import ExpressionError, enumeration
from adviz.algorithms.expressions.enumeration import FILE, enumerate_optima, pieces

SIZES = [(2, 7), (2, 8)]


class Loser(Executor):
    """Loses every other task with its worker."""

    def __init__(self):
        self.count = 0

    def submit(self, function, /, *task):
        future, self.count = Future(), self.count + 1
        if self.count % 2:
            future.set_result(function(*task))
        else:
            future.set_exception(ConnectionError("the worker is gone"))
        return future


class Stop(Exception):
    pass


@pytest.mark.long
def test_progress_counts_the_pieces(tmp_path):
    heard = []
    enumerate_optima(tmp_path, SIZES, progress=heard.append)
    wanted = [piece for size in SIZES for piece in pieces(*size)]
    assert [(each.pieces, each.of, each.piece) for each in heard] == [
        (k, len(wanted), piece) for k, piece in enumerate(wanted, 1)
    ]
    assert sorted(each.seconds for each in heard) == [each.seconds for each in heard]


@pytest.mark.long
def test_it_goes_on_where_it_was_stopped(tmp_path, monkeypatch):
    whole = enumerate_optima(tmp_path / "whole", SIZES)

    def stop(progress):
        if progress.pieces == 5:
            raise Stop

    with pytest.raises(Stop):
        enumerate_optima(tmp_path / "stopped", SIZES, progress=stop)
    with (tmp_path / "stopped" / FILE).open("a", encoding="utf-8") as file:
        file.write('[[2, 8, 1, 2], [14, [["01 | 0')  # as a process that is killed leaves it
    done = []
    monkeypatch.setattr(enumeration, "done", lambda piece, do=enumeration.done: done.append(piece) or do(piece))
    assert enumerate_optima(tmp_path / "stopped", SIZES) == whole
    assert done == [piece for size in SIZES for piece in pieces(*size)][5:]
    for line in (tmp_path / "stopped" / FILE).read_text().splitlines():
        json.loads(line)


@pytest.mark.long
@pytest.mark.parametrize("executor", [lambda: ThreadPoolExecutor(2), Loser])
def test_any_executor_finds_the_same(tmp_path, executor):
    with executor() as pool:
        shared = enumerate_optima(tmp_path / "shared", SIZES, executor=pool)
    assert shared == enumerate_optima(tmp_path / "alone", SIZES)


def test_wrong_arguments_are_named(tmp_path):
    with pytest.raises(ValueError, match=r"executor is 4; expected one of concurrent\.futures, or None"):
        enumerate_optima(tmp_path, SIZES, executor=4)
    with pytest.raises(ExpressionError, match="There can be 1 to 6 intermediates, not 9"):
        enumerate_optima(tmp_path, [(9, 12)])
