"""Attributes, loop controls and memory hints of kernels for hardware descriptions."""

from __future__ import annotations

import re

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.refusals import code_of
from unisycl.runtime.launch import compiled_kernels

x = sycl.ext.oneapi.experimental
intel = sycl.ext.intel


def one(it, p):
    p[it.get_global_linear_id()] += 1


def item(i, p):
    p[i] += 1


def single(p):
    p[0] += 1


@pytest.mark.row("K-12")
def test_a_work_group_larger_than_allowed_is_refused(queue: sycl.queue) -> None:
    p = np.zeros(64, np.int32)
    for sizes in ((8,), (4, 2)):
        kernel = sycl.kernel(properties=[intel.max_work_group_size(*sizes)])(one)
        space = (8,) * len(sizes)
        queue.parallel_for(sycl.nd_range(space, sizes), kernel, p).wait()
        queue.parallel_for(sycl.nd_range(space, (2,) * len(sizes)), kernel, p).wait()
        large = (*sizes[:-1], 2 * sizes[-1])
        with pytest.raises(sycl.exception, match="max_work_group_size") as caught:
            queue.parallel_for(sycl.nd_range(tuple(2 * s for s in space), large), kernel, p)
        assert caught.value.code() == sycl.errc.nd_range
    assert code_of(queue.parallel_for, sycl.nd_range(16, 16),
                   x.properties(intel.max_work_group_size(8)), one, p) == sycl.errc.nd_range
    assert p[:8].tolist() == [4] * 8


@pytest.mark.row("K-12")
def test_dimensions_and_offsets_are_limited(queue: sycl.queue) -> None:
    p = np.zeros(64, np.int32)
    none = x.properties(intel.max_global_work_dim(0))
    queue.single_task(none, single, p).wait()
    assert code_of(queue.parallel_for, 4, none, item, p) == sycl.errc.nd_range
    flat = x.properties(intel.max_global_work_dim(1), intel.no_global_work_offset())
    queue.parallel_for(4, flat, item, p).wait()
    for _ in range(2):
        assert code_of(queue.parallel_for, sycl.nd_range((4, 4), (2, 2)), flat, one,
                       p) == sycl.errc.nd_range
        assert code_of(queue.parallel_for, sycl.nd_range(4, 2, 1), flat, one,
                       p) == sycl.errc.nd_range
    queue.parallel_for(sycl.nd_range(4, 2, 0), flat, one, p).wait()
    assert p[:4].tolist() == [3, 2, 2, 2]


@pytest.mark.row("K-12")
def test_hints_change_nothing_and_are_reported(queue: sycl.queue) -> None:
    p = np.zeros(8, np.int32)
    given = x.properties(intel.num_simd_work_items(4), intel.scheduler_target_fmax_mhz(300),
                         intel.min_work_groups_per_cu(2), x.work_group_size(8))
    kernel = sycl.kernel(properties=given)(one)
    queue.parallel_for(sycl.nd_range(8, 8), kernel, p).wait()
    assert p.tolist() == [1] * 8
    report = kernel.report(queue, sycl.nd_range(8, 8), p)
    for word in ("num_simd_work_items(4)", "scheduler_target_fmax_mhz(300)",
                 "min_work_groups_per_cu(2)"):
        assert word in report.partition("attributes: ")[2].partition("\n")[0]
    odd = x.properties(intel.num_simd_work_items(3), x.work_group_size(8))
    assert code_of(queue.parallel_for, sycl.nd_range(8, 8), odd, one, p) == sycl.errc.invalid
    for wrong in (lambda: intel.max_work_group_size(0), lambda: intel.max_global_work_dim(-1),
                  lambda: intel.num_simd_work_items("4"),
                  lambda: intel.scheduler_target_fmax_mhz(0)):
        assert code_of(wrong) == sycl.errc.invalid


def controlled(i, p, n):
    for j in intel.unroll(range(8), 4):
        p[i] = p[i] * 3 + j
    for j in intel.initiation_interval(intel.ivdep(range(n), p, 2), 3):
        p[i] ^= j
        for k in intel.loop_coalesce(intel.max_concurrency(range(2), 1)):
            p[i] += k
            if p[i] == 12345:
                break
    for j in intel.speculated_iterations(intel.max_interleaving(range(n, 0, -1), 2), 0):
        p[i] -= j
    for j in intel.disable_loop_pipelining((1, 2)):
        p[i] += j
    for j in intel.unroll(range(3)):
        p[i] += i * j


@pytest.mark.row("K-12")
@pytest.mark.parametrize("n", [0, 1, 5])
def test_loop_controls_change_no_result(queue: sycl.queue, n: int) -> None:
    def plainly(i: int, v: int) -> int:
        for j in range(8):
            v = v * 3 + j
        for j in range(n):
            v ^= j
            for k in range(2):
                v += k
                if v == 12345:
                    break
        for j in range(n, 0, -1):
            v -= j
        return v + 3 + 3 * i

    given = np.arange(20, dtype=np.int64)
    got = given.copy()
    queue.parallel_for(20, controlled, got, n).wait()
    assert got.tolist() == [plainly(i, int(v)) for i, v in enumerate(given)]


@pytest.mark.row("K-12")
def test_unrolling_is_in_the_code(queue: sycl.queue) -> None:
    def rolled(i, p, n):
        for j in range(n):
            p[j] = p[j] * p[i] + p[i]

    def unrolled(i, p, n):
        for j in intel.unroll(range(n), 16):
            p[j] = p[j] * p[i] + p[i]

    found = []
    for kernel in (rolled, unrolled):
        with compiled_kernels.kernels() as seen:
            queue.single_task(sycl.kernel(lambda p, n, k=kernel: k(0, p, n)),
                              np.ones(4, np.float32), 4).wait()
        found.append(seen[0])
    assert "unroll(16)" in found[1].ir_text()
    assert "unroll" not in found[0].ir_text()
    if queue.get_device().get_backend() is sycl.backend.cpu:
        plain, more = (len(re.findall(r"= fmul |call .*@llvm\.fma\.", f.llvm_text()))
                       for f in found)
        assert more > plain  # which some processors have by themselves four times


@pytest.mark.row("K-12")
def test_controls_are_given_whole_numbers(queue: sycl.queue) -> None:
    def unknown(i, p, n):
        for j in intel.unroll(range(8), n):
            p[i] += j

    def below(i, p, n):
        for j in intel.initiation_interval(range(8), 0):
            p[i] += j

    def many(i, p, n):
        for j in intel.max_concurrency(range(8), 1, 2):
            p[i] += j

    for kernel in (unknown, below, many):
        with pytest.raises(sycl.exception):
            queue.parallel_for(4, kernel, np.zeros(4, np.int64), np.int32(2))
    assert code_of(intel.unroll, range(8), -1) == sycl.errc.invalid
    assert list(intel.unroll(range(3), 2)) == [0, 1, 2]


@pytest.mark.row("K-14")
def test_hints_about_memory_change_nothing(queue: sycl.queue) -> None:
    reading = intel.lsu(prefetch=True, cache=1024)
    writing = intel.lsu(burst_coalesce=True)

    def kernel(i, p, out):
        own = intel.fpga_mem(sycl.private_array(np.float32, 4), "BLOCK_RAM", "numbanks(2)")
        own[i % 4] = intel.fpga_reg(reading.load(sycl.multi_ptr(p) + i))
        writing.store(sycl.multi_ptr(out) + i, own[i % 4] + intel.fpga_reg(1))

    given = np.arange(9, dtype=np.float32)
    out = np.zeros(9, np.float32)
    queue.parallel_for(9, kernel, given, out).wait()
    assert out.tolist() == (given + 1).tolist()
    report = sycl.kernel(kernel).report(queue, 9, given, out)
    assert "16 bytes of float32; asked: BLOCK_RAM numbanks(2)" in report
    assert intel.fpga_reg(7) == 7


@pytest.mark.row("K-14")
def test_places_of_buffers_are_accepted_and_inert(queue: sycl.queue) -> None:
    data = np.ones(4, np.int32)
    with sycl.buffer(data, intel.mem_channel(1)) as b:
        def group(h: sycl.handler) -> None:
            acc = sycl.accessor(b, h, sycl.read_write, intel.buffer_location(2))
            h.parallel_for(4, lambda i: add_to(acc, i))
        queue.submit(group)
    assert data.tolist() == [2] * 4
    for wrong in (lambda: intel.mem_channel(-1), lambda: intel.buffer_location("a"),
                  lambda: sycl.buffer(data, intel.buffer_location(1))):
        assert code_of(wrong) == sycl.errc.invalid


def add_to(acc, i):
    acc[i] += 1


packets = intel.pipe(np.int32, 8)


@pytest.mark.row("K-15")
def test_a_report_lists_loops_memories_and_pipes(queue: sycl.queue) -> None:
    def work(n, p):
        tile = sycl.private_array(np.int32, (2, 4))
        for j in intel.initiation_interval(intel.unroll(range(8), 2), 3):
            tile[j % 2, j % 4] = j
        for j in range(n):
            k = 0
            while k < 3:
                k += 1
            p[j] = tile[j % 2, 0] + k
        if packets.write_nb(n):
            p[0] = 1

    p = np.zeros(4, np.int32)
    report = sycl.kernel(work).report(queue, None, 3, p)
    first = work.__code__.co_firstlineno
    assert f"kernel work at {__file__}:{first}" in report
    assert f"line {first + 2}: for over j, 8 turns; requested II 3, unrolled by 2" in report
    assert f"line {first + 4}: for over j, a run-time number of turns; II as the comp" in report
    assert f"    line {first + 6}: while" in report
    assert "private, 32 bytes of int32" in report
    assert "packets: packets of int32, capacity 8; write_nb" in report
    assert p.tolist() == [0] * 4  # nothing was run
    assert "loops:\n  none" in queue.ext_unisycl_report(4, item, p)
    with pytest.raises(sycl.exception):
        queue.ext_unisycl_report(4, lambda i, p: p.nothing, p)
