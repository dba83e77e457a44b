"""oneDAL's algorithms against scikit-learn, SciPy and NumPy, on fixed seeds."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from unisycl.oneapi import dal
from unisycl.oneapi.dal import moments

pytest.importorskip("sklearn", reason="scikit-learn is not installed")
distance = pytest.importorskip("scipy.spatial.distance", reason="SciPy is not installed")

from sklearn import cluster, decomposition, linear_model, neighbors, svm, tree  # noqa: E402
from sklearn.metrics import pairwise  # noqa: E402

pytestmark = pytest.mark.row("L-20")

RNG = np.random.default_rng(5)
CENTRES = np.array([[0, 0, 0], [4, 1, 0], [0, 4, -3], [-4, -2, 2]])
LABELS = np.repeat(np.arange(4), 15)
X = CENTRES[LABELS] + 0.9 * RNG.standard_normal((60, 3))
ORDER = RNG.permutation(60)
X, LABELS = X[ORDER], LABELS[ORDER]


def kind_of(queue):
    return np.float64 if queue.get_device().has(sycl.aspect.fp64) else np.float32


def near(found, right, within=1e-5):
    assert np.allclose(found, right, rtol=within, atol=within), (found, right)


def test_k_means_finds_scikit_learns_centres(queue):
    kept = X.copy()
    right = cluster.KMeans(4, init=X[:4], n_init=1, tol=0).fit(X)
    for kind in {np.float32, kind_of(queue)}:
        found = dal.train(queue, dal.kmeans.descriptor(4), X.astype(kind), X[:4])
        near(found.model.centroids, right.cluster_centers_)
        assert (found.responses == right.labels_).all()
        near(found.objective_function_value, right.inertia_, 1e-4)
        again = dal.infer(queue, dal.kmeans.descriptor(4), found.model, X[:9].astype(kind))
        assert (again.responses == right.labels_[:9]).all()
    assert (X == kept).all()


def test_clusters_without_rows_get_the_farthest_one(queue):
    x = np.float32([[0, 0], [0, 1], [9, 9], [9, 8], [30, 0]])
    begin = np.float32([[0, 0], [9, 9], [100, 100]])
    found = dal.train(queue, dal.kmeans.descriptor(3), x, begin)
    right = cluster.KMeans(3, init=begin, n_init=1, tol=0).fit(x)
    near(found.model.centroids, right.cluster_centers_)


@pytest.mark.parametrize("method", ["dense", "random_dense", "plus_plus_dense",
                                    "parallel_plus_dense"])
def test_centres_begin_at_rows_that_differ(queue, method):
    x = X.astype(np.float32)
    desc = dal.kmeans_init.descriptor(4, method, seed=3)
    found = dal.compute(queue, desc, x).centroids
    assert len({tuple(c) for c in found} & {tuple(r) for r in x}) == 4
    assert (dal.compute(queue, desc, x).centroids == found).all()
    if "plus" in method:  # far apart: each cluster has one
        near_to = ((found[:, None] - CENTRES) ** 2).sum(-1).argmin(1)
        assert len(set(near_to)) >= 3


def test_dbscan_numbers_clusters_as_scikit_learn_does(queue):
    for eps, least in ((0.8, 3), (1.4, 5), (0.05, 2)):
        right = cluster.DBSCAN(eps=eps, min_samples=least).fit(X.astype(np.float32))
        found = dal.compute(queue, dal.dbscan.descriptor(eps, least), X.astype(np.float32))
        assert (found.responses == right.labels_).all()
        assert (found.core_observation_indices == right.core_sample_indices_).all()
        assert found.cluster_count == right.labels_.max() + 1
    line = RNG.permutation(50).astype(np.float32)[:, None]  # one long chain
    assert dal.compute(queue, dal.dbscan.descriptor(1.0, 2), line).cluster_count == 1


@pytest.mark.parametrize("p", [2.0, 1.0, 3.0, np.inf])
def test_neighbours_are_scikit_learns(queue, p):
    kind = kind_of(queue)
    asked = (X[:13] + 0.25).astype(kind)
    right = neighbors.KNeighborsClassifier(4, p=p, weights="distance", algorithm="brute").fit(
        X.astype(kind), LABELS)
    far = (dal.chebyshev_distance if np.isinf(p) else dal.minkowski_distance).descriptor()
    if not np.isinf(p):
        far.set_degree(p)
    desc = dal.knn.descriptor(4, 4, "classification", "distance", far)
    fitted = dal.train(queue, desc, X.astype(kind), LABELS).model
    found = dal.infer(queue, desc, fitted, asked)
    far_away, ids = right.kneighbors(asked)
    assert (found.indices == ids).all()
    near(found.distances, far_away)
    near(found.probabilities, right.predict_proba(asked))
    assert (found.responses == right.predict(asked)).all()
    desc = dal.knn.descriptor(4, task="regression")
    value = neighbors.KNeighborsRegressor(4, algorithm="brute").fit(X, X[:, 0])
    found = dal.infer(queue, desc, dal.train(queue, desc, X.astype(kind), X[:, 0]).model, asked)
    near(found.responses, value.predict(asked))


def test_principal_components_are_scikit_learns(queue):
    kind = kind_of(queue)
    for whiten in (False, True):
        right = decomposition.PCA(2, whiten=whiten).fit(X)
        desc = dal.pca.descriptor(2, whiten=whiten)
        found = dal.train(queue, desc, X.astype(kind))
        near(found.eigenvectors, right.components_)
        near(found.eigenvalues, right.explained_variance_)
        near(found.explained_variances_ratio, right.explained_variance_ratio_)
        near(found.singular_values, right.singular_values_)
        near(dal.infer(queue, desc, found.model, X.astype(kind)).transformed_data,
             right.transform(X), 1e-4)
    scaled = dal.train(queue, dal.pca.descriptor(normalization="zscore"), X.astype(kind))
    near(scaled.eigenvalues, np.linalg.eigvalsh(np.corrcoef(X.T))[::-1])


def test_covariance_and_statistics_are_numpys(queue):
    kind = kind_of(queue)
    x = (X + 1000).astype(kind)  # far from zero, where squares would cancel
    found = dal.compute(queue, dal.covariance.descriptor(("cov_matrix", "cor_matrix", "means")), x)
    right = np.cov(x.T.astype(np.float64))
    near(found.cov_matrix, right, 1e-4)
    near(found.cor_matrix, np.corrcoef(x.T.astype(np.float64)), 1e-4)
    biased = dal.compute(queue, dal.covariance.descriptor(bias=True), x)
    near(biased.cov_matrix, right * 59 / 60, 1e-4)
    found = dal.compute(queue, dal.basic_statistics.descriptor(), x)
    wide = x.astype(np.float64)
    for name, value in {"min": wide.min(0), "max": wide.max(0), "sum": wide.sum(0),
                        "mean": wide.mean(0), "variance": wide.var(0, ddof=1),
                        "standard_deviation": wide.std(0, ddof=1),
                        "sum_squares": (wide ** 2).sum(0),
                        "sum_squares_centered": wide.var(0) * 60,
                        "second_order_raw_moment": (wide ** 2).mean(0),
                        "variation": wide.std(0, ddof=1) / wide.mean(0)}.items():
        assert np.allclose(getattr(found, name), value, rtol=1e-4), name


def test_products_of_columns_are_right_wherever_the_mean_lies(queue, monkeypatch):
    monkeypatch.setattr(moments, "PART", 100)
    monkeypatch.setattr(moments, "_SAMPLE", 32)  # every fourth row is looked at for the mean
    x = RNG.standard_normal((130, 9)).astype(np.float32) + np.float32(1000)
    fourth = 30 * (np.arange(130) % 4 == 0)[:, None]
    for given in (x, (x + fourth).astype(np.float32)):
        found = dal.compute(queue, dal.covariance.descriptor(), given)
        right = np.cov(given.T.astype(np.float64))
        assert np.allclose(found.cov_matrix, right, rtol=1e-5, atol=1e-5 * right.max())
        assert (found.cov_matrix == found.cov_matrix.T).all()
        near(found.means, given.mean(0, np.float64))


def test_linear_and_ridge_regression_are_scikit_learns(queue):
    kind = kind_of(queue)
    y = X @ RNG.standard_normal((3, 2)) + 3 + 0.1 * RNG.standard_normal((60, 2))
    for alpha, intercept in ((0, True), (2.5, True), (2.5, False)):
        right = (linear_model.Ridge(alpha, fit_intercept=intercept) if alpha
                 else linear_model.LinearRegression()).fit(X, y)
        desc = dal.linear_regression.descriptor(intercept, alpha)
        found = dal.train(queue, desc, X.astype(kind), y)
        near(found.coefficients, right.coef_)
        near(found.intercept, right.intercept_)
        near(dal.infer(queue, desc, found.model, X.astype(kind)).responses, right.predict(X), 1e-4)
    twice = np.hstack([X, X[:, :1]])
    desc = dal.linear_regression.descriptor(on_singular="least_norm")
    right = linear_model.LinearRegression().fit(twice, y)
    near(dal.train(queue, desc, twice.astype(kind), y).coefficients, right.coef_, 1e-4)


@pytest.mark.parametrize("classes", [2, 4])
def test_logistic_regression_is_scikit_learns(queue, classes):
    kind = kind_of(queue)
    right = linear_model.LogisticRegression(tol=1e-9, max_iter=1000).fit(X, LABELS % classes)
    desc = dal.logistic_regression.descriptor(classes, tolerance=1e-5)
    found = dal.train(queue, desc, X.astype(kind), LABELS % classes)
    assert found.converged
    near(found.model.coefficients, right.coef_, 1e-3)
    said = dal.infer(queue, desc, found.model, X.astype(kind))
    near(said.probabilities, right.predict_proba(X), 1e-3)


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid"])
@pytest.mark.parametrize("provider", ["kernels", "sklearn"])
def test_support_vector_machines_are_scikit_learns(queue, kernel, provider):
    x = X.astype(kind_of(queue)) / 4
    ours = {"linear": dal.linear_kernel.descriptor(),
            "poly": dal.polynomial_kernel.descriptor(0.5, 1.0, 2),
            "rbf": dal.rbf_kernel.descriptor(1.0),
            "sigmoid": dal.sigmoid_kernel.descriptor(0.5, 0.1)}[kernel]
    how = {"kernel": kernel, "gamma": 0.5, "degree": 2, "tol": 1e-5,
           "coef0": {"poly": 1.0, "sigmoid": 0.1}.get(kernel, 0.0)}
    with dal.using("dal", provider):
        assert dal.provider_of(queue, "svm.train").name == provider
        _compare_machines(queue, ours, how, x)


def _compare_machines(queue, ours, how, x):
    for classes in (2, 4):
        y = LABELS % classes
        right = svm.SVC(decision_function_shape="ovo", **how).fit(x, y)
        desc = dal.svm.descriptor(ours, class_count=classes, accuracy_threshold=1e-5)
        fitted = dal.train(queue, desc, x, y).model
        with dal.using("dal", "kernels"):
            found = dal.infer(queue, desc, fitted, x)
        near(found.decision_function.reshape(60, -1),
             right.decision_function(x).reshape(60, -1), 2e-3)
        assert (found.responses == right.predict(x)).mean() > 0.98
    desc = dal.svm.descriptor(ours, task="regression", accuracy_threshold=1e-5)
    fitted = dal.train(queue, desc, x, X[:, 0]).model
    with dal.using("dal", "kernels"):
        found = dal.infer(queue, desc, fitted, x)
    near(found.responses, svm.SVR(**how).fit(x, X[:, 0]).predict(x), 5e-3)


def test_a_tree_of_all_values_is_scikit_learns_and_forests_learn(queue):
    kind = kind_of(queue)
    x = X.astype(kind)
    asked = (X + 0.3).astype(kind)
    one = {"tree_count": 1, "bootstrap": False, "features_per_node": 3, "max_bins": 1000,
           "max_tree_depth": 3}
    desc = dal.decision_forest.descriptor(class_count=4, **one)
    found = dal.train(queue, desc, x, LABELS)
    right = tree.DecisionTreeClassifier(max_depth=3, random_state=0).fit(x, LABELS)
    assert (dal.infer(queue, desc, found.model, asked).responses
            == right.predict(asked)).mean() > 0.9  # splits may be equally good
    assert abs(dal.infer(queue, desc, found.model, x).probabilities.max(1).mean()
               - right.predict_proba(x).max(1).mean()) < 0.03
    near(found.var_importance.sum(), 1)
    y = np.where(X[:, 0] > 0, 5.0, X[:, 1])
    desc = dal.decision_forest.descriptor("regression", **one)
    said = dal.infer(queue, desc, dal.train(queue, desc, x, y).model, x).responses
    right = tree.DecisionTreeRegressor(max_depth=3, random_state=0).fit(x, y).predict(x)
    assert ((said - y) ** 2).sum() <= 1.02 * ((right - y) ** 2).sum() + 1e-4
    desc = dal.decision_forest.descriptor(class_count=4, tree_count=6, seed=1)
    forest = dal.train(queue, desc, x, LABELS).model
    said = dal.infer(queue, desc, forest, x)
    assert (said.responses == LABELS).mean() > 0.9
    assert (dal.infer(queue, desc, dal.train(queue, desc, x, LABELS).model, x).probabilities
            == said.probabilities).all()


@pytest.mark.parametrize(("ours", "name", "more"), [
    (dal.minkowski_distance.descriptor(), "euclidean", {}),
    (dal.minkowski_distance.descriptor(1), "cityblock", {}),
    (dal.minkowski_distance.descriptor(3.5), "minkowski", {"p": 3.5}),
    (dal.squared_euclidean_distance.descriptor(), "sqeuclidean", {}),
    (dal.chebyshev_distance.descriptor(), "chebyshev", {}),
    (dal.cosine_distance.descriptor(), "cosine", {}),
    (dal.correlation_distance.descriptor(), "correlation", {})])
def test_distances_are_scipys(queue, ours, name, more):
    x = X.astype(kind_of(queue))
    near(dal.compute(queue, ours, x, x[:7]).values, distance.cdist(x, x[:7], name, **more))


def test_very_small_and_large_numbers_have_their_distances(queue):
    x, y = X[:9].astype(np.float32), X[9:15].astype(np.float32)
    for degree in (2, 3):
        desc = dal.minkowski_distance.descriptor(degree)
        right = distance.cdist(x, y, "minkowski", p=degree)
        for scale in (2.0**-90, 2.0**80):
            by = np.float32(scale)
            near(dal.compute(queue, desc, x * by, y * by).values / by, right)
    tiny = x * np.float32(2.0**-90)                 # whose squares vanish, so no order is found
    nearest = dal.knn.descriptor(2)
    with pytest.raises(dal.domain_error, match="scale the columns"):
        dal.infer(queue, nearest, dal.train(queue, nearest, tiny).model, tiny)
    with pytest.raises(dal.domain_error, match="scale the columns"):
        dal.train(queue, dal.kmeans.descriptor(2), tiny, tiny[:2])
    same = np.ones((3, 2), np.float32)              # here nothing vanishes: all are 0
    found = dal.infer(queue, nearest, dal.train(queue, nearest, same).model, same)
    assert not found.distances.any()


def test_kernel_functions_are_scikit_learns(queue):
    x = X.astype(kind_of(queue))
    y = x[:5]
    for ours, right in (
            (dal.linear_kernel.descriptor(2, 1), 2 * x @ y.T + 1),
            (dal.polynomial_kernel.descriptor(0.5, 1, 4),
             pairwise.polynomial_kernel(x, y, 4, 0.5, 1)),
            (dal.polynomial_kernel.descriptor(0.5, 1, 0), np.ones((60, 5))),
            (dal.rbf_kernel.descriptor(2), pairwise.rbf_kernel(x, y, 1 / 8)),
            (dal.sigmoid_kernel.descriptor(0.1, 1), pairwise.sigmoid_kernel(x, y, 0.1, 1))):
        near(dal.compute(queue, ours, x, y).values, right, 1e-4)
