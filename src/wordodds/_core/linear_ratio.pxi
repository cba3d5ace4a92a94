# Logistic regression under a prior that naive Bayes has set; part of linear.pyx.
from libc.stdint cimport uint64_t
from libcpp.vector cimport vector

cdef extern from "wordodds/linear/count_ratios.hpp" namespace "wordodds" nogil:
    cdef cppclass LabelWeights:
        span[const int64_t] indptr
        span[const int32_t] codes
        span[const double] weights
    void c_csr_count_ratios "wordodds::csr_count_ratios"(
        const CsrView[double]&, const LabelWeights&, int64_t, double, const Execution&,
        span[float]) except +
    void c_count_ratios "wordodds::count_ratios"(
        span[const double], span[const double], int64_t, double, const Execution&,
        span[float]) except +

cdef extern from "wordodds/linear/ratio_ascent.hpp" namespace "wordodds" nogil:
    cdef cppclass RatioPrior:
        double floor
        double intercept_step
    cdef cppclass RatioLimits:
        double strength
        int32_t epochs_max
        double tolerance
    cdef cppclass RatioFit:
        int32_t epochs
        double gap
    cdef cppclass CRatioAscent "wordodds::RatioAscent":
        int64_t n_columns
        int64_t n_features
    unique_ptr[CRatioAscent] make_ratio_ascent(
        const CsrView[double]&, const LabelWeights&, int64_t, span[const float],
        const RatioPrior&, uint64_t) except +
    RatioFit c_ratio_fit "wordodds::ratio_fit"(
        CRatioAscent&, double, const RatioLimits&, int64_t, const Execution&, span[double],
        span[double]) except +
    void c_ratio_start "wordodds::ratio_start"(
        span[CRatioAscent*], double, const Execution&) except +
    void c_ratio_ascend "wordodds::ratio_ascend"(
        span[CRatioAscent*], const RatioLimits&, const Execution&, span[RatioFit]) except +
    void c_ratio_score "wordodds::ratio_score"(
        const CRatioAscent&, span[const int64_t], const Execution&, span[double]) except +
    void c_ratio_write "wordodds::ratio_write"(
        const CRatioAscent&, int64_t stride, const Execution&, span[double], span[double]) except +

cdef extern from "wordodds/linear/ratio_state.hpp" namespace "wordodds" nogil:
    cdef cppclass RatioRows:
        span[const int32_t] codes
        span[const double] costs
        bint is_first
        uint64_t seed
    cdef cppclass CRatioState "wordodds::RatioState":
        CRatioState(
            int64_t, span[const float], const RatioPrior&, double lean, double spread,
            const Execution&) except +
        int64_t n_columns() const
        int64_t n_features() const
        void read(span[const float], span[const double])
        void ascend(
            const CsrView[double]&, const RatioRows&, const Execution&, span[float],
            span[double]) except +
        void write(int64_t stride, span[double], span[double]) const


# The view of labels that the engine takes; `pinned` keeps their arrays.
cdef LabelWeights label_weights(object labels, int64_t n_rows, list pinned) except *:
    cdef const int64_t[::1] indptr = labels.indptr
    cdef const int32_t[::1] codes = labels.codes
    cdef const double[::1] weights = labels.weights
    if indptr.shape[0] != n_rows + 1 or codes.shape[0] != weights.shape[0]:
        raise ValueError("labels and rows differ in length")
    if indptr[0] != 0 or indptr[n_rows] != codes.shape[0]:
        raise ValueError("indptr of the labels does not fit them")
    cdef LabelWeights view
    view.indptr = span_of(&indptr[0], indptr.shape[0])
    view.codes = span_of(&codes[0] if codes.shape[0] else <const int32_t*> NULL, codes.shape[0])
    view.weights = doubles(weights)
    pinned += [indptr, codes, weights]
    return view


def csr_count_ratios(
    matrix, labels, int32_t n_jobs, int32_t instruction_set, *, int64_t n_columns, double alpha,
):
    cdef BorrowedCsr rows = borrow_csr(matrix)
    cdef int64_t n_rows = rows.n_rows, n_cols = rows.n_cols
    if n_rows < 1 or n_columns < 1 or n_cols < 1:
        raise ValueError("there must be a row, a feature and a column of weights")
    cdef list pinned = []
    cdef LabelWeights labels_ = label_weights(labels, n_rows, pinned)
    ratios = np.empty((n_cols, n_columns), dtype=np.float32)
    cdef float[:, ::1] ratios_out = ratios
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    with nogil:  # `rows`, `pinned` and the memoryview pin the arrays
        c_csr_count_ratios(
            with_doubles(rows.view), labels_, n_columns, alpha, call.get().execution,
            span_of(&ratios_out[0, 0], n_cols * n_columns))
    return ratios


def count_ratios(
    const double[::1] counts, const double[:, ::1] class_counts, int32_t n_jobs,
    int32_t instruction_set, *, double alpha,
):
    cdef int64_t n_features = counts.shape[0], n_columns = class_counts.shape[0]
    if n_columns < 1 or n_features < 1 or class_counts.shape[1] != n_features:
        raise ValueError("counts and class_counts differ in length")
    ratios = np.empty((n_features, n_columns), dtype=np.float32)
    cdef float[:, ::1] ratios_out = ratios
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    cdef span[const double] counts_ = doubles(counts)
    with nogil:  # the memoryviews pin the arrays
        c_count_ratios(
            counts_, span_of(&class_counts[0, 0], n_columns * n_features), n_columns, alpha,
            call.get().execution, span_of(&ratios_out[0, 0], n_features * n_columns))
    return ratios


cdef class RatioAscent:
    """A problem in memory, and how far its fit has come."""

    cdef unique_ptr[CRatioAscent] engine
    cdef object arrays  # what the views of the engine point into

    def scores(self, const int64_t[::1] rows, int32_t n_jobs, int32_t instruction_set):
        cdef int64_t n = rows.shape[0], n_columns = self.engine.get().n_columns
        scores = np.empty((n, n_columns))
        if n == 0:
            return scores
        cdef double[:, ::1] scores_out = scores
        cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
        with nogil:  # the memoryviews pin the arrays
            c_ratio_score(
                self.engine.get()[0], span_of(&rows[0], n), call.get().execution,
                span_of(&scores_out[0, 0], n * n_columns))
        return scores

    def fit(
        self, int32_t n_jobs, int32_t instruction_set, *, double lean, double strength,
        int32_t epochs_max, double tolerance,
    ):
        cdef int64_t n_features = self.engine.get().n_features
        cdef int64_t n_columns = self.engine.get().n_columns, stride = lane_stride(n_columns)
        intercept = np.empty(n_columns)
        weights = (np.empty if stride == n_columns else np.zeros)((n_features, stride))
        cdef double[:, ::1] weights_out = weights
        cdef span[double] intercept_out = outputs(intercept)
        cdef RatioLimits limits
        limits.strength = strength
        limits.epochs_max = epochs_max
        limits.tolerance = tolerance
        cdef RatioFit found
        cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
        with nogil:  # the memoryviews pin the arrays
            found = c_ratio_fit(
                self.engine.get()[0], lean, limits, stride, call.get().execution,
                span_of(&weights_out[0, 0], n_features * stride), intercept_out)
        return weights, intercept, found.epochs, found.gap

    def weights(self, int32_t n_jobs, int32_t instruction_set):
        cdef int64_t n_features = self.engine.get().n_features
        cdef int64_t n_columns = self.engine.get().n_columns, stride = lane_stride(n_columns)
        intercept = np.empty(n_columns)
        weights = (np.empty if stride == n_columns else np.zeros)((n_features, stride))
        cdef double[:, ::1] weights_out = weights
        cdef span[double] intercept_out = outputs(intercept)
        cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
        with nogil:  # the memoryviews pin the arrays
            c_ratio_write(
                self.engine.get()[0], stride, call.get().execution,
                span_of(&weights_out[0, 0], n_features * stride), intercept_out)
        return weights, intercept


def ratio_ascent(
    matrix, labels, const float[:, ::1] ratios, *, double floor, double intercept_step,
    uint64_t seed,
):
    cdef BorrowedCsr rows = borrow_csr(matrix)
    cdef int64_t n_rows = rows.n_rows, n_cols = rows.n_cols, n_columns = ratios.shape[1]
    if ratios.shape[0] != n_cols:
        raise ValueError("matrix and ratios differ in features")
    if n_rows < 1 or n_columns < 1 or n_cols < 1:
        raise ValueError("there must be a row, a feature and a column of weights")
    cdef list pinned = [rows, ratios]
    cdef LabelWeights labels_ = label_weights(labels, n_rows, pinned)
    cdef RatioPrior prior
    prior.floor = floor
    prior.intercept_step = intercept_step
    cdef RatioAscent problem = RatioAscent.__new__(RatioAscent)
    problem.arrays = pinned
    with nogil:  # `pinned` pins the arrays
        problem.engine = make_ratio_ascent(
            with_doubles(rows.view), labels_, n_columns,
            span_of(&ratios[0, 0], n_cols * n_columns), prior, seed)
    return problem


cdef vector[CRatioAscent*] engines_of(list problems) except *:
    cdef vector[CRatioAscent*] engines
    for problem in problems:
        engines.push_back((<RatioAscent?> problem).engine.get())
    return engines


def ratio_start(list problems, int32_t n_jobs, int32_t instruction_set, *, double lean):
    cdef vector[CRatioAscent*] engines = engines_of(problems)
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    with nogil:  # the list pins the problems
        c_ratio_start(
            span_of(engines.data(), <int64_t> engines.size()), lean, call.get().execution)


def ratio_ascend(
    list problems, int32_t n_jobs, int32_t instruction_set, *, double strength,
    int32_t epochs_max, double tolerance,
):
    cdef vector[CRatioAscent*] engines = engines_of(problems)
    cdef vector[RatioFit] fits
    fits.resize(engines.size())
    cdef RatioLimits limits
    limits.strength = strength
    limits.epochs_max = epochs_max
    limits.tolerance = tolerance
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    with nogil:  # the list pins the problems
        c_ratio_ascend(
            span_of(engines.data(), <int64_t> engines.size()), limits, call.get().execution,
            span_of(fits.data(), <int64_t> fits.size()))
    return [(fits[i].epochs, fits[i].gap) for i in range(fits.size())]


cdef class RatioState:
    """Weights of the same regression, between visits to blocks of rows."""

    cdef unique_ptr[CRatioState] engine

    def __cinit__(
        self, const float[:, ::1] ratios, int32_t n_jobs, int32_t instruction_set, *, double floor,
        double intercept_step, double lean, double spread,
    ):
        cdef int64_t n_features = ratios.shape[0], n_columns = ratios.shape[1]
        if n_columns < 1 or n_features < 1:
            raise ValueError("there must be a feature and a column of weights")
        cdef RatioPrior prior
        prior.floor = floor
        prior.intercept_step = intercept_step
        cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
        with nogil:  # the memoryviews pin the arrays
            self.engine = make_unique[CRatioState](
                n_columns, span_of(&ratios[0, 0], n_columns * n_features), prior, lean, spread,
                call.get().execution)

    def read(self, const float[:, ::1] weights, const double[::1] intercept):
        cdef int64_t n_columns = self.engine.get().n_columns()
        cdef int64_t n_features = self.engine.get().n_features()
        if (
            weights.shape[0] != n_features or weights.shape[1] != n_columns
            or intercept.shape[0] != n_columns
        ):
            raise ValueError("weights and intercept must have the shape of the problem")
        self.engine.get().read(
            span_of(&weights[0, 0], n_features * n_columns), doubles(intercept))

    def ascend(
        self, matrix, const int32_t[::1] codes, const double[::1] costs, int32_t n_jobs,
        int32_t instruction_set, *, bint is_first, uint64_t seed, float[:, ::1] log_odds_in_out,
    ):
        cdef BorrowedCsr borrowed = borrow_csr(matrix)
        cdef int64_t n_rows = borrowed.n_rows, n_columns = self.engine.get().n_columns()
        if borrowed.n_cols != self.engine.get().n_features():
            raise ValueError("matrix and weights differ in features")
        if n_rows < 1 or not (
            codes.shape[0] == costs.shape[0] == log_odds_in_out.shape[0] == n_rows
        ):
            raise ValueError("codes, costs, log_odds and rows differ in length")
        if log_odds_in_out.shape[1] != n_columns:
            raise ValueError("log_odds must have one column for each column of weights")
        cdef RatioRows rows
        rows.codes = span_of(&codes[0], n_rows)
        rows.costs = doubles(costs)
        rows.is_first = is_first
        rows.seed = seed
        gaps = np.empty(n_columns)
        cdef span[double] gaps_out = outputs(gaps)
        cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
        with nogil:  # `borrowed` and the memoryviews pin the arrays
            self.engine.get().ascend(
                with_doubles(borrowed.view), rows, call.get().execution,
                span_of(&log_odds_in_out[0, 0], n_rows * n_columns), gaps_out)
        return gaps

    def weights(self):
        cdef int64_t n_features = self.engine.get().n_features()
        cdef int64_t n_columns = self.engine.get().n_columns(), stride = lane_stride(n_columns)
        intercept = np.empty(n_columns)
        weights = (np.empty if stride == n_columns else np.zeros)((n_features, stride))
        cdef double[:, ::1] weights_out = weights
        self.engine.get().write(
            stride, span_of(&weights_out[0, 0], n_features * stride), outputs(intercept))
        return weights, intercept
