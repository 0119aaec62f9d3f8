"""Calls of C extensions and of the standard library, on constants and on traced values, while a program is traced.

``python -m tests.fuzz.extensions all`` runs each in both grains, in fresh processes with ``faulthandler`` on, beside
plain NumPy and central differences. A call may be refused; it may not bring its process down, and no number may be
wrong. A call on constants alone may not even be refused.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np

import adviz as ad
from tests.fresh_processes import DEATH, outcomes, serve

MODULE = "tests.fuzz.extensions"
GRAINS = ("array", "scalar")
X = np.array([0.7, -0.4, 1.1, 0.3])

# ---- what programs are made of; every vector has four numbers ----

DRAWS = """
beta(2.0, 3.0, size=4) | binomial(5, 0.4, size=4) | chisquare(3.0, size=4) | dirichlet([1.0, 2.0, 1.5, 0.5])
exponential(size=4) | f(3.0, 4.0, size=4) | gamma(2.0, size=4) | geometric(0.4, size=4) | gumbel(size=4)
hypergeometric(5, 4, 3, size=4) | laplace(size=4) | logistic(size=4) | lognormal(size=4) | logseries(0.4, size=4)
multinomial(9, [0.25, 0.25, 0.25, 0.25]) | multivariate_normal(np.zeros(4), np.eye(4))
negative_binomial(3, 0.5, size=4) | noncentral_chisquare(2.0, 1.0, size=4) | noncentral_f(3.0, 4.0, 1.0, size=4)
normal(size=4) | normal(c, 0.5 + c * c) | normal(np.zeros(4), 1.0) | pareto(2.0, size=4) | permutation(4)
permutation(c) | poisson(3.0, size=4) | power(2.0, size=4) | rayleigh(size=4) | standard_cauchy(size=4)
standard_exponential(size=4) | standard_gamma(2.0, size=4) | standard_normal(size=4) | standard_t(4.0, size=4)
triangular(0.0, 0.5, 1.0, size=4) | uniform(size=4) | uniform(c, c + 1) | uniform(np.zeros(4), np.ones(4))
vonmises(0.0, 1.0, size=4) | wald(1.0, 2.0, size=4) | weibull(2.0, size=4) | zipf(3.0, size=4) | choice(4, 4)
choice(c, 4) | choice(4, 4, p=np.full(4, 0.25)) | choice(c, 4, p=np.ones(4) / 4) | choice(4, 4, replace=False)
normal(size=(2, 2)) | gamma(np.full(4, 2.0)) | poisson(np.ones(4)) | multivariate_normal(c, np.diag(np.ones(4)), 3)[1]
dirichlet(np.ones(4), 2)[1]
"""
OF_STATES = """
rand(4) | randn(4) | randn(2, 2) | random(4) | random_sample(4) | randint(0, 9, 4) | ranf(4) | sample(4)
"""
OF_GENERATORS = """
random(4) | random((2, 2)) | integers(0, 9, 4) | permuted(c) | multivariate_hypergeometric([3, 2, 4, 1], 5)
random(out=np.empty(4)) | standard_normal(out=np.zeros(4)) | standard_exponential(out=np.empty(4))
standard_gamma(2.0, out=np.empty(4)) | standard_normal(4, dtype=np.float32)
"""

CONSTANTS = """
np.r_[c, 1.0, d] | np.r_[0.0:1.0:4j] | np.r_[c[:2], c[2:]] | np.c_[c, d][:, 1] | np.c_[np.ones(4), c] @ np.ones(2)
np.matrix([c, d]).A1 | (np.matrix(np.eye(4)) * np.matrix(c).T).A1 | np.asarray(np.asmatrix(c))
np.bmat([[np.eye(4)]]).A @ c | np.fromiter((v * v for v in c), float) | np.fromiter(c, float, 4)
np.frombuffer(c.tobytes()) | np.frombuffer(np.zeros(4)) | np.frombuffer(struct.pack("4d", *c))
np.array(struct.unpack("4d", struct.pack("4d", *c))) | np.array(array.array("d", c))
np.loadtxt(io.StringIO("1 2 3 4")) | np.genfromtxt(io.StringIO("1,2,3,4"), delimiter=",") | np.array(memoryview(c))
pickle.loads(pickle.dumps(c)) | pickle.loads(pickle.dumps(np.ones(4))) | copy.deepcopy(c) | copy.copy(np.zeros(4)) + c
np.histogram(c, 4)[0] | np.histogram2d(c, d, 2)[0] | np.unique(c) | np.sort(c) | np.interp(c, [-9.0, 9.0], [0.0, 1.0])
np.convolve(c, d)[:4] | np.einsum("i,j->ij", c, d)[0] | np.linalg.solve(np.diag(2 + c * c), d)
np.linalg.svd(np.outer(c, d) + np.eye(4))[1] | np.linalg.lstsq(np.outer(c, c) + np.eye(4), d, rcond=None)[0]
np.linalg.eigh(np.outer(c, c) + np.diag([1.0, 2, 3, 4]))[0] | np.abs(np.fft.fft(c)) | np.fft.irfft(np.fft.rfft(c))
np.ma.masked_less(c, 0).filled(0.5) | np.ma.array(c, mask=[0, 1, 0, 0]).filled(0) | np.vectorize(math.sin)(c)
np.vectorize(lambda v: math.exp(-v * v))(c) | np.apply_along_axis(np.cumsum, 0, c)
np.lib.stride_tricks.sliding_window_view(c, 2).sum(axis=1) | np.lib.stride_tricks.as_strided(c, (2, 2), (16, 8))
c.view(np.int64) % 7 | c.astype(np.float32) | c.astype(int) | np.rec.fromarrays([c, d], names="a,b").a
np.array(c, dtype=np.float32).astype(float)
np.nditer(c).value + c if False else np.array([float(v) for v in np.nditer(c)])
np.array([v for _, v in np.ndenumerate(c)]) | np.piecewise(c, [c < 0, c >= 0], [0.0, 1.0])
np.select([c < 0], [d], 0.5) | np.digitize(c, np.linspace(-1, 1, 5)) | np.polyfit(np.arange(4.0), c, 2)
np.poly1d(c)(0.5) | np.polynomial.Polynomial(c)(d) | np.cov(c, d) | np.corrcoef(c, d)
np.bincount([0, 1, 1, 3], weights=c) | np.add.reduceat(c, [0, 1, 2, 3]) | np.add.outer(c, d)[0]
np.kron(c[:2], d[:2]) | np.percentile(c, [10, 20, 30, 40]) | np.random.default_rng(3).normal(size=4)
np.random.RandomState(3).randn(4) | np.array(list(map(float, c.tolist())))
np.array(json.loads(json.dumps(c.tolist()))) | np.array([*reversed(c)])
np.full(4, functools.reduce(operator.add, c)) | np.array(list(itertools.accumulate(c)))
np.array([a * b for a, b in zip(c, d)]) | np.array(sorted(c)) | np.array(heapq.nsmallest(4, c))
np.array(collections.deque(c)) | np.full(4, math.fsum(c)) | np.full(4, statistics.mean(map(float, c)))
np.full(4, max(c)) | np.array(list(itertools.islice(itertools.cycle(c), 4)))
np.array([float(v) for v in c], dtype=np.double) | np.full(4, bisect.bisect(sorted(c), 0.2))
np.array([fractions.Fraction(1, 3)] * 4, float) | np.array([float(decimal.Decimal("0.1"))] * 4)
np.array([*pool(math.sqrt, np.abs(c))]) | np.array([*pool(np.sum, [np.ones(3)] * 4)])
np.ctypeslib.as_array((ctypes.c_double * 4)(*c)) | np.array([ctypes.c_double(v).value for v in c])
through_a_pointer(c) | through_a_file(c) | np.array([complex(v, 1).real for v in c])
np.empty(4).fill(1.0) or np.ones(4) | filled(np.empty(4), d) | shuffled(c) | np.dot(np.ones((4, 4)), c)
np.trapezoid(np.vstack([c, d]), axis=0) | np.put_along_axis(c, np.array([0]), 0.5, 0) or c
np.isclose(c, d).astype(float) | np.where(np.zeros(4) == 0, c, d) | np.full(4, np.zeros(3).dtype == float)
np.full(4, np.ones(2).itemsize)
"""

SCIPY = """
scipy.linalg.solve(np.diag(2 + c * c), d) | scipy.linalg.cholesky(np.outer(c, c) + np.eye(4))[0]
scipy.linalg.expm(np.outer(c, d))[1] | scipy.linalg.eigh(np.outer(c, c) + np.diag([1.0, 2, 3, 4]))[0]
scipy.linalg.lu(np.outer(c, d) + np.eye(4))[2][0] | scipy.sparse.csr_matrix(np.diag(c)) @ d
scipy.sparse.linalg.spsolve(scipy.sparse.csc_matrix(np.diag(2 + c)), d) | scipy.sparse.diags(c).toarray()[1]
scipy.interpolate.CubicSpline(np.arange(4.0), c)([0.5, 1.0, 1.5, 2.0])
scipy.interpolate.interp1d(np.arange(4.0), c)(np.linspace(0, 3, 4))
scipy.interpolate.UnivariateSpline(np.arange(4.0), c, k=2)(np.ones(4))
scipy.optimize.minimize(lambda z: ((z - c) ** 2).sum(), np.zeros(4)).x
np.full(4, scipy.optimize.brentq(lambda z: z**3 - 0.5, 0, 1))
scipy.optimize.least_squares(lambda z: z - c, np.zeros(4)).x
scipy.optimize.curve_fit(lambda s, a, b: a * s + b, np.arange(4.0), c)[0]
scipy.optimize.linprog([1.0, 2.0], A_ub=[[-1, -1]], b_ub=[-1]).x | scipy.optimize.nnls(np.eye(4), np.abs(c))[0]
np.full(4, scipy.integrate.quad(lambda s: s * c[0], 0, 1)[0])
scipy.integrate.solve_ivp(lambda s, y: -y, (0, 1), c).y[:, -1]
scipy.integrate.odeint(lambda y, s: -y, c, [0.0, 1.0])[-1] | scipy.signal.lfilter([1.0], [1.0, 0.5], c)
scipy.signal.savgol_filter(c, 3, 1) | scipy.signal.filtfilt(*scipy.signal.butter(1, 0.3), np.tile(c, 4))[:4]
scipy.signal.fftconvolve(c, d)[:4] | scipy.signal.convolve2d(np.outer(c, c), np.ones((2, 2)))[0]
scipy.signal.find_peaks(np.tile(c, 3))[0] | scipy.stats.norm.rvs(size=4, random_state=5)
scipy.stats.gamma.rvs(2.0, size=4, random_state=5)
scipy.stats.multivariate_normal.rvs(np.zeros(4), np.eye(4), random_state=5) | scipy.stats.norm.cdf(c)
scipy.stats.t.ppf(0.3, 3 + c * c) | scipy.stats.linregress(np.arange(4.0), c)[0] * np.ones(4)
scipy.stats.gaussian_kde(c + np.arange(4))(d) | scipy.stats.rankdata(c) | scipy.stats.qmc.Sobol(4, seed=3).random(1)
scipy.ndimage.gaussian_filter(c, 1.0) | scipy.ndimage.convolve(np.outer(c, d), np.ones((2, 2)))[0]
scipy.ndimage.map_coordinates(np.outer(c, d), [[0.5, 1, 2, 1], [1, 1, 0.5, 2]])
scipy.spatial.cKDTree(np.c_[c, d]).query(np.zeros((4, 2)))[0]
scipy.spatial.distance.cdist(np.c_[c, d], np.zeros((1, 2)))[:, 0] | scipy.spatial.distance.pdist(np.c_[c, d])[:4]
scipy.special.gamma(2 + c * c) | scipy.spatial.transform.Rotation.from_euler("z", c[0]).as_quat()
scipy.cluster.vq.kmeans2(np.c_[c, d], 2, seed=1)[0] | scipy.fft.dct(c) | scipy.special.roots_legendre(4)[0]
scipy.special.logsumexp(np.outer(c, d), axis=0) | scipy.linalg.toeplitz(c) @ d
"""

PANDAS = """
pd.Series(c).rolling(2).mean().fillna(0.0).to_numpy() | pd.Series(c).ewm(alpha=0.3).mean().values
pd.Series(c).cumsum().to_numpy() | pd.DataFrame({"a": c, "b": d}).to_numpy()[:, 1]
pd.DataFrame({"a": c, "k": [0, 1, 0, 1]}).groupby("k").mean()["a"].to_numpy()
pd.Series(c).rolling(2).std().fillna(1.0).to_numpy() | pd.Series(c).sort_values().to_numpy()
pd.Series(c).rank().values | pd.read_csv(io.StringIO("a,b,c,d\\n1,2,3,4")).to_numpy() | pd.cut(c, 3, labels=False)
pd.DataFrame(np.outer(c, d)).corr().fillna(0).to_numpy()[0] | pd.Series(c).interpolate().diff().fillna(0).to_numpy()
pd.DataFrame(np.zeros((4, 2)), columns=["a", "b"]).assign(a=c)["a"].values
pd.concat([pd.Series(c), pd.Series(d)]).to_numpy()[:4] | pd.Series(np.ones(4)).expanding().sum().to_numpy()
pd.Series(c).describe().to_numpy()[1:5]
"""

NUMBA = """
np.full(4, compiled_sum(c)) | compiled_steps(c) | compiled_steps(np.zeros(4)) | compiled_steps(np.ones(4) * 0.3)
vectorized(c)
"""

LEARNING = """
sk.cluster.KMeans(2, n_init=1, random_state=0).fit(np.c_[c, d]).cluster_centers_
sk.tree.DecisionTreeRegressor(random_state=0).fit(np.c_[c, d], d).predict(np.c_[c, d])
sk.linear_model.LinearRegression().fit(np.c_[c, np.ones(4)], d).coef_
sk.linear_model.Ridge().fit(np.c_[c, d], d).predict(np.c_[d, c])
sk.preprocessing.StandardScaler().fit_transform(np.c_[c, d])[:, 0]
np.abs(sk.decomposition.PCA(2).fit_transform(np.c_[c, d, c * d]))[:, 0]
sk.ensemble.RandomForestRegressor(3, random_state=0).fit(np.c_[c, d], d).predict(np.c_[c, d])
sk.neighbors.NearestNeighbors(n_neighbors=2).fit(np.c_[c, d]).kneighbors()[0]
sk.linear_model.LogisticRegression().fit(np.c_[c, d], [0, 1, 0, 1]).coef_
sk.svm.SVR().fit(np.c_[c, d], d).predict(np.c_[c, d])
sk.mixture.GaussianMixture(1, random_state=0).fit(np.c_[c, d]).means_ | sk.metrics.pairwise_distances(np.c_[c, d])[0]
sk.gaussian_process.GaussianProcessRegressor(random_state=0).fit(np.c_[c, d], d).predict(np.c_[c, d] + 0.1)
"""

TRACED = """
t * c | t + d | np.tanh(t) * c | np.r_[t, c][2:6] | np.r_[c[:2], t[:2]] | np.c_[t, c] @ np.array([0.5, 2.0])
np.c_[c, t][:, 1] | np.stack([v * v for v in t]) | np.array([v + 1 for v in t])
np.full(4, 1.0) * functools.reduce(operator.mul, t) | np.vstack([t, c])[0] | np.stack(list(itertools.accumulate(t)))
np.stack([a * b for a, b in zip(t, c)]) | sum(v for v in t) * c | np.hstack([t[:2], c[2:]]) | np.stack(sorted(t))
np.stack([*reversed(t)]) | np.stack([max(t), min(t), t[0], t[1]]) | np.stack(list(map(np.sin, t)))
np.stack([f(t[0]) for f in (np.sin, np.cos, np.exp, np.tanh)]) | functools.partial(np.multiply, t)(c)
np.array(list(itertools.chain(t[:2], c[:2]))) | np.fromiter(t, float) | np.array(t.tolist())
np.array(collections.deque(t)) | np.array(list(itertools.islice(itertools.cycle(t), 4)))
np.vectorize(lambda v: v * v)(t) | np.apply_along_axis(lambda v: v * 2, 0, t)
np.array([t[k] for k in np.argsort(c)]) | t[np.random.RandomState(1).permutation(4)] | written(np.zeros(4), t)
written(c, t) | assembled(np.empty(4), t) | assembled(np.empty_like(c), t) | written(np.random.randn(4), t)
written(rng.normal(size=4), t) | added(c.copy(), t) | added(np.ones(4), t) | added_at(np.zeros(4), t)
np.where(c > 0, t, c) | np.interp(t, np.arange(-3.0, 4.0), np.arange(7.0) ** 2) | np.convolve(t, c)[:4]
np.matrix(t) * 1.0 | np.asarray(np.asmatrix(t)).ravel() | np.dot(np.outer(c, d), t)
np.linalg.solve(np.eye(4) * 2 + np.outer(c, c), t) | np.einsum("i,i->i", t, c) | t * compiled_sum(c)
t * rng.normal(size=4) | t * np.random.randn(4) | t * rs.normal(0.0, 1.0, (4,))
t * scipy.stats.norm.rvs(size=4, random_state=2) | pickle.loads(pickle.dumps(c)) * t | copy.copy(t)
copy.deepcopy(t) * c | np.array(copy.copy(c)) * t | t @ np.outer(c, d) | np.stack([*pool(np.sqrt, np.abs(c))]) * t
scipy.special.expit(t) | scipy.special.softmax(t) * c | scipy.signal.convolve(t, c)[:4]
scipy.sparse.csr_matrix(np.diag(c)) @ t | scipy.ndimage.gaussian_filter(t, 1.0)
scipy.interpolate.CubicSpline(np.arange(4.0), t)(1.5) * c
scipy.optimize.minimize(lambda z: ((z - c) ** 2).sum(), np.zeros(4)).x * t | scipy.linalg.expm(np.outer(c, d)) @ t
np.frombuffer(struct.pack("4d", *t)) | np.frombuffer(t.tobytes()) | np.array(memoryview(t))
np.array(array.array("d", t)) | through_a_pointer(t) | np.full(4, math.fsum(t)) | rng.normal(t, 1.0)
np.random.normal(t) | rng.permutation(t) | rng.choice(t, 4) | shuffled(t * 1.0) | np.random.permutation(t)
rng.permuted(t) | rng.dirichlet(np.abs(t)) | np.full(4, statistics.mean(t)) | np.array([float(v) for v in t])
np.array([math.sin(v) for v in t]) | np.full(4, math.sqrt(t[0] ** 2)) | np.array(json.loads(json.dumps(t.tolist())))
pickle.loads(pickle.dumps(t)) | np.lib.stride_tricks.as_strided(t, (2, 2), (16, 8)).ravel()
np.lib.stride_tricks.sliding_window_view(t, 2).sum(axis=1) | t.view(np.int64) | np.ma.masked_less(t, 0).filled(0.5)
np.rec.fromarrays([t, c], names="a,b").a | np.array([float(v) for v in np.nditer(t)])
np.stack([v for _, v in np.ndenumerate(t)]) | compiled_sum(t) * c | compiled_steps(t) | vectorized(t)
pd.Series(t).rolling(2).mean().fillna(0.0).to_numpy() | pd.DataFrame({"a": t}).to_numpy()[:, 0]
pd.Series(c).ewm(alpha=0.3).mean().values * t | sk.linear_model.LinearRegression().fit(np.c_[c, np.ones(4)], t).coef_
sk.cluster.KMeans(2, n_init=1, random_state=0).fit(np.c_[t, c]).cluster_centers_
sk.preprocessing.StandardScaler().fit_transform(np.c_[t, c])[:, 0] | through_a_file(t) | filled(np.empty(4), t)
np.linspace(t[0], 1.0, 4) | np.full(4, t[1]) | np.histogram(c, 4, weights=t)[0] | np.bincount([0, 1, 1, 3], weights=t)
"""
"""``t`` is traced, ``c`` and ``d`` are constants that the program made."""

PRELUDE = '''
import array, bisect, collections, copy, ctypes, decimal, fractions, functools, heapq, io, itertools, json, math
import operator, pickle, statistics, struct, tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import scipy, scipy.cluster, scipy.fft, scipy.integrate, scipy.interpolate, scipy.linalg, scipy.ndimage, scipy.optimize
import scipy.signal, scipy.sparse, scipy.sparse.linalg, scipy.spatial, scipy.special, scipy.stats


def pool(function, values):
    with ThreadPoolExecutor(2) as workers:
        return list(workers.map(function, values))


def through_a_pointer(values):
    return np.ctypeslib.as_array(values.ctypes.data_as(ctypes.POINTER(ctypes.c_double)), (4,)).copy()


def through_a_file(values):
    with tempfile.TemporaryFile() as file:
        np.save(file, values)
        file.seek(0)
        return np.load(file)


def filled(values, number):
    values.fill(number[0])
    return values


def shuffled(values):
    values = np.array(values)
    np.random.RandomState(4).shuffle(values)
    return values


def written(values, traced):
    values = np.array(values)
    values[1:3] = traced[:2]
    values[0] += traced[3]
    return values


def assembled(values, traced):
    for k in range(4):
        values[k] = traced[k] * traced[k - 1]
    return values


def added(values, traced):
    values += traced
    values[::2] *= 0.5
    return values


def added_at(values, traced):
    np.add.at(values, [0, 1, 1, 3], traced)
    return values


def four(values):
    """Four numbers of moderate size from any result, in one row."""
    values = np.ravel(np.asarray(values, float) if not hasattr(values, "tape") else values)
    return np.tanh(np.resize(values, 4) if len(values) != 4 else values)
'''
OPTIONAL = {
    "numba": """
import numba


@numba.njit
def compiled_sum(values):
    total = 0.0
    for value in values:
        total += value
    return total


@numba.njit
def compiled_steps(values):
    found = np.zeros_like(values)
    for k in range(1, len(values)):
        found[k] = 0.5 * found[k - 1] + values[k]
    return found


@numba.vectorize
def vectorized(value):
    return value * value + 1.0
""",
    "pandas": "\nimport pandas as pd\n",
    "sklearn": """
import sklearn as sk
import sklearn.cluster, sklearn.decomposition, sklearn.ensemble, sklearn.gaussian_process, sklearn.linear_model
import sklearn.metrics, sklearn.mixture, sklearn.neighbors, sklearn.preprocessing, sklearn.svm, sklearn.tree
""",
}
NEEDS = {"compiled_": "numba", "vectorized(": "numba", "pd.": "pandas", "sk.": "sklearn"}


def split(text: str) -> list[str]:
    """The expressions of a table whose libraries are installed."""
    found = [each.strip() for each in re.split(r" \| |\n", text.strip())]
    return [each for each in found if all(find_spec(NEEDS[sign]) for sign in NEEDS if sign in each)]


SOURCES = [
    *(f"np.random.{draw}" for draw in split(DRAWS) + split(OF_STATES)),
    *(f"rs.{draw}" for draw in split(DRAWS) + split(OF_STATES) if not draw.startswith(("ranf", "sample"))),
    *(f"rng.{draw}" for draw in split(DRAWS) + split(OF_GENERATORS)),
]
LIBRARIES = [split(text) for text in (CONSTANTS, SCIPY, PANDAS, NUMBA, LEARNING) if split(text)]
USES = split(TRACED)


@cache
def prelude(needed: frozenset[str]) -> dict[str, Any]:
    """The names that programs use, with the libraries that are needed; made once in a process."""
    names: dict[str, Any] = {}
    exec(compile(PRELUDE + "".join(OPTIONAL[each] for each in sorted(needed)), "<prelude>", "exec"), names)
    return names


def program(expression: str) -> str:
    """The source of a program with a call: of traced values, or of constants beside traced values."""
    name = "t" if expression in USES else "c"
    return "\n".join(
        [
            "def f(x):",
            "    np.random.seed(7)",
            "    rs, rng = np.random.RandomState(7), np.random.default_rng(7)",
            "    c, d, t = np.linspace(-0.8, 0.9, 4), np.array([0.3, -0.2, 0.8, 0.5]), x * 1.0",
            f"    {name} = four({expression})",
            "    return np.sum(t * c) + np.sum(t * t * d)",
        ]
    )


def runnable(source: str) -> Callable[[Any], Any]:
    """A program as a function."""
    names = dict(prelude(frozenset(library for sign, library in NEEDS.items() if sign in source)))
    exec(compile(source, "<program>", "exec"), names)
    function: Callable[[Any], Any] = names["f"]
    return function


def outcome(source: str, grain: str) -> str:
    """``works``, ``refused: …`` by name, ``no derivative`` with a warning, ``error: …`` of others, or what is wrong."""
    f, along = runnable(source), np.array([0.3, 1.0, -0.5, 0.7])
    with warnings.catch_warnings(action="always", record=True) as caught, np.errstate(all="ignore"):
        try:
            expected = f(X.copy())
            slopes = [(f(X + h * along) - f(X - h * along)) / (2 * h) for h in (1e-5, 3e-6)]
        except Exception as error:
            return f"not run: {type(error).__name__} {error}"
        try:
            value, pullback = ad.vjp(f, X.copy(), grain=grain)
            (gradient,) = pullback(np.float64(1.0))
        except ad.AdvizError as error:
            return f"refused: {type(error).__name__} {str(error).splitlines()[0]}"
        except Exception as error:
            return f"error: {type(error).__name__} {error}".replace("\n", " ")
        if not np.isclose(value, expected, rtol=1e-9, atol=1e-9, equal_nan=True):
            return f"wrong value {value} for {expected}"
        if not np.isfinite(gradient).all() and any(each.category is ad.NonFiniteWarning for each in caught):
            return "no derivative"
        if np.isclose(*slopes, rtol=1e-5, atol=1e-6) and not np.isclose(
            gradient @ along, slopes[0], rtol=1e-4, atol=1e-5
        ):
            return f"wrong gradient {gradient @ along} for {slopes[0]}"
        return "works"


def is_wrong(expression: str, ended: str) -> bool:
    """Whether this must not happen: a death, a wrong number, or an error where there are constants alone."""
    return ended.startswith((DEATH, "wrong")) or (
        expression not in USES and not ended.startswith(("works", "not run", "no derivative"))
    )


EXPRESSIONS = [*SOURCES, *(expression for library in LIBRARIES for expression in library), *USES]


def run(job: str) -> str:
    """Do the job of a grain and an expression."""
    grain, expression = job.split(" ", 1)
    return outcome(program(expression), grain)


def results(asked: Sequence[str], together: int = 400) -> Iterator[tuple[str, str, str]]:
    """Grain, expression, and outcome of calls in both grains."""
    jobs = [f"{grain} {each}" for each in asked for grain in GRAINS]
    for start in range(0, len(jobs), together):
        for job, ended in outcomes(MODULE, jobs[start : start + together], limit=600):
            grain, expression = job.split(" ", 1)
            yield grain, expression, ended


def main() -> None:
    """Tell what becomes of each call, where all are asked for; else serve."""
    if sys.argv[1:] != ["all"]:
        serve(run)
        return
    kinds: Counter[str] = Counter()
    for grain, expression, ended in results(EXPRESSIONS):
        kinds[f"{grain} grain: {ended.split()[0].rstrip(':')}"] += 1
        if is_wrong(expression, ended):
            print(f"---- {grain} grain: {ended}", program(expression), sep="\n", flush=True)
    print(*sorted(kinds.items()), sep="\n")


if __name__ == "__main__":
    main()
