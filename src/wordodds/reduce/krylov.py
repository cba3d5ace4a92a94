"""The leading singular triplets of a matrix, by block Lanczos steps on its shorter side.

With A the matrix, n_short by n_long, a block Q_j of orthonormal columns is multiplied by A A^T and
freed of all columns that came before; what remains is the next block. In the basis
Q = [Q_1 ... Q_j] the product is a small matrix T = Q^T A A^T Q, whose eigenvectors Y give the best
left vectors U = Q Y there are in the basis. As A A^T Q - Q T has only the columns of the last
remainder R, the residual of each is known without another product,

    ||A A^T u - s^2 u|| = ||R y_last||,  and  ||A v - s u|| = ||R y_last|| / s  with v = A^T u / s.

Squares lose the small singular values. So the last step is taken on A itself: A^T U is
decomposed as it is, and A v - s u computed, not estimated.
"""

from typing import NamedTuple

import numpy as np

from wordodds._border.interruptible import interruptible, product
from wordodds.reduce.products import Sides
from wordodds.typing import Floats

__all__ = ["Triplets", "leading_triplets"]

# Narrow blocks need fewer products in all, wide ones less time for each: measured, eight is best.
BLOCK = 8
# What rounding may leave of a residual, relative to the largest singular value.
ROUNDING = 1e-11
NOISE = 1e-13  # and of a product, relative to the largest squared one
ORTHOGONAL = 1e-9  # what two columns of the basis may have in common at most
ROUNDED = 1e-15  # what they have after they were separated
DENSE_CELLS = 1 << 20  # up to here LAPACK decomposes the whole matrix in no time
SAME = 1e-8  # singular values this close, relative to the largest, count as copies
ATTEMPTS = 3


class Triplets(NamedTuple):
    """Singular triplets, largest first."""

    short: Floats  # (n_short, k)
    values: Floats  # (k,)
    long: Floats  # (k, n_long)
    image: Floats  # (n_short, k): A long^T, which is short * values up to the residuals
    residuals: Floats  # (k,): relative to the largest value
    n_iter: int


def leading_triplets(
    sides: Sides, k: int, tol: float, max_iter: int, rng: np.random.RandomState
) -> Triplets:
    """Find the k largest singular values and their vectors; some residuals may exceed tol."""
    if 2 * k > sides.n_short or sides.n_short * sides.n_long <= DENSE_CELLS:
        return _decompose(sides, None, k, 1)
    aim, tries = 0.8 * tol, 0
    lanczos = _Lanczos(sides, k, tol, rng)
    while True:
        lanczos.multiply()
        last = lanczos.is_complete or (lanczos.n_iter >= max_iter and lanczos.size >= k)
        if last or lanczos.look_is_due():
            if lanczos.look(aim) <= 1.0 or last:
                found = _decompose(sides, lanczos.vectors(), k, lanczos.n_iter)
                exact = found.residuals.max() <= tol
                tries += not exact
                if last or tries == ATTEMPTS or (exact and not lanczos.misses_copies()):
                    return found
                if exact:
                    lanczos.widen()
                else:
                    aim *= 0.1  # the estimate was better than the truth
            if lanczos.is_full:
                lanczos.restart(k + (lanczos.limit - k) // 3)
        lanczos.extend()


class _Lanczos:
    """An orthonormal basis that grows by blocks, and restarts from its best vectors when full."""

    def __init__(self, sides: Sides, k: int, tol: float, rng: np.random.RandomState) -> None:
        self.n_iter = 0
        self._width, self._distance = BLOCK, 0.0
        self.limit = min(sides.n_short, 5 * k + 128)
        self._sides, self._k, self._rng = sides, k, rng
        self._basis = np.empty((sides.n_short, self.limit), order="F")
        self._small = np.zeros((self.limit, self.limit))  # T; eigh reads its lower half
        self.size = self._coupled = 0
        self._scale = 0.0  # the largest entry of T
        self._lacks = (1.0, 1.0)  # of orthogonality, in the last two blocks
        self._lack_allowed = min(ORTHOGONAL, 1e-3 * tol)  # residuals are no smaller than it
        self._values, self._vectors = np.empty(0), np.empty((0, 0))
        self._last_look: tuple[int, float] | None = None
        self._next_look = 2 * k
        self._remainder = np.empty((sides.n_short, 0))
        self._block = self._filled_up(self._remainder)

    @property
    def is_complete(self) -> bool:
        """Whether the basis spans everything."""
        return self.size == len(self._basis)

    @property
    def is_full(self) -> bool:
        """Whether another block needs a restart."""
        return self.limit < len(self._basis) and self.size + self._width > self.limit

    def multiply(self) -> None:
        """Take the block into the basis; its product freed of the basis is the remainder."""
        begin, end = self.size, self.size + self._block.shape[1]
        self._basis[:, begin:end] = self._block
        product = self._sides.there_and_back(self._block)
        # With what lies further back the product is in line by rounding alone.
        near = self._basis[:, self._coupled : end]
        shares = near.T @ product
        product -= near @ shares
        self._small[begin:end, self._coupled : end] = shares.T
        self._scale = max(self._scale, float(np.abs(shares).max()))
        self._separate(product, end)
        self._remainder, self.size, self._coupled = product, end, begin
        self.n_iter += 1

    def _separate(self, product: Floats, end: int) -> None:
        """Take out of a product what rounding has left of the basis in it, once it matters.

        Errors of T are the square of what the basis lacks in orthogonality (Simon 1984), so that
        half the digits are enough. From one block to the next the lack grows at most as the product
        is larger than what remains of it; it is measured only where it could be too large by then.
        """
        least = float(np.sqrt(np.einsum("ij,ij->j", product, product).min()))
        growth = self._scale / max(least, NOISE * self._scale, np.finfo(float).tiny)
        lack = growth * max(self._lacks)
        if lack > self._lack_allowed:
            every = self._basis[:, :end]
            shares = every.T @ product
            lack = float(np.abs(shares).max()) / max(least, np.finfo(float).tiny)
            if lack > 1e-3 * self._lack_allowed:
                product -= every @ shares
                lack = ROUNDED
        self._lacks = (self._lacks[1], max(lack, ROUNDED))

    def extend(self) -> None:
        """Make the remainder the next block."""
        block, is_certain = _orthonormal(self._remainder, NOISE * self._scale)
        if not is_certain:
            # Small columns are made of rounding, and that may lie in the basis.
            every = self._basis[:, : self.size]
            block -= every @ (every.T @ block)
            block, _ = _orthonormal(block, 0.5)
        self._block = self._filled_up(block[:, : len(self._basis) - self.size])

    def look_is_due(self) -> bool:
        """Tell whether to find the eigenvectors of T, which may take longer than a step."""
        return self.size > self._k and (self.size >= self._next_look or self.is_full)

    def look(self, aim: float) -> float:
        """Return the largest residual, estimated, in units of what it may be."""
        size, k = self.size, self._k
        # A copy: the small matrix grows in place.
        small = self._small[:size, :size].copy()
        values, vectors = interruptible(9.0 * size**3, np.linalg.eigh, small)
        self._values, self._vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
        if self.is_complete:
            return 0.0
        width = self._block.shape[1]
        residuals = np.linalg.norm(self._remainder @ self._vectors[size - width :, : k + 1], axis=0)
        top = self._values[0]
        allowed = np.maximum(aim * np.sqrt(top * self._values[:k]), 0.1 * NOISE * top)
        worst = float(np.max(residuals[:k] / np.maximum(allowed, np.finfo(float).tiny)))
        if self._width > BLOCK:  # whatever is largest beyond the wanted ones must be known too
            worst = max(worst, float(residuals[k]) / (0.1 * self._distance))
        self._plan(max(worst, 1e-300))
        return worst

    def vectors(self) -> Floats:
        """Return the k best vectors of the last look."""
        return np.asarray(self._basis[:, : self.size] @ self._vectors[:, : self._k])

    def misses_copies(self) -> bool:
        """Tell whether a singular value may have more copies than were found.

        A block of w columns finds w copies of a value, however often it is multiplied. They matter
        where smaller values were taken in the place of the others.
        """
        values = np.sqrt(self._values[: self._k])
        ends = np.flatnonzero(values[:-1] - values[1:] > SAME * values[0])
        runs = np.diff(np.concatenate([[-1], ends]))
        doubtful = ends[runs >= self._width]
        if len(doubtful) == 0:
            return False
        # By this much a copy would stand out of what was taken in its place.
        self._distance = float(self._values[doubtful[-1]] - self._values[self._k - 1])
        return True

    def restart(self, n_kept: int) -> None:
        """Keep the best vectors of the last look alone."""
        self._basis[:, :n_kept] = self._basis[:, : self.size] @ self._vectors[:, :n_kept]
        self._small[:] = 0.0
        np.fill_diagonal(self._small[:n_kept, :n_kept], self._values[:n_kept])
        self.size, self._coupled = n_kept, 0
        self._lacks = (1.0, 1.0)
        self._last_look, self._next_look = None, n_kept + 2 * BLOCK

    def widen(self) -> None:
        """Keep the k best, and add random columns to all blocks to come: for more copies."""
        self.restart(self._k)
        self._width += BLOCK

    def _filled_up(self, block: Floats) -> Floats:
        """Add random columns where a block lacks some, orthogonal to it and to the basis."""
        width = min(self._width, len(self._basis) - self.size)
        basis = self._basis[:, : self.size]
        while block.shape[1] < width:
            fresh = self._rng.standard_normal((len(basis), width - block.shape[1]))
            for _ in range(2):
                fresh -= basis @ (basis.T @ fresh)
                fresh -= block @ (block.T @ fresh)
                fresh, _ = _orthonormal(fresh, NOISE)
            block = np.hstack([block, fresh])
        return block

    def _plan(self, worst: float) -> None:
        """Look again where the residuals, falling as they did, will be small enough."""
        size, ahead = self.size, self.size // 4
        if self._last_look is not None and worst < self._last_look[1]:
            begin, before = self._last_look
            falling = np.log(before / worst) / (size - begin)
            # They fall ever faster.
            ahead = min(ahead, int(0.8 * np.log(max(worst, 1.0)) / falling))
        self._last_look, self._next_look = (size, worst), size + max(BLOCK, ahead)


def _orthonormal(block: Floats, noise: float) -> tuple[Floats, bool]:
    """Return orthonormal columns that span those of a block, as many as stand out of the noise.

    And whether that was easy: all columns stood out, and far from in line with each other.
    """
    if block.shape[1] == 0:
        return block, True
    squares, vectors = np.linalg.eigh(product(block.T, block))
    if squares[0] > max(1e-8 * squares[-1], noise * noise):
        block = product(block, vectors / np.sqrt(squares))
        again = np.linalg.cholesky(product(block.T, block))
        return np.asarray(product(block, np.linalg.inv(again).T)), True
    left, sizes, _ = np.linalg.svd(block, full_matrices=False)
    return np.asarray(left[:, sizes > noise]), False


def _decompose(sides: Sides, vectors: Floats | None, k: int, n_iter: int) -> Triplets:
    """Decompose A^T restricted to some vectors of the short side; None for all of it."""
    tall = sides.dense_long() if vectors is None else sides.to_long(vectors)
    turned = None if vectors is None else _turned(tall)
    if turned is not None:
        turn, values, rotation = (part[..., :k] for part in turned)
        # Not of the long vectors themselves: they lie column by column, the kernel wants rows.
        long, image = product(turn.T, tall.T), product(sides.to_short(tall), turn)
    else:
        width = min(tall.shape)
        frame, triangle = interruptible(4.0 * tall.size * width, np.linalg.qr, tall)
        left, values, right = interruptible(20.0 * width**3, np.linalg.svd, triangle)
        long, values, rotation = product(left[:, :k].T, frame.T), values[:k], right[:k].T
        image = sides.to_short(long.T)
    short = rotation if vectors is None else vectors @ rotation
    residuals = np.linalg.norm(image - short * values, axis=0)
    if values[0] > 0.0:
        residuals /= values[0]
    return Triplets(short, values, long, image, residuals, n_iter)


def _turned(tall: Floats) -> tuple[Floats, Floats, Floats] | None:
    """Return what turns a tall matrix into its left vectors, its singular values, right vectors.

    Columns that are orthogonal but for rounding, as Ritz vectors make them, need no reflections.
    None for all others.
    """
    gram = product(tall.T, tall)
    lengths = np.sqrt(np.diag(gram))
    if lengths.min() == 0.0:
        return None
    cosines = gram / np.outer(lengths, lengths)
    if np.linalg.norm(cosines - np.eye(len(gram))) > 0.01:
        return None
    factor = np.linalg.cholesky(cosines)
    flops = 20.0 * len(factor) ** 3
    left, values, right = interruptible(flops, np.linalg.svd, factor.T * lengths)
    return np.linalg.solve(factor.T, left) / lengths[:, np.newaxis], values, right.T
