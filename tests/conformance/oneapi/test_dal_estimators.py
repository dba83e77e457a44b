"""oneDAL's algorithms as scikit-learn's estimators: its own checks, clones and pipelines."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

from sklearn.base import clone  # noqa: E402
from sklearn.model_selection import GridSearchCV  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402

from unisycl.oneapi.dal import estimators  # noqa: E402

pytestmark = pytest.mark.part("L-20")
FEW = {"RandomForestClassifier": {"n_estimators": 5, "max_depth": 6},
       "RandomForestRegressor": {"n_estimators": 5, "max_depth": 6}, "KMeans": {"n_clusters": 3}}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", estimators.__all__)
def test_estimators_pass_scikit_learns_checks(name):
    checks = check_estimator(getattr(estimators, name)(**FEW.get(name, {}), device="cpu"),
                             on_skip=None, on_fail=None)
    failed = [(c["check_name"], str(c["exception"])) for c in checks if c["status"] == "failed"]
    assert failed == []
    assert len(checks) > 40


def test_estimators_are_cloned_and_searched_in_pipelines():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((80, 4))
    y = np.where(x[:, 0] * x[:, 1] > 0, "yes", "no")
    line = make_pipeline(StandardScaler(), estimators.PCA(4), estimators.SVC(device="cpu"))
    search = GridSearchCV(line, {"svc__C": [0.1, 10.0]}, cv=2).fit(x, y)
    assert search.best_estimator_.score(x, y) > 0.9
    other = clone(estimators.KMeans(3, init=x[:3], tol=0.5))
    assert other.get_params()["n_clusters"] == 3
    assert other.set_params(n_clusters=2, init="k-means||").fit(x).transform(x).shape == (80, 2)
    most = estimators.PCA(0.7).fit(x)  # as many as explain so much of the variance
    parts = estimators.PCA().fit(x).explained_variance_ratio_.cumsum()
    assert parts[most.n_components_ - 2] <= 0.7 < parts[most.n_components_ - 1]
    with pytest.raises(ValueError, match="cluster_count must be a whole number"):
        estimators.KMeans(0).fit(x)
