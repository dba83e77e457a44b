"""SYCL 1.2's names for devices, pointers, groups and atomics (``unisycl.compat12``)."""

from __future__ import annotations

import dataclasses
import warnings
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.refusals import code_of

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.mark.row("X-9", "A-3")
def test_platforms_give_devices_by_opencls_numbers_too(old: Any, device: sycl.device) -> None:
    everything = old.platform.get_devices()
    assert everything == sycl.device.get_devices() == old.device.get_devices(0xFFFFFFFF)
    assert all(isinstance(d, old.device) for d in everything)
    kind = sycl.info.device_type.cpu
    for processors in (old.platform.get_devices(kind), old.platform.get_devices(2),
                       old.platform.get_devices(kind=kind)):
        assert processors == sycl.device.get_devices(kind)
    home = old.device(device).get_platform()
    assert device in home.get_devices()
    assert home.get_devices(4) == home.get_devices(sycl.info.device_type.gpu)
    assert home in old.platform.get_platforms()
    assert all(isinstance(p, old.platform) for p in old.platform.get_platforms())
    for wrong in (3, "cpu"):
        assert sycl.errc.invalid == code_of(old.platform.get_devices, wrong)


@pytest.mark.row("X-9")
@pytest.mark.part("D-50")
def test_pointers_in_the_old_spelling(old: Any, q: Any) -> None:
    data, out = np.arange(8, dtype=np.int32), np.zeros((8, 3), np.int32)
    with old.buffer(data) as b, old.buffer(out) as bo:
        def body() -> None:
            x = b.get_access(old.access.read_write)
            o = bo.get_access(old.access.write)
            tile = old.accessor(np.int32, old.range(4), old.access.read_write, old.access.local)

            def kernel(it):
                g, k = it.get_global_id(0), it.get_local_id(0)
                p = old.make_ptr(x, old.address_space.global_space) + g
                t = old.make_ptr(tile)
                t[k] = p.pointer()[0]
                it.barrier(old.access.fence_space.local_space)
                o[g, 0] = old.local_ptr(t.pointer())[3 - k]
                o[g, 1] = (p.pointer() + 0) == p
                mine = old.make_ptr(old.private_ptr(sycl.private_array(np.int32, 2)))
                mine[1] = g
                o[g, 2] = mine.pointer()[1]
            old.parallel_for(old.nd_range(8, 4), kernel)
        old.command_group(q, body)

        def elsewhere() -> None:
            x = b.get_access(old.access.read)
            old.single_task(lambda: old.make_ptr(x, old.address_space.local_space).pointer())
        with pytest.raises(sycl.KernelError, match="global memory, not local"):
            old.command_group(q, elsewhere)
    assert out.tolist() == [[k // 4 * 4 + 3 - k % 4, 1, k] for k in range(8)]


@sycl.is_device_copyable.register
@dataclasses.dataclass
class Link:
    pointer: np.int32
    get_it: np.int32


@pytest.mark.part("D-50")
def test_a_member_called_pointer_stays_a_member(old: Any, q: Any) -> None:
    links = np.array([(3, 4)], Link.dtype)
    with old.buffer(links) as b:
        def body() -> None:
            x = b.get_access(old.access.read_write)

            def kernel():
                p = old.make_ptr(x)
                p.pointer = p.pointer + p.get_it
            old.single_task(kernel)
        old.command_group(q, body)
    assert links["pointer"].tolist() == [7]


@pytest.mark.row("X-9")
@pytest.mark.part("C-5")
def test_groups_know_their_launch(old: Any, q: Any) -> None:
    out, seen = np.zeros((6, 4), np.int32), np.zeros((2, 6), np.int32)
    with old.buffer(out) as b, old.buffer(seen) as bs:
        def body() -> None:
            o = b.get_access(old.access.write)

            def kernel(it):
                group = it.get_group()
                r, at = group.get_nd_range(), it.get_global_id(0) - 10
                o[at, 0] = r.get_global_range()[0]
                o[at, 1] = r.get_local_range()[0]
                o[at, 2] = group.get_offset()[0]
                o[at, 3] = r.get_offset()[0] + r.get_group_range()[0]
            old.parallel_for(old.nd_range(6, 3, old.id(10)), kernel)

        def hierarchical() -> None:
            s = bs.get_access(old.access.write)

            def kernel(group):
                r, at = group.get_nd_range(), group.get(0)
                s[at, 0] = r.get_global_range()[0] * 100 + r.get_global_range()[1]
                s[at, 1] = r.get_local_range()[0] * 100 + r.get_local_range()[1]
                s[at, 2] = group.get_offset()[0] + group.get_offset()[1]
                s[at, 3] = group.get_group_range()[1]
                s[at, 4] = group.get_global_range()[1]
                s[at, 5] = group[0] + r.get_offset()[1]
            old.parallel_for_work_group(old.nd_range((4, 3), (2, 3)), kernel)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            old.command_group(q, body)
        old.command_group(q, hierarchical)
    assert out.tolist() == [[6, 3, 10, 12]] * 6
    assert seen.tolist() == [[403, 203, 0, 1, 3, g] for g in range(2)]


@pytest.mark.row("X-9", "B-33")
def test_atomic_types_are_named_and_not_made(old: Any, q: Any) -> None:
    assert (old.atomic_int, old.atomic_uint, old.atomic_float) == tuple(
        old.atomic[t] for t in (np.int32, np.uint32, np.float32))
    assert [np.int32, np.uint32, np.float32] == [
        t.value_type for t in (old.atomic_int, old.atomic_uint, old.atomic_float)]
    assert sycl.errc.invalid == code_of(old.atomic_int)
    with pytest.raises(sycl.exception, match="atomic_ref knows others"):
        old.atomic[np.float64]
    counts, last = np.zeros(2, np.uint32), np.zeros(1, np.float32)

    def note(count: old.atomic_uint, of: old.atomic_float, x: np.float32) -> None:
        count.fetch_add(2, old.memory_order_relaxed)
        if x == 7:
            old.atomic_exchange_explicit(of, x + 1, old.memory_order_relaxed)
    with old.buffer(counts) as b, old.buffer(last) as bf:
        def body() -> None:
            acc, of = b.get_access(old.access.atomic), bf.get_access(old.access.atomic)
            old.parallel_for(old.range(8), lambda i: note(acc[i[0] % 2], of[0], np.float32(i[0])))
        old.command_group(q, body)
    assert ([8, 8], [8.0]) == (counts.tolist(), last.tolist())


@pytest.mark.row("X-9")
@pytest.mark.part("D-24")
def test_native_functions_are_a_namespace(old: Any, q: Any) -> None:
    assert old.native is sycl.native
    names = ("cos", "divide", "exp", "exp2", "exp10", "log", "log2", "log10", "powr", "recip",
             "rsqrt", "sin", "sqrt", "tan")
    assert set(names) <= set(dir(old.native))
    x = np.array([0.25, 0.5, 1.0, 1.5], np.float32)
    out = np.zeros((3, 4), np.float32)
    with old.buffer(x) as b, old.buffer(out) as bo:
        def body() -> None:
            a, o = b.get_access(old.access.read), bo.get_access(old.access.write)

            def kernel(i):
                o[0, i] = old.native.sin(a[i])
                o[1, i] = old.native.exp(a[i])
                o[2, i] = old.native.divide(a[i], np.float32(3))
            old.parallel_for(old.range(4), kernel)
        old.command_group(q, body)
    np.testing.assert_allclose(out, [np.sin(x), np.exp(x), x / 3], rtol=1e-3)
