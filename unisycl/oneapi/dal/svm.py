"""Support vector machines (oneDAL's svm): classification, and regression.

The kernel functions of all pairs are computed on the device; the pairs of multipliers that are
changed are chosen on the host, by the second order (Fan, Chen and Lin, 2005). Several classes are
told apart two by two. Invariant: what is minimised is LIBSVM's.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from unisycl.oneapi.dal.kernel_functions import gram, linear_kernel
from unisycl.oneapi.dal.logistic_regression import classes_of
from unisycl.oneapi.dal.records import descriptor as _descriptor
from unisycl.oneapi.dal.records import record
from unisycl.oneapi.dal.tables import homogen_table, table
from unisycl.oneapi.dal.work import Array, Work

ROOM = 1 << 31
"""How many bytes the kernel functions of all pairs may take."""


@dataclass
class descriptor(_descriptor):
    """What to compute.

    Args:
        kernel: a descriptor of a kernel function; linear if left out.
        task: "classification" or "regression".
        class_count: how many classes, numbered from 0.
        c: what a row on the wrong side costs.
        epsilon: of regression, how far off a response may be at no cost.
        accuracy_threshold: how well the conditions of the solution hold in the end.
        max_iteration_count: after how many steps to stop.
    """

    algorithm: ClassVar[str] = "svm"
    kernel: Any = None
    task: str = "classification"
    class_count: int = 2
    c: float = 1.0
    epsilon: float = 0.1
    accuracy_threshold: float = 1e-3
    max_iteration_count: int = 10_000_000

    def check(self) -> None:
        if self.kernel is None:
            self.kernel = linear_kernel.descriptor()
        if not hasattr(self.kernel, "rule"):
            self.refuse(f"kernel must be a descriptor of a kernel function, got {self.kernel!r}")
        self.choice("task", "classification", "regression")
        self.whole("class_count", 2)
        self.number("c", 0, open_end=True)
        self.number("epsilon", 0)
        self.number("accuracy_threshold", 0, open_end=True)
        self.whole("max_iteration_count", 1)


@dataclass
class model(record):
    """Support vectors, their multipliers in each machine (a row), and what is added."""

    support_vectors: Array
    support_indices: Array
    coeffs: Array
    biases: Array


@dataclass
class train_result(record):
    """The model, and how many steps it took."""

    model: model
    iteration_count: int
    converged: bool


@dataclass
class infer_result(record):
    """The class or the value of each row, and what each machine says."""

    responses: Array
    decision_function: Array


class _Solver:
    """The least of ``a'Qa / 2 + p'a`` with ``y'a = 0`` and ``0 <= a <= C``.

    Args:
        gram: kernel functions of rows; ``at`` says which row each multiplier belongs to.
        y: 1 or -1 for each multiplier; p: the linear term.
        desc: where to stop.
    """

    def __init__(self, gram_of: Array, at: Array, y: Array, p: Array, desc: descriptor) -> None:
        self.gram, self.at, self.y, self.desc = gram_of, at, y, desc
        self.slope = p.astype(np.float64).copy()
        self.alpha = np.zeros(y.size)
        self.diagonal = np.diag(gram_of)[at].astype(np.float64)
        self.steps = 0

    def _sides(self) -> tuple[Array, Array]:
        some, room = self.alpha > 0, self.alpha < self.desc.c
        up = np.where(self.y > 0, room, some)
        low = np.where(self.y > 0, some, room)
        return up, low

    def run(self) -> bool:
        """Change pairs until the conditions hold; say whether they do."""
        while self.steps < self.desc.max_iteration_count:
            up, low = self._sides()
            score = -self.y * self.slope
            i = int(np.where(up, score, -np.inf).argmax())
            top = score[i] if up[i] else -np.inf
            if top - np.where(low, score, np.inf).min() < self.desc.accuracy_threshold:
                return True
            row = self.gram[self.at[i]][self.at].astype(np.float64)
            gain = top - score
            curve = np.maximum(self.diagonal[i] + self.diagonal - 2 * row, 1e-12)
            j = int(np.where(low & (gain > 0), gain * gain / curve, -np.inf).argmax())
            self._move(i, j, row, gain[j] / curve[j])
            self.steps += 1
        return False

    def _move(self, i: int, j: int, row: Array, far: float) -> None:
        """Move two multipliers along the line that keeps ``y'a``, within the box."""
        y, c, alpha = self.y, self.desc.c, self.alpha
        most = min(c - alpha[i] if y[i] > 0 else alpha[i], alpha[j] if y[j] > 0 else c - alpha[j])
        far = min(far, most)
        alpha[i] += y[i] * far
        alpha[j] -= y[j] * far
        for k in (i, j):  # roundings must not leave the box
            if alpha[k] < 1e-12 * c:
                alpha[k] = 0
            elif alpha[k] > c - 1e-12 * c:
                alpha[k] = c
        other = self.gram[self.at[j]][self.at].astype(np.float64)
        self.slope += self.y * far * (row - other)

    def bias(self) -> float:
        """Return what is added to the machine."""
        score = -self.y * self.slope
        free = (self.alpha > 0) & (self.alpha < self.desc.c)
        if free.any():
            return float(score[free].mean())
        up, low = self._sides()
        ends = [score[up].max() if up.any() else None, score[low].min() if low.any() else None]
        known = [float(e) for e in ends if e is not None]
        return sum(known) / len(known)


def train(work: Work, desc: descriptor, data: table, responses: table) -> train_result:
    """Find the support vectors of a table."""
    work.alone()
    work.need_rows(data)
    n = data.row_count
    if n * n * work.dtype.itemsize > ROOM:
        work.refuse(f"{n} rows have {n * n} pairs, more than {ROOM >> 30} GiB hold; give fewer "
                    "rows, or install scikit-learn, whose solver needs less: "
                    "pip install 'unisycl[dal]'")
    if desc.task == "regression":
        return _regression(work, desc, data, work.values("the table of responses", responses, n))
    known = classes_of(work, desc, responses, n)
    need_all(work, desc, known)
    full = gram(work, desc.kernel, data, data)
    coeffs, biases, steps, good = [], [], 0, True
    for a, b in itertools.combinations(range(desc.class_count), 2):
        at = np.flatnonzero((known == a) | (known == b))
        y = np.where(known[at] == (b if desc.class_count == 2 else a), 1.0, -1.0)
        solver = _Solver(full, at, y, -np.ones(at.size), desc)
        good = solver.run() and good
        line = np.zeros(n)
        line[at] = solver.alpha * y
        coeffs.append(line)
        biases.append(solver.bias())
        steps += solver.steps
    return found(work, data, np.array(coeffs), np.array(biases), (steps, good))


def need_all(work: Work, desc: descriptor, known: Array) -> None:
    """Refuse rows among which a class is missing."""
    absent = np.flatnonzero(np.bincount(known, minlength=desc.class_count) == 0)
    if absent.size:
        work.undetermined(f"no row is of class {absent[0]}; every class needs one")


def _regression(work: Work, desc: descriptor, data: table, wanted: Array) -> train_result:
    n = data.row_count
    at = np.tile(np.arange(n), 2)
    y = np.repeat([1.0, -1.0], n)
    p = np.concatenate([desc.epsilon - wanted, desc.epsilon + wanted])
    solver = _Solver(gram(work, desc.kernel, data, data), at, y, p, desc)
    good = solver.run()
    coeffs = (solver.alpha[:n] - solver.alpha[n:])[None]
    return found(work, data, coeffs, np.array([solver.bias()]), (solver.steps, good))


def found(work: Work, data: table, coeffs: Array, biases: Array,
          how: tuple[int, bool]) -> train_result:
    """Return the model of multipliers and of what is added, one a machine."""
    where = np.flatnonzero((coeffs != 0).any(0))
    mine = model(work.array(data)[where].astype(work.dtype), where,
                 coeffs[:, where].astype(work.dtype), biases.astype(work.dtype))
    return train_result(mine, *how)


def infer(work: Work, desc: descriptor, fitted: model, data: table) -> infer_result:
    """Find the class or the value of each row."""
    work.need_rows(data)
    work.need_columns(data, fitted.support_vectors.shape[1])
    found = np.broadcast_to(np.asarray(fitted.biases, np.float64),
                            (data.row_count, fitted.biases.size)).copy()
    if fitted.support_vectors.shape[0]:
        full = gram(work, desc.kernel, data, homogen_table(fitted.support_vectors))
        found += full.astype(np.float64) @ np.asarray(fitted.coeffs, np.float64).T
    if desc.task == "regression":
        return infer_result(found[:, 0].astype(work.dtype), found.astype(work.dtype))
    if desc.class_count == 2:
        return infer_result((found[:, 0] > 0).astype(np.int64), found.astype(work.dtype))
    votes = np.zeros((data.row_count, desc.class_count))
    for k, (a, b) in enumerate(itertools.combinations(range(desc.class_count), 2)):
        votes[:, a] += found[:, k] > 0
        votes[:, b] += found[:, k] <= 0
    return infer_result(votes.argmax(1), found.astype(work.dtype))


ROUTINES = {"train": train, "infer": infer}
