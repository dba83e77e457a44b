"""Public: oneDAL's algorithms in scikit-learn's shape (``pip install 'unisycl[dal]'``).

Parameters and attributes have scikit-learn's names. Each estimator takes ``device``, a name such as
"cpu" or "opencl:0", or None for the default one.
"""

from unisycl.oneapi.dal.estimators.grouping import (
    DBSCAN,
    PCA,
    KMeans,
    KNeighborsClassifier,
    KNeighborsRegressor,
)
from unisycl.oneapi.dal.estimators.learning import (
    SVC,
    SVR,
    LinearRegression,
    LogisticRegression,
    RandomForestClassifier,
    RandomForestRegressor,
    Ridge,
)

__all__ = ["DBSCAN", "PCA", "SVC", "SVR", "KMeans", "KNeighborsClassifier", "KNeighborsRegressor",
           "LinearRegression", "LogisticRegression", "RandomForestClassifier",
           "RandomForestRegressor", "Ridge"]
