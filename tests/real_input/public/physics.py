"""Simulations: bodies, particles, fluids, plasmas, populations, machines; time steps written into arrays."""

# ruff: noqa: NPY002
import numpy as np
import scipy.sparse
from scipy.sparse.linalg import spsolve

from .register import positive, public, some

# ---- bodies and particles ----


def acceleration(pos, mass, G=1.0, softening=0.1):
    x, y, z = pos[:, 0:1], pos[:, 1:2], pos[:, 2:3]
    dx, dy, dz = x.T - x, y.T - y, z.T - z
    inv_r3 = dx**2 + dy**2 + dz**2 + softening**2
    inv_r3[inv_r3 > 0] = inv_r3[inv_r3 > 0] ** (-1.5)
    return np.hstack((G * (dx * inv_r3) @ mass, G * (dy * inv_r3) @ mass, G * (dz * inv_r3) @ mass))


@public("pmocz/nbody-python", "getAcc and main", some(3, 3), some(3, 3, seed=2), positive(3, 1))
def n_body(pos, vel, mass):
    vel -= np.mean(mass * vel, 0) / np.mean(mass)
    acc, dt, Nt = acceleration(pos, mass), 0.05, 3
    pos_save = np.zeros((3, 3, Nt + 1))
    pos_save[:, :, 0] = pos
    for i in range(Nt):
        vel += acc * dt / 2.0
        pos += vel * dt
        acc = acceleration(pos, mass)
        vel += acc * dt / 2.0
        pos_save[:, :, i + 1] = pos
    return pos_save


@public("pmocz/nbody-python", "getEnergy", some(3, 3), some(3, 3, seed=2), positive(3, 1))
def n_body_energy(pos, vel, mass):
    KE = 0.5 * np.sum(np.sum(mass * vel**2))
    x, y, z = pos[:, 0:1], pos[:, 1:2], pos[:, 2:3]
    dx, dy, dz = x.T - x, y.T - y, z.T - z
    inv_r = np.sqrt(dx**2 + dy**2 + dz**2 + 1e-9)
    inv_r[inv_r > 0] = 1.0 / inv_r[inv_r > 0]
    return KE, np.sum(np.sum(np.triu(-(mass * mass.T) * inv_r, 1)))


@public("pmocz/sph-python", "getDensity, getAcc", some(4, 3), some(4, 3, seed=2))
def smoothed_particles(pos, vel, h=0.6, m=0.5):
    N = pos.shape[0]
    dx, dy, dz = (pos[:, k].reshape((N, 1)) - pos[:, k].reshape((N, 1)).T for k in range(3))
    r2 = dx**2 + dy**2 + dz**2
    rho = np.sum(m * (1.0 / (h * np.sqrt(np.pi))) ** 3 * np.exp(-r2 / h**2), 1).reshape((N, 1))
    P = 0.1 * rho**2
    n = -2 * np.exp(-r2 / h**2) / h**5 / (np.pi) ** (3 / 2)
    a = np.hstack([-np.sum(m * (P / rho**2 + P.T / rho.T**2) * n * d, 1).reshape((N, 1)) for d in (dx, dy, dz)])
    a -= 2.0 * pos
    a -= 1.0 * vel
    return a


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


class Body:
    """A place, a velocity and a mass, moved by its own methods."""

    def __init__(self, px, py, vx, vy, mass=1.0):
        self.px, self.py, self.vx, self.vy, self.mass = px, py, vx, vy, mass

    def update_velocity(self, fx, fy, dt):
        self.vx += fx * dt
        self.vy += fy * dt

    def update_position(self, dt):
        self.px += self.vx * dt
        self.py += self.vy * dt


@public("TheAlgorithms/Python", "physics.n_body_simulation", some(3, 4))
def body_system(state):
    bodies = [Body(*row) for row in state]
    for _ in range(2):
        for one in bodies:
            fx = fy = 0.0
            for other in bodies:
                if other is not one:
                    dx, dy = other.px - one.px, other.py - one.py
                    distance = (dx**2 + dy**2 + 0.1) ** (1 / 2)
                    fx += other.mass * dx / distance**3
                    fy += other.mass * dy / distance**3
            one.update_velocity(fx, fy, 0.05)
        for body in bodies:
            body.update_position(0.05)
    return np.array([[b.px, b.py, b.vx, b.vy] for b in bodies])


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


@public(
    "pmocz/finitevolume-python",
    "getPrimitive to applyFluxes",
    positive(3, 4),
    positive(3, 4, seed=2),
    positive(3, 4, seed=3),
)
def finite_volume(Mass, Momx, Energy, gamma=5 / 3, dx=0.5, dt=0.01):
    Energy = Energy + 2.0
    rho = Mass / dx**2
    vx = Momx / rho / dx**2
    P = (Energy / dx**2 - 0.5 * rho * vx**2) * (gamma - 1)
    gradients = [(np.roll(f, -1, axis=0) - np.roll(f, 1, axis=0)) / (2 * dx) for f in (rho, vx, P)]
    sides = []
    for f, f_dx in zip((rho, vx, P), gradients, strict=True):
        limiter = ((f - np.roll(f, 1, axis=0)) / dx) / (f_dx + 1.0e-8 * (f_dx == 0))
        f_dx = np.maximum(0.0, np.minimum(1.0, limiter)) * f_dx
        sides.append((np.roll(f - f_dx * dx / 2, -1, axis=0), f + f_dx * dx / 2))
    (rho_L, rho_R), (vx_L, vx_R), (P_L, P_R) = sides
    en = [p / (gamma - 1) + 0.5 * r * v**2 for p, r, v in ((P_L, rho_L, vx_L), (P_R, rho_R, vx_R))]
    flux = 0.5 * (rho_L * vx_L + rho_R * vx_R)
    C = np.maximum(
        np.sqrt(gamma * P_L / rho_L) + np.abs(vx_L),
        np.sqrt(gamma * P_R / rho_R) + np.abs(vx_R),
    )
    flux -= C * 0.5 * (rho_L - rho_R)
    Mass += -dt * dx * flux
    Mass += dt * dx * np.roll(flux, 1, axis=0)
    return Mass, en[0] - en[1]


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


@public("barbagroup/CFDPython", "Step 1: linear convection in loops", 0.3)
def linear_convection(c):
    nx, nt, dt = 9, 3, 0.05
    dx = 2 / (nx - 1)
    u = np.ones(nx)
    u[int(0.5 / dx) : int(1 / dx + 1)] = 2
    un = np.ones(nx)
    for _ in range(nt):
        un = u.copy()
        for i in range(1, nx):
            u[i] = un[i] - c * dt / dx * (un[i] - un[i - 1])
    return u


@public("barbagroup/CFDPython", "Step 4: Burgers' equation", positive(7), 0.07)
def burgers(u, nu):
    nx, dx, dt = 7, 0.5, 0.02
    for _ in range(3):
        un = u.copy()
        for i in range(1, nx - 1):
            diffusion = nu * dt / dx**2 * (un[i + 1] - 2 * un[i] + un[i - 1])
            u[i] = un[i] - un[i] * dt / dx * (un[i] - un[i - 1]) + diffusion
        u[0] = un[0] - un[0] * dt / dx * (un[0] - un[-2]) + nu * dt / dx**2 * (un[1] - 2 * un[0] + un[-2])
        u[-1] = u[0]
    return u


@public("barbagroup/CFDPython", "Step 8: Burgers' equation in 2D", positive(4, 5), positive(4, 5, seed=2))
def burgers_in_2d(u, v):
    dt, dx, dy, nu = 0.01, 0.5, 0.4, 0.1
    for _ in range(2):
        un, vn = u.copy(), v.copy()
        for w, wn in ((u, un), (v, vn)):
            w[1:-1, 1:-1] = (
                wn[1:-1, 1:-1]
                - dt / dx * un[1:-1, 1:-1] * (wn[1:-1, 1:-1] - wn[1:-1, 0:-2])
                - dt / dy * vn[1:-1, 1:-1] * (wn[1:-1, 1:-1] - wn[0:-2, 1:-1])
                + nu * dt / dx**2 * (wn[1:-1, 2:] - 2 * wn[1:-1, 1:-1] + wn[1:-1, 0:-2])
                + nu * dt / dy**2 * (wn[2:, 1:-1] - 2 * wn[1:-1, 1:-1] + wn[0:-2, 1:-1])
            )
            w[0, :] = w[-1, :] = 1
            w[:, 0] = 1
            w[:, -1] = 1
    return u, v


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


@public("barbagroup/CFDPython", "Step 11: cavity_flow", 1.1, 0.1)
def cavity_flow(rho, nu):
    n, dx, dt = 5, 0.5, 0.01
    u, v, p, b = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
    c = slice(1, -1)
    for _ in range(3):
        ux, vy = (u[c, 2:] - u[c, 0:-2]) / (2 * dx), (v[2:, c] - v[0:-2, c]) / (2 * dx)
        b[c, c] = rho * (1 / dt * (ux + vy) - ux**2 - vy**2)
        for _ in range(3):
            pn = p.copy()
            p[c, c] = (pn[c, 2:] + pn[c, 0:-2] + pn[2:, c] + pn[0:-2, c]) / 4 - dx**2 / 4 * b[c, c]
            p[:, -1] = p[:, -2]
            p[0, :] = p[1, :]
            p[-1, :] = 0
        un, vn = u.copy(), v.copy()
        u[c, c] = (
            un[c, c] - un[c, c] * dt / dx * (un[c, c] - un[c, 0:-2]) - dt / (2 * rho * dx) * (p[c, 2:] - p[c, 0:-2])
        )
        u[c, c] += nu * dt / dx**2 * (un[c, 2:] - 4 * un[c, c] + un[c, 0:-2] + un[2:, c] + un[0:-2, c])
        v[c, c] = vn[c, c] - dt / (2 * rho * dx) * (p[2:, c] - p[0:-2, c])
        u[0, :] = u[:, 0] = u[:, -1] = 0
        u[-1, :] = 1
    return u, v, p


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


@public("rougier/from-python-to-numpy", "gray_scott.update", positive(3, 3), positive(3, 3, seed=2))
def gray_scott(start_u, start_v):
    n, Du, Dv, F, k = 3, 0.16, 0.08, 0.035, 0.065
    Z = np.zeros((2, n + 2, n + 2))
    U, V = Z[0], Z[1]
    u, v = U[1:-1, 1:-1], V[1:-1, 1:-1]
    u[...] = 1.0
    u += 0.05 * start_u
    v[...] = start_v
    for _ in range(3):
        Lu = U[0:-2, 1:-1] + U[1:-1, 0:-2] - 4 * U[1:-1, 1:-1] + U[1:-1, 2:] + U[2:, 1:-1]
        Lv = V[0:-2, 1:-1] + V[1:-1, 0:-2] - 4 * V[1:-1, 1:-1] + V[1:-1, 2:] + V[2:, 1:-1]
        uvv = u * v * v
        u += Du * Lu - uvv + F * (1 - u)
        v += Dv * Lv + uvv - (F + k) * v
    return Z


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


@public("hplgit/fdm-book", "wave1D.wave1D_u0.solver", some(7), 1.3)
def wave_1d(start, c):
    Nx, dt, dx = 6, 0.1, 0.25
    C2 = (c * dt / dx) ** 2
    u, u_n, u_nm1 = np.zeros(Nx + 1), np.zeros(Nx + 1), np.zeros(Nx + 1)
    for i in range(Nx + 1):
        u_n[i] = start[i]
    for i in range(1, Nx):
        u[i] = u_n[i] + 0.5 * C2 * (u_n[i - 1] - 2 * u_n[i] + u_n[i + 1])
    u[0] = u[Nx] = 0
    u_nm1[:], u_n[:] = u_n, u
    for _ in range(3):
        for i in range(1, Nx):
            u[i] = -u_nm1[i] + 2 * u_n[i] + C2 * (u_n[i - 1] - 2 * u_n[i] + u_n[i + 1])
        u[0] = u[Nx] = 0
        u_nm1, u_n, u = u_n, u, u_nm1
    return u_n


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


@public("TheAlgorithms/Python", "maths.numerical_analysis.runge_kutta", 0.7, 1.3)
def runge_kutta(y0, rate):
    def f(x, y):
        return -rate * y + np.sin(x)

    h, x, n = 0.2, 0.0, 4
    y = np.zeros((n + 1,))
    y[0] = y0
    for k in range(n):
        k1 = f(x, y[k])
        k2 = f(x + 0.5 * h, y[k] + 0.5 * h * k1)
        k3 = f(x + 0.5 * h, y[k] + 0.5 * h * k2)
        k4 = f(x + h, y[k] + h * k3)
        y[k + 1] = y[k] + (1 / 6) * h * (k1 + 2 * k2 + 2 * k3 + k4)
        x += h
    return y


@public("TheAlgorithms/Python", "maths.numerical_analysis.adams_bashforth", some(2), 0.3)
def adams_bashforth(y_start, h):
    n = 5
    y, x = np.zeros(n + 1), np.zeros(n + 1)
    y[0], y[1], x[1] = y_start[0], y_start[1], h
    for i in range(n - 1):
        y[i + 2] = y[i + 1] + (h / 2) * (3 * (x[i + 1] * y[i + 1]) - np.cos(y[i]) * x[i])
        x[i + 2] = x[i + 1] + h
    return y


@public("matplotlib/matplotlib", "examples/animation/double_pendulum.derivs", some(4), 0.8)
def double_pendulum(state, L2):
    G, L1, M1, M2, dt = 9.8, 1.0, 1.0, 0.7, 0.02
    y = np.empty((4, 4))
    y[0] = state
    for i in range(1, 4):
        s, dydx = y[i - 1], np.zeros_like(y[i - 1])
        dydx[0] = s[1]
        delta = s[2] - s[0]
        den1 = (M1 + M2) * L1 - M2 * L1 * np.cos(delta) * np.cos(delta)
        dydx[1] = (M2 * L1 * s[1] * s[1] * np.sin(delta) * np.cos(delta) + M2 * G * np.sin(s[2]) * np.cos(delta)) / den1
        dydx[2] = s[3]
        pull = (M1 + M2) * G * np.sin(s[0]) * np.cos(delta)
        dydx[3] = (pull - M2 * L2 * s[3] * s[3] * np.sin(delta) * np.cos(delta)) / ((L2 / L1) * den1)
        y[i] = y[i - 1] + dydx * dt
    return y


@public("openai/gym", "cartpole.step", some(4, high=0.5), 0.4)
def cart_pole(state, force):
    for _ in range(3):
        x, x_dot, theta, theta_dot = state
        costheta, sintheta = np.cos(theta), np.sin(theta)
        temp = (force + 0.05 * theta_dot**2 * sintheta) / 1.1
        thetaacc = (9.8 * sintheta - costheta * temp) / (0.5 * (4.0 / 3.0 - 0.1 * costheta**2 / 1.1))
        xacc = temp - 0.05 * thetaacc * costheta / 1.1
        state = (x + 0.02 * x_dot, x_dot + 0.02 * xacc, theta + 0.02 * theta_dot, theta_dot + 0.02 * thetaacc)
    return np.array(state, dtype=np.float64)


@public("openai/gym", "pendulum.step", some(2), 1.2)
def pendulum_step(state, torque):
    th, thdot = state
    u = np.clip(torque, -2.0, 2.0)
    angle = ((th + np.pi) % (2 * np.pi)) - np.pi
    costs = angle**2 + 0.1 * thdot**2 + 0.001 * (u**2)
    newthdot = np.clip(thdot + (3 * 10.0 / 2 * np.sin(th) + 3.0 * u) * 0.05, -8, 8)
    return np.array([th + newthdot * 0.05, newthdot]), -costs


@public("scipy/scipy-cookbook", "LoktaVolterraTutorial.dX_dt", some(4, low=0.5, high=1.5), positive(2))
def lotka_volterra(rates, start):
    a, b, c, d = rates
    X = np.zeros((6, 2))
    X[0, :] = start
    for t in range(5):
        dX = np.array([a * X[t, 0] - b * X[t, 0] * X[t, 1], -c * X[t, 1] + d * b * X[t, 0] * X[t, 1]])
        X[t + 1, :] = X[t, :] + 0.1 * dX
    return X


@public("epirecipes", "sir: discrete time, random draws", 0.4, 0.2)
def sir(beta, gamma):
    rng = np.random.default_rng(7)
    S, ill, R = [np.empty(6) for _ in range(3)]
    S[0], ill[0], R[0] = 0.9, 0.1, 0.0
    noise = rng.normal(0, 0.01, size=6)
    for t in range(5):
        infected = beta * S[t] * ill[t] * (1 + noise[t])
        recovered = gamma * ill[t]
        S[t + 1], ill[t + 1], R[t + 1] = S[t] - infected, ill[t] + infected - recovered, R[t] + recovered
    return np.vstack((S, ill, R)).T


class PID:
    """A controller with an integral and a last error."""

    def __init__(self, Kp, Ki, Kd, setpoint):
        self.Kp, self.Ki, self.Kd, self.setpoint = Kp, Ki, Kd, setpoint
        self._integral, self._last_input = 0, None

    def __call__(self, input_, dt):
        error = self.setpoint - input_
        d_input = input_ - (self._last_input if (self._last_input is not None) else input_)
        self._integral += self.Ki * error * dt
        self._integral = min(max(self._integral, -1.0), 1.0)
        self._last_input = input_
        return max(min(self.Kp * error + self._integral - self.Kd * d_input / dt, 5.0), -5.0)


@public("m-lundberg/simple-pid", "PID.__call__", 1.2, 0.5, 0.05)
def pid(Kp, Ki, Kd):
    controller, temperature, log = PID(Kp, Ki, Kd, 1.0), 0.2, []
    for _ in range(5):
        temperature += 0.1 * controller(temperature, 0.1) - 0.02 * temperature
        log.append(temperature)
    return np.asarray(log)


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


@public("Ising and Metropolis in many codes", "one-dimensional sampling with accepted moves", 0.8)
def metropolis(width):
    np.random.seed(11)
    x, chain = 0.3, np.empty(8)
    for k in range(8):
        proposal = x + width * np.random.randn()
        if np.log(np.random.rand()) < -0.5 * (proposal**2 - x**2):
            x = proposal
        chain[k] = x
    return chain.mean(), chain.var()
