"""Estimators that learn from answers: regression, support vector machines, forests."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, MultiOutputMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning

from unisycl.oneapi.dal import decision_forest, linear_regression, logistic_regression, svm
from unisycl.oneapi.dal.estimators.base import Estimator
from unisycl.oneapi.dal.kernel_functions import (
    linear_kernel,
    polynomial_kernel,
    rbf_kernel,
    sigmoid_kernel,
)


class _Linear(MultiOutputMixin, RegressorMixin, Estimator):  # type: ignore[misc]
    """Linear models by least squares."""

    alpha: float = 0.0
    fit_intercept: bool = True

    def fit(self, X: Any, y: Any) -> Any:
        """Find the coefficients."""
        x, y = self._rows(X, y=y, multi_output=True, y_numeric=True)
        self._desc = self._described(
            linear_regression.descriptor, compute_intercept=self.fit_intercept, alpha=self.alpha,
            on_singular="least_norm")
        found = self._run("train", self._desc, x, y)
        self._model = found.model
        flat = y.ndim == 1
        self._flat = flat
        self.coef_ = found.coefficients[0] if flat else found.coefficients
        self.intercept_ = found.intercept[0] if flat else found.intercept
        return self

    def predict(self, X: Any) -> Any:
        """Return what the model says of rows."""
        x = self._asked(X)
        found = self._run("infer", self._desc, self._model, x).responses
        return found[:, 0] if self._flat else found


class LinearRegression(_Linear):
    """Least squares; of several solutions the shortest."""

    def __init__(self, *, fit_intercept: bool = True, device: str | None = None) -> None:
        self.fit_intercept, self.device = fit_intercept, device


class Ridge(_Linear):
    """Least squares with a penalty on the squares of the coefficients."""

    def __init__(self, alpha: float = 1.0, *, fit_intercept: bool = True,
                 device: str | None = None) -> None:
        self.alpha, self.fit_intercept, self.device = alpha, fit_intercept, device


class LogisticRegression(ClassifierMixin, Estimator):  # type: ignore[misc]
    """Logistic regression with a penalty on the squares of the coefficients, 1 / (2 C)."""

    def __init__(self, C: float = 1.0, *, fit_intercept: bool = True, max_iter: int = 100,
                 tol: float = 1e-6, device: str | None = None) -> None:
        self.C, self.fit_intercept = C, fit_intercept
        self.max_iter, self.tol, self.device = max_iter, tol, device

    def fit(self, X: Any, y: Any) -> LogisticRegression:
        """Find the coefficients."""
        x, y = self._rows(X, y=y)
        known = self._classes(y)
        self._desc = self._described(
            logistic_regression.descriptor, class_count=self.classes_.size,
            compute_intercept=self.fit_intercept, inverse_regularization=self.C,
            max_iteration_count=self.max_iter, tolerance=self.tol)
        found = self._run("train", self._desc, x, known)
        if not found.converged:
            warnings.warn(f"LogisticRegression: after {found.iteration_count} steps the gradient "
                          "is not zero yet; scale the columns, or allow more steps (max_iter)",
                          ConvergenceWarning, stacklevel=2)
        self._model = found.model
        self.coef_, self.intercept_ = found.model.coefficients, found.model.intercept
        self.n_iter_ = np.array([max(found.iteration_count, 1)])
        return self

    def decision_function(self, X: Any) -> Any:
        """Return the scores of rows."""
        x = self._asked(X)
        found = x @ self.coef_.T + self.intercept_
        return found[:, 0] if self.classes_.size == 2 else found

    def predict_proba(self, X: Any) -> Any:
        """Return how likely each class is."""
        x = self._asked(X)
        return self._run("infer", self._desc, self._model, x).probabilities

    def predict(self, X: Any) -> Any:
        """Return the most likely class of each row."""
        x = self._asked(X)
        return self.classes_[self._run("infer", self._desc, self._model, x).responses]


class _Vectors(Estimator):
    """Support vector machines."""

    kernel: str
    gamma: Any
    degree: int
    coef0: float

    def _kernel(self, x: Any) -> Any:
        gamma = self.gamma
        if gamma == "scale":
            spread = float(x.var())
            gamma = 1 / (x.shape[1] * spread) if spread else 1.0
        elif gamma == "auto":
            gamma = 1 / x.shape[1]
        make = {"linear": (linear_kernel.descriptor, {}),
                "poly": (polynomial_kernel.descriptor,
                         {"scale": gamma, "shift": self.coef0, "degree": self.degree}),
                "rbf": (rbf_kernel.descriptor, {"sigma": (0.5 / gamma) ** 0.5}),
                "sigmoid": (sigmoid_kernel.descriptor, {"scale": gamma, "shift": self.coef0}),
                }.get(self.kernel)
        if make is None:
            raise ValueError(f"{type(self).__name__}: kernel must be one of linear, poly, rbf, "
                             f"sigmoid, got {self.kernel!r}")
        return self._described(make[0], **make[1])

    def _trained(self, x: Any, y: Any, **fields: Any) -> Any:
        self._desc = self._described(svm.descriptor, kernel=self._kernel(x), **fields)
        found = self._run("train", self._desc, x, y)
        if not found.converged:
            warnings.warn(f"{type(self).__name__}: after {found.iteration_count} steps the "
                          "conditions of the solution do not hold yet; scale the columns",
                          ConvergenceWarning, stacklevel=3)
        self._model = found.model
        self.support_vectors_ = found.model.support_vectors
        self.support_, self.intercept_ = found.model.support_indices, found.model.biases
        self.dual_coef_, self.n_iter_ = found.model.coeffs, max(found.iteration_count, 1)
        return self

    def _said(self, X: Any) -> Any:
        x = self._asked(X)
        return self._run("infer", self._desc, self._model, x)


class SVC(ClassifierMixin, _Vectors):  # type: ignore[misc]
    """A support vector machine that tells classes apart, two by two."""

    def __init__(self, C: float = 1.0, *, kernel: str = "rbf", degree: int = 3,
                 gamma: Any = "scale", coef0: float = 0.0, tol: float = 1e-3,
                 device: str | None = None) -> None:
        self.C, self.kernel, self.degree, self.gamma = C, kernel, degree, gamma
        self.coef0, self.tol, self.device = coef0, tol, device

    def fit(self, X: Any, y: Any) -> Any:
        """Find the support vectors."""
        x, y = self._rows(X, y=y)
        known = self._classes(y)
        return self._trained(x, known, class_count=self.classes_.size, c=self.C,
                             accuracy_threshold=self.tol)

    def decision_function(self, X: Any) -> Any:
        """Return what each machine says; of two classes one number a row, else one a class."""
        found = self._said(X)
        values = found.decision_function
        if self.classes_.size == 2:
            return values[:, 0]
        votes = np.zeros((values.shape[0], self.classes_.size))
        sums, k = np.zeros_like(votes), 0
        for a in range(self.classes_.size):
            for b in range(a + 1, self.classes_.size):
                votes[:, a] += values[:, k] > 0
                votes[:, b] += values[:, k] <= 0
                sums[:, a] += values[:, k]
                sums[:, b] -= values[:, k]
                k += 1
        return votes + sums / (3 * (np.abs(sums) + 1))

    def predict(self, X: Any) -> Any:
        """Return the class of each row."""
        values = self.decision_function(X)
        return self.classes_[(values > 0).astype(int) if values.ndim == 1 else values.argmax(1)]


class SVR(RegressorMixin, _Vectors):  # type: ignore[misc]
    """A support vector machine for values."""

    def __init__(self, *, kernel: str = "rbf", degree: int = 3, gamma: Any = "scale",
                 coef0: float = 0.0, tol: float = 1e-3, C: float = 1.0, epsilon: float = 0.1,
                 device: str | None = None) -> None:
        self.C, self.kernel, self.degree, self.gamma = C, kernel, degree, gamma
        self.coef0, self.tol, self.epsilon, self.device = coef0, tol, epsilon, device

    def fit(self, X: Any, y: Any) -> Any:
        """Find the support vectors."""
        x, y = self._rows(X, y=y, y_numeric=True)
        return self._trained(x, np.asarray(y, np.float64), task="regression", c=self.C,
                             epsilon=self.epsilon, accuracy_threshold=self.tol)

    def predict(self, X: Any) -> Any:
        """Return the value of each row."""
        return self._said(X).responses


class _Forest(Estimator):
    """Forests by histograms."""

    def __init__(self, n_estimators: int = 100, *, max_depth: int | None = None,
                 min_samples_split: int = 2, min_samples_leaf: int = 1,
                 max_features: Any = None, max_bins: int = 256, bootstrap: bool = True,
                 random_state: Any = None, device: str | None = None) -> None:
        self.n_estimators, self.max_depth, self.max_bins = n_estimators, max_depth, max_bins
        self.min_samples_split, self.min_samples_leaf = min_samples_split, min_samples_leaf
        self.max_features, self.bootstrap = max_features, bootstrap
        self.random_state, self.device = random_state, device

    def _grown(self, x: Any, y: Any, task: str, classes: int) -> Any:
        self._desc = self._described(
            decision_forest.descriptor, task=task, class_count=classes,
            tree_count=self.n_estimators, features_per_node=self._tried(x.shape[1]),
            max_tree_depth=self.max_depth or 0, max_bins=self.max_bins,
            min_observations_in_leaf_node=self.min_samples_leaf, seed=self._seed(),
            min_observations_in_split_node=self.min_samples_split, bootstrap=self.bootstrap)
        found = self._run("train", self._desc, x, y)
        self._model, self.feature_importances_ = found.model, found.var_importance
        return self

    def _tried(self, columns: int) -> int:
        """Return how many columns a node tries: a number, a part of all, "sqrt" or None."""
        if self.max_features == "sqrt":
            return max(int(columns ** 0.5), 1)
        if isinstance(self.max_features, float):
            return max(int(self.max_features * columns), 1)
        return columns if self.max_features is None else int(self.max_features)

    def _said(self, X: Any) -> Any:
        x = self._asked(X)
        return self._run("infer", self._desc, self._model, x)


class RandomForestClassifier(ClassifierMixin, _Forest):  # type: ignore[misc]
    """A forest that tells classes apart; nodes try the square root of all columns."""

    def __init__(self, n_estimators: int = 100, *, max_depth: int | None = None,
                 min_samples_split: int = 2, min_samples_leaf: int = 1,
                 max_features: Any = "sqrt", max_bins: int = 256, bootstrap: bool = True,
                 random_state: Any = None, device: str | None = None) -> None:
        super().__init__(n_estimators, max_depth=max_depth, max_features=max_features,
                         min_samples_split=min_samples_split, max_bins=max_bins,
                         min_samples_leaf=min_samples_leaf, bootstrap=bootstrap,
                         random_state=random_state, device=device)

    def fit(self, X: Any, y: Any) -> Any:
        """Grow the trees."""
        x, y = self._rows(X, y=y)
        known = self._classes(y)
        return self._grown(x, known, "classification", self.classes_.size)

    def predict_proba(self, X: Any) -> Any:
        """Return how likely each class is."""
        return self._said(X).probabilities

    def predict(self, X: Any) -> Any:
        """Return the most likely class of each row."""
        found = self._said(X).responses
        return self.classes_[found]


class RandomForestRegressor(RegressorMixin, _Forest):  # type: ignore[misc]
    """A forest for values; nodes try all columns."""

    def fit(self, X: Any, y: Any) -> Any:
        """Grow the trees."""
        x, y = self._rows(X, y=y, y_numeric=True)
        return self._grown(x, np.asarray(y, np.float64), "regression", 2)

    def predict(self, X: Any) -> Any:
        """Return the value of each row."""
        return self._said(X).responses
