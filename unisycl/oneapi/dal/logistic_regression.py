"""Logistic regression of two or more classes (oneDAL's logistic_regression).

Newton's method, whose steps are found by conjugate gradients: all that touches rows is products of
tables and vectors, in kernels. Invariant: what is minimised is scikit-learn's, the sum of the
losses and ``|w|^2 / (2 C)`` (C is ``inverse_regularization``), without the intercept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from unisycl.oneapi.dal.kernels import records
from unisycl.oneapi.dal.moments import products_of
from unisycl.oneapi.dal.records import descriptor as _descriptor
from unisycl.oneapi.dal.records import record
from unisycl.oneapi.dal.tables import table
from unisycl.oneapi.dal.work import Array, Work


@dataclass
class descriptor(_descriptor):
    """What to compute.

    Args:
        class_count: how many classes, numbered from 0.
        compute_intercept: whether there is one.
        inverse_regularization: C; ``inf`` for no penalty.
        max_iteration_count: after how many of Newton's steps to stop.
        tolerance: stop when no element of the gradient is larger, over the number of rows.
    """

    algorithm: ClassVar[str] = "logistic_regression"
    class_count: int = 2
    compute_intercept: bool = True
    inverse_regularization: float = 1.0
    max_iteration_count: int = 100
    tolerance: float = 1e-6

    def check(self) -> None:
        self.whole("class_count", 2)
        self.number("inverse_regularization", 0, open_end=True)
        self.whole("max_iteration_count", 1)
        self.number("tolerance", 0)


@dataclass
class model(record):
    """Coefficients and intercepts: of two classes one row, else one for each class."""

    coefficients: Array
    intercept: Array


@dataclass
class train_result(record):
    """The model, how many steps it took, and whether the gradient vanished."""

    model: model
    iteration_count: int
    converged: bool


@dataclass
class infer_result(record):
    """The most likely class of each row, and how likely each is."""

    responses: Array
    probabilities: Array


class _Problem:
    """The loss, its gradient, and products with its second derivatives."""

    def __init__(self, work: Work, desc: descriptor, data: table, responses: Array) -> None:
        self.work, self.desc, self.data = work, desc, data
        self.n, self.d = data.row_count, data.column_count
        self.binary = desc.class_count == 2
        self.k = 1 if self.binary else desc.class_count
        self.x = work.rows(data)
        self.columns = work.columns(data, self.x)
        self.side = records.side(self.x, np.int64(self.d), work.put(np.zeros(self.d)))
        self.want = responses[:, None].astype(np.float64) if self.binary else (
            responses[:, None] == np.arange(self.k)).astype(np.float64)
        self.size = float(work.together(np.array([float(self.n)]))[0])
        self.penalty = 0.0 if np.isinf(desc.inverse_regularization) else (
            1 / desc.inverse_regularization)
        self.odds = np.empty((self.n, self.k))

    def scores(self, w: Array) -> Array:
        """Return what the weights say of each row."""
        found = self.work.products(w[:, :self.d], self.data, self.columns).astype(np.float64)
        return found + w[:, self.d] if self.desc.compute_intercept else found

    def back(self, rest: Array) -> Array:
        """Return the products of a number a row and the rows, of all ranks."""
        left = records.side(self.work.put(rest), np.int64(self.k),
                            self.work.put(np.zeros(self.k)))
        found = np.empty((self.k, self.d + 1))
        found[:, :self.d] = products_of(self.work, self.n, left, self.side)
        found[:, self.d] = rest.sum(0) if self.desc.compute_intercept else 0
        return self.work.together(found)

    def loss(self, w: Array) -> float:
        """Return the loss; keeps the odds of each row."""
        z = self.scores(w)
        if self.binary:
            total = (np.logaddexp(0, z) - self.want * z).sum()
            with np.errstate(over="ignore"):
                self.odds = 1 / (1 + np.exp(-z))
        else:
            high = z.max(1, keepdims=True)
            parts = np.exp(z - high)
            both = parts.sum(1, keepdims=True)
            total = (np.log(both[:, 0]) + high[:, 0] - (self.want * z).sum(1)).sum()
            self.odds = parts / both
        loss = float(self.work.together(np.array([total]))[0])
        return loss + 0.5 * self.penalty * float((w[:, :self.d] ** 2).sum())

    def gradient(self, w: Array) -> Array:
        """Return the gradient where the loss was asked for last."""
        found = self.back(self.odds - self.want)
        found[:, :self.d] += self.penalty * w[:, :self.d]
        return found

    def curved(self, v: Array) -> Array:
        """Return the product of the second derivatives and a vector."""
        z = self.scores(v)
        if self.binary:
            rest = self.odds * (1 - self.odds) * z
        else:
            rest = self.odds * (z - (self.odds * z).sum(1, keepdims=True))
        found = self.back(rest)
        found[:, :self.d] += self.penalty * v[:, :self.d]
        return found


def _step(problem: _Problem, slope: Array) -> Array:
    """Find about where the loss is least, seen from here, by conjugate gradients."""
    found, rest = np.zeros_like(slope), -slope
    way = rest.copy()
    size = float((rest * rest).sum())
    enough = size * min(0.25, np.sqrt(size)) ** 2
    for _ in range(4 * slope.size + 20):
        if size <= max(enough, 1e-300):
            break
        bent = problem.curved(way)
        curve = float((way * bent).sum())
        if not np.isfinite(curve):
            problem.work.undetermined(f"products of columns are beyond what {problem.work.dtype} "
                                      "holds; scale the columns")
        if curve <= 1e-16 * float((way * way).sum()):
            break
        far = size / curve
        found, rest = found + far * way, rest - far * bent
        before, size = size, float((rest * rest).sum())
        way = rest + size / before * way
    return found if found.any() else -slope


def _minimise(problem: _Problem, desc: descriptor) -> tuple[Array, int, bool]:
    w = np.zeros((problem.k, problem.d + 1))
    loss = problem.loss(w)
    slope = problem.gradient(w)
    for step in range(1, desc.max_iteration_count + 1):
        if np.abs(slope).max() <= desc.tolerance * problem.size:
            return w, step - 1, True
        way = _step(problem, slope)
        down, far = float((way * slope).sum()), 1.0
        while far > 1e-10:
            there = problem.loss(w + far * way)
            if there <= loss + 1e-4 * far * down:
                break
            far /= 2
        if far <= 1e-10:  # nothing but roundings is left
            problem.loss(w)
            return w, step, bool(np.abs(slope).max() <= 1e-4 * problem.size)
        w, loss = w + far * way, there
        slope = problem.gradient(w)
    return w, desc.max_iteration_count, bool(np.abs(slope).max() <= desc.tolerance * problem.size)


def classes_of(work: Work, desc: Any, responses: table, count: int) -> Array:
    """Return the class of each row; refuse what is none."""
    found = work.values("the table of responses", responses, count)
    if (found != np.floor(found)).any() or found.min() < 0 or found.max() >= desc.class_count:
        work.refuse(f"the responses must be whole numbers from 0 to {desc.class_count - 1}; set "
                    "class_count")
    return found.astype(np.int64)


def train(work: Work, desc: descriptor, data: table, responses: table) -> train_result:
    """Find the coefficients for a table, or for those of all ranks."""
    work.need_rows(data)
    known = classes_of(work, desc, responses, data.row_count)
    present = work.together(np.bincount(known, minlength=desc.class_count).astype(np.int64))
    if (present > 0).sum() < 2:
        work.undetermined("all rows are of one class; two are needed at least")
    w, steps, converged = _minimise(_Problem(work, desc, data, known), desc)
    return train_result(model(w[:, :-1].astype(work.dtype), w[:, -1].astype(work.dtype)), steps,
                        converged)


def infer(work: Work, desc: descriptor, fitted: model, data: table) -> infer_result:
    """Find the most likely class of each row."""
    work.need_rows(data)
    work.need_columns(data, fitted.coefficients.shape[1])
    z = work.products(fitted.coefficients, data, work.columns(data)).astype(np.float64)
    z = z + fitted.intercept
    if z.shape[1] == 1:
        with np.errstate(over="ignore"):
            odds = 1 / (1 + np.exp(-z))
        found = np.hstack([1 - odds, odds])
    else:
        parts = np.exp(z - z.max(1, keepdims=True))
        found = parts / parts.sum(1, keepdims=True)
    return infer_result(found.argmax(1), found.astype(work.dtype))


ROUTINES = {"train": train, "infer": infer}
