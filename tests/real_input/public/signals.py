"""Images, signals, sequences, rays and prices: programs that import NumPy's functions by name, as from a star."""

# ruff: noqa: NPY002
from math import erf, exp, isinf, log, sqrt

import numpy as np
from numpy import (
    arange,
    argmin,
    array,
    cumsum,
    dot,
    empty,
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


@public("TheAlgorithms/Python", "digital_image_processing.bilateral_filter", some(4, 4), 0.5)
def bilateral_filter(img, intensity_variance):
    def vec_gaussian(img, variance):
        sigma = sqrt(variance)
        return 1 / (sigma * sqrt(2 * pi)) * np.exp(-((img / sigma) ** 2) * 0.5)

    img2, arr = zeros(img.shape), zeros((3, 3))
    for i in range(3):
        for j in range(3):
            arr[i, j] = sqrt(abs(i - 1) ** 2 + abs(j - 1) ** 2)
    ker = vec_gaussian(arr, 1.0)
    for i in range(1, 3):
        for j in range(1, 3):
            img_s = img[i - 1 : i + 2, j - 1 : j + 2]
            weights = np.multiply(ker, vec_gaussian(img_s - img_s[1, 1], intensity_variance))
            img2[i, j] = np.sum(np.multiply(img_s, weights)) / np.sum(weights)
    return img2


@public("TheAlgorithms/Python", "digital_image_processing.sobel_filter", some(4, 4))
def sobel_filter(image):
    out = []
    for kernel in (array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]), array([[1, 2, 1], [0, 0, 0], [-1, -2, -1]])):
        dst = empty((2, 2))
        for i in range(2):
            for j in range(2):
                dst[i, j] = np.sum(image[i : i + 3, j : j + 3] * kernel)
        out.append(dst)
    magnitude = np.sqrt(square(out[0]) + square(out[1]))
    magnitude *= 255.0 / np.max(magnitude)
    return magnitude, np.arctan2(out[1], out[0])


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


@public("TheAlgorithms/Python", "digital_image_processing.change_contrast, .convert_to_negative", some(3, 3, low=0.0))
def image_points(img):
    out = img.copy()
    for i in range(3):
        for j in range(3):
            out[i][j] = 1.0 - out[i][j]
    factor = (259 * (30 + 255)) / (255 * (259 - 30))
    out[out < 0.2] = 0.2
    return 0.5 + factor * (out - 0.5)


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


@public("TheAlgorithms/Python", "dynamic_programming.smith_waterman, with real scores", 1.1, 0.7, 0.5)
def smith_waterman(match, mismatch, gap):
    one, other, best = "AGCATG", "ACATGA", 0.0
    score = zeros((len(one) + 1, len(other) + 1))
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            diagonal = score[i - 1][j - 1] + (match if one[i - 1] == other[j - 1] else -mismatch)
            score[i][j] = max(0, diagonal, score[i - 1][j] - gap, score[i][j - 1] - gap)
            best = max(best, score[i][j])
    return best, score


@public("TheAlgorithms/Python", "dynamic_programming.edit_distance, with real costs", some(3, low=0.5, high=1.5))
def weighted_edit_distance(costs):
    insert, delete, replace = costs
    word1, word2 = "intention", "execution"
    dp = np.array([[0.0] * (len(word2) + 1) for _ in range(len(word1) + 1)])
    dp[:, 0] = delete * arange(len(word1) + 1)
    dp[0, :] = insert * arange(len(word2) + 1)
    for i in range(1, len(word1) + 1):
        for j in range(1, len(word2) + 1):
            if word1[i - 1] == word2[j - 1]:
                dp[i][j] = dp[i - 1][j - 1]
            else:
                dp[i][j] = min(dp[i][j - 1] + insert, dp[i - 1][j] + delete, dp[i - 1][j - 1] + replace)
    return dp[-1, -1]


@public("TheAlgorithms/Python", "dynamic_programming.minimum_cost_path, in place", positive(3, 4))
def minimum_cost_path(matrix):
    for i in range(1, len(matrix[0])):
        matrix[0][i] += matrix[0][i - 1]
    for i in range(1, len(matrix)):
        matrix[i][0] += matrix[i - 1][0]
    for i in range(1, len(matrix)):
        for j in range(1, len(matrix[0])):
            matrix[i][j] += min(matrix[i - 1][j], matrix[i][j - 1])
    return matrix[-1][-1]


@public("TheAlgorithms/Python", "dynamic_programming.floyd_warshall", positive(4, 4))
def floyd_warshall(W):
    dist = W.copy()
    for i in range(4):
        dist[i, i] = 0.0
    for k in range(4):
        for i in range(4):
            for j in range(4):
                dist[i, j] = min(dist[i, j], dist[i, k] + dist[k, j])
    return dist


@public("TheAlgorithms/Python", "sorts.bubble_sort on an array of floats", some(5))
def bubble_sort(collection):
    for i in reversed(range(len(collection))):
        swapped = False
        for j in range(i):
            if collection[j] > collection[j + 1]:
                swapped = True
                collection[j], collection[j + 1] = collection[j + 1], collection[j]
        if not swapped:
            break
    return collection * arange(1.0, 6.0)


@public("TheAlgorithms/Python", "audio_filters.IIRFilter.process", some(3), some(5, seed=2))
def iir_filter(coefficients, signal):
    a, b = [1.0, coefficients[0], 0.1], [0.5, coefficients[1], coefficients[2]]
    inputs, outputs, result = [0.0, 0.0], [0.0, 0.0], zeros(len(signal))
    for k, sample in enumerate(signal):
        y = b[0] * sample
        for i in range(1, 3):
            y += b[i] * inputs[i - 1] - a[i] * outputs[i - 1]
        inputs[1:], outputs[1:] = inputs[:-1], outputs[:-1]
        inputs[0], outputs[0] = sample, y
        result[k] = y
    return result


@public("TheAlgorithms/Python", "electronics.circular_convolution", some(4), some(3, seed=2))
def circular_convolution(first, second):
    second = list(second) + [0] * 1
    matrix = [[0] * 4 for i in range(4)]
    for i in range(4):
        rotated = second[-i:] + second[:-i]
        for j, item in enumerate(rotated):
            matrix[i][j] += item
    return np.matmul(np.transpose(matrix), np.transpose(first))


@public("ddbourgin/numpy-ml", "preprocessing.dsp.DCT, .autocorrelate1D", some(5))
def discrete_cosines(frame):
    N = len(frame)
    out, auto = zeros_like(frame), zeros(N)
    for k in range(N):
        for n, xn in enumerate(frame):
            out[k] += xn * np.cos(pi * k * (2 * n + 1) / (2 * N))
        out[k] *= 2 * (np.sqrt(1 / (4 * N)) if k == 0 else np.sqrt(1 / (2 * N)))
        for n in range(N - k):
            auto[k] += frame[n + k] * frame[n]
    return out, auto


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


@public(
    "ddbourgin/numpy-ml", "preprocessing.dsp.bilinear_interpolate", some(3, 4, 2), some(5, seed=2, low=0.1, high=1.9)
)
def bilinear_interpolate(X, x):
    y = 0.8 * x + 0.05
    x0, y0 = np.floor(x).astype(int), np.floor(y).astype(int)
    x1, y1 = np.clip(x0 + 1, 0, X.shape[1] - 1), np.clip(y0 + 1, 0, X.shape[0] - 1)
    Ia, Ib, Ic, Id = X[y0, x0, :].T, X[y1, x0, :].T, X[y0, x1, :].T, X[y1, x1, :].T
    wa, wb, wc, wd = (x1 - x) * (y1 - y), (x1 - x) * (y - y0), (x - x0) * (y1 - y), (x - x0) * (y - y0)
    return (Ia * wa).T + (Ib * wb).T + (Ic * wc).T + (Id * wd).T


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


@public("yhilpisch/py4fi", "Monte Carlo: bsm_mcs_euro", 100.0, 0.2)
def monte_carlo_option(S0, sigma):
    np.random.seed(1000)
    K, T, r, M, paths = 100.0, 1.0, 0.05, 4, 6
    dt = T / M
    S = zeros((M + 1, paths))
    S[0] = S0
    for t in range(1, M + 1):
        z = np.random.standard_normal(paths)
        S[t] = S[t - 1] * np.exp((r - 0.5 * sigma**2) * dt + sigma * sqrt(dt) * z)
    return exp(-r * T) * np.sum(maximum(S[-1] - K, 0)) / paths


@public("yhilpisch/py4fi", "binomial tree: crr_option_value", 100.0, 0.25)
def binomial_tree(S0, sigma):
    K, T, r, M = 98.0, 1.0, 0.05, 4
    dt = T / M
    u = np.exp(sigma * sqrt(dt))
    mu = arange(M + 1)
    mu = np.resize(mu, (M + 1, M + 1))
    md = np.transpose(mu)
    S = S0 * u ** (mu - md) * (1 / u) ** md
    q = (np.exp(r * dt) - 1 / u) / (u - 1 / u)
    pv = maximum(S - K, 0)
    for z, t in enumerate(range(M - 1, -1, -1)):
        pv[0 : M - z, t] = (q * pv[0 : M - z, t + 1] + (1 - q) * pv[1 : M - z + 1, t + 1]) * np.exp(-r * dt)
    return pv[0, 0]


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


@public("TheAlgorithms/Python", "financial.exponential_moving_average, .present_value", some(5, low=1.0, high=2.0), 0.1)
def prices(series, rate):
    averages, previous = [], 0.0
    for i, price in enumerate(series):
        previous = (previous + price) * 0.5 if i <= 2 else 0.5 * price + 0.5 * previous
        averages.append(previous)
    value = sum(flow / ((1 + rate) ** i) for i, flow in enumerate(series))
    return averages, value


@public("statsmodels' users", "AR and GARCH recursions", some(6), positive(3))
def garch(returns, parameters):
    omega, alpha, beta = parameters * array([0.1, 0.2, 0.5])
    sigma2 = empty(len(returns))
    sigma2[0] = returns.var()
    for t in range(1, len(returns)):
        sigma2[t] = omega + alpha * returns[t - 1] ** 2 + beta * sigma2[t - 1]
    return -0.5 * np.sum(np.log(2 * pi) + np.log(sigma2) + returns**2 / sigma2), sigma2


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
