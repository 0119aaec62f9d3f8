"""Simulations: bodies, particles, fluids, plasmas, populations, machines; time steps written into arrays."""

# ruff: noqa: NPY002
import numpy as np
import scipy.sparse
from scipy.sparse.linalg import spsolve

from .register import positive, public, some

# ---- bodies and particles ----


@public("pmocz/nbody-python", "getEnergy", some(3, 3), some(3, 3, seed=2), positive(3, 1))
def n_body_energy(pos, vel, mass):
    KE = 0.5 * np.sum(np.sum(mass * vel**2))
    x, y, z = pos[:, 0:1], pos[:, 1:2], pos[:, 2:3]
    dx, dy, dz = x.T - x, y.T - y, z.T - z
    inv_r = np.sqrt(dx**2 + dy**2 + dz**2 + 1e-9)
    inv_r[inv_r > 0] = 1.0 / inv_r[inv_r > 0]
    return KE, np.sum(np.sum(np.triu(-(mass * mass.T) * inv_r, 1)))


@public("pmocz/springnetwork-python", "getAcc, applyBoundary", some(4, 2, low=0.0, high=3.2), some(4, 2, seed=2))
def spring_network(pos, vel):
    ci, cj = [0, 1, 2, 0], [1, 2, 3, 3]
    acc = np.zeros(pos.shape)
    for _ in range(2):
        sep_vec = pos[ci, :] - pos[cj, :]
        sep = np.linalg.norm(sep_vec, axis=1)
        ax, ay = (-40 * (sep - 0.5) * sep_vec[:, k] / sep for k in range(2))
        acc = np.zeros(pos.shape)
        np.add.at(acc[:, 0], ci, ax)
        np.add.at(acc[:, 1], ci, ay)
        np.add.at(acc[:, 0], cj, -ax)
        np.add.at(acc[:, 1], cj, -ay)
        acc[:, 1] += -0.1
        vel += acc * 0.01
        pos += vel * 0.01
        for d in range(2):
            is_out = np.where(pos[:, d] > 3)
            pos[is_out, d] = 3 - (pos[is_out, d] - 3)
            vel[is_out, d] *= -1
    return pos, vel


@public("pmocz/pic-python", "getAcc", some(6, 1, low=0.0, high=4.0))
def particle_in_cell(pos, Nx=4, dx=1.0):
    N = pos.shape[0]
    j = np.floor(pos / dx).astype(int)
    weight_j, weight_jp1 = ((j + 1) * dx - pos) / dx, (pos - j * dx) / dx
    jp1 = np.mod(j + 1, Nx)
    n = np.bincount(j[:, 0], weights=weight_j[:, 0], minlength=Nx)
    n += np.bincount(jp1[:, 0], weights=weight_jp1[:, 0], minlength=Nx)
    n *= 4 / N / dx
    Lmtx = scipy.sparse.csc_matrix(-2.1 * np.eye(Nx) + np.roll(np.eye(Nx), 1, 0) + np.roll(np.eye(Nx), -1, 0))
    phi = spsolve(Lmtx, n - 1)
    E = -(np.roll(phi, -1) - np.roll(phi, 1)) / (2 * dx)
    return -(weight_j * E[j] + weight_jp1 * E[jp1])


@public("rougier/from-python-to-numpy", "boid_numpy.Flock.run", some(4, 2), some(4, 2, seed=2))
def boids(position, velocity):
    n = len(position)
    dx = np.subtract.outer(position[:, 0], position[:, 0])
    dy = np.subtract.outer(position[:, 1], position[:, 1])
    distance = np.hypot(dx + 1e-6, dy)
    mask = (distance > 1e-3) * (distance < 1.5)
    count = np.maximum(mask.sum(axis=1), 1)
    target = np.dstack((dx, dy))
    target = np.divide(target, distance.reshape(n, n, 1) ** 2, out=target, where=distance.reshape(n, n, 1) > 1e-3)
    steer = (target * mask.reshape(n, n, 1)).sum(axis=1) / count.reshape(n, 1)
    norm = np.sqrt((steer * steer).sum(axis=1) + 1e-9).reshape(n, 1)
    steer = 2.0 * np.divide(steer, norm, out=steer, where=norm != 0)
    steer -= velocity
    steer = np.multiply(steer, 0.3 / norm, out=steer, where=norm > 0.3)
    velocity += steer
    position += velocity
    return position, velocity


# ---- fluids and waves ----


@public("pmocz/latticeboltzmann-python", "main", positive(3, 4, 9), 0.6)
def lattice_boltzmann(F, tau):
    np.random.seed(42)
    NL, rho0 = 9, 10.0
    cxs, cys = np.array([0, 0, 1, 1, 1, 0, -1, -1, -1]), np.array([0, 1, 1, 0, -1, -1, -1, 0, 1])
    weights = np.array([4 / 9, 1 / 9, 1 / 36, 1 / 9, 1 / 36, 1 / 9, 1 / 36, 1 / 9, 1 / 36])
    F += 0.01 * np.random.randn(3, 4, NL)
    X, Y = np.meshgrid(range(4), range(3))
    F[:, :, 3] += 2 * (1 + 0.2 * np.cos(2 * np.pi * X / 4 * 4))
    rho = np.sum(F, 2)
    for i in range(NL):
        F[:, :, i] *= rho0 / rho
    cylinder = (X - 2) ** 2 + (Y - 1) ** 2 < 1
    for i, cx, cy in zip(range(NL), cxs, cys, strict=True):
        F[:, :, i] = np.roll(F[:, :, i], cx, axis=1)
        F[:, :, i] = np.roll(F[:, :, i], cy, axis=0)
    bndryF = F[cylinder, :]
    bndryF = bndryF[:, [0, 5, 6, 7, 8, 1, 2, 3, 4]]
    rho = np.sum(F, 2)
    ux, uy = np.sum(F * cxs, 2) / rho, np.sum(F * cys, 2) / rho
    Feq = np.zeros(F.shape)
    for i, cx, cy, w in zip(range(NL), cxs, cys, weights, strict=True):
        u = cx * ux + cy * uy
        Feq[:, :, i] = rho * w * (1 + 3 * u + 9 * u**2 / 2 - 3 * (ux**2 + uy**2) / 2)
    F += -(1.0 / tau) * (F - Feq)
    F[cylinder, :] = bndryF
    ux[cylinder] = 0
    return F, ux


@public("barbagroup/CFDPython", "Step 9: laplace2d", positive(5))
def laplace_2d(y):
    p, target = np.zeros((5, 5)), 1e-3
    p[:, -1] = y
    norm, count = 1, 0
    pn = np.empty_like(p)
    while norm > target and count < 4:
        pn = p.copy()
        p[1:-1, 1:-1] = (pn[1:-1, 2:] + pn[1:-1, 0:-2] + pn[2:, 1:-1] + pn[0:-2, 1:-1]) / 4
        p[0, :] = p[1, :]
        p[-1, :] = p[-2, :]
        norm = (np.sum(np.abs(p[:]) - np.abs(pn[:]))) / np.sum(np.abs(pn[:]))
        count += 1
    return p


def set_boundary(N, b, x):
    sign = -1 if b == 1 else 1
    x[0, 1:-1] = sign * x[1, 1:-1]
    x[-1, 1:-1] = sign * x[N, 1:-1]
    x[1:-1, 0] = x[1:-1, 1]
    x[1:-1, -1] = x[1:-1, N]
    x[0, 0] = 0.5 * (x[1, 0] + x[0, 1])
    x[-1, -1] = 0.5 * (x[N, -1] + x[-1, N])


@public("rougier/from-python-to-numpy", "smoke_solver.dens_step", some(5, 5), some(5, 5, seed=2), some(5, 5, seed=3))
def smoke(x, u, v, N=3):
    x0 = np.zeros((N + 2, N + 2))
    x0[2, 2] = 1.0
    x += 0.1 * x0
    x0, x = x, x0
    for _ in range(3):
        x[1:-1, 1:-1] = (x0[1:-1, 1:-1] + 0.2 * (x[:N, 1:-1] + x[2:, 1:-1] + x[1:-1, :N] + x[1:-1, 2:])) / 1.8
        set_boundary(N, 1, x)
    x0, x = x, x0
    i, j = np.indices((N, N))
    i += 1
    j += 1
    X, Y = i - 0.1 * N * u[i, j], j - 0.1 * N * v[i, j]
    X, Y = np.minimum(np.maximum(X, 0.5), N + 0.5), np.minimum(np.maximum(Y, 0.5), N + 0.5)
    I0, J0 = X.astype(int), Y.astype(int)
    S1, T1 = X - I0, Y - J0
    S0, T0 = 1 - S1, 1 - T1
    below, above = T0 * x0[I0, J0] + T1 * x0[I0, J0 + 1], T0 * x0[I0 + 1, J0] + T1 * x0[I0 + 1, J0 + 1]
    x[i, j] = S0 * below + S1 * above
    set_boundary(N, 0, x)
    return x


@public("HIPS/autograd", "examples.fluidsim.project, advect", some(3, 3), some(3, 3, seed=2), some(3, 3, seed=3))
def fluid_simulation(smoke, vx, vy):
    p, h = np.zeros(vx.shape), 1.0 / vx.shape[0]
    div = -0.5 * h * (np.roll(vx, -1, 0) - np.roll(vx, 1, 0) + np.roll(vy, -1, 1) - np.roll(vy, 1, 1))
    for _ in range(3):
        p = (div + np.roll(p, 1, 0) + np.roll(p, -1, 0) + np.roll(p, 1, 1) + np.roll(p, -1, 1)) / 4.0
    vx -= 0.5 * (np.roll(p, -1, 0) - np.roll(p, 1, 0)) / h
    vy -= 0.5 * (np.roll(p, -1, 1) - np.roll(p, 1, 1)) / h
    rows, cols = smoke.shape
    cell_ys, cell_xs = np.meshgrid(np.arange(rows), np.arange(cols))
    center_xs, center_ys = (cell_xs - vx).ravel(), (cell_ys - vy).ravel()
    left_ix, top_ix = np.floor(center_xs).astype(int), np.floor(center_ys).astype(int)
    rw, bw = center_xs - left_ix, center_ys - top_ix
    left_ix, right_ix = np.mod(left_ix, rows), np.mod(left_ix + 1, rows)
    top_ix, bot_ix = np.mod(top_ix, cols), np.mod(top_ix + 1, cols)
    flat = (1 - rw) * ((1 - bw) * smoke[left_ix, top_ix] + bw * smoke[left_ix, bot_ix])
    flat += rw * ((1 - bw) * smoke[right_ix, top_ix] + bw * smoke[right_ix, bot_ix])
    return np.reshape(flat, (rows, cols))


@public("hplgit/fdm-book", "diffu1D.solver_theta, with Thomas' algorithm", some(5), 0.7)
def crank_nicolson(u, alpha):
    n = len(u)
    r = alpha * 0.1
    for _ in range(2):
        a, b, c, d = np.full(n, -r / 2), np.full(n, 1 + r), np.full(n, -r / 2), np.empty(n)
        d[1:-1] = u[1:-1] + r / 2 * (u[2:] - 2 * u[1:-1] + u[:-2])
        d[0], d[-1] = u[0], u[-1]
        b[0] = b[-1] = 1.0
        c[0] = a[-1] = 0.0
        for i in range(1, n):
            w = a[i] / b[i - 1]
            b[i] -= w * c[i - 1]
            d[i] -= w * d[i - 1]
        u[-1] = d[-1] / b[-1]
        for i in range(n - 2, -1, -1):
            u[i] = (d[i] - c[i] * u[i + 1]) / b[i]
    return u


# ---- ordinary differential equations and machines ----


@public("velocity Verlet in many codes", "Argon in a periodic box", some(3, 2, low=0.2, high=2.8), some(3, 2, seed=2))
def lennard_jones(r, v, box=3.0, dt=0.002):
    def forces(r):
        f, energy = np.zeros_like(r), 0.0
        for i in range(len(r) - 1):
            for j in range(i + 1, len(r)):
                d = r[i] - r[j]
                d -= box * np.round(d / box)
                r2 = np.dot(d, d)
                s6 = (0.5 / r2) ** 3
                energy += 4 * (s6**2 - s6)
                f[i] += 24 * (2 * s6**2 - s6) / r2 * d
                f[j] -= 24 * (2 * s6**2 - s6) / r2 * d
        return f, energy

    f, _ = forces(r)
    for _ in range(2):
        v += 0.5 * dt * f
        r += dt * v
        r %= box
        f, energy = forces(r)
        v += 0.5 * dt * f
    return r, v, energy
