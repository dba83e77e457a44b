"""Support vector machines by scikit-learn's LIBSVM, on the processor.

It chooses pairs of multipliers in C, where ours are chosen in Python, so it wins at training on a
processor; all else runs in our kernels, which win there, too. Non-goals: ranks. Invariant: what it
finds is in our models, so that ``infer`` runs on the device.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import sklearn
from sklearn.svm import SVC, SVR

import unisycl as sycl
from unisycl.oneapi.dal import svm
from unisycl.oneapi.dal.logistic_regression import classes_of
from unisycl.oneapi.dal.tables import table
from unisycl.oneapi.dal.work import Array, Work


def _how(desc: Any) -> dict[str, Any] | None:
    """Return LIBSVM's words for a kernel function; None where it has no such one."""
    kernel, name = desc.kernel, desc.kernel.algorithm
    if name == "rbf_kernel":
        return {"kernel": "rbf", "gamma": 0.5 / kernel.sigma ** 2}
    if name == "linear_kernel" and (kernel.scale, kernel.shift) == (1, 0):
        return {"kernel": "linear"}
    if kernel.scale > 0 and name in ("polynomial_kernel", "sigmoid_kernel"):
        more = {"degree": kernel.degree} if name == "polynomial_kernel" else {}
        return {"kernel": name.partition("_")[0].replace("polynomial", "poly"),
                "gamma": kernel.scale, "coef0": kernel.shift, **more}
    return None


def train(work: Work, desc: Any, data: table, responses: table) -> svm.train_result:
    """Find the support vectors of a table."""
    how = _how(desc)
    if how is None:
        return svm.train(work, desc, data, responses)
    work.need_rows(data)
    x = work.host(work.rows(data)) if getattr(data, "usm", None) is None else work.array(data)
    x = np.asarray(x).reshape(data.row_count, data.column_count).astype(np.float64)
    how |= {"C": desc.c, "tol": desc.accuracy_threshold,
            "max_iter": min(desc.max_iteration_count, 2**31 - 1)}
    try:
        return _trained(work, desc, how, (data, responses), x)
    except ValueError as error:
        if "not finite" not in str(error):
            raise
        work.undetermined("the multipliers are beyond what float64 holds; scale the columns")
        raise


def _trained(work: Work, desc: Any, how: dict[str, Any], tables: tuple[table, table],
             x: Array) -> svm.train_result:
    data, responses = tables
    if desc.task == "regression":
        y = work.values("the table of responses", responses, data.row_count)
        found = [_one(SVR(epsilon=desc.epsilon, **how), x, y, np.arange(y.size))]
    else:
        known = classes_of(work, desc, responses, data.row_count)
        svm.need_all(work, desc, known)
        found = []
        for a, b in itertools.combinations(range(desc.class_count), 2):
            at = np.flatnonzero((known == a) | (known == b))
            first = b if desc.class_count == 2 else a
            found.append(_one(SVC(**how), x, known == first, at))
    steps = sum(f[2] for f in found)
    return svm.found(work, data, np.array([f[0] for f in found]), np.array([f[1] for f in found]),
                     (steps, steps < desc.max_iteration_count))


def _one(machine: Any, x: Array, y: Array, at: Array) -> tuple[Array, float, int]:
    machine.fit(x[at], y[at])
    line = np.zeros(x.shape[0])
    line[at[machine.support_]] = machine.dual_coef_[0]
    return line, float(machine.intercept_[0]), int(np.sum(machine.n_iter_))


class ByScikitLearn:
    """What scikit-learn does better on a processor."""

    def version(self) -> str:
        """Return what it calls itself."""
        return f"scikit-learn {sklearn.__version__}"

    def serves(self, device: sycl.device) -> bool:
        """Say that it works for every queue, on the processor."""
        del device
        return True

    def routine(self, name: str, dtype: np.dtype[Any]) -> Callable[..., Any] | None:
        """Return what does the work of an algorithm."""
        del dtype
        return train if name == "svm.train" else None


def load(name: str) -> ByScikitLearn:
    """Return the provider."""
    del name
    return ByScikitLearn()
