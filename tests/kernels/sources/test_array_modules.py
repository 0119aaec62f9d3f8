"""The graph of a program on arrays knows the lines that its nodes come from."""

import numpy as np
import pytest

import adviz as ad

SQUARE = np.array([[2.0, 1.0], [1.0, 3.0]])
WITH_HELPERS = {
    "logsumexp": lambda x: np.sum(np.logaddexp.reduce(x)),
    "eigh_in_one": lambda x: np.linalg.eigh(x)[0],
    "svd_in_one": lambda x: np.linalg.svd(x)[1],
    "qr_in_one": lambda x: np.linalg.qr(x)[1],
    "ifft_of_parts": lambda x: np.fft.ifft(np.fft.fft(x[0]) * np.fft.fft(x[1])).real,
}


@pytest.mark.parametrize("name", WITH_HELPERS)
def test_what_a_helper_computes_is_of_the_line_that_calls_it(name):
    program = ad.compile(WITH_HELPERS[name], SQUARE, grain="array")
    assert f"{name}(" in program.source
    lines = program.source.splitlines()
    places = [origin for node in range(len(program.graph)) if (origin := program.graph.origin(node))]
    assert any(name in lines[place.line - 1] for place in places)
    assert all(place.text in lines[place.line - 1] for place in places)
    ad.show_program(WITH_HELPERS[name], SQUARE, grain="array")
