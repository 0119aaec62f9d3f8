"""Linear algebra, equations, optimization and finite elements, by loops and in place."""

import numpy as np

from .register import definite, positive, public, some


@public("TheAlgorithms/Python", "linear_algebra.gaussian_elimination", definite(3), some(3, 1))
def gaussian_elimination(coefficients, vector):
    rows, columns = np.shape(coefficients)
    augmented = np.concatenate((coefficients, vector), axis=1)
    augmented = augmented.astype("float64")
    for row in range(rows - 1):
        pivot = augmented[row, row]
        for col in range(row + 1, columns):
            factor = augmented[col, row] / pivot
            augmented[col, :] -= factor * augmented[row, :]
    x = np.zeros((rows, 1), dtype=float)
    for row in reversed(range(rows)):
        total = np.dot(augmented[row, row + 1 : columns], x[row + 1 :])
        x[row, 0] = (augmented[row, columns] - total[0]) / augmented[row, row]
    return x


@public("TheAlgorithms/Python", "linear_algebra.jacobi_iteration_method", definite(3) + 5 * np.eye(3), some(3, 1))
def jacobi_iteration(coefficients, constants):
    table = np.concatenate((coefficients, constants), axis=1)
    denominator, val_last = np.diag(coefficients), table[:, -1]
    masks = ~np.eye(3, dtype=bool)
    no_diagonals = coefficients[masks].reshape(-1, 2)
    _, i_col = np.where(masks)
    ind, values = i_col.reshape(-1, 2), [0.5, -0.5, -0.5]
    for _ in range(3):
        arr = np.take(values, ind)
        values = (np.sum((-1) * no_diagonals * arr, axis=1) + val_last) / denominator
    return values.tolist()


@public("TheAlgorithms/Python", "linear_algebra.conjugate_gradient", definite(3), some(3, 1))
def conjugate_gradient(A, b):
    A = (A + A.T) / 2
    assert np.allclose(A, A.T)
    assert np.all(np.linalg.eigvalsh(A) > 0)
    x0, r0 = np.zeros((3, 1)), np.copy(b)
    p0, error, iterations = np.copy(r0), 1e9, 0
    while error > 1e-3 and iterations < 3:
        w = np.dot(A, p0)
        alpha = np.dot(r0.T, r0) / np.dot(p0.T, w)
        x, r = x0 + alpha * p0, r0 - alpha * w
        beta = np.dot(r.T, r) / np.dot(r0.T, r0)
        p = r + beta * p0
        error = np.maximum(np.linalg.norm(r - r0), np.linalg.norm(x - x0))
        x0, r0, p0 = np.copy(x), np.copy(r), np.copy(p)
        iterations += 1
    return x0


@public("TheAlgorithms/Python", "linear_algebra.power_iteration", definite(3), positive(3))
def power_iteration(matrix, vector):
    assert np.iscomplexobj(matrix) == np.iscomplexobj(vector)
    previous, iterations, convergence = 0, 0, False
    while not convergence:
        w = np.dot(matrix, vector)
        vector = w / np.linalg.norm(w)
        lambda_ = np.dot(vector.T, np.dot(matrix, vector))
        error = np.abs(lambda_ - previous) / lambda_
        iterations += 1
        convergence = error <= 1e-12 or iterations >= 12
        previous = lambda_
    return float(lambda_), vector


@public(
    "TheAlgorithms/Python", "linear_algebra.rayleigh_quotient, .schur_complement", definite(3), some(3, 1), definite(2)
)
def rayleigh_and_schur(a, v, c):
    v_star = v.conjugate().T
    rayleigh = v_star.dot(a).dot(v) / v_star.dot(v)
    b = np.hstack((v, 2 * v**2))
    try:
        a_inv = np.linalg.inv(a)
    except np.linalg.LinAlgError:
        raise ValueError("not invertible") from None
    return rayleigh, c - b.T @ a_inv @ b


class Tableau:
    """The simplex method on a table of numbers, whose rows are divided and subtracted in place."""

    def __init__(self, tableau):
        if tableau.dtype != "float64":
            raise TypeError("Tableau must have type float64")
        self.tableau, self.n_rows, self.stop = tableau, tableau.shape[0], False

    def find_pivot(self):
        col = np.argmax(-self.tableau[0, :-1])
        if -self.tableau[0, col] <= 0:
            self.stop = True
            return 0, 0
        dividend, divisor = self.tableau[1:, -1], self.tableau[1:, col]
        nans = np.full(self.n_rows - 1, np.nan)
        quotients = np.divide(dividend, divisor, out=nans, where=divisor > 0)
        return np.nanargmin(quotients) + 1, col

    def pivot(self, row, col):
        piv_row = self.tableau[row].copy()
        piv_row *= 1 / piv_row[col]
        for idx, coeff in enumerate(self.tableau[:, col]):
            self.tableau[idx] += -coeff * piv_row
        self.tableau[row] = piv_row


@public("TheAlgorithms/Python", "linear_programming.simplex.Tableau", np.array([[1.0, 3.0], [3.0, 1.0]]), positive(2))
def simplex(A, c):
    table = np.zeros((3, 5))
    table[0, :2] = -c
    table[1:, :2] = A
    table[1:, 2:4] = np.eye(2)
    table[1:, -1] = 4.0
    t = Tableau(table)
    for _ in range(4):
        row, col = t.find_pivot()
        if t.stop:
            break
        t.pivot(row, col)
    return t.tableau[0]


@public("fchollet/nelder-mead", "nelder_mead", some(2))
def nelder_mead(x_start, step=0.3):
    def f(x):
        return np.sin(x[0]) * np.cos(x[1]) + np.sum(x**2)

    res = [[x_start, f(x_start)]]
    for i in range(2):
        x = np.copy(x_start)
        x[i] = x[i] + step
        res.append([x, f(x)])
    for _ in range(6):
        res.sort(key=lambda r: r[1])
        x0 = [0.0] * 2
        for tup in res[:-1]:
            for i, c in enumerate(tup[0]):
                x0[i] += c / (len(res) - 1)
        xr = x0 + 1.0 * (np.array(x0) - res[-1][0])
        score = f(xr)
        if res[0][1] <= score < res[-2][1]:
            res[-1] = [xr, score]
        elif score < res[0][1]:
            xe = x0 + 2.0 * (np.array(x0) - res[-1][0])
            res[-1] = [xe, f(xe)] if f(xe) < score else [xr, score]
        else:
            xc = x0 + -0.5 * (np.array(x0) - res[-1][0])
            res[-1] = [xc, f(xc)]
    return res[0][0], res[0][1]


@public("TheAlgorithms/Python", "maths.qr_decomposition", some(3, 3))
def qr_householder(a):
    m, n = a.shape
    q, r = np.eye(m), a.copy()
    for k in range(n - 1):
        x = r[k:, [k]]
        e1 = np.zeros_like(x)
        e1[0] = 1.0
        alpha = np.linalg.norm(x)
        v = x + np.sign(x[0]) * alpha * e1
        v /= np.linalg.norm(v)
        q_k = np.eye(m - k) - 2.0 * v @ v.T
        q_k = np.block([[np.eye(k), np.zeros((k, m - k))], [np.zeros((m - k, k)), q_k]])
        q, r = q @ q_k.T, q_k @ r
    return q, r


@public("Gauss–Seidel in many codes", "until it moves no more", definite(3) + 3 * np.eye(3), some(3))
def gauss_seidel(A, b):
    x = np.zeros(len(b))
    for _ in range(6):
        x_old = x.copy()
        for i in range(len(b)):
            x[i] = (b[i] - A[i, :i] @ x[:i] - A[i, i + 1 :] @ x_old[i + 1 :]) / A[i, i]
        if np.linalg.norm(x - x_old, ord=np.inf) < 1e-12:
            break
    return x


@public("CALFEM/calfem-python", "core.bar2e, .assem, .solveq", positive(3), some(6, low=0.0, high=2.0))
def truss(areas, places):
    coordinates = places.reshape(3, 2)
    K, f = np.zeros((6, 6)), np.zeros((6, 1))
    for (i, j), area in zip([(0, 1), (1, 2), (0, 2)], areas, strict=True):
        b = (coordinates[j] - coordinates[i]).reshape(2, 1)
        L = np.sqrt(b.T @ b).item()
        n = (b / L).reshape(2)
        G = np.array([[n[0], n[1], 0.0, 0.0], [0.0, 0.0, n[0], n[1]]])
        Ke = G.T @ (area / L * np.array([[1.0, -1.0], [-1.0, 1.0]])) @ G
        idx = [2 * i, 2 * i + 1, 2 * j, 2 * j + 1]
        K[np.ix_(idx, idx)] = K[np.ix_(idx, idx)] + Ke
    f[5] = -1.0
    free = np.array([2, 4, 5])
    a = np.zeros((6, 1))
    a[free] = np.linalg.solve(K[np.ix_(free, free)] + 0.1 * np.eye(3), f[free])
    return a, K @ a - f


@public("QuantEcon/QuantEcon.py", "LQ.update_values", some(2, 2), some(2, 1, seed=2), definite(2))
def lq_update(A, B, R, beta=0.95):
    P, d = np.eye(2), 0.0
    for _ in range(3):
        S1 = 0.5 * np.eye(1) + beta * np.dot(B.T, np.dot(P, B))
        S2 = beta * np.dot(B.T, np.dot(P, A))
        F = np.linalg.solve(S1, S2)
        P, d = R - np.dot(S2.T, F) + beta * np.dot(A.T, np.dot(P, A)), beta * (d + np.trace(np.dot(P, 0.1 * np.eye(2))))
    return P, F, d


@public("QuantEcon/QuantEcon.py", "markov.approximation.tauchen", 0.7, 0.4)
def tauchen(rho, sigma, n=4):
    from scipy.special import erfc

    std_y = np.sqrt(sigma**2 / (1 - rho**2))
    x_max = 3 * std_y
    x = np.linspace(-x_max, x_max, n)
    step = 0.5 * (x[1] - x[0])
    P = np.empty((n, n))
    for i in range(n):
        P[i, 0] = 0.5 * erfc(-(x[0] - rho * x[i] + step) / sigma / np.sqrt(2))
        P[i, n - 1] = 1 - 0.5 * erfc(-(x[n - 1] - rho * x[i] - step) / sigma / np.sqrt(2))
        for j in range(1, n - 1):
            z = x[j] - rho * x[i]
            upper, lower = (z + step) / sigma / np.sqrt(2), (z - step) / sigma / np.sqrt(2)
            P[i, j] = 0.5 * erfc(-upper) - 0.5 * erfc(-lower)
    return P
