# distutils: language = c++
"""What the fits of linear models are made of: products, losses and long vectors.

The solvers that are compiled themselves are in the included files.
"""
from libc.stdint cimport int32_t, int64_t, uintptr_t
from libcpp cimport bool as cbool
from libcpp.memory cimport unique_ptr, make_unique

from collections import namedtuple

import numpy as np

from wordodds._core.common cimport (
    AnyCsr, Call, CsrView, Execution, lane_stride, line_stride, span, span_of, value_t, with_doubles,
)
from wordodds._core.sparse cimport BorrowedCsr, borrow_csr

cdef extern from "wordodds/linear/products.hpp" namespace "wordodds" nogil:
    cdef enum class Entries(int32_t):
        values
        squares
    cdef cppclass ProductStart:
        span[const double] bias
        span[const double] addend
        double addend_factor

cdef extern from * namespace "wordodds::binding" nogil:
    """
    WORDODDS_TAKES_FLOATS(csr_multiply)
    """
    double c_csr_multiply "wordodds::binding::csr_multiply"(
        const AnyCsr&, span[const double], int64_t, const ProductStart&, Entries,
        const Execution&, span[double]) except +

cdef extern from "wordodds/linear/vectors.hpp" namespace "wordodds" nogil:
    cdef cppclass ResidualNorms:
        double squared
        double preconditioned
    double c_vectors_dot "wordodds::vectors_dot"(
        span[const double], span[const double], const Execution&) except +
    void c_vectors_add "wordodds::vectors_add"(
        double, span[const double], const Execution&, span[double]) except +
    void c_vectors_scale_add "wordodds::vectors_scale_add"(
        span[const double], double, const Execution&, span[double]) except +
    ResidualNorms c_vectors_cg_step "wordodds::vectors_cg_step"(
        double, span[const double], span[const double], span[const double], const Execution&,
        span[double], span[double], span[double]) except +

cdef extern from "wordodds/linear/loss.hpp" namespace "wordodds" nogil:
    ctypedef void (*ScalarLoss)(
        int64_t, const double*, const double*, double*, double*, double*)
    void logit_loss(int64_t, const double*, const double*, double*, double*, double*)
    void probit_loss(int64_t, const double*, const double*, double*, double*, double*)
    void cloglog_loss(int64_t, const double*, const double*, double*, double*, double*)
    void noisy_or_loss(int64_t, const double*, const double*, double*, double*, double*)
    void c_scores_scalar_loss "wordodds::scores_scalar_loss"(
        span[const double], span[const double], ScalarLoss, const Execution&, span[double],
        span[double], span[double]) except +
    cdef cppclass ScoredRows:
        int64_t n_rows
        int64_t n_columns
        int64_t stride
        span[const int32_t] codes
        span[const double] row_weights
        span[const double] scores
    double c_rows_scalar_loss "wordodds::rows_scalar_loss"(
        const ScoredRows&, ScalarLoss, const Execution&, span[double], span[double]) except +
    double c_rows_softmax_loss "wordodds::rows_softmax_loss"(
        const ScoredRows&, const Execution&, span[double], span[double]) except +
    void c_rows_softmax_curve "wordodds::rows_softmax_curve"(
        int64_t, int64_t, span[const double], span[const double], const Execution&,
        span[double]) except +


cdef span[const double] doubles(const double[::1] numbers):
    return span_of(
        &numbers[0] if numbers.shape[0] else <const double*> NULL, numbers.shape[0])


cdef span[double] outputs(double[::1] numbers):
    return span_of(&numbers[0] if numbers.shape[0] else <double*> NULL, numbers.shape[0])


def csr_multiply(
    matrix, const double[:, ::1] right, int32_t n_jobs, int32_t instruction_set, *,
    const double[::1] bias, double addend_factor, const double[:, ::1] addend, bint squares,
    double[:, ::1] product_out,
):
    cdef BorrowedCsr rows = borrow_csr(matrix)
    cdef int64_t n_rows = rows.n_rows, stride = right.shape[1]
    if right.shape[0] != rows.n_cols:
        raise ValueError("the matrix has another number of columns than the right side has rows")
    if stride != lane_stride(stride):
        raise ValueError("the right side is not padded as the kernel expects")
    if product_out.shape[0] != n_rows or product_out.shape[1] != stride:
        raise ValueError("the product has another shape than its factors")
    if bias is not None and bias.shape[0] != stride:
        raise ValueError("bias and right side differ in columns")
    if addend is not None and (addend.shape[0] != n_rows or addend.shape[1] != stride):
        raise ValueError("addend and product differ in shape")
    if n_rows == 0:
        return 0.0
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    cdef const double* right_ = &right[0, 0] if right.shape[0] else NULL
    cdef ProductStart start
    start.addend_factor = addend_factor
    if bias is not None:
        start.bias = doubles(bias)
    if addend is not None:
        start.addend = span_of(&addend[0, 0], n_rows * stride)
    cdef double inner
    with nogil:  # `rows` and the memoryviews pin the arrays
        inner = c_csr_multiply(
            rows.view, span_of(right_, right.shape[0] * stride), stride, start,
            Entries.squares if squares else Entries.values, call.get().execution,
            span_of(&product_out[0, 0], n_rows * stride))
    return inner


def vectors_dot(
    const double[::1] a, const double[::1] b, int32_t n_jobs, int32_t instruction_set,
):
    if a.shape[0] != b.shape[0]:
        raise ValueError("vectors differ in length")
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    cdef span[const double] a_ = doubles(a), b_ = doubles(b)
    cdef double result
    with nogil:  # the memoryviews pin the arrays
        result = c_vectors_dot(a_, b_, call.get().execution)
    return result


def vectors_add(
    double t, const double[::1] x, int32_t n_jobs, int32_t instruction_set, *,
    double[::1] y_in_out,
):
    if x.shape[0] != y_in_out.shape[0]:
        raise ValueError("vectors differ in length")
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    cdef span[const double] x_ = doubles(x)
    cdef span[double] y_ = outputs(y_in_out)
    with nogil:  # the memoryviews pin the arrays
        c_vectors_add(t, x_, call.get().execution, y_)


def vectors_scale_add(
    const double[::1] x, double t, int32_t n_jobs, int32_t instruction_set, *,
    double[::1] y_in_out,
):
    if x.shape[0] != y_in_out.shape[0]:
        raise ValueError("vectors differ in length")
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    cdef span[const double] x_ = doubles(x)
    cdef span[double] y_ = outputs(y_in_out)
    with nogil:  # the memoryviews pin the arrays
        c_vectors_scale_add(x_, t, call.get().execution, y_)


def vectors_cg_step(
    double alpha, const double[::1] direction, const double[::1] product,
    const double[::1] inverse_diagonal, int32_t n_jobs, int32_t instruction_set, *,
    double[::1] solution_in_out, double[::1] residual_in_out, double[::1] preconditioned_out,
):
    lengths = {
        direction.shape[0], product.shape[0], inverse_diagonal.shape[0], solution_in_out.shape[0],
        residual_in_out.shape[0], preconditioned_out.shape[0],
    }
    if len(lengths) != 1:
        raise ValueError("vectors differ in length")
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    cdef span[const double] direction_ = doubles(direction), product_ = doubles(product)
    cdef span[const double] inverse_ = doubles(inverse_diagonal)
    cdef span[double] solution_ = outputs(solution_in_out), residual_ = outputs(residual_in_out)
    cdef span[double] preconditioned_ = outputs(preconditioned_out)
    cdef ResidualNorms norms
    with nogil:  # the memoryviews pin the arrays
        norms = c_vectors_cg_step(
            alpha, direction_, product_, inverse_, call.get().execution,
            solution_, residual_, preconditioned_)
    return norms.squared, norms.preconditioned


def link_losses():
    return {
        "logit": <uintptr_t> &logit_loss,
        "probit": <uintptr_t> &probit_loss,
        "cloglog": <uintptr_t> &cloglog_loss,
        "noisy_or": <uintptr_t> &noisy_or_loss,
    }


def scores_scalar_loss(
    uintptr_t loss, const double[::1] y, const double[::1] raw, int32_t n_jobs,
    int32_t instruction_set,
):
    if y.shape[0] != raw.shape[0]:
        raise ValueError("y and raw differ in length")
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    cdef span[const double] y_ = doubles(y), raw_ = doubles(raw)
    values = np.empty((3, raw.shape[0]))
    cdef span[double] loss_ = outputs(values[0])
    cdef span[double] gradient_ = outputs(values[1])
    cdef span[double] hessian_ = outputs(values[2])
    with nogil:  # the memoryviews and the new array outlive the call
        c_scores_scalar_loss(
            y_, raw_, <ScalarLoss> loss, call.get().execution, loss_, gradient_, hessian_)
    return values


cdef ScoredRows scored_rows(
    int64_t n_columns, const int32_t[::1] codes, const double[::1] row_weights,
    const double[:, ::1] scores,
) except *:
    cdef ScoredRows rows
    cdef int64_t n_rows = scores.shape[0]
    if codes.shape[0] != n_rows or row_weights.shape[0] != n_rows:
        raise ValueError("codes, row_weights and scores differ in length")
    if scores.shape[1] != lane_stride(n_columns):
        raise ValueError("scores are not padded as the kernel expects")
    rows.n_rows = n_rows
    rows.n_columns = n_columns
    rows.stride = scores.shape[1]
    rows.codes = span_of(&codes[0] if n_rows else <const int32_t*> NULL, n_rows)
    rows.row_weights = doubles(row_weights)
    rows.scores = span_of(
        &scores[0, 0] if n_rows else <const double*> NULL, n_rows * rows.stride)
    return rows


def rows_scalar_loss(
    uintptr_t loss, int64_t n_columns, const int32_t[::1] codes, const double[::1] row_weights,
    const double[:, ::1] scores, int32_t n_jobs, int32_t instruction_set,
):
    cdef ScoredRows rows = scored_rows(n_columns, codes, row_weights, scores)
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    gradient = np.empty((rows.n_rows, rows.stride))
    hessian = np.empty((rows.n_rows, rows.stride))
    cdef span[double] gradient_ = outputs(gradient.reshape(-1))
    cdef span[double] hessian_ = outputs(hessian.reshape(-1))
    cdef double total
    with nogil:  # the memoryviews and the two new arrays outlive the call
        total = c_rows_scalar_loss(
            rows, <ScalarLoss> loss, call.get().execution, gradient_, hessian_)
    return total, gradient, hessian


def rows_softmax_loss(
    int64_t n_columns, const int32_t[::1] codes, const double[::1] row_weights,
    const double[:, ::1] scores, int32_t n_jobs, int32_t instruction_set,
):
    cdef ScoredRows rows = scored_rows(n_columns, codes, row_weights, scores)
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    gradient = np.empty((rows.n_rows, rows.stride))
    probabilities = np.empty((rows.n_rows, rows.stride))
    cdef span[double] gradient_ = outputs(gradient.reshape(-1))
    cdef span[double] probabilities_ = outputs(probabilities.reshape(-1))
    cdef double total
    with nogil:  # the memoryviews and the two new arrays outlive the call
        total = c_rows_softmax_loss(rows, call.get().execution, gradient_, probabilities_)
    return total, gradient, probabilities


def rows_softmax_curve(
    const double[::1] row_weights, const double[:, ::1] probabilities, int32_t n_jobs,
    int32_t instruction_set, *, double[:, ::1] vectors_in_out,
):
    cdef int64_t n_rows = vectors_in_out.shape[0], stride = vectors_in_out.shape[1]
    if row_weights.shape[0] != n_rows:
        raise ValueError("row_weights and vectors differ in length")
    if probabilities.shape[0] != n_rows or probabilities.shape[1] != stride:
        raise ValueError("probabilities and vectors differ in shape")
    if n_rows == 0:
        return
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    cdef span[const double] weights_ = doubles(row_weights)
    with nogil:  # the memoryviews pin the arrays
        c_rows_softmax_curve(
            n_rows, stride, weights_, span_of(&probabilities[0, 0], n_rows * stride),
            call.get().execution, span_of(&vectors_in_out[0, 0], n_rows * stride))


include "linear_coordinate.pxi"
include "linear_dual.pxi"
include "linear_ratio.pxi"
include "linear_sag.pxi"
include "linear_sgd.pxi"
