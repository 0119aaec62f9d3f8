"""Images, signals, sequences, rays and prices: programs that import NumPy's functions by name, as from a star."""

from math import erf, exp, isinf, log, sqrt

import numpy as np
from numpy import (
    arange,
    argmin,
    array,
    cumsum,
    dot,
    full,
    inf,
    linspace,
    maximum,
    mean,
    mgrid,
    ones,
    pad,
    pi,
    ravel,
    square,
    zeros,
    zeros_like,
)

from .register import positive, public, some


@public("TheAlgorithms/Python", "digital_image_processing.convolve.img_convolve", some(4, 4), some(3, 3, seed=2))
def img_convolve(image, kernel):
    padded, size = pad(image, 1, mode="edge"), 3
    columns, row = zeros((16, 9)), 0
    for i in range(4):
        for j in range(4):
            columns[row, :] = ravel(padded[i : i + size, j : j + size])
            row += 1
    return dot(columns, ravel(kernel)).reshape(4, 4)


@public("TheAlgorithms/Python", "digital_image_processing.gaussian_filter, before uint8", some(4, 4), 0.9)
def gaussian_filter(image, sigma):
    x, y = mgrid[-1:2, -1:2]
    g = 1 / (2 * pi * sigma) * np.exp(-(square(x) + square(y)) / (2 * square(sigma)))
    windows = zeros((4, 9))
    for row, (i, j) in enumerate((i, j) for i in range(2) for j in range(2)):
        windows[row, :] = ravel(image[i : i + 3, j : j + 3])
    return dot(windows, ravel(g)).reshape(2, 2)


@public("TheAlgorithms/Python", "computer_vision.maxpooling", some(4, 4))
def maxpooling(arr, size=2, stride=2):
    arr, i, mat_i = array(arr), 0, 0
    updated = zeros((2, 2))
    while i < arr.shape[0]:
        j = mat_j = 0
        while j < arr.shape[1]:
            updated[mat_i][mat_j] = np.max(arr[i : i + size, j : j + size])
            j, mat_j = j + stride, mat_j + 1
        i, mat_i = i + stride, mat_i + 1
    return updated


@public("TheAlgorithms/Python", "computer_vision.horn_schunck", some(4, 4), some(4, 4, seed=2))
def horn_schunck(image0, image1):
    u, v = zeros_like(image0), zeros_like(image0)

    def warp(image, u, v):
        grid = np.stack(np.meshgrid(arange(0, 4), arange(0, 4)), 2)
        grid = np.round(grid - np.stack((u, v), 2)).astype(np.int32)
        invalid = (grid < 0) | (grid >= array([4, 4]))
        grid[invalid] = 0
        warped = image[grid[:, :, 1], grid[:, :, 0]]
        warped[invalid[:, :, 0] | invalid[:, :, 1]] = 0
        return warped

    for _ in range(2):
        warped = warp(image0, u, v)
        dx = 0.25 * (np.roll(warped + image1, -1, 1) - warped - image1)
        dy = 0.25 * (np.roll(warped + image1, -1, 0) - warped - image1)
        update = (dx * u + dy * v + image1 - warped) / (0.1**2 + dx**2 + dy**2)
        u, v = u - dx * update, v - dy * update
    return u, v


@public("scikit-image's users", "histogram stretch, vignette, box blur by cumulative sums", some(4, 5))
def box_blur(img):
    padded = zeros((5, 6))
    padded[1:, 1:] = cumsum(cumsum(img, axis=0), axis=1)
    blurred = (padded[2:, 2:] - padded[:-2, 2:] - padded[2:, :-2] + padded[:-2, :-2]) / 4
    blurred -= blurred.min()
    blurred /= blurred.max()
    rows, columns = np.ogrid[:3, :4]
    blurred[(rows - 1) ** 2 + (columns - 2) ** 2 > 3] *= 0.5
    return blurred


@public("pierre-rouanet/dtw", "dtw", some(4), some(3, seed=2))
def dtw(x, y, w=inf):
    r, c = len(x), len(y)
    D0 = zeros((r + 1, c + 1))
    D0[0, 1:] = inf
    D0[1:, 0] = inf
    D1 = D0[1:, 1:]
    for i in range(r):
        for j in range(c):
            if isinf(w) or max(0, i - w) <= j <= min(c, i + w):
                D1[i, j] = abs(x[i] - y[j])
    C = D1.copy()
    for i in range(r):
        for j in range(c):
            D1[i, j] += min([D0[i, j], D0[min(i + 1, r), j], D0[i, min(j + 1, c)]])
    i, j = array(D0.shape) - 2
    p = [i]
    while i > 0 or j > 0:
        tb = argmin((D0[i, j], D0[i, j + 1], D0[i + 1, j]))
        if tb == 0:
            i, j = i - 1, j - 1
        elif tb == 1:
            i -= 1
        else:
            j -= 1
        p.insert(0, i)
    return D1[-1, -1], C, x[array(p)]


@public("pierre-rouanet/dtw", "accelerated_dtw, with distances by broadcasting", some(3, 2), some(3, 2, seed=2))
def accelerated_dtw(x, y):
    D0 = full((4, 4), inf)
    D0[0, 0] = 0.0
    D0[1:, 1:] = np.sum(np.abs(x[:, None, :] - y[None, :, :]), axis=2)
    D1 = D0[1:, 1:]
    for i in range(3):
        for j in range(3):
            D1[i, j] += min(D0[i, j], D0[i, j + 1], D0[i + 1, j])
    return D1[-1, -1]


@public("ddbourgin/numpy-ml", "preprocessing.dsp.mel_filterbank", 0.3, some(5, low=0.0))
def mel_filterbank(low, power):
    mel = linspace(low, 2.5, 5)
    hz_bins = linspace(0.0, 1.2, 5)
    fbank, edges = zeros((3, 5)), np.expm1(mel / 2)
    spacing = np.diff(edges)
    ramps = edges.reshape(-1, 1) - hz_bins.reshape(1, -1)
    for i in range(3):
        fbank[i] = maximum(0, np.minimum(-ramps[i] / spacing[i], ramps[i + 2] / spacing[i + 1]))
    fbank *= (2.0 / (edges[2:5] - edges[:3]))[:, np.newaxis]
    return fbank @ power


@public("ddbourgin/numpy-ml", "preprocessing.dsp.to_frames, by strides", some(6))
def frames_by_strides(x):
    byte = x.itemsize
    frames = np.lib.stride_tricks.as_strided(x, shape=(3, 2), strides=(byte * 2, byte), writeable=False)
    return frames * array([1.0, 2.0])


@public("rossant's gist 6046463", "raytracing.trace_ray", some(3), positive(3), 0.8)
def ray_tracing(origin, light, radius):
    def normalize(x):
        x /= np.linalg.norm(x)
        return x

    origin, light = origin + array([0.0, 0.0, -3.0]), light - array([0.0, 0.0, 5.0])
    img = zeros((2, 2, 3))
    for i, x in enumerate(linspace(-0.3, 0.3, 2)):
        for j, y in enumerate(linspace(-0.2, 0.2, 2)):
            target = zeros(3)
            target[:2] = x, y
            D = normalize(target - origin)
            a, b = dot(D, D), 2 * dot(D, origin)
            disc = b * b - 4 * a * (dot(origin, origin) - radius * radius)
            if disc > 0:
                distSqrt = np.sqrt(disc)
                q = (-b - distSqrt) / 2.0 if b < 0 else (-b + distSqrt) / 2.0
                t0, t1 = (
                    min(q / a, (dot(origin, origin) - radius**2) / q),
                    max(q / a, (dot(origin, origin) - radius**2) / q),
                )
                M = origin + D * (t0 if t0 > 0 else t1)
                N = normalize(M)
                col = 0.05
                col += max(dot(N, normalize(light - M)), 0) * ones(3)
                img[1 - j, i, :] = np.clip(col, 0, 1)
    return img


@public("vollib/py_vollib", "black_scholes, with math", 100.0, 95.0, 0.5, 0.02, 0.3)
def black_scholes(S, K, t, r, sigma):
    def N(x):
        return 0.5 * (1.0 + erf(x / sqrt(2.0)))

    d1 = (log(S / K) + (r + sigma * sigma / 2.0) * t) / (sigma * sqrt(t))
    d2 = d1 - sigma * sqrt(t)
    return S * N(d1) - K * exp(-r * t) * N(d2)


@public("yhilpisch/py4fi", "least-squares Monte Carlo with polyfit", 40.0)
def longstaff_schwartz(S0):
    rng = np.random.RandomState(5)
    z = rng.standard_normal((3, 8))
    S = S0 * np.exp(cumsum(0.1 * z - 0.005, axis=0))
    V = maximum(42.0 - S, 0)[-1]
    for t in range(1, -1, -1):
        h = maximum(42.0 - S[t], 0)
        rg = np.polyfit(S[t], V * 0.99, 2)
        C = np.polyval(rg, S[t])
        V = np.where(h > C, h, V * 0.99)
    return mean(V)


@public("RANSAC in many codes", "a line through two drawn points, refitted to its inliers", some(6), some(6, seed=2))
def ransac(x, noise):
    rng = np.random.default_rng(3)
    y = 2 * x + 1 + 0.05 * noise
    best, inliers = -1, None
    for _ in range(4):
        i, j = rng.choice(6, size=2, replace=False)
        slope = (y[j] - y[i]) / (x[j] - x[i])
        residuals = np.abs(y - (y[i] + slope * (x - x[i])))
        mask = residuals < 0.3
        if mask.sum() > best:
            best, inliers = mask.sum(), mask
    A = np.vstack([x[inliers], ones(int(inliers.sum()))]).T
    return np.linalg.lstsq(A, y[inliers], rcond=None)[0]
