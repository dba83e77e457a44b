"""Decision forests (oneDAL's decision_forest): classification and regression, by histograms.

All trees grow together, level by level: columns are put into bins once, and kernels count the bins
of each node and find its best split. Invariants: a seed gives the same trees on a device in every
run; a limit lies between values of the rows that were trained with.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unisycl.oneapi.dal.growing import Forest, Grower
from unisycl.oneapi.dal.kernels import records, trees
from unisycl.oneapi.dal.logistic_regression import classes_of
from unisycl.oneapi.dal.records import descriptor as _descriptor
from unisycl.oneapi.dal.records import record
from unisycl.oneapi.dal.tables import table
from unisycl.oneapi.dal.work import Array, Work


@dataclass
class descriptor(_descriptor):
    """What to compute.

    Args:
        task: "classification" or "regression".
        class_count: how many classes, numbered from 0.
        tree_count: how many trees.
        features_per_node: how many columns are tried at a node; 0 for the square root of all
            (classification) or a third (regression).
        max_tree_depth: how deep trees are at most; 0 for no limit.
        min_observations_in_leaf_node, min_observations_in_split_node: as their names say.
        max_bins: into how many bins values of a column are put; all values, if they are fewer.
        bootstrap: have each tree draw rows, with repetitions.
        seed: of the random numbers.
    """

    algorithm: ClassVar[str] = "decision_forest"
    task: str = "classification"
    class_count: int = 2
    tree_count: int = 100
    features_per_node: int = 0
    max_tree_depth: int = 0
    min_observations_in_leaf_node: int = 1
    min_observations_in_split_node: int = 2
    max_bins: int = 256
    bootstrap: bool = True
    seed: int = 777

    def check(self) -> None:
        self.choice("task", "classification", "regression")
        for name, least in (("class_count", 1), ("tree_count", 1), ("features_per_node", 0),
                            ("max_tree_depth", 0), ("min_observations_in_leaf_node", 1),
                            ("min_observations_in_split_node", 2), ("max_bins", 2), ("seed", 0)):
            self.whole(name, least)
        if self.max_bins > 65536:
            self.refuse(f"max_bins is at most 65536, got {self.max_bins}")


@dataclass
class model(record):
    """The trees, and how many columns the rows have."""

    forest: Forest
    column_count: int
    class_count: int


@dataclass
class train_result(record):
    """The model, and how much each column took from the impurity (adds up to 1)."""

    model: model
    var_importance: Array


@dataclass
class infer_result(record):
    """The class or the value of each row, and how likely each class is."""

    responses: Array
    probabilities: Array | None = None


def train(work: Work, desc: descriptor, data: table, responses: table) -> train_result:
    """Grow the trees for a table."""
    work.need_rows(data)
    if desc.features_per_node > data.column_count:
        work.refuse(f"features_per_node is {desc.features_per_node} of {data.column_count} columns")
    work.rows(data)
    values = work.array(data).astype(work.dtype)
    if desc.task == "classification":
        known = classes_of(work, desc, responses, data.row_count).astype(np.int32)
    else:
        known = work.values("the table of responses", responses, data.row_count).astype(
            np.float64 if work.doubles else np.float32)
    grower = Grower(work, desc, values, known)
    forest = grower.run()
    total = grower.importance.sum()
    return train_result(model(forest, data.column_count, desc.class_count),
                        grower.importance / total if total else grower.importance)


def infer(work: Work, desc: descriptor, fitted: model, data: table) -> infer_result:
    """Ask all trees about rows."""
    work.need_rows(data)
    work.need_columns(data, fitted.column_count)
    n, forest = data.row_count, fitted.forest
    width = forest.value.shape[1]
    x = records.rows(work.columns(data), np.int64(n), np.int64(data.column_count))
    given = trees.forest(work.put(forest.roots, np.int32), np.int32(forest.roots.size),
                         work.put(forest.column, np.int32), work.put(forest.limit),
                         work.put(forest.left, np.int32))
    out = work.empty(n * width)
    work.launch(n, trees.walk, x, given, np.int64(width), work.put(forest.value), out)
    found = work.host(out)[:n * width].reshape(width, n).T / forest.roots.size
    if desc.task == "regression":
        return infer_result(np.ascontiguousarray(found[:, 0]))
    return infer_result(found.argmax(1), np.ascontiguousarray(found))


ROUTINES = {"train": train, "infer": infer}
