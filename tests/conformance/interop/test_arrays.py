"""Arrays of other libraries: NumPy, DLPack, USM array interface, pickling (no clause of SYCL)."""

from __future__ import annotations

import collections
import gc
import pickle
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.refusals import code_of


def double(i, p):
    p[i] *= 2


@sycl.kernel
def negate(i, p):
    p[i] = -p[i]


@pytest.mark.row("I-15")
def test_arrays_are_used_in_place(queue: sycl.queue) -> None:
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    with sycl.buffer(x) as bx, sycl.host_accessor(bx) as view:
        assert np.shares_memory(np.asarray(view), x)
        assert view.__array_interface__["data"][0] == x.ctypes.data
    with sycl.host_accessor(sycl.buffer(x), sycl.read_only) as view:
        assert not np.asarray(view).flags.writeable
    for make in (sycl.malloc_shared, sycl.malloc_host):
        p = make((2, 2), np.float32, queue)
        assert np.shares_memory(np.asarray(p), p.get_view())
        assert p.__array_interface__["data"][0] == p.address()


@pytest.mark.row("I-15")
def test_arrays_with_gaps_are_copied_and_written_back(queue: sycl.queue) -> None:
    make: list[Callable[[np.ndarray], np.ndarray]] = [
        lambda x: x[:, ::2], lambda x: x[::-1], lambda x: x.T, lambda x: x[:, 1:3],
        lambda x: x[1:3], lambda x: x[2], lambda x: x[::1], lambda x: x.reshape(2, 12)]
    for part in make:
        x, y = (np.arange(24, dtype=np.float32).reshape(4, 6) for _ in range(2))
        with sycl.buffer(part(x)) as b:
            queue.submit(lambda h, b=b: h.fill(sycl.accessor(b, h, sycl.write_only), 1))
        part(y)[...] = 1
        assert (x == y).all()


@pytest.mark.row("I-15", "E-38")
def test_records_cross_and_foreign_byte_order_is_refused(queue: sycl.queue) -> None:
    kind = np.dtype([("a", np.int8), ("b", np.float64), ("c", np.int16, (2,))], align=True)
    x = np.zeros(5, kind)
    x["a"], x["b"], x["c"] = 1, 2.5, (3, 4)
    before = x.copy()

    def change(i, p):
        p[i].b += p[i].a
        p[i].c[1] = 9
    p = sycl.malloc_shared(5, kind, queue)
    p[:] = x
    queue.parallel_for(5, change, p).wait()
    assert (before["b"] + 1).tolist() == p[:]["b"].tolist()
    assert [[3, 9]] * 5 == p[:]["c"].tolist()
    swapped = np.arange(4, dtype=np.dtype(np.int32).newbyteorder())
    with pytest.raises(sycl.exception, match="byte order") as caught:
        sycl.buffer(swapped)
    assert sycl.errc.invalid == caught.value.code()


class Producer:
    """An array of another library that speaks DLPack; ``old`` for the protocol before 1.0."""

    def __init__(self, array: np.ndarray[Any, Any], *, old: bool = False, device: int = 1) -> None:
        self.array, self.old, self.device = array, old, device

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__() if self.old else self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (self.device, 0)


@pytest.mark.row("I-16")
def test_dlpack_out_and_in_without_a_copy(queue: sycl.queue) -> None:
    p = sycl.malloc_shared((4, 2), np.float32, queue)
    p[...] = 3
    seen = np.from_dlpack(p)
    assert np.shares_memory(seen, p.get_view())
    assert (1, 0) == p.__dlpack_device__()
    back = sycl.from_dlpack(seen, queue)
    flat = sycl.from_dlpack(seen.reshape(-1), queue)
    queue.parallel_for(8, double, flat).wait()
    assert (6 == p[...]).all()
    assert back.address() == p.address()
    assert sycl.usm.alloc.shared == sycl.get_pointer_type(back, queue)
    with sycl.buffer(np.ones(3)) as b, sycl.host_accessor(b) as view:
        assert np.shares_memory(np.from_dlpack(view), view.get_view())


@pytest.mark.row("I-16")
def test_dlpack_memory_lives_as_long_as_somebody_uses_it(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(1000, np.int64, queue)
    p[:] = 7
    seen = np.from_dlpack(p)
    sycl.free(p, queue)
    del p
    gc.collect()
    assert 7000 == seen.sum()
    source = Producer(np.arange(4, dtype=np.int32))
    array = weakref.ref(source.array)
    q = sycl.from_dlpack(source, queue)
    del source
    gc.collect()
    assert array() is not None
    queue.parallel_for(4, double, q).wait()
    assert [0, 2, 4, 6] == q[:].tolist()
    sycl.free(q, queue)
    del q
    queue.wait()
    gc.collect()
    assert array() is None


@pytest.mark.row("I-16")
def test_dlpack_says_what_may_be_written(queue: sycl.queue) -> None:
    x = np.arange(4, dtype=np.int32)
    queue.parallel_for(4, double, sycl.from_dlpack(Producer(x), queue)).wait()
    old = Producer(x, old=True)
    with pytest.raises(sycl.KernelError, match="K039"):
        queue.parallel_for(4, double, sycl.from_dlpack(old, queue))
    queue.parallel_for(4, double, sycl.from_dlpack(old, queue, writable=True)).wait()
    assert [0, 4, 8, 12] == x.tolist()
    with pytest.raises(sycl.KernelError, match="K039"):
        queue.parallel_for(4, double, sycl.from_dlpack(Producer(x), queue, writable=False))
    with sycl.buffer(Producer(x)) as b:
        queue.submit(lambda h: h.fill(sycl.accessor(b, h, sycl.write_only), 1))
    assert [1] * 4 == x.tolist()


@pytest.mark.row("I-16")
def test_dlpack_that_does_not_fit_is_refused(queue: sycl.queue) -> None:
    assert sycl.errc.invalid == code_of(sycl.from_dlpack, Producer(np.ones(2), device=2), queue)
    assert sycl.errc.invalid == code_of(sycl.from_dlpack, 3, queue)
    assert sycl.errc.invalid == code_of(sycl.from_dlpack, np.ones((4, 4))[:, :2], queue)
    assert sycl.errc.invalid == code_of(sycl.from_dlpack, np.ones(4))
    device = sycl.malloc_device(4, np.int32, queue)
    if hasattr(device, "__cuda_array_interface__"):  # it goes out, to who knows such memory
        with pytest.raises((BufferError, RuntimeError), match="device"):
            np.from_dlpack(device)
    else:
        assert sycl.errc.invalid == code_of(np.from_dlpack, device)


class Foreign:
    """Memory as dpctl describes it: strides and offset in elements."""

    def __init__(self, array: np.ndarray[Any, Any], usm_type: str = "shared", **extra: Any) -> None:
        self.usm_type = usm_type
        self.array = array
        self.__sycl_usm_array_interface__ = {
            "data": (array.ctypes.data, False), "shape": array.shape, "strides": None,
            "typestr": array.dtype.str, "version": 1, "syclobj": None, **extra}


@pytest.mark.row("I-17")
def test_the_usm_array_interface_both_ways(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(6, np.int32, queue)
    described = p.__sycl_usm_array_interface__
    assert ((p.address(), False), (6,), "<i4", 1) == tuple(
        described[k] for k in ("data", "shape", "typestr", "version"))
    assert queue.get_context() == described["syclobj"]
    assert "shared" == p.usm_type
    assert p is sycl.from_usm_array(p, queue)
    x = np.arange(8, dtype=np.int32)
    q = sycl.from_usm_array(Foreign(x), queue)
    queue.parallel_for(8, double, q).wait()
    part = sycl.from_usm_array(Foreign(x, shape=(2,), strides=(1,), offset=6), queue)
    queue.parallel_for(2, double, part).wait()
    assert [0, 2, 4, 6, 8, 10, 24, 28] == x.tolist()
    with sycl.buffer(Foreign(x)) as b:
        queue.submit(lambda h: h.fill(sycl.accessor(b, h, sycl.write_only), 1))
    assert [1] * 8 == x.tolist()
    assert sycl.errc.invalid == code_of(sycl.from_usm_array, Foreign(x, "device"), queue)
    assert sycl.errc.invalid == code_of(sycl.from_usm_array, x, queue)
    assert sycl.errc.invalid == code_of(
        sycl.from_usm_array, Foreign(x, shape=(4,), strides=(2,)), queue)


@pytest.mark.row("I-17")
def test_host_memory_claims_nothing_of_gpus(queue: sycl.queue) -> None:
    if queue.get_device().is_gpu():
        pytest.skip("the memory of this device is a GPU's")
    assert not hasattr(sycl.malloc_shared(4, np.int32, queue), "__cuda_array_interface__")


@pytest.mark.row("I-18")
def test_any_sequence_string_or_callable_is_taken(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(4, np.int32, queue)
    p[:] = 1
    events = collections.deque([queue.parallel_for(4, double, p)])
    events.append(queue.parallel_for(4, double, p, depends_on=events))
    queue.parallel_for(4, double, p, depends_on=tuple(events)).wait()
    queue.submit(lambda h: h.depends_on(events)).wait()
    sycl.event.wait(iter(events))
    assert [8] * 4 == p[:].tolist()

    class Functor:
        def __call__(self, i, p):
            p[i] += 1
    queue.parallel_for(np.int64(4), Functor(), p).wait()
    assert [9] * 4 == p[:].tolist()
    with sycl.buffer(collections.deque([1, 2])) as b:
        assert (2,) == tuple(b.get_range())


@pytest.mark.row("I-15", "C-10")
def test_kernels_and_data_are_pickled(queue: sycl.queue) -> None:
    again = pickle.loads(pickle.dumps(negate))
    assert again is negate
    p = sycl.malloc_shared(3, np.int32, queue)
    p[:] = (1, 2, 3)
    queue.parallel_for(3, again, p).wait()
    assert [-1, -2, -3] == p[:].tolist()
    b = sycl.buffer(np.arange(4.0).reshape(2, 2))
    queue.submit(lambda h: h.fill(sycl.accessor(b, h, sycl.write_only), 5.0))
    copy = pickle.loads(pickle.dumps(b))
    with sycl.host_accessor(copy) as view:
        assert [[5, 5], [5, 5]] == view.get_view().tolist()
    device = queue.get_device()
    for value in (sycl.id(1, 2), sycl.range(3), sycl.nd_range(4, 2), device,
                  device.get_platform(), sycl.property.queue.in_order()):
        assert value == pickle.loads(pickle.dumps(value))


@pytest.mark.row("I-15")
def test_what_belongs_to_the_process_is_not_pickled(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(3, np.int32, queue)
    for value in (queue, queue.get_context(), sycl.event(), p, sycl.local_accessor(np.int32, 3),
                  sycl.accessor(sycl.buffer(3))):
        with pytest.raises(sycl.exception, match="pickled") as caught:
            pickle.dumps(value)
        assert sycl.errc.invalid == caught.value.code()


def told(call: Any, *args: Any) -> str:
    with pytest.raises((sycl.exception, AttributeError)) as caught:
        call(*args)
    return str(caught.value)


@pytest.mark.row("I-15", "B-42")
def test_a_pointer_and_a_buffer_say_that_they_are_no_arrays(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(4, np.float32, queue)
    p[:] = 2
    for wrong in (lambda: p + 1.0, lambda: p * 2, lambda: 2 / p, lambda: p.sum(), lambda: p.reshape,
                  lambda: 1.5 + p, lambda: p + 1):
        assert "get_view()" in told(wrong)
    assert not hasattr(p, "no_such_thing")
    assert 1 == p.ndim
    assert [4, 6] == (np.array([2, 3], np.float32) * p[:2]).tolist()
    assert [4] * 4 == (p * np.full(4, 2, np.float32)).tolist()
    assert [3] * 4 == (p + np.ones(4, np.float32)).tolist()
    b = sycl.buffer(np.ones(3))
    for wrong in (lambda: b[0], lambda: b.__setitem__(0, 1), lambda: np.asarray(b),
                  lambda: list(b)):
        assert "host_accessor" in told(wrong)
    assert "number of elements" in told(sycl.malloc_shared, np.float32, 10, queue)
    assert "takes one argument, the handler" in told(queue.submit, lambda: None)
    assert "info.event" in told(sycl.event().get_info, sycl.info.device.name)


@pytest.mark.row("I-16")
def test_an_array_with_an_index_is_still_an_array(queue: sycl.queue) -> None:
    class Indexed(Producer):
        """As JAX's arrays and PyTorch's tensors are."""

        shape = (3,)
        dtype = np.dtype(np.int32)

        def __index__(self) -> int:
            raise TypeError("only scalars")
    x = np.arange(3, dtype=np.int32)
    with sycl.buffer(Indexed(x)) as b:
        assert (3,) == tuple(b.get_range())
        queue.submit(lambda h: h.fill(sycl.accessor(b, h), 5))
    assert [5] * 3 == x.tolist()
