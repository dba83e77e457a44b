"""Arrays of PyTorch, JAX, Numba, dpctl and dpnp: in and out without a copy (no clause of SYCL).

A library that is not installed is skipped, and so is dpctl where it finds no device.
"""

from __future__ import annotations

import gc
import importlib
import weakref
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import unisycl as sycl

KINDS = ("bool", "int8", "uint8", "int16", "int32", "int64", "float16", "float32", "float64",
         "complex64", "complex128", "bfloat16")


def double(i, p):
    p[i] = p[i] + p[i]


def library(name: str) -> ModuleType:
    """Import a library; the warnings of others are not ours."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        pytest.skip(f"{name} cannot be imported: {error}")


def numpy_kind(name: str) -> Any:
    return library("ml_dtypes").bfloat16 if name == "bfloat16" else np.dtype(name)


@pytest.fixture
def torch() -> Iterator[ModuleType]:
    yield library("torch")
    gc.collect()


@pytest.fixture
def jax() -> ModuleType:
    found = library("jax")
    found.config.update("jax_enable_x64", True)
    found.config.update("jax_platforms", "cpu")
    return found


pytestmark = [pytest.mark.filterwarnings("default")]


@pytest.mark.row("I-16")
@pytest.mark.parametrize("at", range(len(KINDS)), ids=KINDS)  # a name would need its aspect
def test_tensors_of_every_type_cross(queue: sycl.queue, torch: Any, at: int) -> None:
    kind = KINDS[at]
    there = torch.ones(4, dtype=getattr(torch, kind))
    here = sycl.from_dlpack(there, queue)
    assert (there.data_ptr(), numpy_kind(kind)) == (here.address(), here.dtype)
    p = sycl.malloc_shared((2, 2), numpy_kind(kind), queue)
    p[...] = 1
    back = torch.from_dlpack(p)
    assert (p.address(), there.dtype, (2, 2)) == (back.data_ptr(), back.dtype, tuple(back.shape))
    back[1, 1] = 0
    assert [1, 1, 1, 0] == [int(abs(x)) for x in p.get_view().reshape(-1)]


@pytest.mark.row("I-16", "B-4")
def test_kernels_work_on_tensors(queue: sycl.queue, torch: Any) -> None:
    x = torch.arange(6, dtype=torch.float32)
    queue.parallel_for(6, double, sycl.from_dlpack(x, queue)).wait()
    with sycl.buffer(x, (2, 3)) as b:
        queue.submit(lambda h: h.parallel_for((2, 3), double, sycl.accessor(b, h)))
    assert [0, 4, 8, 12, 16, 20] == x.tolist()
    p = sycl.malloc_device(6, np.float32, queue)
    queue.copy(x, p).wait()
    y = torch.zeros(6)
    queue.copy(p, y).wait()
    assert torch.equal(x, y)
    b = sycl.buffer(np.full(6, 3.0, np.float32))
    b.set_final_data(y)
    b.close()
    assert [3.0] * 6 == y.tolist()


@pytest.mark.row("I-16")
def test_tensors_live_as_long_as_they_are_used(queue: sycl.queue, torch: Any) -> None:
    for kind in (torch.float32, torch.bfloat16):
        x = torch.ones(1000, dtype=kind)
        alive = weakref.ref(x)
        p = sycl.from_dlpack(x, queue)
        del x
        gc.collect()
        assert alive() is not None
        queue.parallel_for(1000, double, p).wait()
        assert 2 == p[999]
        sycl.free(p, queue)
        del p
        queue.wait()
        gc.collect()
        assert alive() is None


@pytest.mark.row("I-16")
def test_tensors_that_cannot_cross_are_refused(queue: sycl.queue, torch: Any) -> None:
    for wrong in (torch.ones(3, requires_grad=True), torch.ones(4, 4)[:, ::2],
                  torch.ones(3, dtype=torch.complex64).conj(), torch.eye(3).to_sparse(),
                  torch.ones(3, device="meta"), torch.tensor(1.0)):
        with pytest.raises(sycl.exception, match="from_dlpack") as caught:
            sycl.from_dlpack(wrong, queue)
        assert sycl.errc.invalid == caught.value.code()


@pytest.mark.row("I-16")
@pytest.mark.parametrize("at", range(len(KINDS)), ids=KINDS)
def test_jax_arrays_of_every_type_cross(queue: sycl.queue, jax: Any, at: int) -> None:
    kind = KINDS[at]
    there = jax.numpy.ones(4, kind)
    here = sycl.from_dlpack(there, queue, writable=kind != "int8")
    assert (there.unsafe_buffer_pointer(), numpy_kind(kind)) == (here.address(), here.dtype)
    p = sycl.aligned_alloc_shared(64, 4, numpy_kind(kind), queue)
    p[...] = 1
    back = jax.numpy.from_dlpack(p)
    assert (p.address(), numpy_kind(kind)) == (back.unsafe_buffer_pointer(), back.dtype)
    with pytest.raises(sycl.KernelError, match="K039"):  # JAX's arrays do not change
        queue.parallel_for(4, double, sycl.from_dlpack(there, queue))


@pytest.mark.row("I-15")
def test_numba_works_on_usm_and_host_accessors(queue: sycl.queue) -> None:
    numba = library("numba")

    @numba.njit
    def add(a: Any) -> None:
        for i in range(a.size):
            a[i] += 2
    p = sycl.malloc_shared(4, np.float32, queue)
    p[:] = 1
    add(np.asarray(p))
    x = np.zeros(3)
    with sycl.buffer(x) as b, sycl.host_accessor(b) as view:
        add(np.asarray(view))
    assert ([3] * 4, [2] * 3) == (p[:].tolist(), x.tolist())


@pytest.mark.row("I-17")
def test_memory_of_dpctl_is_used_in_place(queue: sycl.queue) -> None:
    memory = library("dpctl.memory")
    if not library("dpctl").get_devices():
        pytest.skip("dpctl finds no device here")
    raw = memory.MemoryUSMShared(32)
    p = sycl.from_usm_array(raw, queue, writable=True)
    p[:] = 1
    queue.parallel_for(32, double, p).wait()
    assert [2] * 32 == raw.copy_to_host().tolist()
    for kind in ("device", "host", "shared"):
        x = library("dpnp").ones(8, dtype="f4", usm_type=kind)
        for take in (sycl.from_usm_array, sycl.from_dlpack):
            if kind == "device":
                with pytest.raises(sycl.exception, match="copy it to the host"):
                    take(x, queue)
            else:
                queue.parallel_for(8, double, take(x, queue)).wait()
        if kind != "device":
            assert [4] * 8 == x.asnumpy().tolist()


class Sycls:
    """An array of DLPack's device type for SYCL, with or without a USM array interface."""

    def __init__(self, array: Any, usm_type: str) -> None:
        self.usm_type = usm_type
        if usm_type:
            self.__sycl_usm_array_interface__ = {
                "data": (array.ctypes.data, True), "shape": array.shape, "strides": None,
                "typestr": array.dtype.str, "version": 1, "syclobj": None}

    def __dlpack__(self, **options: Any) -> Any:
        raise BufferError("not for the host")

    def __dlpack_device__(self) -> tuple[int, int]:
        return (14, 0)


@pytest.mark.row("I-16", "I-17")
def test_memory_of_other_sycls_comes_through_either_protocol(queue: sycl.queue) -> None:
    x = np.arange(4, dtype=np.int32)
    for writable in (True, None):
        p = sycl.from_dlpack(Sycls(x, "host"), queue, writable=writable)
        assert (x.ctypes.data, bool(writable)) == (p.address(), p.get_view().flags.writeable)
        p = sycl.from_usm_array(Sycls(x, "shared"), queue, writable=writable)
        assert (x.ctypes.data, bool(writable)) == (p.address(), p.get_view().flags.writeable)
    for kind in ("device", ""):
        with pytest.raises(sycl.exception, match="copy it to the host") as caught:
            sycl.from_dlpack(Sycls(x, kind), queue)
        assert sycl.errc.invalid == caught.value.code()


@pytest.mark.row("I-16")
def test_bfloat16_crosses_by_its_own_name(queue: sycl.queue) -> None:
    kind = numpy_kind("bfloat16")
    p = sycl.malloc_shared(4, kind, queue)
    p[:] = 1.5
    q = sycl.from_dlpack(p, queue)
    assert (p.address(), kind) == (q.address(), q.dtype)
    assert not sycl.from_dlpack(p, queue, writable=False).get_view().flags.writeable
    queue.parallel_for(4, double, q).wait()
    with sycl.buffer(p.get_view()) as b, sycl.host_accessor(b) as view:
        assert [3.0] * 4 == [float(x) for x in sycl.from_dlpack(view, queue)]
