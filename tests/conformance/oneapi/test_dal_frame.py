"""oneDAL's tables, and its modes: in one batch, table by table, over ranks."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from tests.moments import turns_for
from tests.runtimes import skip_where_one_kernel_cannot_overlap
from unisycl.oneapi import ccl, dal

pytestmark = pytest.mark.row("L-19")

X = np.random.default_rng(2).standard_normal((40, 3)) * [1, 5, 0.2] + [100, 0, -3]
Y = X @ [[1.0], [2], [3]] + 0.01 * np.random.default_rng(3).standard_normal((40, 1))


def kind_of(queue):
    return np.float64 if queue.get_device().has(sycl.aspect.fp64) else np.float32


def means(queue, data):
    return dal.compute(queue, dal.basic_statistics.descriptor(("mean", "min")), data)


def test_tables_of_every_origin_say_the_same(queue):
    small = np.arange(12, dtype=np.float32).reshape(4, 3) % 5
    shared = sycl.malloc_shared(12, np.float32, queue)
    shared[:] = small.ravel()
    turned = sycl.malloc_shared(12, np.float32, queue)
    turned[:] = small.T.ravel()
    device = sycl.malloc_device(12, np.float32, queue)
    queue.copy(small.ravel().copy(), device, 12).wait()
    bases = np.array([1, 3, 5, 7, 9]), np.array([2, 3, 1, 3, 2, 3, 1, 2])
    values = np.float32([1, 2, 3, 4, 1, 2, 4, 9])
    stored = np.zeros((4, 3), np.float32)
    stored[[0, 0, 1, 1, 2, 2, 3, 3], bases[1] - 1] = values
    for data, right in (
            (small, small), (np.asfortranarray(small), small), (small.astype(np.int64), small),
            (small[::-1, ::2], small[::-1, ::2]), (small[:, 1], small[:, 1:2]),
            (small.tolist(), small), (dal.homogen_table(shared, 4, 3), small),
            (dal.homogen_table(turned, 4, 3, layout="column_major"), small),
            (dal.homogen_table(device, 4, 3), small), (sycl.buffer(small.copy()), small),
            (dal.csr_table(values, bases[1], bases[0], 3, indexing=1), stored)):
        found = means(queue, data if not isinstance(data, list) else np.float32(data))
        assert np.allclose(found.mean, right.mean(0), atol=1e-6)
        assert np.allclose(found.min, right.min(0))
    assert (dal.row_accessor(dal.homogen_table(small)).pull(1, 3) == small[1:3]).all()
    assert (dal.column_accessor(dal.homogen_table(small)).pull(1) == small[:, 1]).all()
    assert dal.homogen_table(small).array() is not None
    assert np.shares_memory(dal.homogen_table(small).array(), small)


def test_tables_of_scipy_arrow_and_pandas(queue):
    sparse = pytest.importorskip("scipy.sparse", reason="SciPy is not installed")
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    x = np.float32([[0, 2], [3, 0], [5, 7]])
    table = arrow.table({"a": x[:, 0], "b": x[:, 1]})
    for data in (sparse.csr_matrix(x), sparse.coo_array(x), table, pandas.DataFrame(x)):
        assert np.allclose(means(queue, data).mean, x.mean(0))
    for wrong in (arrow.table({"a": [1.0, None]}), arrow.table({"a": ["x"]}),
                  pandas.DataFrame({"a": ["x", "y"]})):
        with pytest.raises(dal.invalid_argument, match=r"lacks 1|has (large_)?string|type|numbers"):
            means(queue, wrong)


def online(queue, desc, parts, verb):
    state = None
    add, end = ((dal.partial_compute, dal.finalize_compute) if verb == "compute"
                else (dal.partial_train, dal.finalize_train))
    for part in parts:
        state = add(queue, desc, state, *part)
    return end(queue, desc, state)


MODES = {
    "statistics": (dal.basic_statistics.descriptor(("mean", "variance", "min", "max", "sum")),
                   "compute", False, ("mean", "variance", "min", "max", "sum")),
    "covariance": (dal.covariance.descriptor(("cov_matrix", "cor_matrix", "means")), "compute",
                   False, ("cov_matrix", "cor_matrix", "means")),
    "pca": (dal.pca.descriptor(2), "train", False, ("eigenvalues", "eigenvectors", "means")),
    "regression": (dal.linear_regression.descriptor(), "train", True,
                   ("coefficients", "intercept")),
}


@pytest.mark.parametrize("mode", MODES)
def test_batch_online_and_ranks_agree(queue, mode):
    desc, verb, supervised, fields = MODES[mode]
    kind = kind_of(queue)
    tables = (X.astype(kind), Y.astype(kind)) if supervised else (X.astype(kind),)
    whole = getattr(dal, verb)(queue, desc, *tables)
    cuts = [tuple(t[a:b] for t in tables) for a, b in ((0, 7), (7, 8), (8, 40))]
    slack = 1e-9 if kind == np.float64 else 2e-3

    def agrees(result):
        for field in fields:
            assert np.allclose(getattr(result, field), getattr(whole, field), rtol=slack,
                               atol=slack), field

    agrees(online(queue, desc, cuts, verb))
    skip_where_one_kernel_cannot_overlap(queue.get_device())
    for result in ccl.run_threads(2, lambda comm: getattr(dal, verb)(
            queue, desc, *(t[:11] if comm.rank() == 0 else t[11:] for t in tables), comm=comm)):
        agrees(result)


def test_ranks_find_what_one_finds(queue):
    skip_where_one_kernel_cannot_overlap(queue.get_device())
    x = X.astype(np.float32)
    begin = x[:3]
    desc = dal.kmeans.descriptor(3)
    near = dal.knn.descriptor(3)
    sides = [x[:25], x[25:]]
    kept = dal.logistic_regression.descriptor(2, tolerance=1e-4)
    y = (X[:, 1] > 0).astype(np.int32)
    scaled = ((X - X.mean(0)) / X.std(0)).astype(np.float32)

    def rank(comm):
        r = comm.rank()
        part = slice(0, 25) if r == 0 else slice(25, 40)
        return (dal.train(queue, desc, sides[r], begin, comm=comm),
                dal.infer(queue, near, dal.train(queue, near, sides[r]).model, x[:6], comm=comm),
                dal.train(queue, kept, scaled[part], y[part], comm=comm))

    found = ccl.run_threads(2, rank)
    one = dal.train(queue, desc, x, begin)
    searched = dal.infer(queue, near, dal.train(queue, near, x).model, x[:6])
    told = dal.train(queue, kept, scaled, y)
    for means_of, there, line in found:
        assert np.allclose(means_of.model.centroids, one.model.centroids, rtol=1e-4)
        assert (there.indices == searched.indices).all()
        assert np.allclose(line.model.coefficients, told.model.coefficients, atol=1e-2)
    assert (np.concatenate([f[0].responses for f in found]) == one.responses).all()


def test_descriptors_are_set_read_and_checked():
    desc = dal.kmeans.descriptor(3).set_max_iteration_count(7)
    assert (desc.get_cluster_count(), desc.get_max_iteration_count()) == (3, 7)
    with pytest.raises(dal.invalid_argument, match="cluster_count must be a whole number of at"):
        desc.set_cluster_count(0)
    assert desc.cluster_count == 3
    for make in (lambda: dal.svm.descriptor(c=0), lambda: dal.knn.descriptor(task="x"),
                 lambda: dal.rbf_kernel.descriptor(0), lambda: dal.pca.descriptor(1.5),
                 lambda: dal.covariance.descriptor(("what",)),
                 lambda: dal.decision_forest.descriptor(max_bins=1)):
        with pytest.raises(dal.invalid_argument):
            make()


def test_what_is_wrong_is_refused_by_name(queue):
    x = X.astype(np.float32)
    holed = x.copy()
    holed[3, 1] = np.nan
    pairs = (
        (lambda: dal.train(queue, dal.kmeans.descriptor(41), x), "40 rows"),
        (lambda: dal.train(queue, dal.kmeans.descriptor(2), x, x[:3]), "3 centroids"),
        (lambda: dal.train(queue, dal.pca.descriptor(), holed), "1 elements .* NaN"),
        (lambda: dal.train(queue, dal.pca.descriptor(4), x), "3 components at most"),
        (lambda: dal.compute(queue, dal.covariance.descriptor(), x[:1]), "give 2 at least"),
        (lambda: dal.train(queue, dal.linear_regression.descriptor(), x[:2], Y[:2]),
         "are independent|are not at hand"),
        (lambda: dal.train(queue, dal.linear_regression.descriptor(), x, Y[:2]), "2 responses"),
        (lambda: dal.train(queue, dal.svm.descriptor(), x, np.zeros(40)), "class 1"),
        (lambda: dal.train(queue, dal.logistic_regression.descriptor(), x, np.arange(40)),
         "class_count"),
        (lambda: dal.infer(queue, dal.knn.descriptor(), dal.train(
            queue, dal.knn.descriptor(), x).model, x[:, :2]), "2 columns where the model has 3"),
        (lambda: dal.compute(queue, dal.cosine_distance.descriptor(), x * 0), "direction"),
        (lambda: dal.compute(queue, dal.kmeans.descriptor(), x), "kmeans has train, infer"),
        (lambda: dal.compute(queue, dal.dbscan.descriptor(), np.ones((2, 2, 2))), "dimensions"),
        (lambda: dal.csr_table([1.0], [3], [0, 1], 2), "not among the 2"),
        (lambda: dal.csr_table([1.0], [0], [0, 2], 2), "row_offsets"),
        (lambda: dal.compute(queue, None, x), "second argument"),
        (lambda: dal.train(queue, dal.kmeans.descriptor()), "data"),
    )
    for call, text in pairs:
        with pytest.raises((sycl.UsageError, sycl.UnsupportedError), match=text):
            call()
    alone = ccl.run_threads(1, lambda comm: _refused(queue, x, comm))
    assert alone == ["unimplemented"]


@pytest.mark.row("L-19")
def test_ranks_find_the_clusters_and_trees_of_one(queue):
    skip_where_one_kernel_cannot_overlap(queue.get_device())
    kind = kind_of(queue)
    x = np.concatenate([X[:, :2], X[:, :2] + 9, X[::2, :2] + [0, 9]]).astype(kind)
    y = (np.arange(len(x)) // 40 + (x[:, 0] > 0)).astype(np.int32)
    order = np.random.default_rng(5).permutation(len(x))
    x, y, w = x[order], y[order], np.linspace(1, 2, len(x)).astype(kind)
    near = dal.dbscan.descriptor(1.0, 4)
    trees = dal.decision_forest.descriptor(class_count=4, tree_count=5, max_bins=16)
    values = dal.decision_forest.descriptor(task="regression", tree_count=3, bootstrap=False,
                                            min_observations_in_leaf_node=3)
    numbers = (2 * x[:, 0] + x[:, 1]).astype(kind)

    def found(rows, comm=None):
        more = {} if comm is None else {"comm": comm}
        return (dal.compute(queue, near, x[rows], **more),
                dal.compute(queue, near, x[rows], w[rows], **more),
                dal.train(queue, trees, x[rows], y[rows], **more).model,
                dal.train(queue, values, x[rows], numbers[rows], **more).model)

    one = found(slice(None))
    sides = slice(0, 33), slice(33, None)
    both = ccl.run_threads(2, lambda comm: found(sides[comm.rank()], comm))
    assert one[0].cluster_count > 2
    for k in (0, 1):
        for field in ("responses", "core_flags"):
            assert (np.concatenate([getattr(f[k], field) for f in both])
                    == getattr(one[k], field)).all()
        assert {f[k].cluster_count for f in both} == {one[k].cluster_count}
    told = dal.infer(queue, trees, one[2], x).probabilities
    guessed = dal.infer(queue, values, one[3], x).responses
    for f in both:
        assert (dal.infer(queue, trees, f[2], x).probabilities == told).all()
        assert np.allclose(dal.infer(queue, values, f[3], x).responses, guessed, atol=1e-3)


def _refused(queue, x, comm):
    y = np.where(np.arange(x.shape[0]) % 2, 1, 0).astype(np.int32)
    try:
        dal.train(queue, dal.svm.descriptor(), x, y, comm=comm)
    except dal.unimplemented:
        return "unimplemented"
    return "computed"


def fill_slowly(i, x, n):
    s = np.float32(0)
    for k in range(n):
        s += np.sin(s + np.float32(k))
    x[i] = np.float32(1) + s * np.float32(1e-30)


def test_tables_that_commands_still_write_are_waited_for(queue):
    rounds = turns_for(queue, fill_slowly, np.float32)
    ordered = sycl.queue(queue.get_device(), sycl.property.queue.in_order())
    for q, named in ((queue, True), (ordered, False)):
        x = sycl.malloc_shared(8, np.float32, q)
        x[:] = 0
        seen = np.asarray(x.get_view())
        for data in (dal.homogen_table(x, 8, 1), seen[::2], seen[::-1].reshape(2, 4).T):
            seen[:] = 0
            event = q.parallel_for(8, fill_slowly, x, rounds)
            found = means(q, data) if not named else dal.compute(
                q, dal.basic_statistics.descriptor(("mean", "min")), data, dependencies=event)
            assert (np.round(found.mean) == 1).all()


def test_what_is_no_table_or_no_model_of_the_algorithm_is_refused(queue):
    x = X.astype(kind_of(queue))
    model = dal.train(queue, dal.pca.descriptor(2), x).model
    clusters = dal.kmeans.descriptor(2)
    for desc, given, verb in (
            (clusters, (None,), dal.train), (clusters, (model, x), dal.infer),
            (clusters, (x, x), dal.infer), (clusters, (model, None), dal.infer),
            (dal.covariance.descriptor(), (model,), dal.compute),
            (dal.covariance.descriptor(), (model, x), dal.partial_compute),
            (dal.pca.descriptor(2), (None,), dal.finalize_train),
            (clusters, (x, np.full((2, 3), np.nan)), dal.train)):
        with pytest.raises(dal.invalid_argument, match="argument behind|NaN") as caught:
            verb(queue, desc, *given)
        assert str(caught.value).count("errc.invalid") == 1
    hidden = np.ma.masked_array(x, mask=x > 100)
    with pytest.raises(dal.invalid_argument, match="masked"):
        means(queue, hidden)
    assert np.allclose(means(queue, np.ma.masked_array(x)).mean, x.mean(0), rtol=1e-5)


def test_distances_of_large_and_small_numbers_are_right_or_refused(queue):
    kind = kind_of(queue)
    x = np.random.default_rng(5).standard_normal((4, 3)).astype(kind)
    scale = kind(1e200 if kind is np.float64 else 1e30)
    for desc in (dal.cosine_distance.descriptor(), dal.correlation_distance.descriptor()):
        right = dal.compute(queue, desc, x).values
        for factor in (scale, 1 / scale):
            assert np.allclose(dal.compute(queue, desc, x * factor).values, right, atol=1e-5)
    desc = dal.minkowski_distance.descriptor()
    right = dal.compute(queue, desc, x).values
    for factor in (scale, 1 / scale):
        found = dal.compute(queue, desc, x * factor).values
        assert np.allclose(found / factor, right, rtol=1e-5, atol=0)
    with pytest.raises(dal.domain_error, match="beyond"):
        dal.compute(queue, dal.linear_kernel.descriptor(), x * scale)


def test_results_beyond_the_type_are_refused(queue):
    x = (np.random.default_rng(6).standard_normal((30, 3)) * 1e25).astype(np.float32)
    classes = np.arange(30) % 2
    for verb, desc, given in (
            (dal.compute, dal.basic_statistics.descriptor(), (x,)),
            (dal.compute, dal.covariance.descriptor(), (x,)),
            (dal.train, dal.pca.descriptor(2), (x,)),
            (dal.train, dal.logistic_regression.descriptor(), (x, classes)),
            (dal.train, dal.svm.descriptor(), (x, classes)),
            (dal.compute, dal.dbscan.descriptor(epsilon=1e25), (x,)),
            (dal.compute, dal.dbscan.descriptor(epsilon=1e-30), (x,))):
        with pytest.raises(dal.domain_error, match="beyond what"):
            verb(queue, desc, *given)


def test_tables_of_wrong_shapes_and_indices_are_refused():
    six = np.arange(6.0)
    for make in (lambda: dal.homogen_table(six, -2, -3), lambda: dal.homogen_table(six, "a"),
                 lambda: dal.homogen_table(six, 2.0, 3.0),
                 lambda: dal.homogen_table(six.reshape(2, 3), 3, 2, layout="column_major"),
                 lambda: dal.csr_table(six[:1], [0.5], [0, 1], 2),
                 lambda: dal.csr_table(six[:1], [0], [0, 1.5], 2),
                 lambda: dal.csr_table(six[:0], [], [0], -2),
                 lambda: dal.csr_table(six[:1], [0], [0, 1], "a")):
        with pytest.raises(dal.invalid_argument, match="whole number|one dimension"):
            make()
