"""The names and objects of SYCL 1.2 (``unisycl.compat12``)."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.refusals import code_of

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


ONCE = """
import sys, warnings
import unisycl
seen = []
warnings.showwarning = lambda message, *rest, **more: seen.append((str(message), rest[1]))
warnings.simplefilter("always")
for _ in range(2):
    from unisycl.compat12 import queue, nd_range
    from unisycl import compat12
    compat12.queue
    compat12.cpu_selector
assert 2 == len(seen), seen
assert all(file == "<string>" for _, file in seen), seen
assert "unisycl.queue" in seen[0][0], seen
names = [n for n in dir(compat12)]
for name in names:
    before = len(seen)
    first, again = (getattr(compat12, name) for _ in range(2))
    assert first is again and first is not None
    told = [text for text, _ in seen[before:]]
    here = name in compat12._HOMES and name not in ("queue", "cpu_selector")
    assert len(told) == here and all(f"'{name}' is SYCL 1.2; SYCL 2020 has" in t for t in told)
    assert here or name in ("CL_SYCL_LANGUAGE_VERSION", "queue", "cpu_selector") or (
        first is getattr(unisycl, name))
try:
    compat12.no_such_name
except AttributeError:
    print("fine", len(seen) <= len(names))
"""


@pytest.mark.row("X-9", "A-35")
def test_each_name_warns_once(old: Any) -> None:
    out = subprocess.run([sys.executable, "-c", ONCE], capture_output=True, text=True, check=False)
    assert out.stdout == "fine True\n", out.stderr
    assert 120 == old.CL_SYCL_LANGUAGE_VERSION
    assert sycl.nd_range is old.nd_range


@pytest.mark.row("X-9", "K-1", "K-2")
def test_selectors_are_objects(old: Any, device: sycl.device) -> None:
    if not sycl.device.get_devices(sycl.info.device_type.gpu):
        assert sycl.errc.runtime == code_of(old.queue, old.gpu_selector())
    if sycl.device.get_devices(sycl.info.device_type.cpu):
        assert old.queue(old.cpu_selector()).get_device().is_cpu()
    else:
        assert sycl.errc.runtime == code_of(old.queue, old.cpu_selector())
    assert old.queue(old.host_selector()).is_host()
    assert old.default_selector().select_device() in sycl.device.get_devices()

    class Mine(old.device_selector):
        def __call__(self, candidate: sycl.device) -> int:
            return 10 if candidate == device else -1
    assert device == Mine().select_device()
    assert device == old.queue(Mine()).get_device()
    with pytest.raises(TypeError):
        old.device_selector()


@pytest.mark.row("X-7", "X-9", "I-1")
def test_objects_know_whether_they_are_the_host(old: Any, q: Any, device: sycl.device) -> None:
    host = device.get_backend() is sycl.backend.host
    for one in (q, q.get_device(), q.get_context(), q.get_device().get_platform()):
        assert host == one.is_host()
        if device.get_backend() in (sycl.backend.host, sycl.backend.cpu):
            assert sycl.errc.backend_mismatch == code_of(one.get)
    assert device == q.get_device()


@pytest.mark.row("X-10")
def test_exceptions_have_their_old_methods(old: Any, q: Any) -> None:
    with pytest.raises(old.exception) as caught:
        q.get_info(sycl.info.device.name)
    assert caught.value.what() == caught.value.get_description()
    lists: list[Any] = []
    queue = old.queue(q.get_device(), lists.append)
    queue.submit(lambda h: h.host_task(lambda: 1 // 0))
    queue.wait_and_throw()
    assert isinstance(lists[0].errors[0], old.async_exception)
    native = old.cl_exception(sycl.errc.runtime, "refused", native_code=-54)
    assert -54 == native.get_cl_code()
    assert isinstance(native, sycl.exception)


@pytest.mark.row("X-10", "X-4")
def test_errors_that_nobody_handles_are_dropped(old: Any, q: Any) -> None:
    ran: list[int] = []
    q.submit(lambda h: h.host_task(lambda: (ran.append(1), 1 // 0)))
    q.wait_and_throw()
    assert ran == [1]


@pytest.mark.row("X-3", "E-9")
def test_a_queue_of_12_waits_at_its_end(old: Any, device: sycl.device) -> None:
    done: list[int] = []

    def slow() -> None:
        time.sleep(0.05)
        done.append(1)
    with old.queue(device) as q:
        q.submit(lambda h: h.host_task(slow))
    assert [1] == done
    q = old.queue(device)
    q.submit(lambda h: h.host_task(slow))
    del q
    assert [1, 1] == done


@pytest.mark.row("X-1")
def test_command_groups_in_both_spellings(old: Any, q: Any) -> None:
    results = []
    for spelling in ("old", "new"):
        data = np.zeros(64, np.int32)
        with old.buffer(data, old.range(64)) as b:
            if spelling == "old":
                def body(b: Any = b) -> None:
                    acc = b.get_access(old.access.write)

                    def kernel(i):
                        acc[i] = 2 * i
                    old.parallel_for(old.range(64), kernel, name="double")
                group = old.command_group(q, body)
                for event in (group.start_event(), group.kernel_event(), group.complete_event()):
                    event.wait()
            else:
                def modern(h: sycl.handler, b: Any = b) -> None:
                    acc = sycl.accessor(b, h, sycl.write_only)

                    @h.parallel_for(64)
                    def kernel(i):
                        acc[i] = 2 * i
                q.submit(modern)
        results.append(data.tolist())
    assert results[0] == results[1] == list(range(0, 128, 2))


@pytest.mark.row("X-1", "E-12")
def test_a_command_group_has_a_start_and_may_have_a_second_queue(old: Any, q: Any) -> None:
    go, b = threading.Event(), old.buffer(old.range(8), dtype=np.int32)

    def hold(h: sycl.handler) -> None:
        sycl.accessor(b, h, sycl.write_only_host_task)
        h.host_task(lambda: go.wait(10))
    first = q.submit(hold)

    def body() -> None:
        acc = b.get_access(old.access.discard_write)

        def kernel(i):
            acc[i] = 3
        old.parallel_for(old.range(8), kernel)
    group = old.command_group(q, old.queue(q.get_device()), body)
    status = sycl.info.event.command_execution_status
    assert sycl.info.event_command_status.complete != group.start_event().get_info(status)
    go.set()
    group.complete_event().wait()
    first.wait()
    for wrong in ((q,), (q, 3)):
        assert sycl.errc.invalid == code_of(old.command_group, *wrong)
    assert sycl.errc.invalid == code_of(old.parallel_for, old.range(3), body)
    assert sycl.errc.invalid == code_of(b.get_access, old.access.write)


@pytest.mark.row("B-21")
def test_modes_and_targets_that_do_not_go_together_are_refused(old: Any, q: Any) -> None:
    a, b = old.access, old.buffer(old.range(8), dtype=np.int32)
    allowed = {
        a.global_buffer: set(a.mode), a.host_buffer: set(a.mode) - {a.atomic},
        a.constant_buffer: {a.read}, a.local: {a.read, a.write, a.read_write, a.atomic}}
    refused = []

    def body() -> None:
        for where in a.target:
            for how in a.mode:
                source = np.int32 if where is a.local else b
                extent = [old.range(4)] if where is a.local else []
                if where is a.host_buffer:
                    continue
                try:
                    old.accessor(source, *extent, how, where)
                except sycl.exception as error:
                    refused.append((how, where, error.code()))
                else:
                    assert how in allowed[where]
        old.single_task(lambda: None)
    old.command_group(q, body)
    for how, where, code in refused:
        assert how not in allowed.get(where, ())
        native = where in (a.cl_buffer, a.cl_image, a.cl_gl_buffer)
        assert code == (sycl.errc.feature_not_supported if native else sycl.errc.invalid)
    for how in a.mode:
        if how in allowed[a.host_buffer]:
            old.accessor(b, how, a.host_buffer).close()
        else:
            assert sycl.errc.invalid == code_of(old.accessor, b, how, a.host_buffer)


@pytest.mark.row("X-6", "B-8")
def test_a_ranged_accessor_of_12_counts_from_the_start(old: Any, q: Any) -> None:
    data = np.arange(16, dtype=np.int32)
    with old.buffer(data) as b:
        def body() -> None:
            acc = b.get_access(old.access.read_write, old.range(4), old.id(10))
            assert (16, (4,), (10,)) == (
                acc.get_size(), tuple(acc.get_range()), tuple(acc.get_offset()))

            def kernel(i):
                acc[10 + i] += 100
            old.parallel_for(old.range(4), kernel)
        old.command_group(q, body)
        assert (64, 16) == (b.get_size(), b.get_count())
    assert [110, 111, 112, 113] == data[10:14].tolist()
    assert list(range(10)) == data[:10].tolist()


@pytest.mark.row("B-30")
def test_constant_buffers_are_read_and_limited(old: Any, q: Any) -> None:
    table, out = np.array([3, 1, 4, 1, 5], np.int32), np.zeros(5, np.int32)
    with old.buffer(table) as bt, old.buffer(out) as bo:
        def body() -> None:
            t = bt.get_access(old.access.read, old.access.constant_buffer)
            o = bo.get_access(old.access.write)

            def kernel(i):
                o[i] = t[i] * 2
            old.parallel_for(old.range(5), kernel)
        old.command_group(q, body)
    assert (2 * table).tolist() == out.tolist()
    most = q.get_device().get_info(sycl.info.device.max_constant_buffer_size)
    if most < 1 << 44:
        huge = old.buffer(old.range(most + 1), dtype=np.int8)

        def too_much() -> None:
            huge.get_access(old.access.read, old.access.constant_buffer)
        assert sycl.errc.accessor == code_of(old.command_group, q, too_much)


@pytest.mark.row("B-33", "D-34")
def test_a_histogram_by_atomic_accessors(old: Any, q: Any) -> None:
    data = np.random.default_rng(3).integers(0, 16, 4096 if q.is_host() else 100000)
    data = data.astype(np.int32)
    bins, other = np.zeros(16, np.int32), np.zeros((1, 16), np.uint32)
    with old.buffer(data) as bd, old.buffer(bins) as bb, old.buffer(other) as bo:
        def body() -> None:
            d, h = bd.get_access(old.access.read), bb.get_access(old.access.atomic)
            o = bo.get_access(old.access.atomic)

            def kernel(i):
                h[d[i]].fetch_add(1, old.memory_order_relaxed)
                o[0][d[i]].fetch_add(2)
            old.parallel_for(old.range(data.size), kernel)
        old.command_group(q, body)
    assert np.bincount(data, minlength=16).tolist() == bins.tolist() == (other[0] // 2).tolist()


@pytest.mark.row("B-33", "X-9")
def test_atomic_operations_are_functions_too(old: Any, q: Any) -> None:
    data = np.zeros(8, np.int32)
    with old.buffer(data) as b:
        def body() -> None:
            acc, order = b.get_access(old.access.atomic), old.memory_order_relaxed

            def kernel(i):
                old.atomic_store_explicit(acc[i], 5, order)
                old.atomic_fetch_add_explicit(acc[i], 3, order)
                before = old.atomic_load_explicit(acc[i], order)
                old.atomic_fetch_sub_explicit(acc[i], before - 7, order)
                old.atomic_fetch_or_explicit(acc[i], 8, order)
                old.atomic_fetch_xor_explicit(acc[i], 1, order)
                old.atomic_fetch_and_explicit(acc[i], 13, order)
                old.atomic_fetch_min_explicit(acc[i], 12, order)
                done, _ = old.atomic_compare_exchange_strong_explicit(
                    acc[i], 12, 77, order, order)
                if done:
                    old.atomic_fetch_max_explicit(acc[i], 100 + i, order)
                if i == 7:
                    old.atomic_exchange_explicit(acc[i], before, order)
            old.parallel_for(old.range(8), kernel)
        old.command_group(q, body)
    assert [100, 101, 102, 103, 104, 105, 106, 8] == data.tolist()


@pytest.mark.row("X-9")
def test_names_that_have_not_changed_are_those_of_2020(old: Any) -> None:
    for name in ("float4", "uchar16", "half2", "vec", "multi_ptr", "global_ptr", "address_space",
                 "mad24", "fast_length", "abs", "nd_item", "exception_list"):
        assert getattr(sycl, name) is getattr(old, name)
    everything: dict[str, Any] = {}
    exec("from unisycl.compat12 import *", everything)  # noqa: S102 - as a program of 1.2 begins
    assert {"float4", "sin", "command_group", "access", "atomic_load_explicit"} <= set(everything)
    assert not {"abs", "all", "any", "max", "min", "pow", "round"} & set(everything)


@pytest.mark.row("B-33")
def test_elements_of_an_atomic_accessor_are_no_numbers(old: Any, q: Any) -> None:
    b = old.buffer(old.range(8), dtype=np.int32)

    def run(kernel: Any) -> None:
        def body() -> None:
            acc = b.get_access(old.access.atomic)
            local = old.accessor(np.int32, old.range(4), old.access.atomic, old.access.local)
            old.parallel_for(old.nd_range(8, 4), lambda it: kernel(it, acc, local))
        old.command_group(q, body)

    def stores(it, acc, local):
        acc[it.get_global_id(0)] = 1

    def reads(it, acc, local):
        acc[0].store(acc[1] + 1)
    with pytest.raises(sycl.KernelError, match="K072"):
        run(stores)
    with pytest.raises(sycl.KernelError, match="atomic_ref"):
        run(reads)


@pytest.mark.row("X-9", "C-5", "C-6")
def test_hierarchical_kernels_in_the_old_spelling(old: Any, q: Any) -> None:
    out = np.zeros(32, np.int32)
    with old.buffer(out) as bo:
        def body() -> None:
            o = bo.get_access(old.access.write)

            def kernel(group):
                first = group.get(0) * 8

                def fill(item):
                    o[item.get_global_id(0)] = first

                def add(item):
                    o[item.get_global_id(0)] = first + 1
                old.parallel_for_work_item(group, fill)
                old.parallel_for_workitem(group, add)
            old.parallel_for_workgroup(old.nd_range(32, 8), kernel)
        old.command_group(q, body)
    assert [1] * 8 + [9] * 8 + [17] * 8 + [25] * 8 == out.tolist()


@pytest.mark.row("X-13", "D-15")
def test_barriers_and_ids_in_the_old_spelling(old: Any, q: Any) -> None:
    data = np.arange(64, dtype=np.int32)
    sums, ids = np.zeros(4, np.int32), np.zeros(64, np.int32)
    with old.buffer(data) as bd, old.buffer(sums) as bs, old.buffer(ids) as bi:
        def body() -> None:
            d, s = bd.get_access(old.access.read), bs.get_access(old.access.discard_write)
            i = bi.get_access(old.access.write)
            tile = old.accessor(np.int32, old.range(16), old.access.read_write, old.access.local)

            def kernel(it):
                m, g = it.get_local_id(0), it.get_global_id(0)
                tile[m] = d[g]
                it.barrier(old.access.fence_space.local_space)
                half = 8
                while half > 0:
                    if m < half:
                        tile[m] += tile[m + half]
                    it.mem_fence()
                    it.barrier()
                    half //= 2
                if m == 0:
                    s[it.get_group_id(0)] = tile[0]
                i[g] = it.get_group_id(0)
            old.parallel_for(old.nd_range(64, 16), kernel)
        old.command_group(q, body)
    assert data.reshape(4, 16).sum(1).tolist() == sums.tolist()
    assert np.repeat(np.arange(4), 16).tolist() == ids.tolist()
