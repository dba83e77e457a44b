"""Dicts that kernels capture: settings under names."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl

pytestmark = pytest.mark.row("D-11")
N = 5


class Model:
    def __init__(self):
        self.out = np.zeros(N)
        self.settings = {"dt": 0.5, "deep": {"k": np.float32(3)}}

    def step(self, i):
        self.out[i] = self.settings["dt"] * i + self.settings["deep"]["k"]


def test_what_is_under_a_key_is_read_at_each_launch(queue):
    out, table = np.zeros(N), np.arange(N) / 4
    steps = {1: 0.25, 2: 8.0}
    settings = {"a": 2.0, "b": 3, 7: 5.0, "table": table, "f": lambda v: v * 2, "mode": "fast"}

    def kernel(i):
        out[i] = settings["a"] * i + settings["b"] + settings[7] + settings["table"][i]
        if settings["mode"] == "fast":
            out[i] += settings["f"](i)
        if "more" in settings:
            out[i] += 100
        out[i] += settings.get("more", 0) + steps.get(i % 3, -0.5)

    changes = ({}, {"a": -1.5}, {"mode": "slow"}, {"more": 4}, {"b": 2.5}, {"f": lambda v: v - 1},
               {"mode": "fast"}, {"table": table[::-1]})
    for change in changes:
        settings.update(change)
        queue.parallel_for(N, kernel).wait()
        got = out.copy()
        for i in range(N):
            kernel(i)
        np.testing.assert_array_equal(got, out)
    del settings["more"]
    queue.parallel_for(N, kernel).wait()
    got = out.copy()
    for i in range(N):
        kernel(i)
    np.testing.assert_array_equal(got, out)


def test_attributes_and_arguments_may_be_dicts(queue):
    model = Model()
    queue.parallel_for(N, model.step).wait()
    np.testing.assert_array_equal(model.out, np.arange(N) * 0.5 + 3)
    model.settings["dt"] = 2.0
    queue.parallel_for(N, model.step).wait()
    np.testing.assert_array_equal(model.out, np.arange(N) * 2 + 3)
    out = np.zeros((N, 3))

    def kernel(i, weights):
        for name, w in weights.items():
            if name != "skipped":
                out[i, 0] += w * i
        for name in weights:
            out[i, 1] += weights[name]
        out[i, 2] = sum(weights.values())

    queue.parallel_for(N, kernel, {"x": 1.5, "y": 2, "skipped": 40}).wait()
    np.testing.assert_array_equal(out[:, 0], np.arange(N) * 3.5)
    assert (out[:, 1:] == 43.5).all()


@pytest.mark.parametrize(("name", "said"), [
    ("missing", "'settings' has no key 'dz'"), ("changed", "cannot change what it captured"),
    ("chosen", "a key of 'settings' must be known"), ("grown", "no attribute 'update'"),
    ("asked", r"get\(key, 0\)"),
])
def test_what_cannot_be_known_is_refused(queue, name, said):
    out, settings = np.zeros(N), {"dt": 1.0}

    def missing(i):
        out[i] = settings["dz"]

    def changed(i):
        settings["dt"] = out[i]

    def chosen(i):
        out[i] = settings[i]

    def grown(i):
        settings.update(dz=1)

    def asked(i):
        out[i] = {1: 2.0}.get(i)

    with pytest.raises(sycl.exception, match=said):
        queue.parallel_for(N, locals()[name]).wait()
    assert settings == {"dt": 1.0}
