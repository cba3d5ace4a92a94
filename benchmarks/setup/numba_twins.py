"""Our numeric kernels, written once more as one would in a notebook: plain loops under Numba.

Contenders of the benchmarks, as "Numba, 1 thread" and "Numba, 2 threads": what does C++ that was
compiled ahead of time buy over a jitted loop? And a second oracle of the tests. Each function is
compiled when it is first asked for; `compiled` returns how long that took.

Matrices are CSR; weights are (n_cols, n_classes), so that the inner loops run over classes.
"""

import time
from functools import cache

import numba
import numpy as np
from numba import prange


def csr_scores(indptr, indices, data, weights, bias, n_parts):
    """Return X W + b: the joint log-probabilities of multinomial naive Bayes."""
    n_rows, n_classes = len(indptr) - 1, weights.shape[1]
    scores = np.empty((n_rows, n_classes))
    for part in prange(n_parts):
        for i in range(part * n_rows // n_parts, (part + 1) * n_rows // n_parts):
            for c in range(n_classes):
                scores[i, c] = bias[c]
            for k in range(indptr[i], indptr[i + 1]):
                j, x = indices[k], data[k]
                for c in range(n_classes):
                    scores[i, c] += x * weights[j, c]
    return scores


def softmax_value_and_gradient(indptr, indices, data, codes, weights, bias, penalty, n_parts):
    """Return the mean loss plus penalty / 2 |W|^2, its gradient, and the probabilities.

    The gradient's last row is that of the bias, which goes free. Each part has a gradient of its
    own, and they are added up in the end.
    """
    n_rows, n_cols, n_classes = len(indptr) - 1, weights.shape[0], weights.shape[1]
    probabilities = np.empty((n_rows, n_classes))
    gradients = np.zeros((n_parts, n_cols + 1, n_classes))
    losses = np.zeros(n_parts)
    for part in prange(n_parts):
        gradient = gradients[part]
        slopes = np.empty(n_classes)
        loss = 0.0
        for i in range(part * n_rows // n_parts, (part + 1) * n_rows // n_parts):
            row = probabilities[i]
            for c in range(n_classes):
                row[c] = bias[c]
            for k in range(indptr[i], indptr[i + 1]):
                j, x = indices[k], data[k]
                for c in range(n_classes):
                    row[c] += x * weights[j, c]
            largest, own, total = row[0], row[codes[i]], 0.0
            for c in range(n_classes):
                largest = max(largest, row[c])
            for c in range(n_classes):
                row[c] = np.exp(row[c] - largest)
                total += row[c]
            loss += np.log(total) + largest - own
            for c in range(n_classes):
                row[c] /= total
            for c in range(n_classes):
                slopes[c] = (row[c] - (1.0 if c == codes[i] else 0.0)) / n_rows
                gradient[n_cols, c] += slopes[c]
            for k in range(indptr[i], indptr[i + 1]):
                j, x = indices[k], data[k]
                for c in range(n_classes):
                    gradient[j, c] += x * slopes[c]
        losses[part] = loss
    gradient, loss, squares = gradients[0], losses[0], 0.0
    for part in range(1, n_parts):
        loss += losses[part]
        for j in range(n_cols + 1):
            for c in range(n_classes):
                gradient[j, c] += gradients[part, j, c]
    for j in range(n_cols):
        for c in range(n_classes):
            gradient[j, c] += penalty * weights[j, c]
            squares += weights[j, c] * weights[j, c]
    return loss / n_rows + 0.5 * penalty * squares, gradient, probabilities


def softmax_hessian_product(indptr, indices, data, probabilities, vector, penalty, n_parts):
    """Return the Hessian of the function above times a vector, whose last row is the bias's."""
    n_rows, n_cols, n_classes = len(indptr) - 1, vector.shape[0] - 1, vector.shape[1]
    products = np.zeros((n_parts, n_cols + 1, n_classes))
    for part in prange(n_parts):
        product = products[part]
        scores = np.empty(n_classes)
        for i in range(part * n_rows // n_parts, (part + 1) * n_rows // n_parts):
            for c in range(n_classes):
                scores[c] = vector[n_cols, c]
            for k in range(indptr[i], indptr[i + 1]):
                j, x = indices[k], data[k]
                for c in range(n_classes):
                    scores[c] += x * vector[j, c]
            mean = 0.0
            for c in range(n_classes):
                mean += probabilities[i, c] * scores[c]
            for c in range(n_classes):
                scores[c] = probabilities[i, c] * (scores[c] - mean) / n_rows
            for k in range(indptr[i], indptr[i + 1]):
                j, x = indices[k], data[k]
                for c in range(n_classes):
                    product[j, c] += x * scores[c]
            for c in range(n_classes):
                product[n_cols, c] += scores[c]
    product = products[0]
    for part in range(1, n_parts):
        for j in range(n_cols + 1):
            for c in range(n_classes):
                product[j, c] += products[part, j, c]
    for j in range(n_cols):
        for c in range(n_classes):
            product[j, c] += penalty * vector[j, c]
    return product


def sgd_epoch(indptr, indices, data, codes, alpha, bias_rate, n_cols):
    """Return weights and bias after one epoch of log loss from zero, rows in their order.

    Codes are 0 and 1; the rate is the "optimal" one, the penalty L2. The weights are scale times
    what is stored, so that a step costs no more than the row has entries. The bias moves slower, by
    a rate of its own, as in SGDClassifier on sparse rows.
    """
    weights, bias, scale = np.zeros(n_cols), 0.0, 1.0
    typical = np.sqrt(1.0 / np.sqrt(alpha))
    start = 1.0 / (typical * alpha)
    for i in range(len(indptr) - 1):
        score = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            score += data[k] * weights[indices[k]]
        score = scale * score + bias
        slope = 1.0 / (1.0 + np.exp(-score)) - codes[i]
        eta = 1.0 / (alpha * (start + i))
        scale *= 1.0 - eta * alpha
        for k in range(indptr[i], indptr[i + 1]):
            weights[indices[k]] -= eta * slope * data[k] / scale
        bias -= eta * slope * bias_rate
    for j in range(n_cols):
        weights[j] *= scale
    return weights, bias


@cache
def jitted(function, parallel):
    """Return a function for Numba to compile, its parts on threads or one after the other."""
    return numba.njit(function, parallel=parallel)


def compiled(function, arguments, n_threads=1):
    """Return a function compiled for arguments like these, and the seconds that it took.

    Those that can be split take ``n_threads`` as their last argument, as n_parts.
    """
    kernel = jitted(function, n_threads > 1)
    start = time.perf_counter()
    kernel.compile(tuple(numba.typeof(argument) for argument in arguments))
    return kernel, time.perf_counter() - start
