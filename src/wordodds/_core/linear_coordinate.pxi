# Coordinate descent; part of linear.pyx.

cdef extern from "wordodds/linear/coordinate.hpp" namespace "wordodds" nogil:
    cdef enum class CoordinateLoss(int32_t):
        logistic
        softmax
    cdef cppclass CoordinateOptions:
        CoordinateLoss loss
        int64_t n_columns
        double l1
        double l2
        cbool fit_intercept
    cdef cppclass LabelledRows:
        span[const int32_t] codes
        span[const double] shares
    cdef cppclass CoordinateState:
        span[double] point
        span[double] scores
        span[double] gradient
        span[double] scales
    cdef cppclass CoordinateReport:
        double value
        double gradient_norm
        int64_t entries

cdef extern from * namespace "wordodds::binding" nogil:
    """
    WORDODDS_TAKES_FLOATS(csc_start_coordinates)
    WORDODDS_TAKES_FLOATS(csc_step_coordinates)
    """
    CoordinateReport c_csc_start_coordinates "wordodds::binding::csc_start_coordinates"(
        const AnyCsr&, const LabelledRows&, const CoordinateOptions&, const Execution&,
        const CoordinateState&) except +
    CoordinateReport c_csc_step_coordinates "wordodds::binding::csc_step_coordinates"(
        const AnyCsr&, const LabelledRows&, const CoordinateOptions&, const Execution&,
        const CoordinateState&) except +


cdef class Coordinates:
    """What coordinate descent keeps from step to step; `point` is changed in place."""

    cdef readonly object point
    cdef object arrays  # keeps the views below alive
    cdef CoordinateState state
    cdef LabelledRows rows
    cdef CoordinateOptions options
    cdef int64_t n_rows, n_features

    def __init__(
        self, const int32_t[::1] codes, const double[::1] shares, *, cbool is_softmax, double l1,
        double l2, cbool fit_intercept, double[:, ::1] point_in_out,
    ):
        cdef int64_t n_columns = point_in_out.shape[1]
        cdef int64_t n_point = point_in_out.shape[0] * n_columns
        if shares.shape[0] != codes.shape[0] or codes.shape[0] == 0:
            raise ValueError("codes and shares must have one and the same length, at least 1")
        if n_columns == 0 or point_in_out.shape[0] < fit_intercept:
            raise ValueError("point has no room for a weight")
        self.n_rows = codes.shape[0]
        self.n_features = point_in_out.shape[0] - fit_intercept
        cdef double[::1] scores = np.zeros(n_columns * self.n_rows)
        cdef double[::1] gradient = np.zeros((self.n_features + 1) * n_columns)
        cdef double[::1] scales = np.ones(self.n_features)
        self.point = np.asarray(point_in_out)
        self.arrays = (codes, shares, point_in_out, scores, gradient, scales)
        self.options.loss = CoordinateLoss.softmax if is_softmax else CoordinateLoss.logistic
        self.options.n_columns = n_columns
        self.options.l1 = l1
        self.options.l2 = l2
        self.options.fit_intercept = fit_intercept
        self.rows.codes = span_of(&codes[0], codes.shape[0])
        self.rows.shares = span_of(&shares[0], shares.shape[0])
        self.state.point = span_of(&point_in_out[0, 0] if n_point else <double*> NULL, n_point)
        self.state.scores = span_of(&scores[0], scores.shape[0])
        self.state.gradient = span_of(&gradient[0], gradient.shape[0])
        self.state.scales = span_of(
            &scales[0] if self.n_features else <double*> NULL, self.n_features)


def csc_start_coordinates(
    columns, Coordinates coordinates not None, int32_t n_jobs, int32_t instruction_set,
):
    return run_coordinates(columns, coordinates, True, n_jobs, instruction_set)


def csc_step_coordinates(
    columns, Coordinates coordinates not None, int32_t n_jobs, int32_t instruction_set,
):
    return run_coordinates(columns, coordinates, False, n_jobs, instruction_set)


cdef run_coordinates(
    object columns, Coordinates coordinates, cbool start, int32_t n_jobs, int32_t instruction_set,
):
    cdef BorrowedCsr features = borrow_csr(columns)
    if features.n_rows != coordinates.n_features or features.n_cols != coordinates.n_rows:
        raise ValueError("columns and coordinates differ in features or rows")
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    cdef CoordinateReport report
    with nogil:  # `features` and `coordinates` pin the arrays
        if start:
            report = c_csc_start_coordinates(
                features.view, coordinates.rows, coordinates.options, call.get().execution,
                coordinates.state)
        else:
            report = c_csc_step_coordinates(
                features.view, coordinates.rows, coordinates.options, call.get().execution,
                coordinates.state)
    return report.value, report.gradient_norm, report.entries
