"""Kalman filters and their kin, which import NumPy's functions by name and keep their state in objects."""

# ruff: noqa: NPY002
import math
from copy import deepcopy

import numpy as np
from numpy import array, atleast_2d, diag, dot, empty, eye, isscalar, outer, vstack, zeros
from numpy.linalg import cholesky, inv, qr
from numpy.random import multivariate_normal
from scipy.linalg import expm

from .register import definite, positive, public, some

F = array([[1.0, 0.1], [0.0, 1.0]])
H = array([[1.0, 0.0]])


class Kalman:
    """A filter for a state and a measurement of given sizes, that is fed measurement by measurement."""

    def __init__(self, dim_x, dim_z):
        self.dim_x, self.dim_z = dim_x, dim_z
        self.x, self.P, self.Q = zeros((dim_x, 1)), eye(dim_x), eye(dim_x)
        self.F, self.H, self.R = eye(dim_x), zeros((dim_z, dim_x)), eye(dim_z)
        self.K, self.y, self.S = zeros((dim_x, dim_z)), zeros((dim_z, 1)), zeros((dim_z, dim_z))
        self._I, self.inv = eye(dim_x), np.linalg.inv

    def predict(self):
        self.x = dot(self.F, self.x)
        self.P = dot(dot(self.F, self.P), self.F.T) + self.Q
        self.x_prior, self.P_prior = self.x.copy(), self.P.copy()

    def update(self, z, R=None):
        R = self.R if R is None else eye(self.dim_z) * R if isscalar(R) else R
        self.y = z - dot(self.H, self.x)
        PHT = dot(self.P, self.H.T)
        self.S = dot(self.H, PHT) + R
        self.K = dot(PHT, self.inv(self.S))
        self.x = self.x + dot(self.K, self.y)
        I_KH = self._I - dot(self.K, self.H)
        self.P = dot(dot(I_KH, self.P), I_KH.T) + dot(dot(self.K, R), self.K.T)
        self.z = deepcopy(z)
        self.x_post, self.P_post = self.x.copy(), self.P.copy()


@public("rlabbe/filterpy", "kalman.KalmanFilter.predict, .update", some(4), 0.3)
def kalman_filter(zs, r):
    kf = Kalman(2, 1)
    kf.F, kf.H = F, H
    kf.Q *= 0.01
    for z in zs:
        kf.predict()
        kf.update(z, R=r)
    return kf.x, kf.P


@public("rlabbe/filterpy", "kalman.rts_smoother", some(4, 2), np.stack([definite(2, seed=k) for k in range(4)]))
def rts_smoother(Xs, Ps):
    n, dim_x = Xs.shape
    Q = 0.1 * eye(dim_x)
    K = zeros((n, dim_x, dim_x))
    x, P, pP = Xs.copy(), Ps.copy(), Ps.copy()
    for k in range(n - 2, -1, -1):
        pP[k] = dot(dot(F, P[k]), F.T) + Q
        K[k] = dot(dot(P[k], F.T), inv(pP[k]))
        x[k] += dot(K[k], x[k + 1] - dot(F, x[k]))
        P[k] += dot(dot(K[k], P[k + 1] - pP[k]), K[k].T)
    return x, P, K


class Unscented:
    """Sigma points through a motion and a measurement, kept in arrays that are written row by row."""

    def __init__(self, x, P):
        self.x, self.P, self.n = x, P, len(x)
        self.sigmas_f, self.Wm = zeros((2 * self.n + 1, self.n)), np.full(2 * self.n + 1, 0.5 / (self.n + 1))
        self.Wm[0] = 1 / (self.n + 1)

    def points(self):
        U = cholesky((self.n + 1) * self.P)
        return vstack([self.x, self.x + U.T, self.x - U.T])

    def predict(self, fx):
        for i, s in enumerate(self.points()):
            self.sigmas_f[i] = fx(s)
        self.x = dot(self.Wm, self.sigmas_f)
        y = self.sigmas_f - self.x
        self.P = dot(y.T, dot(diag(self.Wm), y)) + 0.05 * eye(self.n)

    def update(self, z, hx):
        sigmas_h = atleast_2d([hx(s) for s in self.sigmas_f])
        zp = dot(self.Wm, sigmas_h)
        y = sigmas_h - zp
        S = dot(y.T, dot(diag(self.Wm), y)) + 0.1 * eye(len(z))
        Pxz = zeros((self.sigmas_f.shape[1], sigmas_h.shape[1]))
        for i in range(self.sigmas_f.shape[0]):
            Pxz += self.Wm[i] * outer(self.sigmas_f[i] - self.x, sigmas_h[i] - zp)
        K = dot(Pxz, inv(S))
        self.x = self.x + dot(K, z - zp)
        self.P = self.P - dot(K, dot(S, K.T))


@public("rlabbe/filterpy", "kalman.UnscentedKalmanFilter.predict, .update", some(2), definite(2), some(1, seed=3))
def unscented_kalman_filter(x, P, z):
    ukf = Unscented(x, P)
    for _ in range(2):
        ukf.predict(lambda s: array([s[0] + 0.1 * s[1], 0.9 * s[1] - 0.1 * np.sin(s[0])]))
        ukf.update(z, lambda s: array([np.sqrt(1 + s[0] ** 2)]))
    return ukf.x, ukf.P


@public(
    "rlabbe/filterpy", "kalman.spherical_radial_sigmas, .ckf_transform", some(2, 1), definite(2), definite(2, seed=4)
)
def cubature_transform(x, P, Q):
    n, _ = P.shape
    x = x.flatten()
    sigmas, U = empty((2 * n, n)), cholesky(P) * np.sqrt(n)
    for k in range(n):
        sigmas[k] = x + U[k]
        sigmas[n + k] = x - U[k]
    m, n = sigmas.shape
    mean = sum(sigmas, 0)[:, None] / m
    P, xf = zeros((n, n)), mean.flatten()
    for k in range(m):
        P += outer(sigmas[k], sigmas[k]) - outer(xf, xf)
    P *= 1 / m
    P += Q
    return mean, P


@public("rlabbe/filterpy", "kalman.EnsembleKalmanFilter.predict, .update", some(2), 0.4)
def ensemble_kalman_filter(x, z):
    np.random.seed(3)
    N = 6
    sigmas = x + multivariate_normal([0.0, 0.0], eye(2), N)
    for i, s in enumerate(sigmas):
        sigmas[i] = dot(F, s)
    sigmas += 0.1 * multivariate_normal(zeros(2), eye(2), N)
    x = np.mean(sigmas, axis=0)
    sigmas_h = zeros((N, 1))
    for i in range(N):
        sigmas_h[i] = dot(H, sigmas[i])
    z_mean = np.mean(sigmas_h, axis=0)
    P_zz = sum(outer(d, d) for d in sigmas_h - z_mean) / (N - 1) + 0.2 * eye(1)
    P_xz = sum(outer(d, e) for d, e in zip(sigmas - x, sigmas_h - z_mean, strict=True)) / (N - 1)
    K = dot(P_xz, inv(P_zz))
    e_r = multivariate_normal(zeros(1), eye(1), N)
    for i in range(N):
        sigmas[i] += dot(K, z + e_r[i] - sigmas_h[i])
    return np.mean(sigmas, axis=0), P_xz


@public("rlabbe/filterpy", "kalman.SquareRootKalmanFilter.update", some(2, 1), definite(2), 0.7)
def square_root_update(x, P, z):
    P1_2 = cholesky(P)
    M = zeros((3, 3))
    M[0:1, 0:1] = 0.6
    M[1:, 0:1] = dot(H, P1_2).T
    M[1:, 1:] = P1_2.T
    _, r = qr(M)
    K = dot(r[0:1, 1:].T, inv(r[0:1, 0:1].T))
    x = x + dot(K, z - dot(H, x))
    P1_2 = r[1:, 1:].T
    return x, dot(P1_2, P1_2.T)


@public("rlabbe/filterpy", "discrete_bayes.update, .normalize", positive(5), positive(5, seed=2))
def bayes_update(likelihood, prior):
    pdf = prior * likelihood
    pdf /= sum(np.asarray(pdf, dtype=float))
    return np.roll(pdf, 1)


@public("rlabbe/filterpy", "common.van_loan_discretization", some(2, 2), some(2, 1, seed=2), 0.3)
def van_loan(A, G, dt):
    n = A.shape[0]
    M = zeros((2 * n, 2 * n))
    M[0:n, 0:n] = -A.dot(dt)
    M[0:n, n : 2 * n] = G.dot(G.T).dot(dt)
    M[n : 2 * n, n : 2 * n] = A.T.dot(dt)
    B = expm(M)
    sigma = B[n : 2 * n, n : 2 * n].T
    return sigma, sigma.dot(B[0:n, n : 2 * n])


@public("rlabbe/filterpy", "stats.mahalanobis", some(2), some(2, seed=2), definite(2))
def mahalanobis(x, mean, cov):
    y = np.asarray(x).flatten() - np.asarray(mean).flatten()
    S = np.atleast_2d(cov)
    return math.sqrt(float(np.dot(np.dot(y.T, inv(S)), y)))


@public("rlabbe/filterpy", "monte_carlo.residual_resample", positive(5), some(5, seed=2))
def residual_resample(weights, particles):
    np.random.seed(2)
    weights = weights / sum(weights)
    N = len(weights)
    indexes = np.zeros(N, "i")
    num_copies = (np.floor(N * np.asarray(weights))).astype(int)
    k = 0
    for i in range(N):
        for _ in range(num_copies[i]):
            indexes[k] = i
            k += 1
    residual = weights - num_copies
    residual /= sum(residual)
    cumulative_sum = np.cumsum(residual)
    cumulative_sum[-1] = 1.0
    indexes[k:N] = np.searchsorted(cumulative_sum, np.random.random(N - k))
    return np.average(particles[indexes], weights=weights, axis=0)
