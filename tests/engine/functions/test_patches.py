"""Patches: SciPy's functions do on traced values what ours do, and are else what they were."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
import scipy.linalg
import scipy.special
import scipy.stats
from scipy.special import logsumexp
from scipy.stats import norm

import adviz as ad
from adviz.engine.functions.registry import MODULES, versions

X = np.array([0.3, 0.7, 1.1])


def run(code):
    """What a fresh process prints."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.slow
def test_a_function_keeps_its_signature_its_source_and_its_place():
    reported = [
        run(
            f"from scipy.special import logsumexp; from scipy.stats import norm; import inspect, pickle; {traced}"
            "print(inspect.signature(logsumexp), inspect.signature(norm.pdf), len(inspect.getsource(logsumexp)),"
            " len(logsumexp.__doc__), logsumexp.__qualname__, pickle.loads(pickle.dumps(logsumexp)) is logsumexp,"
            " logsumexp.__defaults__, logsumexp.__module__)"
        )
        for traced in ("", "import adviz as ad; ad.trace(lambda x: x * logsumexp([x, 1.0]), 2.0);")
    ]
    assert reported[0] == reported[1]


def test_outside_a_trace_and_on_numbers_scipys_own_code_runs():
    assert ad.grad(lambda x: logsumexp(x))(X).shape == (3,)
    expected = np.log(np.sum(np.exp(X)))
    assert logsumexp(X) == pytest.approx(expected, rel=1e-15)
    assert type(logsumexp(X)) is np.float64
    seen = []
    ad.trace(lambda x: seen.append(logsumexp([1, 2])) or x, X)
    assert type(seen[0]) is np.float64
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        logsumexp(X, axes=0)


@pytest.mark.slow
def test_modules_that_are_imported_later_are_diverted_by_the_next_trace():
    code = (
        "import adviz as ad, numpy as np; ad.trace(np.sin, 1.0); from scipy.linalg import inv;"
        "print(ad.grad(lambda x: inv(x * np.eye(2))[0, 0])(2.0))"
    )
    assert run(code) == ["-0.25"]


def test_every_module_of_the_table_exists_and_has_a_version_of_ours():
    for name, ours in MODULES.items():
        if not name.startswith(("numpy", "scipy._lib", "scipy._external")):  # whose places differ between versions
            assert __import__(name), ours
    assert {scipy.linalg.inv, scipy.stats.rv_continuous.pdf} < versions().keys()


def test_a_distribution_that_is_frozen_can_be_copied_and_pickled():
    frozen = pickle.loads(pickle.dumps(norm(1.0, 2.0)))
    assert ad.grad(lambda x: frozen.logpdf(x))(3.0) == pytest.approx(-0.5)


def test_arguments_that_scipy_would_not_take_are_refused_as_by_scipy():
    for f in (
        lambda x: scipy.linalg.inv(x * np.eye(2), inplace=True),
        lambda x: logsumexp(x, 0, None, False, False, 1),
    ):
        with pytest.raises(TypeError, match="argument"):
            ad.trace(f, 2.0)
