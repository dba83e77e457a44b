"""USM with properties, with alignment, for NumPy, and of sizes nobody has (SYCL 2020 §4.8.3)."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import unisycl as sycl

NONE = sycl.property_list()
READ_ONLY = sycl.ext.oneapi.property.usm.device_read_only()


@pytest.mark.row("P-11")
def test_every_form_of_allocation_takes_a_property_list(queue: sycl.queue) -> None:
    device, context = queue.get_device(), queue.get_context()
    shared, host, dev = (sycl.usm.alloc[k] for k in ("shared", "host", "device"))
    made = [
        sycl.malloc_device(8, np.int32, queue, NONE),
        sycl.malloc_device(8, np.int32, device, context, NONE),
        sycl.malloc_host(8, np.int32, queue, NONE), sycl.malloc_host(8, np.int32, context, NONE),
        sycl.malloc_shared(8, np.int32, queue, sycl.property_list(READ_ONLY)),
        sycl.malloc_shared(8, np.int32, device, context, READ_ONLY),
        sycl.malloc(8, np.int32, queue, shared, NONE),
        sycl.malloc(8, np.int32, device, context, host, NONE),
        sycl.aligned_alloc_device(128, 8, np.int32, queue, NONE),
        sycl.aligned_alloc_host(128, 8, np.int32, context, NONE),
        sycl.aligned_alloc_shared(128, 8, np.int32, device, context, READ_ONLY),
        sycl.aligned_alloc(4096, 8, np.int32, queue, dev, NONE)]
    assert all(p.size() == 8 and p.dtype == np.int32 for p in made)
    assert all(p.address() % 128 == 0 for p in made[8:])
    assert made[11].address() % 4096 == 0
    kinds = [sycl.get_pointer_type(p, queue).name[0] for p in made]
    assert "".join(kinds) == "ddhhssshdhsd"
    for p in made:
        sycl.free(p, queue)
    with pytest.raises(sycl.exception, match="no property of a USM allocation") as caught:
        sycl.malloc_shared(8, np.int32, queue, sycl.property.queue.in_order())
    assert caught.value.code() == sycl.errc.invalid


@pytest.mark.row("P-11")
@pytest.mark.parametrize("kind", ["shared", "host", "device"])
def test_impossible_sizes_raise(queue: sycl.queue, kind: str) -> None:
    make = getattr(sycl, f"malloc_{kind}")
    make(8, queue)  # a device that lacks this kind says so
    for count in (1 << 50, 1 << 62, 1 << 80, (1 << 40, 1 << 40)):
        with pytest.raises(sycl.exception) as caught:
            make(count, queue)
        assert caught.value.code() == sycl.errc.memory_allocation
    with pytest.raises(sycl.exception) as caught:
        getattr(sycl, f"aligned_alloc_{kind}")(1 << 40, 8, queue)
    assert caught.value.code() == sycl.errc.memory_allocation
    for count in (-1, (2, -1)):
        with pytest.raises(sycl.exception) as caught:
            make(count, queue)
        assert caught.value.code() == sycl.errc.invalid


@pytest.mark.row("P-11")
def test_numpy_arrays_of_usm_come_from_an_allocator(queue: sycl.queue) -> None:
    own = sycl.usm_allocator(sycl.usm.alloc.shared, queue, READ_ONLY, alignment=256)
    assert own.has_property(type(READ_ONLY))
    a = own.ext_unisycl_array([[1, 2, 3], [4, 5, 6]], np.float32)
    b = own.ext_unisycl_empty((2, 3), np.float32)
    assert type(a) is np.ndarray
    assert a.ctypes.data % 256 == 0 == b.ctypes.data % 256
    assert sycl.get_pointer_type(a, queue) == sycl.usm.alloc.shared
    assert own.ext_unisycl_array(5).shape == ()
    assert own.ext_unisycl_empty((0, 3)).shape == (0, 3)

    def kernel(it, a, b):  # type: ignore[no-untyped-def]
        b[it[0], it[1]] = 2 * a[it[0], it[1]]
    with sycl.testing.refused(queue.get_device(), sycl.aspect.usm_shared_allocations):
        queue.parallel_for((2, 3), kernel, a, b).wait()
        assert np.array_equal(b, 2 * a)
    at, row = b.ctypes.data, b[1]
    del b
    gc.collect()
    assert row.tolist() == [8, 10, 12]
    assert sycl.get_pointer_type(at, queue) == sycl.usm.alloc.shared
    for kind in (np.float64, sycl.ext.oneapi.bfloat16, np.dtype([("a", "f4"), ("b", "i8")])):
        c = own.ext_unisycl_empty(16, kind)
        at, row = c.ctypes.data, c[8:]
        del c
        gc.collect()
        assert sycl.get_pointer_type(at, queue) == sycl.usm.alloc.shared
        del row
        gc.collect()
        assert sycl.get_pointer_type(at, queue) == sycl.usm.alloc.unknown
