"""OpenCL C's work_group_ and sub_group_ functions by their SYCL names (OpenCL 2 §6.13.15)."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.group.test_algorithms import sub_group_size, sub_group_sizes

LOCAL, COUNT = 24, 48
NAMES = ("barrier", "all", "any", "broadcast",
         *(f"{kind}_{op}" for kind in ("reduce", "scan_inclusive", "scan_exclusive")
           for op in ("add", "min", "max")))
OPS = {"add": (sycl.plus, np.add, 0), "min": (sycl.minimum, np.minimum, 2**31 - 1),
       "max": (sycl.maximum, np.maximum, -2**31)}


def answers(g, x, values, out, k):
    """Call the function of each name over a group and write what it gives."""
    sycl.group_barrier(g)
    out[0, k] = values[k]
    out[1, k] = sycl.all_of_group(g, x > -4)
    out[2, k] = sycl.any_of_group(g, x == 4)
    out[3, k] = sycl.group_broadcast(g, x, 1)
    out[4, k] = sycl.reduce_over_group(g, x, sycl.plus)
    out[5, k] = sycl.reduce_over_group(g, x, sycl.minimum)
    out[6, k] = sycl.reduce_over_group(g, x, sycl.maximum)
    out[7, k] = sycl.inclusive_scan_over_group(g, x, sycl.plus)
    out[8, k] = sycl.inclusive_scan_over_group(g, x, sycl.minimum)
    out[9, k] = sycl.inclusive_scan_over_group(g, x, sycl.maximum)
    out[10, k] = sycl.exclusive_scan_over_group(g, x, sycl.plus)
    out[11, k] = sycl.exclusive_scan_over_group(g, x, sycl.minimum)
    out[12, k] = sycl.exclusive_scan_over_group(g, x, sycl.maximum)


def expected(name, x):
    """Return what OpenCL's function of a name gives each item of a group that has ``x``."""
    kind, _, op = name.rpartition("_")
    if not kind:
        every = {"barrier": x, "all": (x > -4).all(), "any": (x == 4).any(), "broadcast": x[1]}
        return np.broadcast_to(every[name], x.shape)
    _, numpy, identity = OPS[op]
    if kind == "reduce":
        return np.full(x.shape, numpy.reduce(x))
    run = numpy.accumulate(x, dtype=np.int32)
    return run if kind == "scan_inclusive" else np.append(np.int32(identity), run[:-1])


@pytest.mark.row("D-43")
@pytest.mark.parametrize("scope", ["work_group", "sub_group"])
def test_collectives_of_opencl_have_their_values(queue, scope):
    x = np.random.default_rng(6).integers(-5, 6, COUNT).astype(np.int32)
    size = LOCAL
    if scope == "sub_group":  # all of one size, or one that is the group
        several = [s for s in sub_group_sizes(queue) if s > 1]
        size = next((s for s in several if LOCAL % s == 0), 0) or sub_group_size(queue, LOCAL)
    out = np.zeros((len(NAMES), COUNT), np.int32)

    def whole(it):
        k = it.get_global_id(0)
        answers(it.get_group(), x[k], x, out, k)

    def part(it):
        k = it.get_global_id(0)
        answers(it.get_sub_group(), x[k], x, out, k)
    kernel = whole if scope == "work_group" else sycl.kernel(reqd_sub_group_size=size)(part)
    queue.parallel_for(sycl.nd_range(COUNT, LOCAL), kernel).wait()
    for row, name in enumerate(NAMES):
        for first in (k for g in range(0, COUNT, LOCAL) for k in range(g, g + LOCAL, size)):
            mine = slice(first, min(first + size, first // LOCAL * LOCAL + LOCAL))
            found = expected(name, x[mine])
            assert found.tolist() == out[row, mine].tolist(), f"{scope}_{name}"
