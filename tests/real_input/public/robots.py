"""Robots, paths and cameras: programs that import from math, keep state in columns, and take random steps."""

# ruff: noqa: NPY002
import bisect
import math
from math import cos, sin

import numpy as np
import scipy.linalg as la
import scipy.special
from scipy.stats import norm

from .register import definite, positive, public, some

DT = 0.1
Q = np.diag([0.1, 0.1, np.deg2rad(1.0), 1.0]) ** 2


def motion_model(x, u):
    A = np.array([[1.0, 0, 0, 0], [0, 1.0, 0, 0], [0, 0, 1.0, 0], [0, 0, 0, 0]])
    B = np.array([[DT * math.cos(x[2, 0]), 0], [DT * math.sin(x[2, 0]), 0], [0.0, DT], [1.0, 0.0]])
    return A @ x + B @ u


@public("AtsushiSakai/PythonRobotics", "unscented_kalman_filter.ukf_estimation", some(4, 1), definite(4))
def ukf_estimation(xEst, PEst):
    gamma, wm = 1.3, np.full((1, 9), 1 / 9)
    sigma, Psqrt = xEst, la.sqrtm(PEst)
    for i in range(4):
        sigma = np.hstack((sigma, xEst + gamma * Psqrt[:, i : i + 1]))
    for i in range(4):
        sigma = np.hstack((sigma, xEst - gamma * Psqrt[:, i : i + 1]))
    for i in range(sigma.shape[1]):
        sigma[:, i : i + 1] = motion_model(sigma[:, i : i + 1], np.array([[1.0], [0.1]]))
    xPred = (wm @ sigma.T).T
    d, P = sigma - xPred[0 : sigma.shape[0]], Q
    for i in range(9):
        P = P + wm[0, i] * d[:, i : i + 1] @ d[:, i : i + 1].T
    return xPred, P


@public("AtsushiSakai/PythonRobotics", "particle_filter.pf_localization", some(4, 5), some(2, 1, seed=2))
def particle_filter(px, u, NP=5):
    np.random.seed(4)
    pw = np.zeros((1, NP)) + 1.0 / NP
    z = np.array([[1.0, 0.5, 0.5], [1.4, -0.3, 0.8]])
    for ip in range(NP):
        x, w = np.array([px[:, ip]]).T, pw[0, ip]
        ud = np.array([[u[0, 0] + np.random.randn() * 0.1, u[1, 0] + np.random.randn() * 0.1]]).T
        x = motion_model(x, ud)
        for i in range(len(z[:, 0])):
            dz = math.hypot(x[0, 0] - z[i, 1], x[1, 0] - z[i, 2]) - z[i, 0]
            w = w * (1.0 / math.sqrt(2.0 * math.pi * 0.4**2) * math.exp(-(dz**2) / (2 * 0.4**2)))
        px[:, ip] = x[:, 0]
        pw[0, ip] = w
    pw = pw / pw.sum()
    x_est = px.dot(pw.T)
    cov = np.zeros((4, 4))
    for i in range(NP):
        dx = px[:, i : i + 1] - x_est
        cov += pw[0, i] * dx @ dx.T
    cov *= 1.0 / (1.0 - pw @ pw.T)
    return x_est, cov


def pi_2_pi(angle):
    return (angle + math.pi) % (2 * math.pi) - math.pi


@public("AtsushiSakai/PythonRobotics", "ekf_slam.ekf_slam", some(5, 1), definite(5), some(1, 2, low=0.5, high=1.5))
def ekf_slam(xEst, PEst, z):
    u = np.array([[1.0], [0.1]])
    Fx = np.hstack((np.eye(3), np.zeros((3, 2))))
    jF = np.array(
        [[0, 0, -DT * u[0, 0] * math.sin(xEst[2, 0])], [0, 0, DT * u[0, 0] * math.cos(xEst[2, 0])], [0, 0, 0]],
        dtype=float,
    )
    G = np.eye(len(xEst)) + Fx.T @ jF @ Fx
    B = np.array([[DT * math.cos(xEst[2, 0]), 0], [DT * math.sin(xEst[2, 0]), 0], [0.0, DT]])
    xEst[0:3] = xEst[0:3] + B @ u
    PEst = G.T @ PEst @ G + Fx.T @ np.eye(3) @ Fx
    delta = xEst[3:5] - xEst[0:2]
    q = (delta.T @ delta)[0, 0]
    z_angle = math.atan2(delta[1, 0], delta[0, 0]) - xEst[2, 0]
    zp = np.array([[math.sqrt(q), pi_2_pi(z_angle)]])
    y = (z - zp).T
    y[1] = pi_2_pi(y[1])
    H = np.hstack((-delta, delta, np.ones((2, 3)))) / q
    K = PEst @ H.T @ np.linalg.inv(H @ PEst @ H.T + np.eye(2))
    xEst = xEst + K @ y
    xEst[2] = pi_2_pi(xEst[2])
    return xEst, PEst


@public("AtsushiSakai/PythonRobotics", "fast_slam1.update_landmark", some(2, 2), some(4, 2, seed=2), some(2, seed=3))
def update_landmark(lm, lmP, z):
    lm_id = 1
    xf, Pf = np.array(lm[lm_id, :]).reshape(2, 1), np.array(lmP[2 * lm_id : 2 * lm_id + 2])
    dx, dy = xf[0, 0] - 0.1, xf[1, 0] - 0.2
    d2 = dx**2 + dy**2
    d = math.sqrt(d2)
    zp = np.array([d, pi_2_pi(math.atan2(dy, dx) - 0.3)]).reshape(2, 1)
    Hf = np.array([[dx / d, dy / d], [-dy / d2, dx / d2]])
    dz = z[0:2].reshape(2, 1) - zp
    dz[1, 0] = pi_2_pi(dz[1, 0])
    Pf = Pf @ Pf.T + np.eye(2)
    PHt = Pf @ Hf.T
    S = Hf @ PHt + np.eye(2)
    S = (S + S.T) * 0.5
    s_chol_inv = np.linalg.inv(np.linalg.cholesky(S).T)
    W1 = PHt @ s_chol_inv
    lm[lm_id, :] = (xf + W1 @ s_chol_inv.T @ dz).T
    lmP[2 * lm_id : 2 * lm_id + 2, :] = Pf - W1 @ W1.T
    return lm, lmP


@public("AtsushiSakai/PythonRobotics", "icp_matching.svd_motion_estimation", some(2, 4), some(2, 4, seed=2))
def icp_matching(previous, current):
    d = np.linalg.norm(np.repeat(current, previous.shape[1], axis=1) - np.tile(previous, (1, current.shape[1])), axis=0)
    indexes = np.argmin(d.reshape(current.shape[1], previous.shape[1]), axis=1)
    previous = previous[:, indexes] + 0.3 * previous
    pm, cm = np.mean(previous, axis=1), np.mean(current, axis=1)
    W = (current - cm[:, np.newaxis]) @ (previous - pm[:, np.newaxis]).T
    u, _, vh = np.linalg.svd(W)
    rotation = (u @ vh).T
    H = np.zeros((3, 3))
    H[0:2, 0:2] = rotation
    H[0:2, 2] = pm - rotation @ cm
    H[2, 2] = 1.0
    return H


@public("AtsushiSakai/PythonRobotics", "bezier_path.calc_4points_bezier_path, .curvature", some(4, 2), 0.4)
def bezier_path(control_points, t):
    def bernstein(n, i, t):
        return scipy.special.comb(n, i) * t**i * (1 - t) ** (n - i)

    def bezier(t, points):
        n = len(points) - 1
        return np.sum([bernstein(n, i, t) * points[i] for i in range(n + 1)], axis=0)

    traj = []
    for s in np.linspace(0, 1, 4):
        traj.append(bezier(s, control_points))  # noqa: PERF401
    w = {0: control_points}
    for i in range(2):
        n = len(w[i])
        w[i + 1] = np.array([(n - 1) * (w[i][j + 1] - w[i][j]) for j in range(n - 1)])
    d, dd = bezier(t, w[1]), bezier(t, w[2])
    return np.array(traj), (d[0] * dd[1] - dd[0] * d[1]) / (d[0] ** 2 + d[1] ** 2) ** (3 / 2)


class CubicSpline:
    """Coefficients of the cubics between knots, found by one linear system; knots are searched by bisection."""

    def __init__(self, x, y):
        h = np.diff(x)
        if np.any(h < 0):
            raise ValueError("x coordinates must be sorted in ascending order")
        self.a, self.b, self.d, self.x, self.nx = [iy for iy in y], [], [], x, len(x)  # noqa: C416
        A, B = np.zeros((self.nx, self.nx)), np.zeros(self.nx)
        A[0, 0] = 1.0
        for i in range(self.nx - 1):
            if i != (self.nx - 2):
                A[i + 1, i + 1] = 2.0 * (h[i] + h[i + 1])
            A[i + 1, i] = h[i]
            A[i, i + 1] = h[i]
        A[0, 1] = 0.0
        A[self.nx - 1, self.nx - 2] = 0.0
        A[self.nx - 1, self.nx - 1] = 1.0
        for i in range(self.nx - 2):
            B[i + 1] = 3.0 * (self.a[i + 2] - self.a[i + 1]) / h[i + 1] - 3.0 * (self.a[i + 1] - self.a[i]) / h[i]
        self.c = np.linalg.solve(A, B)
        for i in range(self.nx - 1):
            self.d.append((self.c[i + 1] - self.c[i]) / (3.0 * h[i]))
            self.b.append((self.a[i + 1] - self.a[i]) / h[i] - h[i] / 3.0 * (2.0 * self.c[i] + self.c[i + 1]))

    def position(self, x):
        if x < self.x[0] or x > self.x[-1]:
            return None
        i = bisect.bisect(self.x, x) - 1
        dx = x - self.x[i]
        return self.a[i] + self.b[i] * dx + self.c[i] * dx**2.0 + self.d[i] * dx**3.0


@public("AtsushiSakai/PythonRobotics", "cubic_spline_planner.CubicSpline1D", some(4), np.array([0.0, 1.0, 1.7, 3.0]))
def cubic_spline(y, knots):
    spline = CubicSpline(knots, y)
    return [spline.position(at) for at in np.arange(0.2, 3.0, 0.9)]


@public("AtsushiSakai/PythonRobotics", "lqr_speed_steer_control.solve_dare, .dlqr", some(2, 2), some(2, 1, seed=2))
def dlqr(A, B):
    weights, r = np.eye(2), np.eye(1)
    x = weights
    for _ in range(10):
        x_next = A.T @ x @ A - A.T @ x @ B @ la.inv(r + B.T @ x @ B) @ B.T @ x @ A + weights
        if (abs(x_next - x)).max() < 1e-9:
            break
        x = x_next
    K = la.inv(B.T @ x_next @ B + r) @ (B.T @ x_next @ A)
    return K, np.abs(la.eigvals(A - B @ K)).max()


@public(
    "AtsushiSakai/PythonRobotics",
    "n_joint_arm_to_point_control.inverse_kinematics",
    positive(3),
    some(3),
    some(2, seed=2),
)
def inverse_kinematics(link_lengths, joint_angles, goal):
    for _ in range(3):
        x = y = 0
        for i in range(1, 4):
            x += link_lengths[i - 1] * np.cos(np.sum(joint_angles[:i]))
            y += link_lengths[i - 1] * np.sin(np.sum(joint_angles[:i]))
        x_diff, y_diff = goal[0] - x, goal[1] - y
        errors, distance = np.array([x_diff, y_diff]).T, np.hypot(x_diff, y_diff)
        if distance < 1e-3:
            return joint_angles
        J = np.zeros((2, 3))
        for i in range(3):
            J[0, i] = 0
            J[1, i] = 0
            for j in range(i, 3):
                J[0, i] -= link_lengths[j] * np.sin(np.sum(joint_angles[:j]))
                J[1, i] += link_lengths[j] * np.cos(np.sum(joint_angles[:j]))
        joint_angles = joint_angles + 0.2 * np.matmul(np.linalg.pinv(J), errors)
    return joint_angles


@public("AtsushiSakai/PythonRobotics", "NLinkArm3d.forward_kinematics, .basic_jacobian", some(3), some(3, seed=2))
def robot_arm(thetas, alphas):
    trans, all_trans = np.identity(4), [np.identity(4)]
    for theta, alpha in zip(thetas, alphas, strict=True):
        st, ct, sa, ca = math.sin(theta), math.cos(theta), math.sin(alpha), math.cos(alpha)
        link = np.array(
            [[ct, -st * ca, st * sa, 0.5 * ct], [st, ct * ca, -ct * sa, 0.5 * st], [0, sa, ca, 0.2], [0, 0, 0, 1]]
        )
        trans = np.dot(trans, link)
        all_trans.append(trans)
    ee_pos = np.array([trans[0, 3], trans[1, 3], trans[2, 3]])
    rows = [np.hstack((np.cross(t[0:3, 2], ee_pos - t[0:3, 3]), t[0:3, 2])) for t in all_trans[:-1]]
    return ee_pos, np.array(rows).T


@public("AtsushiSakai/PythonRobotics", "TrajectoryGenerator.solve", 1.3, some(6))
def trajectory_generator(T, ends):
    A = np.array(
        [
            [0, 0, 0, 0, 0, 1],
            [T**5, T**4, T**3, T**2, T, 1],
            [0, 0, 0, 0, 1, 0],
            [5 * T**4, 4 * T**3, 3 * T**2, 2 * T, 1, 0],
            [0, 0, 0, 2, 0, 0],
            [20 * T**3, 12 * T**2, 6 * T, 2, 0, 0],
        ]
    )
    return np.linalg.solve(A, np.array([[each] for each in ends]))


@public("AtsushiSakai/PythonRobotics", "circle_fitting.circle_fitting", some(5), some(5, seed=2))
def circle_fitting(x, y):
    sums = [sum(x), sum(y), sum([ix**2 for ix in x]), sum([iy**2 for iy in y])]
    sumxy = sum([ix * iy for ix, iy in zip(x, y, strict=True)])
    F = np.array([[sums[2], sumxy, sums[0]], [sumxy, sums[3], sums[1]], [sums[0], sums[1], len(x)]])
    G = np.array(
        [
            [-sum([ix**3 + ix * iy**2 for ix, iy in zip(x, y, strict=True)])],
            [-sum([ix**2 * iy + iy**3 for ix, iy in zip(x, y, strict=True)])],
            [-sum([ix**2 + iy**2 for ix, iy in zip(x, y, strict=True)])],
        ]
    )
    T = np.linalg.inv(F).dot(G)
    cxe, cye = float(T[0, 0] / -2), float(T[1, 0] / -2)
    re = math.sqrt(cxe**2 + cye**2 - T[2, 0])
    return cxe, cye, re, sum([np.hypot(cxe - ix, cye - iy) - re for ix, iy in zip(x, y, strict=True)])


@public("AtsushiSakai/PythonRobotics", "gaussian_grid_map.generate_gaussian_grid_map", some(3), some(3, seed=2), 1.5)
def gaussian_grid_map(ox, oy, std):
    gmap = [[0.0 for _ in range(3)] for _ in range(3)]
    for ix in range(3):
        for iy in range(3):
            mindis = float("inf")
            for iox, ioy in zip(ox, oy, strict=True):
                d = math.hypot(iox - ix, ioy - iy)
                if mindis >= d:
                    mindis = d
            gmap[ix][iy] = 1.0 - norm.cdf(mindis, 0.0, std)
    return gmap


@public("AtsushiSakai/PythonRobotics", "cgmres_nmpc._calc_predict_states", some(3), some(3, seed=2), 0.5)
def cgmres(u_1s, u_2s, v0):
    x_s, yaw_s, v_s = [0.1], [0.2], [v0]
    for i in range(3):
        dx, dyaw = cos(yaw_s[i]) * v_s[i], v_s[i] / 0.25 * sin(u_2s[i])
        x_s.append(x_s[i] + 0.1 * dx)
        yaw_s.append(yaw_s[i] + 0.1 * dyaw)
        v_s.append(v_s[i] + 0.1 * u_1s[i])
    lam = [x_s[-1]]
    for i in range(2, 0, -1):
        lam.insert(0, lam[0] + 0.1 * (-lam[0] * sin(yaw_s[i]) * v_s[i]))
    return x_s, lam


@public("scipy/scipy-cookbook", "bundle_adjustment.rotate, .project", some(3, 3), some(3, 6, seed=2))
def bundle_adjustment(points, cameras):
    rot_vecs = cameras[:, :3]
    theta = np.linalg.norm(rot_vecs, axis=1)[:, np.newaxis]
    with np.errstate(invalid="ignore"):
        v = rot_vecs / theta
        v = np.nan_to_num(v)
    dot = np.sum(points * v, axis=1)[:, np.newaxis]
    turned = np.cos(theta) * points + np.sin(theta) * np.cross(v, points) + dot * (1 - np.cos(theta)) * v
    turned += cameras[:, 3:6] + np.array([0.0, 0.0, 4.0])
    projected = -turned[:, :2] / turned[:, 2, np.newaxis]
    n = np.sum(projected**2, axis=1)
    projected *= (1 + 0.1 * n + 0.01 * n**2)[:, np.newaxis]
    return projected.ravel()


@public("KieranWynn/pyquaternion", "Quaternion: product, rotation_matrix, slerp", some(4), some(4, seed=2), 0.3)
def quaternions(p, q, amount):
    p, q = p / np.sqrt(np.dot(p, p)), q / math.sqrt(np.dot(q, q))
    matrix = np.array(
        [[q[0], -q[1], -q[2], -q[3]], [q[1], q[0], -q[3], q[2]], [q[2], q[3], q[0], -q[1]], [q[3], -q[2], q[1], q[0]]]
    )
    product = np.dot(matrix, p)
    dot = np.dot(p, q)
    if dot < 0.0:
        p, dot = -p, -dot
    theta_0 = np.arccos(dot)
    theta = theta_0 * amount
    s0 = np.cos(theta) - dot * np.sin(theta) / np.sin(theta_0)
    return product, (s0 * p) + (np.sin(theta) / np.sin(theta_0) * q)


@public("TheAlgorithms/Python", "geodesy.haversine_distance, .lamberts_ellipsoidal_distance", 0.4, 0.3, 0.9, 1.1)
def haversine(lat1, lon1, lat2, lon2):
    flattening = (6378137.0 - 6356752.314245) / 6378137.0
    phi_1, phi_2 = math.atan((1 - flattening) * math.tan(lat1)), math.atan((1 - flattening) * math.tan(lat2))
    sin_sq_phi, sin_sq_lambda = math.sin((phi_2 - phi_1) / 2), math.sin((lon2 - lon1) / 2)
    sin_sq_phi *= sin_sq_phi
    sin_sq_lambda *= sin_sq_lambda
    h_value = math.sqrt(sin_sq_phi + (math.cos(phi_1) * math.cos(phi_2) * sin_sq_lambda))
    return 2 * 6.378137 * math.asin(h_value)


@public("AtsushiSakai/PythonRobotics", "inverted_pendulum_lqr_control.get_model_matrix", positive(3))
def pendulum_model(parameters):
    M, m, length = parameters
    A = np.array([[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, m * 9.8 / M, 0.0], [0.0, 0.0, 0.0, 1.0], [0.0] * 4])
    A[3, 2] = 9.8 * (M + m) / (length * M)
    B = np.array([[0.0], [1.0 / M], [0.0], [1.0 / (length * M)]])
    return np.eye(4) + DT * A, DT * B
