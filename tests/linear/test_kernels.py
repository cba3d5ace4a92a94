"""The bindings of the linear kernels: SciPy's products, and lengths checked."""

import numpy as np
import pytest
import scipy.sparse as sp

from wordodds._border.structure import CsrArrays
from wordodds._core import linear as core

ONE = (1, 0)  # n_jobs, instruction set
# Of a product: X @ right alone.
PLAIN = {"bias": None, "addend_factor": 0.0, "addend": None, "squares": False}
KINDS = [(index, value) for index in (np.int32, np.int64) for value in (np.float32, np.float64)]


@pytest.mark.parametrize(("index", "value"), KINDS)
@pytest.mark.parametrize("width", [1, 4, 20, 24])
def test_products_are_those_of_scipy(index, value, width):
    rng = np.random.default_rng(0)
    X = sp.random_array((50, 30), density=0.2, rng=rng, dtype=value, format="csr")
    X.indptr, X.indices = X.indptr.astype(index), X.indices.astype(index)
    rows = CsrArrays.of(X)
    right, bias = rng.normal(size=(30, width)), rng.normal(size=width)
    double = X.astype(np.float64)
    product, addend = np.empty((50, width)), rng.normal(size=(50, width))

    def multiply(**options):
        return core.csr_multiply(rows, right, *ONE, **PLAIN | options, product_out=product)

    assert multiply(bias=bias) == 0.0
    np.testing.assert_allclose(product, double @ right + bias, rtol=1e-12, atol=1e-12)
    multiply(squares=True)
    np.testing.assert_allclose(product, double**2 @ right, rtol=1e-12, atol=1e-12)
    inner = multiply(addend_factor=3.0, addend=addend)
    np.testing.assert_allclose(product, double @ right + 3.0 * addend, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(inner, np.sum(addend * product), rtol=1e-12)


def test_lengths_are_checked():
    X = sp.csr_array(np.eye(3))
    rows, ones, codes = CsrArrays.of(X), np.ones(3), np.zeros(3, dtype=np.int32)
    three, four, five = np.ones((3, 3)), np.ones((3, 4)), np.ones((5, 4))
    for right, bias, addend, product, message in (
        (five, None, None, four, "another number of columns"),
        (three, None, None, three, "not padded"),
        (four, ones, None, four, "differ in columns"),
        (four, None, None, five, "another shape"),
        (four, None, five, four, "differ in shape"),
    ):
        options = PLAIN | {"bias": bias, "addend": addend}
        with pytest.raises(ValueError, match=message):
            core.csr_multiply(rows, right, *ONE, **options, product_out=product)
    for call in (
        lambda: core.vectors_dot(ones, ones[:2], *ONE),
        lambda: core.vectors_add(1.0, ones[:2], *ONE, y_in_out=ones),
        lambda: core.vectors_scale_add(ones[:2], 1.0, *ONE, y_in_out=ones),
        lambda: core.vectors_cg_step(
            1.0,
            ones,
            ones,
            ones[:2],
            *ONE,
            solution_in_out=ones,
            residual_in_out=ones,
            preconditioned_out=ones,
        ),
        lambda: core.rows_softmax_loss(3, codes[:2], ones, np.ones((3, 4)), *ONE),
        lambda: core.rows_softmax_loss(3, codes, ones[:2], np.ones((3, 4)), *ONE),
        lambda: core.rows_scalar_loss(
            core.link_losses()["logit"], 1, codes, ones, np.ones((2, 1)), *ONE
        ),
        lambda: core.rows_softmax_curve(
            ones[:2], np.ones((3, 4)), *ONE, vectors_in_out=np.ones((3, 4))
        ),
    ):
        with pytest.raises(ValueError, match="differ in length"):
            call()
    with pytest.raises(ValueError, match="not padded"):
        core.rows_softmax_loss(3, codes, ones, np.ones((3, 3)), *ONE)
    with pytest.raises(ValueError, match="differ in shape"):
        core.rows_softmax_curve(ones, np.ones((3, 8)), *ONE, vectors_in_out=np.ones((3, 4)))
