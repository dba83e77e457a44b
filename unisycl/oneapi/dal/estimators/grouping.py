"""Estimators that group rows, or find what is near: k-means, DBSCAN, components, neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import (
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    RegressorMixin,
    TransformerMixin,
)

from unisycl.oneapi.dal import dbscan, kmeans, kmeans_init, knn, pca
from unisycl.oneapi.dal.distances import minkowski_distance
from unisycl.oneapi.dal.estimators.base import Estimator

_STARTS = {"k-means++": "plus_plus_dense", "random": "random_dense",
           "k-means||": "parallel_plus_dense"}


class KMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin,  # type: ignore[misc]
             Estimator):
    """k-means; ``init`` is "k-means++", "k-means||", "random", or centres."""

    def __init__(self, n_clusters: int = 8, *, init: Any = "k-means++", n_init: int = 1,
                 max_iter: int = 300, tol: float = 1e-4, random_state: Any = None,
                 device: str | None = None) -> None:
        self.n_clusters, self.init, self.n_init = n_clusters, init, n_init
        self.max_iter, self.tol = max_iter, tol
        self.random_state, self.device = random_state, device

    def fit(self, X: Any, y: Any = None) -> KMeans:
        """Find centres."""
        x = self._rows(X)
        desc = self._described(kmeans.descriptor, cluster_count=self.n_clusters,
                               max_iteration_count=self.max_iter,
                               accuracy_threshold=self.tol * float(np.var(x, axis=0).mean()))
        best: Any = None
        for _ in range(self.n_init if isinstance(self.init, str) else 1):
            found = self._run("train", desc, x, self._begin(x))
            if best is None or found.objective_function_value < best.objective_function_value:
                best = found
        self._model = best.model
        self.cluster_centers_, self.labels_ = best.model.centroids, best.responses
        self.inertia_, self.n_iter_ = best.objective_function_value, best.iteration_count
        self._n_features_out = self.cluster_centers_.shape[0]
        return self

    def _begin(self, x: Any) -> Any:
        if not isinstance(self.init, str):
            return np.ascontiguousarray(self.init, x.dtype)
        if self.init not in _STARTS:
            raise ValueError(f"KMeans: init must be one of {', '.join(_STARTS)}, or centres, got "
                             f"{self.init!r}")
        desc = self._described(kmeans_init.descriptor, cluster_count=self.n_clusters,
                               method=_STARTS[self.init], seed=self._seed(),
                               local_trials_count=2 + int(np.log(max(self.n_clusters, 1))))
        return self._run("compute", desc, x).centroids

    def predict(self, X: Any) -> Any:
        """Return the nearest centre of each row."""
        return self._near(X).responses

    def transform(self, X: Any) -> Any:
        """Return how far each row is from each centre."""
        x = self._asked(X)
        centres = np.ascontiguousarray(self.cluster_centers_, x.dtype)
        return self._run("compute", minkowski_distance.descriptor(), x, centres).values

    def score(self, X: Any, y: Any = None) -> float:
        """Return less the sum of squared distances from the centres."""
        return -float(self._near(X).objective_function_value)

    def _near(self, X: Any) -> Any:
        x = self._asked(X)
        desc = kmeans.descriptor(self.cluster_centers_.shape[0])
        return self._run("infer", desc, self._model, x)


class DBSCAN(ClusterMixin, Estimator):  # type: ignore[misc]
    """Clusters by density."""

    def __init__(self, eps: float = 0.5, *, min_samples: int = 5,
                 device: str | None = None) -> None:
        self.eps, self.min_samples, self.device = eps, min_samples, device

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> DBSCAN:
        """Find clusters."""
        x = self._rows(X)
        desc = self._described(dbscan.descriptor, epsilon=self.eps,
                               min_observations=self.min_samples)
        given: tuple[Any, ...] = ()
        if sample_weight is not None:
            weights = np.asarray(sample_weight, np.float64)
            if not weights.any():
                raise ValueError("DBSCAN: all weights of samples are zero")
            given = (weights,)
        found = self._run("compute", desc, x, *given)
        self.labels_ = found.responses
        self.core_sample_indices_ = found.core_observation_indices
        self.components_ = found.core_observations
        return self


class PCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):  # type: ignore[misc]
    """Principal components: so many, or, below 1, as many as explain that part of the variance."""

    def __init__(self, n_components: float | None = None, *, whiten: bool = False,
                 device: str | None = None) -> None:
        self.n_components, self.whiten, self.device = n_components, whiten, device

    def fit(self, X: Any, y: Any = None) -> PCA:
        """Find the components."""
        x = self._rows(X, ensure_min_samples=2)
        count = min(x.shape) if self.n_components is None else self.n_components
        if isinstance(count, float | np.floating) and 0 < count < 1:
            every = self._run("train", self._described(pca.descriptor), x)
            ratio = np.cumsum(every.explained_variances_ratio, dtype=np.float64)
            count = min(int(np.searchsorted(ratio, count, side="right")) + 1, ratio.size)
        self._desc = self._described(pca.descriptor, component_count=count, whiten=self.whiten)
        found = self._run("train", self._desc, x)
        self._model, self.components_, self.mean_ = found.model, found.eigenvectors, found.means
        self.explained_variance_ = found.eigenvalues
        self.explained_variance_ratio_ = found.explained_variances_ratio
        self.singular_values_, self.noise_variance_ = found.singular_values, found.noise_variance
        self.n_components_, self.n_samples_ = self.components_.shape[0], x.shape[0]
        self._n_features_out = self.n_components_
        return self

    def transform(self, X: Any) -> Any:
        """Return rows in terms of the components."""
        x = self._asked(X)
        return self._run("infer", self._desc, self._model, x).transformed_data

    def inverse_transform(self, X: Any) -> Any:
        """Return rows from what the components say of them."""
        found = np.asarray(X)
        if self.whiten:
            found = found * np.sqrt(self.explained_variance_)
        return found @ self.components_ + self.mean_


class _Neighbours(Estimator):
    """The nearest rows by brute force; ``p`` is Minkowski's."""

    _task = "search"

    def __init__(self, n_neighbors: int = 5, *, weights: str = "uniform", p: float = 2,
                 device: str | None = None) -> None:
        self.n_neighbors, self.weights, self.p, self.device = n_neighbors, weights, p, device

    def _fitted(self, x: Any, y: Any, classes: int) -> Any:
        self._desc = self._described(
            knn.descriptor, neighbor_count=self.n_neighbors, class_count=classes, task=self._task,
            voting_mode=self.weights,
            distance=self._described(minkowski_distance.descriptor, degree=self.p))
        self._model = self._run("train", self._desc, x, y).model
        self.n_samples_fit_ = x.shape[0]
        return self

    def kneighbors(self, X: Any) -> tuple[Any, Any]:
        """Return how far the nearest rows are, and which they are."""
        found = self._said(X)
        return found.distances, found.indices

    def _said(self, X: Any) -> Any:
        x = self._asked(X)
        return self._run("infer", self._desc, self._model, x)


class KNeighborsClassifier(ClassifierMixin, _Neighbours):  # type: ignore[misc]
    """The class that most of the nearest rows have."""

    _task = "classification"

    def fit(self, X: Any, y: Any) -> Any:
        """Keep rows and their classes."""
        x, y = self._rows(X, y=y)
        known = self._classes(y)
        return self._fitted(x, known, self.classes_.size)

    def predict_proba(self, X: Any) -> Any:
        """Return how many of the nearest rows have each class."""
        return self._said(X).probabilities

    def predict(self, X: Any) -> Any:
        """Return the class of each row."""
        found = self._said(X).responses
        return self.classes_[found]


class KNeighborsRegressor(RegressorMixin, _Neighbours):  # type: ignore[misc]
    """The mean of the nearest rows' values."""

    _task = "regression"

    def fit(self, X: Any, y: Any) -> Any:
        """Keep rows and their values."""
        x, y = self._rows(X, y=y, y_numeric=True)
        return self._fitted(x, np.asarray(y, np.float64), 2)

    def predict(self, X: Any) -> Any:
        """Return the value of each row."""
        return self._said(X).responses
