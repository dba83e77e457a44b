"""What kernels ask of compilers for hardware is in their OpenCL C, and in nobody else's."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import unisycl as sycl
from tests.unit.backends.opencl.test_texts import OLD
from unisycl.backends.base import Geometry
from unisycl.backends.device.texts import key_of, source_of
from unisycl.backends.opencl.text.dialect import make_dialect
from unisycl.backends.opencl.text.quirks import Quirks
from unisycl.frontend.specialize import find

intel = sycl.ext.intel
x = sycl.ext.oneapi.experimental
BOARD = replace(OLD, kind="accelerator", extensions=OLD.extensions | {"cl_intel_channels"})
INTS = np.zeros(8, np.int32)


def text_of(device: Any, function: Any, geometry: Geometry, *arguments: Any) -> str:
    kernel = find(function, geometry.kind, 1, arguments, (), geometry.local)[0].kernel
    dialect = make_dialect(device, Quirks(), offsets=False)
    return source_of(kernel, key_of(kernel, geometry, device.facts()), dialect, device.facts()).text


@sycl.kernel(properties=x.properties(intel.max_global_work_dim(0), intel.no_global_work_offset(),
                                     intel.scheduler_target_fmax_mhz(300)))
def pipeline(p, n):
    for i in intel.initiation_interval(intel.unroll(range(n), 4), 2):
        p[i] += i
    for i in intel.ivdep(intel.loop_coalesce(intel.max_concurrency(range(n), 0)), 2):
        for j in intel.speculated_iterations(intel.max_interleaving(range(n), 1), 0):
            p[i] += j
    for i in intel.ivdep(intel.disable_loop_pipelining(intel.loop_coalesce(range(n), 2)), p):
        p[i] += 1


@sycl.kernel(properties=x.properties(intel.num_simd_work_items(4), intel.max_work_group_size(8)))
def wide(it, p):
    p[it.get_global_id(0)] = 1


def test_a_single_task_for_hardware() -> None:
    single = Geometry("single", (1,), (), (0,))
    text = text_of(BOARD, pipeline, single, INTS, 8)
    for word in ("max_global_work_dim(0)", "uses_global_work_offset(0)",
                 "scheduler_target_fmax_mhz(300)", "reqd_work_group_size(1, 1, 1)"):
        assert f"__attribute__(({word}))" in text
    loops = [[line for line in part.splitlines() if line.startswith("#pragma")]
             for part in text.partition("{")[2].split("for (")]
    assert [set(found) for found in loops] == [
        {"#pragma unroll 4", "#pragma ii 2"},
        {"#pragma ivdep safelen(2)", "#pragma loop_coalesce", "#pragma max_concurrency 0"},
        {"#pragma speculated_iterations 0", "#pragma max_interleaving 1"},
        {"#pragma ivdep", "#pragma disable_loop_pipelining", "#pragma loop_coalesce 2"}, set()]
    elsewhere = text_of(OLD, pipeline, single, INTS, 8)
    assert "max_global_work_dim" not in elsewhere
    assert ["#pragma unroll 4"] == [w for w in elsewhere.splitlines() if w.startswith("#pragma")]


def test_a_work_group_for_hardware() -> None:
    groups = Geometry("nd_range", (8,), (8,), (0,))
    assert "__attribute__((num_simd_work_items(4)))" in text_of(BOARD, wide, groups, INTS)
    assert "num_simd_work_items" not in text_of(OLD, wide, groups, INTS)
