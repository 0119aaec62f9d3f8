"""Machine learning in NumPy: layers, losses, optimizers, mixtures, hidden Markov models, Gaussian processes, trees."""

# ruff: noqa: NPY002
import math
from itertools import combinations_with_replacement

import numpy as np
from scipy.stats import norm

from .register import definite, positive, public, some

# ---- transformers and recurrent networks ----


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def softmax(x):
    shifted = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return shifted / np.sum(shifted, axis=-1, keepdims=True)


def layer_norm(x, g, b, eps=1e-5):
    mean, variance = np.mean(x, axis=-1, keepdims=True), np.var(x, axis=-1, keepdims=True)
    return g * (x - mean) / np.sqrt(variance + eps) + b


@public("jaymody/picoGPT", "gpt2.ffn", some(3, 4), some(4, 8, seed=2), some(8, 4, seed=3))
def ffn(x, w_fc, w_proj):
    return gelu(layer_norm(x, 1.1, 0.1) @ w_fc + 0.1) @ w_proj


@public("jaymody/picoGPT", "gpt2.mha", some(3, 4), some(4, 12, seed=2), some(4, 4, seed=3))
def mha(x, w_attn, w_proj, n_head=2):
    qkv = np.split(x @ w_attn, 3, axis=-1)
    heads = [np.split(part, n_head, axis=-1) for part in qkv]
    mask = (1 - np.tri(x.shape[0], dtype=x.dtype)) * -1e10
    out = [softmax(q @ k.T / np.sqrt(q.shape[-1]) + mask) @ v for q, k, v in zip(*heads, strict=True)]
    return np.hstack(out) @ w_proj


@public("jaymody/picoGPT", "gpt2.gpt2", some(5, 4), some(3, 4, seed=2), some(4, 12, seed=3), some(4, 4, seed=4))
def gpt2(wte, wpe, w_attn, w_proj):
    inputs = [3, 1, 4]
    x = wte[inputs] + wpe[range(len(inputs))]
    x = x + mha(layer_norm(x, 1.0, 0.0), w_attn, w_proj)
    return softmax(layer_norm(x, 1.0, 0.0) @ wte.T)


@public("karpathy/min-char-rnn", "lossFun", some(3, 4), some(3, 3, seed=2), some(4, 3, seed=3), some(3, 1, seed=4))
def min_char_rnn(Wxh, Whh, Why, hprev):
    inputs, targets, vocabulary = [0, 2, 3], [2, 3, 1], 4
    bh, by = np.zeros((3, 1)), np.zeros((vocabulary, 1))
    xs, hs, ys, ps = {}, {}, {}, {}
    hs[-1] = np.copy(hprev)
    loss = 0
    for t in range(len(inputs)):
        xs[t] = np.zeros((vocabulary, 1))
        xs[t][inputs[t]] = 1
        hs[t] = np.tanh(np.dot(Wxh, xs[t]) + np.dot(Whh, hs[t - 1]) + bh)
        ys[t] = np.dot(Why, hs[t]) + by
        ps[t] = np.exp(ys[t]) / np.sum(np.exp(ys[t]))
        loss += -np.log(ps[t][targets[t], 0])
    dWxh, dWhh, dWhy = np.zeros_like(Wxh), np.zeros_like(Whh), np.zeros_like(Why)
    dhnext = np.zeros_like(hs[0])
    for t in reversed(range(len(inputs))):
        dy = np.copy(ps[t])
        dy[targets[t]] -= 1
        dWhy += np.dot(dy, hs[t].T)
        dhraw = (1 - hs[t] * hs[t]) * (np.dot(Why.T, dy) + dhnext)
        dWxh += np.dot(dhraw, xs[t].T)
        dWhh += np.dot(dhraw, hs[t - 1].T)
        dhnext = np.dot(Whh.T, dhraw)
    for dparam in [dWxh, dWhh, dWhy]:
        np.clip(dparam, -5, 5, out=dparam)
    return loss, dWxh, dWhh, dWhy


@public(
    "eriklindernoren/ML-From-Scratch", "layers.RNN.forward_pass", some(2, 3, 2), some(4, 2, seed=2), some(4, 4, seed=3)
)
def rnn_forward_pass(X, U, W):
    batch_size, timesteps, _ = X.shape
    state_input = np.zeros((batch_size, timesteps, 4))
    states = np.zeros((batch_size, timesteps + 1, 4))
    outputs = np.zeros((batch_size, timesteps, 2))
    states[:, -1] = np.zeros((batch_size, 4))
    for t in range(timesteps):
        state_input[:, t] = X[:, t].dot(U.T) + states[:, t - 1].dot(W.T)
        states[:, t] = np.tanh(state_input[:, t])
        outputs[:, t] = states[:, t].dot(U)
    return outputs


# ---- convolutions, batches ----


def im2col_indices(channels, height, width, size):
    i0 = np.tile(np.repeat(np.arange(size), size), channels)
    i1 = np.repeat(np.arange(height), width)
    j0, j1 = np.tile(np.arange(size), size * channels), np.tile(np.arange(width), height)
    k = np.repeat(np.arange(channels), size * size).reshape(-1, 1)
    return k, i0.reshape(-1, 1) + i1.reshape(1, -1), j0.reshape(-1, 1) + j1.reshape(1, -1)


@public("eriklindernoren/ML-From-Scratch", "layers.image_to_column", some(1, 2, 3, 3), some(2, 2, 2, 2, seed=2))
def image_to_column(images, W):
    padded = np.pad(images, ((0, 0), (0, 0), (1, 0), (1, 0)), mode="constant")
    k, i, j = im2col_indices(2, 3, 3, 2)
    cols = padded[:, k, i, j].transpose(1, 2, 0).reshape(8, -1)
    output = W.reshape((2, -1)).dot(cols).reshape((2, 3, 3, 1))
    return output.transpose(3, 0, 1, 2)


@public("eriklindernoren/ML-From-Scratch", "layers.column_to_image", some(8, 9))
def column_to_image(cols):
    padded = np.zeros((1, 2, 4, 4))
    k, i, j = im2col_indices(2, 3, 3, 2)
    cols = cols.reshape(8, -1, 1).transpose(2, 0, 1)
    np.add.at(padded, (slice(None), k, i, j), cols)
    return padded[:, :, 1:, 1:]


@public("ddbourgin/numpy-ml", "neural_nets.utils.dilate", some(1, 3, 3, 1))
def dilate(X, d=1):
    _, in_rows, in_cols, _ = X.shape
    Xd = np.insert(X, np.repeat(np.arange(1, in_rows), d), 0, axis=1)
    return np.insert(Xd, np.repeat(np.arange(1, in_cols), d), 0, axis=2)


@public(
    "cs231n assignments",
    "layers.conv_forward_naive, .max_pool_forward_naive",
    some(1, 2, 4, 4),
    some(2, 2, 3, 3, seed=2),
)
def conv_forward_naive(x, w):
    N, _, height, width = x.shape
    x_pad = np.pad(x, ((0,), (0,), (1,), (1,)), "constant")
    out = np.zeros((N, w.shape[0], height, width))
    for n in range(N):
        for f in range(w.shape[0]):
            for i in range(height):
                for j in range(width):
                    out[n, f, i, j] = np.sum(x_pad[n, :, i : i + 3, j : j + 3] * w[f]) + 0.1
    pooled = np.zeros((N, w.shape[0], 2, 2))
    for i in range(2):
        for j in range(2):
            pooled[:, :, i, j] = np.max(out[:, :, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2], axis=(2, 3))
    return pooled


@public("cs231n assignments", "layers.batchnorm_forward", some(4, 3), positive(3), some(3, seed=2))
def batchnorm_forward(x, gamma, beta):
    running_mean, running_var = np.zeros(3, dtype=x.dtype), np.zeros(3, dtype=x.dtype)
    for _ in range(2):
        mean, var = x.mean(axis=0), x.var(axis=0)
        running_mean = 0.9 * running_mean + 0.1 * mean
        running_var = 0.9 * running_var + 0.1 * var
        x = gamma * (x - mean) / np.sqrt(var + 1e-5) + beta
    return x, running_mean, running_var


# ---- optimizers, regressions ----


@public("eriklindernoren/ML-From-Scratch", "regression.Regression.fit", some(5, 2), some(5, seed=2))
def regression(X, y):
    np.random.seed(1)
    X = np.insert(X, 0, 1, axis=1)
    errors = []
    w = np.random.uniform(-0.5, 0.5, (X.shape[1],))
    for _ in range(3):
        y_pred = X.dot(w)
        errors.append(np.mean(0.5 * (y - y_pred) ** 2 + 0.1 * np.linalg.norm(w)))
        w -= 0.05 * (-(y - y_pred).dot(X) + 0.1 * np.sign(w))
    return w, errors


@public("ddbourgin/numpy-ml", "linear_models.LinearRegression._update2D", some(3, 2), some(3, seed=2), some(3, seed=3))
def recursive_least_squares(X, y, beta):
    S_inv = np.eye(3)
    X = np.c_[np.ones(X.shape[0]), X]
    S_inv -= S_inv @ X.T @ np.linalg.inv(np.eye(X.shape[0]) + X @ S_inv @ X.T) @ X @ S_inv
    beta += S_inv @ X.T @ (y - X @ beta)
    return beta, S_inv


@public("ddbourgin/numpy-ml", "linear_models.BayesianLinearRegressionUnknownVariance.fit", some(4, 2), some(4, seed=2))
def bayesian_regression(X, y):
    X = np.c_[np.ones(X.shape[0]), X]
    N, M = X.shape
    V, mu = 1.0, 0.0
    V *= np.eye(M)
    mu *= np.ones(M)
    a = y - X @ mu
    b = np.linalg.inv(X @ V @ X.T + np.eye(N))
    sigma = 1 / (N + 1) * (4 + a @ b @ a)
    L = np.linalg.inv(np.linalg.inv(V) + X.T @ X)
    return L @ (np.linalg.inv(V) @ mu + X.T @ y), L * sigma


@public("TheAlgorithms/Python", "machine_learning.local_weighted_learning", some(4, 2), some(4, seed=2), 0.8)
def local_weight_regression(x_train, y_train, tau):
    y_pred = np.zeros(len(x_train))
    for i, point in enumerate(x_train):
        weights = np.eye(len(x_train))
        for j in range(len(x_train)):
            diff = point - x_train[j]
            weights[j, j] = np.exp(diff @ diff.T / (-2.0 * tau**2))
        found = np.linalg.inv(x_train.T @ weights @ x_train) @ (x_train.T @ weights @ y_train.T)
        y_pred[i] = np.dot(point, found).item()
    return y_pred


# ---- mixtures, hidden Markov models ----


def log_gaussian_pdf(x_i, mu, sigma):
    a = len(mu) * np.log(2 * np.pi)
    _, b = np.linalg.slogdet(sigma)
    c = np.dot(x_i - mu, np.linalg.solve(sigma, x_i - mu))
    return -0.5 * (a + b + c)


def logsumexp(log_probs, axis=None):
    top = np.max(log_probs)
    return top + np.log(np.exp(log_probs - top).sum(axis=axis))


SIGMAS = np.stack([definite(2, seed=5), definite(2, seed=6)])


@public("ddbourgin/numpy-ml", "gmm.GMM._E_step", some(3, 2), some(2, 2, seed=2), SIGMAS)
def gmm_e_step(X, mu, sigma):
    Q, pi = np.zeros((X.shape[0], 2)), np.ones(2) / 2
    for i, x_i in enumerate(X):
        denom_vals = []
        for c in range(2):
            denom_vals.append(log_gaussian_pdf(x_i, mu[c, :], sigma[c, :, :]) + np.log(pi[c]))  # noqa: PERF401
        log_denom = logsumexp(denom_vals)
        q_i = np.exp([num - log_denom for num in denom_vals])
        np.testing.assert_allclose(np.sum(q_i), 1, err_msg=f"{np.sum(q_i)}")
        Q[i, :] = q_i
    return Q


@public(
    "eriklindernoren/ML-From-Scratch",
    "GaussianMixtureModel.multivariate_gaussian",
    some(3, 2),
    some(2, seed=2),
    definite(2),
)
def multivariate_gaussian(X, mean, covar):
    determinant = np.linalg.det(covar)
    likelihoods = np.zeros(np.shape(X)[0])
    for i, sample in enumerate(X):
        coeff = 1.0 / (math.pow(2.0 * math.pi, 2 / 2) * math.sqrt(determinant))
        exponent = math.exp(-0.5 * (sample - mean).T.dot(np.linalg.pinv(covar)).dot(sample - mean))
        likelihoods[i] = coeff * exponent
    return likelihoods


@public(
    "ddbourgin/numpy-ml", "hmm.MultinomialHMM._forward", positive(2, 2), positive(2, 3, seed=2), positive(2, seed=3)
)
def hmm_forward(A, B, pi):
    observed, eps = np.array([0, 2, 1, 1]), np.finfo(float).eps
    forward = np.zeros((2, len(observed)))
    for s in range(2):
        forward[s, 0] = np.log(pi[s] + eps) + np.log(B[s, observed[0]] + eps)
    for t in range(1, len(observed)):
        for s in range(2):
            forward[s, t] = logsumexp(
                [forward[r, t - 1] + np.log(A[r, s] + eps) + np.log(B[s, observed[t]] + eps) for r in range(2)]
            )
    return logsumexp(forward[:, -1]), forward


# ---- kernels, Gaussian processes, factorizations ----


@public("ddbourgin/numpy-ml", "nonparametric.GPRegression.predict", some(4, 2), some(4, seed=2), some(2, 2, seed=3))
def gp_predict(X, y, X_star):
    def kernel(a, b):
        return (0.5 * (a @ b.T) + 1) ** 2

    K, K_star = kernel(X, X), kernel(X_star, X)
    K_y_inv = np.linalg.inv(K + np.eye(K.shape[0]) * 0.1)
    cov = kernel(X_star, X_star) - K_star @ K_y_inv @ K_star.T
    return K_star @ K_y_inv @ y, norm.ppf(0.95) * np.sqrt(np.diag(cov))


@public("krasserm/bayesian-machine-learning", "gaussian_processes.nll_fn", some(2, low=0.5, high=1.0), 0.3)
def gp_likelihood(theta, noise):
    X, Y = np.arange(-2.0, 3.0).reshape(-1, 1), np.sin(np.arange(-2.0, 3.0)).reshape(-1, 1)
    sqdist = np.sum(X**2, 1).reshape(-1, 1) + np.sum(X**2, 1) - 2 * np.dot(X, X.T)
    K = theta[1] ** 2 * np.exp(-0.5 / theta[0] ** 2 * sqdist) + noise**2 * np.eye(len(X))
    L = np.linalg.cholesky(K)
    S1 = np.linalg.solve(L, Y.ravel())
    S2 = np.linalg.solve(L.T, S1)
    return np.sum(np.log(np.diagonal(L))) + 0.5 * Y.ravel().dot(S2) + 0.5 * len(X) * np.log(2 * np.pi)


@public("krasserm/bayesian-machine-learning", "bayesian_optimization.expected_improvement", some(3), positive(3))
def expected_improvement(mu, sigma, xi=0.01):
    sigma = sigma.reshape(-1, 1)
    improvement = mu.reshape(-1, 1) - np.max(mu) - xi
    with np.errstate(divide="warn"):
        Z = improvement / sigma
        ei = improvement * norm.cdf(Z) + sigma * norm.pdf(Z)
        ei[sigma == 0.0] = 0.0
    return ei


@public(
    "ddbourgin/numpy-ml",
    "factorization.NMF._update_H, ._update_W",
    positive(4, 3),
    positive(4, 2, seed=2),
    positive(3, 2, seed=3),
)
def nmf(X, W, Ht):
    H, eps = Ht.T, np.finfo(float).eps
    XtW, WtW = X.T @ W, W.T @ W
    for k in range(2):
        H[k, :] += XtW[:, k] - H.T @ WtW[:, k]
        H[k, :] = np.clip(H[k, :], eps, np.inf)
    XHt, HHt = X @ H.T, H @ H.T
    for k in range(2):
        W[:, k] = W[:, k] * HHt[k, k] + XHt[:, k] - W @ HHt[:, k]
        W[:, k] = np.clip(W[:, k], eps, np.inf)
        n = np.linalg.norm(W[:, k])
        W[:, k] /= n if n > 0 else 1.0
    return W, H


# ---- clusters, trees, projections ----


@public("eriklindernoren/ML-From-Scratch", "Adaboost.fit", positive(6))
def adaboost(w):
    X, y = some(6, 2, seed=3), np.array([1, -1, 1, 1, -1, -1])
    alphas = []
    for _ in range(2):
        best, rule = float("inf"), None
        for feature in range(2):
            for threshold in np.unique(X[:, feature]):
                p, prediction = 1, np.ones(np.shape(y))
                prediction[X[:, feature] < threshold] = -1
                error = sum(w[y != prediction]) / sum(w)
                if error > 0.5:
                    error, p = 1 - error, -1
                if error < best:
                    best, rule = error, (p, feature, threshold)
        p, feature, threshold = rule
        alpha = 0.5 * math.log((1.0 - best) / (best + 1e-10))
        predictions = np.ones(np.shape(y))
        predictions[p * X[:, feature] < p * threshold] = -1
        w *= np.exp(-alpha * y * predictions)
        w /= np.sum(w)
        alphas.append(alpha)
    return alphas, w


@public("eriklindernoren/ML-From-Scratch", "RegressionTree._calculate_variance_reduction", some(6), some(6, seed=2))
def regression_stump(x, y):
    best, means = -np.inf, None
    for threshold in np.unique(x):
        left, right = y[x <= threshold], y[x > threshold]
        if len(left) > 0 and len(right) > 0:
            frac_1, frac_2 = len(left) / len(y), len(right) / len(y)
            reduction = np.var(y) - (frac_1 * np.var(left) + frac_2 * np.var(right))
            if reduction > best:
                best, means = reduction, (left.mean(), right.mean())
    return best, means[0], means[1]


@public("eriklindernoren/ML-From-Scratch", "LDA.fit", some(6, 2))
def lda(X):
    y = np.array([0, 1, 1, 0, 1, 0])
    X1, X2 = X[y == 0], X[y == 1]
    cov = sum(np.array((1 / 2) * (Z - Z.mean(axis=0)).T.dot(Z - Z.mean(axis=0)), dtype=float) for Z in (X1, X2))
    return np.linalg.pinv(cov).dot(np.atleast_1d(X1.mean(0) - X2.mean(0)))


@public("eriklindernoren/ML-From-Scratch", "PCA.transform", definite(3))
def pca(X):
    covariance = np.array(1 / 2 * (X - X.mean(axis=0)).T.dot(X - X.mean(axis=0)) + np.diag([1.0, 2, 3]), dtype=float)
    eigenvalues, eigenvectors = np.linalg.eig(covariance)
    idx = eigenvalues.argsort()[::-1]
    return eigenvalues[idx][:2], X.dot(np.atleast_1d(eigenvectors[:, idx])[:, :2]) ** 2


@public("TheAlgorithms/Python", "machine_learning.principal_component_analysis", some(3, 5))
def pca_by_eigh(features):
    mean = features.mean(1)
    centered = features - np.reshape(mean, (mean.size, 1))
    _, vectors = np.linalg.eigh(np.dot(centered, centered.T) / features.shape[1])
    return np.dot(vectors[:, ::-1][:, 0:2].T, features) ** 2


@public("eriklindernoren/ML-From-Scratch", "NaiveBayes._calculate_likelihood", some(6, 2), some(2, seed=2))
def naive_bayes(X, sample):
    y, eps = np.array([0, 1, 1, 0, 1, 0]), 1e-4
    posteriors = []
    for c in np.unique(y):
        posterior = np.mean(y == c)
        for value, col in zip(sample, X[np.where(y == c)].T, strict=True):
            mean, var = col.mean(), col.var()
            coeff = 1.0 / math.sqrt(2.0 * math.pi * var + eps)
            posterior *= coeff * math.exp(-(math.pow(value - mean, 2) / (2 * var + eps)))
        posteriors.append(posterior)
    return posteriors


@public("eriklindernoren/ML-From-Scratch", "utils.polynomial_features", some(3, 2))
def polynomial_features(X, degree=2):
    n_samples, n_features = np.shape(X)
    combinations = [c for i in range(degree + 1) for c in combinations_with_replacement(range(n_features), i)]
    X_new = np.empty((n_samples, len(combinations)))
    for i, index in enumerate(combinations):
        X_new[:, i] = np.prod(X[:, index], axis=1)
    return X_new


@public("eriklindernoren/ML-From-Scratch", "utils.standardize", some(4, 2))
def standardize(X):
    X_std, mean, std = X, X.mean(axis=0), X.std(axis=0)
    for col in range(np.shape(X)[1]):
        if std[col]:
            X_std[:, col] = (X_std[:, col] - mean[col]) / std[col]
    return X_std


@public("eriklindernoren/ML-From-Scratch", "utils.normalize, .calculate_correlation_matrix", some(4, 2))
def normalize(X):
    l2 = np.atleast_1d(np.linalg.norm(X, 2, -1))
    l2[l2 == 0] = 1
    X = X / np.expand_dims(l2, -1)
    centered = X - X.mean(0)
    std = np.expand_dims(np.sqrt(np.diag(centered.T.dot(centered)) / 4), 1)
    return np.array(np.divide(centered.T.dot(centered) / 4, std.dot(std.T)), dtype=float)


@public("eriklindernoren/ML-From-Scratch", "RBM.fit", some(4, 3, low=0.0))
def rbm(batch):
    np.random.seed(5)
    W = np.random.normal(scale=0.1, size=(3, 2))
    v0, h0 = np.zeros(3), np.zeros(2)
    for _ in range(2):
        positive_hidden = 1 / (1 + np.exp(-(batch.dot(W) + h0)))
        states = positive_hidden > np.random.random_sample(size=positive_hidden.shape)
        visible = 1 / (1 + np.exp(-(states.dot(W.T) + v0)))
        hidden = 1 / (1 + np.exp(-(visible.dot(W) + h0)))
        W += 0.1 * (batch.T.dot(positive_hidden) - visible.T.dot(hidden))
        h0 += 0.1 * (positive_hidden.sum(axis=0) - hidden.sum(axis=0))
        v0 += 0.1 * (batch.sum(axis=0) - visible.sum(axis=0))
    return W, np.mean((batch - visible) ** 2)


@public("TheAlgorithms/Python", "machine_learning.t_stochastic_neighbour_embedding", some(4, 3))
def tsne(data):
    squared = np.sum(np.square(data), axis=1)
    p = np.exp(-(np.add(np.add(-2 * np.dot(data, data.T), squared).T, squared)) / 2)
    np.fill_diagonal(p, 0)
    p /= np.sum(p)
    p = np.maximum((p + p.T) / 2, 1e-12)
    embedding = np.random.default_rng(0).standard_normal((4, 2)) * 1e-1
    increment = np.zeros_like(embedding)
    for _ in range(2):
        sums = np.sum(np.square(embedding), axis=1)
        numerator = 1 / (1 + np.add(np.add(-2 * np.dot(embedding, embedding.T), sums).T, sums))
        np.fill_diagonal(numerator, 0)
        difference = p - np.maximum(numerator / np.sum(numerator), 1e-12)
        weights = difference * numerator
        increment = 0.5 * increment - 4 * (np.dot(weights, embedding) - weights.sum(axis=1)[:, np.newaxis] * embedding)
        embedding += increment
    return embedding


@public(
    "TheAlgorithms/Python",
    "machine_learning.loss_functions",
    some(4, low=0.1, high=0.9),
    some(4, seed=2, low=0.1, high=0.9),
)
def loss_functions(y_true, y_pred):
    clipped = np.clip(y_pred, 1e-15, 1 - 1e-15)
    cross = -np.mean(y_true * np.log(clipped) + (1 - y_true) * np.log(1 - clipped))
    huber = np.where(
        np.abs(y_true - y_pred) <= 0.3, 0.5 * (y_true - y_pred) ** 2, 0.3 * np.abs(y_true - y_pred) - 0.045
    )
    kl = np.sum(y_true * np.log(y_true / y_pred))
    hinge = np.mean(np.maximum(0, 1.0 - np.array([1, -1, 1, 1]) * y_pred))
    return cross, huber.mean(), kl, hinge, np.mean(np.square(np.log1p(y_true) - np.log1p(y_pred)))
