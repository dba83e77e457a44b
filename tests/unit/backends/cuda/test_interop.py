"""Handles of CUDA's, and other libraries' arrays."""

from __future__ import annotations

import ctypes
import sys
import weakref
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest

import unisycl as sycl
from tests.cuda_fake.library import FakeCuda
from unisycl.backends.cuda.interop import arrays
from unisycl.backends.cuda.memory import capsules
from unisycl.oneapi import dpl

CUDA = sycl.backend.cuda


def add(i: Any, p: Any, n: int) -> None:
    p[i] = p[i] + n


class Array:
    """As libraries' arrays tell of themselves; ``more`` is what the interface says besides.

    It is neither true nor false, and equal to nothing that could be told.
    """

    def __init__(self, memory: Any, dtype: Any, shape: tuple[int, ...], **more: Any) -> None:
        self.memory = memory
        self.dtype, self.shape = np.dtype(dtype), shape
        self.about = {"data": (memory.address, False), "shape": shape, "typestr": self.dtype.str,
                      "strides": None, "version": 3, **more}
        self.strides = self.about["strides"]
        self.data = SimpleNamespace(ptr=self.about["data"][0])

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return self.about

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 0

    def __bool__(self) -> bool:
        raise ValueError("the truth value of an array is ambiguous")

    def __eq__(self, other: object) -> Any:
        return self

    __hash__ = None  # type: ignore[assignment]


def lent(queue: sycl.queue, values: Any, **more: Any) -> Array:
    """Return an array with these values on the card."""
    given = np.asarray(values)
    memory = queue.get_device().state.driver.allocate(max(1, given.nbytes))
    ctypes.memmove(memory.address, given.ctypes.data, given.nbytes)
    return Array(memory, given.dtype, given.shape, **{"stream": 1, **more})


def held(array: Array) -> list[Any]:
    """Return what lies there."""
    raw = ctypes.string_at(array.memory.address, array.memory.nbytes)
    return np.frombuffer(raw, array.dtype).tolist()


@pytest.fixture(autouse=True)
def known(fake: FakeCuda) -> None:
    arrays.register()


def test_native_objects_are_handles(fake: FakeCuda, queue: sycl.queue) -> None:
    device, context = queue.get_device(), queue.get_context()
    assert 0 == sycl.get_native(CUDA, device)
    assert sycl.get_native(CUDA, context) == 0x1000
    assert sycl.make_device(CUDA, 0) == device
    stream = sycl.get_native(CUDA, queue)
    assert stream in fake._streams
    assert stream == sycl.get_native(CUDA, queue)


def test_commands_of_a_program_come_between_ours(fake: FakeCuda, queue: sycl.queue) -> None:
    p, seen = sycl.malloc_device(8, np.int32, queue), np.zeros(8, np.int32)
    queue.fill(p, 1)
    queue.parallel_for(8, add, p, 1)
    stream = sycl.get_native(CUDA, queue)
    assert 0 == fake.called("cuMemsetD32Async", (p.block.address, 7, 8, stream))
    queue.parallel_for(8, add, p, 1)
    queue.memcpy(seen, p, 32).wait()
    assert [8] * 8 == seen.tolist()


def test_a_queue_goes_to_a_stream_of_a_program(fake: FakeCuda, queue: sycl.queue) -> None:
    p, seen = sycl.malloc_device(8, np.int32, queue), np.zeros(8, np.int32)
    with queue.get_device().state.driver.opened().session as api:
        stream = api.address("cuStreamCreate", 1)
    theirs = sycl.make_queue(CUDA, SimpleNamespace(cuda_stream=stream), queue.get_context())
    theirs.fill(p, 3)
    assert 0 == fake.called("cuMemsetD32Async", (p.block.address, 5, 8, stream))
    theirs.parallel_for(8, add, p, 1)
    theirs.memcpy(seen, p, 32).wait()
    assert [6] * 8 == seen.tolist()
    assert stream == sycl.get_native(CUDA, theirs)


def test_memory_has_the_interface_of_arrays(fake: FakeCuda, queue: sycl.queue) -> None:
    b = sycl.buffer(np.arange(12, dtype=np.int32).reshape(3, 4))
    seen = []

    def group(h: sycl.handler) -> None:
        acc = sycl.accessor(b, h)
        h.host_task(lambda ih: seen.append(ih.get_native_mem(acc)))
    queue.submit(group).wait()
    about = seen[0].__cuda_array_interface__
    assert ((3, 4), "<i4", (16, 4)) == (about["shape"], about["typestr"], about["strides"])
    assert "device" == fake._inside(int(seen[0]), 48)


def test_an_array_of_another_library_is_used_where_it_lies_in_order(
        fake: FakeCuda, queue: sycl.queue) -> None:
    array, seen = lent(queue, np.zeros(16, np.int32)), np.zeros(16, np.int32)
    assert 0 == fake.called("cuMemsetD32Async", (array.memory.address, 4, 16, 1))
    queue.parallel_for(16, add, array, 2).wait()
    assert 0 == fake.called("cuMemcpyAsync", (seen.ctypes.data, array.memory.address, 64, 1))
    assert [6] * 16 == seen.tolist()


def test_a_library_that_names_no_stream_has_its_current_one(
        fake: FakeCuda, queue: sycl.queue, monkeypatch: pytest.MonkeyPatch) -> None:
    with queue.get_device().state.driver.opened().session as api:
        stream = api.address("cuStreamCreate", 1)
    current = SimpleNamespace(cuda_stream=stream)
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(
        Tensor=Array, cuda=SimpleNamespace(current_stream=lambda device: current)))
    array = lent(queue, np.zeros(16, np.int32), stream=None, version=2)
    array.device = "cuda:0"  # type: ignore[attr-defined]
    assert 0 == fake.called("cuMemsetD32Async", (array.memory.address, 4, 16, stream))
    done = queue.parallel_for(16, add, array, 2)
    assert 0 == fake.called("cuMemsetD32Async", (array.memory.address, 9, 8, stream))
    done.wait()
    fake.called("cuStreamSynchronize", (stream,))
    assert [9] * 8 + [6] * 8 == held(array)


def test_arrays_that_never_change_are_awaited_by_dlpack_and_not_written(
        fake: FakeCuda, queue: sycl.queue) -> None:
    class Constant(Array):
        exported: ClassVar[list[int]] = []

        def __dlpack__(self, *, stream: int) -> object:
            self.exported.append(stream)
            return object()

    def copy(i: Any, p: Any, a: Any) -> None:
        p[i] = a[i] + 1

    given = lent(queue, np.arange(16, dtype=np.int32))
    array = Constant(given.memory, np.int32, (16,), data=(given.memory.address, True))
    p = sycl.malloc_shared(16, np.int32, queue)
    queue.parallel_for(16, copy, p, array).wait()
    assert list(range(1, 17)) == p.get_view().tolist()
    assert 1 == len(Constant.exported)
    assert Constant.exported[0] in fake._streams
    with pytest.raises(sycl.exception, match="read"):
        queue.parallel_for(16, add, array, 1)


def test_parts_of_arrays_keep_their_strides(queue: sycl.queue) -> None:
    whole = lent(queue, np.arange(48, dtype=np.int32))
    at = whole.memory.address

    def two(it: Any, p: Any) -> None:
        p[it] += 100

    want = np.arange(48).reshape(6, 8)
    rows = Array(whole.memory, np.int32, (3, 5), data=(at + 4, False), strides=(64, 4))
    queue.parallel_for((3, 5), two, rows).wait()
    want[::2, 1:6] += 100
    columns = Array(whole.memory, np.int32, (8, 6), strides=(4, 32))
    queue.parallel_for((8, 6), two, columns).wait()
    want.T[...] += 100
    back = Array(whole.memory, np.int32, (24,), data=(at + 188, False), strides=(-8,))
    queue.parallel_for(24, add, back, 1).wait()
    want.reshape(-1)[1::2] += 1
    assert want.reshape(-1).tolist() == held(whole)
    odd = Array(whole.memory, np.int32, (4,), strides=(6,))
    with pytest.raises(sycl.exception, match="no whole elements"):
        queue.parallel_for(4, add, odd, 1)


def test_arrays_of_the_host_are_none_of_a_card(queue: sycl.queue) -> None:
    class Elsewhere(Array):
        @property
        def __cuda_array_interface__(self) -> dict[str, Any]:
            raise AttributeError("not on a card")

    class Tracked(Array):
        @property
        def __cuda_array_interface__(self) -> dict[str, Any]:
            raise RuntimeError("use detach()")

    memory = lent(queue, np.zeros(4, np.int32)).memory
    with pytest.raises(sycl.exception, match="Elsewhere"):
        queue.parallel_for(4, add, Elsewhere(memory, np.int32, (4,)), 1)
    with pytest.raises(sycl.exception, match="detach"):
        queue.parallel_for(4, add, Tracked(memory, np.int32, (4,)), 1)


def test_algorithms_take_arrays_that_are_neither_true_nor_false(queue: sycl.queue) -> None:
    a, b = lent(queue, np.arange(100, dtype=np.int32)[::-1].copy()), lent(
        queue, np.zeros(100, np.int32))
    for _ in range(3):
        assert 4950 == dpl.reduce(queue, a)
    dpl.inclusive_scan(queue, a, b)
    assert np.cumsum(np.arange(100)[::-1]).tolist() == held(b)
    assert 49 == dpl.copy_if(queue, a, b, lambda x: x > 50)
    dpl.reverse(queue, a)
    assert list(range(100)) == held(a)
    every = Array(a.memory, np.int32, (50,), strides=(8,), stream=1)
    assert 2450 == dpl.reduce(queue, every)
    with pytest.raises(sycl.exception, match="overlaps"):
        dpl.inclusive_scan(queue, every, Array(a.memory, np.int32, (50,), data=(
            a.memory.address + 200, False)))


def test_what_is_no_handle_is_refused(queue: sycl.queue) -> None:
    with pytest.raises(sycl.exception, match="expected an object of the native interface"):
        sycl.make_queue(CUDA, "x", queue.get_context())
    with pytest.raises(sycl.exception):
        sycl.make_device(CUDA, 9)


def test_device_memory_goes_out_by_dlpack_and_is_kept(queue: sycl.queue) -> None:
    p = sycl.malloc_device((2, 3), np.float32, queue)
    assert (2, 0) == p.__dlpack_device__()
    capsule = p.__dlpack__(stream=None, max_version=(1, 0))
    assert "dltensor" in repr(capsule)
    kept = weakref.ref(capsules._kept[-1][-1][-1])
    capsules.reap()
    assert kept() is not None
    del capsule
    capsules.reap()
    assert kept() is None


def test_a_consumer_gives_memory_back_while_an_exception_is_on_its_way(queue: sycl.queue) -> None:
    p = sycl.malloc_device(4, np.int32, queue)
    capsule = p.__dlpack__()
    made = capsules._kept[-1][2]
    rename = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(
        ("PyCapsule_SetName", ctypes.pythonapi))
    used = b"used_dltensor"
    rename(capsule, used)
    del capsule
    capsules.reap()
    assert any(entry[2] is made for entry in capsules._kept)
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(made.deleter)(ctypes.addressof(made))
    capsules.reap()
    assert not any(entry[2] is made for entry in capsules._kept)


def test_what_numpy_cannot_take_is_its_own_error(queue: sycl.queue) -> None:
    p = sycl.malloc_device((2, 3), np.float32, queue)
    with pytest.raises((BufferError, RuntimeError), match="device"):  # as NumPy's version has it
        np.from_dlpack(p)  # type: ignore[arg-type]


def test_a_copy_is_not_made(queue: sycl.queue) -> None:
    p = sycl.malloc_device((2, 3), np.float32, queue)
    with pytest.raises(BufferError, match="no copy"):
        p.__dlpack__(copy=True)


def test_device_memory_has_cudas_array_interface(queue: sycl.queue) -> None:
    p = sycl.malloc_device((2, 3), np.float32, queue)
    about = p.__cuda_array_interface__
    assert ((p.address(), False), (2, 3), "<f4", 3) == tuple(
        about[k] for k in ("data", "shape", "typestr", "version"))
    assert (p.address() + 12, (1, 3)) == (
        p[1:].__cuda_array_interface__["data"][0], p[1:].__cuda_array_interface__["shape"])
    sycl.free(p, queue)
    for other in (p, sycl.malloc_host(4, np.int32, queue)):
        assert not hasattr(other, "__cuda_array_interface__")
