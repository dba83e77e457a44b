"""Public: data analytics, as oneDAL has them (oneAPI's specification, oneDAL).

Tables, descriptors, and ``train``, ``infer`` and ``compute`` on a queue: in one batch, table by
table, or over ranks. Estimators in scikit-learn's shape are in ``unisycl.oneapi.dal.estimators``,
which needs scikit-learn. Non-goals: neural networks, trees of space.
"""

from unisycl.oneapi.dal import (
    basic_statistics,
    covariance,
    dbscan,
    decision_forest,
    kmeans,
    kmeans_init,
    knn,
    linear_regression,
    logistic_regression,
    pca,
    svm,
)
from unisycl.oneapi.dal.dispatch import (
    compute,
    finalize_compute,
    finalize_train,
    infer,
    partial_compute,
    partial_train,
    train,
)
from unisycl.oneapi.dal.distances import (
    chebyshev_distance,
    correlation_distance,
    cosine_distance,
    minkowski_distance,
    squared_euclidean_distance,
)
from unisycl.oneapi.dal.errors import domain_error, invalid_argument, unimplemented
from unisycl.oneapi.dal.kernel_functions import (
    linear_kernel,
    polynomial_kernel,
    rbf_kernel,
    sigmoid_kernel,
)
from unisycl.oneapi.dal.tables import (
    column_accessor,
    csr_table,
    homogen_table,
    row_accessor,
    table,
    table_of,
)
from unisycl.oneapi.frame.providers import provider_of as _provider_of
from unisycl.oneapi.frame.providers import using


def provider_of(queue: object, routine: str = "kmeans.train", dtype: object = "float32") -> object:
    """Return who does the work of a routine on a queue, as ``provider_of(q, "svm.train")``."""
    return _provider_of(queue, "dal", routine, dtype)  # type: ignore[arg-type]


__all__ = ["basic_statistics", "chebyshev_distance", "column_accessor", "compute",
           "correlation_distance", "cosine_distance", "covariance", "csr_table", "dbscan",
           "decision_forest", "domain_error", "finalize_compute", "finalize_train",
           "homogen_table", "infer", "invalid_argument", "kmeans", "kmeans_init", "knn",
           "linear_kernel", "linear_regression", "logistic_regression", "minkowski_distance",
           "partial_compute", "partial_train", "pca", "polynomial_kernel", "provider_of",
           "rbf_kernel", "row_accessor", "sigmoid_kernel", "squared_euclidean_distance", "svm",
           "table", "table_of", "train", "unimplemented", "using"]
