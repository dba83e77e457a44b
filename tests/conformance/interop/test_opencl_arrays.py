"""``pyopencl.array.Array`` as an argument of a kernel; vectors of both."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.refusals import code_of, refusal
from unisycl.ext.oneapi import experimental as ext

OPENCL = sycl.backend.opencl
pytestmark = pytest.mark.row("I-3")


@pytest.fixture
def arrays(cl: Any) -> Any:
    """PyOpenCL's module of arrays."""
    return pytest.importorskip("pyopencl.array", exc_type=ImportError)


@pytest.fixture
def theirs(cl: Any, queue: sycl.queue) -> Any:
    """A queue of PyOpenCL's in the context of ours."""
    return cl.CommandQueue(sycl.get_native(OPENCL, queue.get_context()))


def plus(i, x, y):
    y[i] = x[i] + 2 * y[i]


def test_arrays_are_used_in_place_beside_other_memory(
        arrays: Any, theirs: Any, queue: sycl.queue) -> None:
    start = np.arange(100, dtype=np.float32)
    x, y = arrays.to_device(theirs, start), arrays.to_device(theirs, start[::-1].copy())
    place = y.base_data.int_ptr
    queue.parallel_for(100, plus, x, y).wait()
    assert y.base_data.int_ptr == place
    want = start + 2 * start[::-1]
    assert np.array_equal(want, y.get())
    with sycl.buffer(np.ones(100, np.float32)) as b:
        queue.submit(lambda h: h.parallel_for(100, plus, sycl.accessor(b, h), y))
        assert np.array_equal(1 + 2 * want, y.get())


def test_parts_and_further_dimensions(arrays: Any, theirs: Any, queue: sycl.queue) -> None:
    start = np.arange(1000, dtype=np.int32)
    whole = arrays.to_device(theirs, start)
    for first in (1, 5, 32, 64, 333):
        queue.parallel_for(10, plus, whole[first:first + 10], whole[900:910]).wait()
    want = start.copy()
    for first in (1, 5, 32, 64, 333):
        want[900:910] = want[first:first + 10] + 2 * want[900:910]
    assert np.array_equal(want, whole.get())

    def transposed(i, x, y):
        y[i[1], i[0]] = x[i[0], i[1]]
    x = arrays.to_device(theirs, start.reshape(20, 50))
    y = arrays.zeros(theirs, (50, 20), np.int32)
    queue.parallel_for((20, 50), transposed, x, y).wait()
    assert np.array_equal(start.reshape(20, 50).T, y.get())
    empty = arrays.zeros(theirs, (0,), np.int32)
    queue.parallel_for(0, plus, empty, empty).wait()


def test_events_go_both_ways(cl: Any, arrays: Any, theirs: Any, queue: sycl.queue) -> None:
    x = arrays.to_device(theirs, np.zeros(64, np.int32))
    gate = cl.UserEvent(theirs.context)
    x.add_event(cl.enqueue_fill_buffer(theirs, x.base_data, np.int32(5), 0, x.nbytes,
                                       wait_for=[gate]))
    end = queue.parallel_for(64, plus, x, x)
    assert sycl.info.event_command_status.complete != end.get_info(
        sycl.info.event.command_execution_status)
    assert sycl.get_native(OPENCL, end) == x.events[-1:]
    gate.set_status(cl.command_execution_status.COMPLETE)
    assert [15] * 64 == x.get().tolist()  # waits for the launch by the events of the array
    end.wait()


def test_a_part_that_is_not_aligned_waits_too(
        cl: Any, arrays: Any, theirs: Any, queue: sycl.queue) -> None:
    x = arrays.to_device(theirs, np.zeros(64, np.int32))
    gate = cl.UserEvent(theirs.context)
    x.add_event(cl.enqueue_fill_buffer(theirs, x.base_data, np.int32(5), 0, x.nbytes,
                                       wait_for=[gate]))
    end = queue.parallel_for(3, plus, x[1:4], x[1:4])
    gate.set_status(cl.command_execution_status.COMPLETE)
    end.wait()
    assert [5, 15, 15, 15, 5] == x.get()[:5].tolist()


def test_arrays_of_shared_virtual_memory(
        cl: Any, arrays: Any, theirs: Any, queue: sycl.queue) -> None:
    if not sycl.get_native(OPENCL, queue.get_device()).svm_capabilities:
        pytest.skip("the device has no SVM")
    kept = pytest.importorskip("pyopencl.tools").SVMAllocator(
        theirs.context, flags=cl.svm_mem_flags.READ_WRITE, queue=theirs)
    start = np.arange(40, dtype=np.float32)
    x = arrays.to_device(theirs, start, allocator=kept)
    y = arrays.to_device(theirs, np.ones(40, np.float32), allocator=kept)
    queue.parallel_for(40, plus, x, y).wait()
    queue.parallel_for(7, plus, x[3:10], y[3:10]).wait()
    want = start + 2
    want[3:10] = start[3:10] + 2 * want[3:10]
    assert np.array_equal(want, y.get())


@pytest.mark.parametrize("count", [2, 3, 4, 8, 16])
@pytest.mark.parametrize("kind", ["float", "int", "uchar"])
def test_vectors_of_opencl_c_are_vecs(
        cl: Any, arrays: Any, theirs: Any, queue: sycl.queue, kind: str, count: int) -> None:
    dtype = getattr(cl.cltypes, f"{kind}{count}")
    mine = getattr(sycl, f"{kind}{count}")
    start = np.zeros(10, dtype)
    base = start.dtype[0]
    numbers = start.view(base).reshape(10, -1)
    numbers[:, :count] = np.arange(10 * count).reshape(10, count)

    def mix(i, x):
        x[i] = x[i] + mine(3)
        x[i].s0 = x[i].s1
    a = arrays.to_device(theirs, start)
    queue.parallel_for(10, mix, a).wait()
    want = numbers[:, :count] + base.type(3)
    want[:, 0] = want[:, 1]
    assert np.array_equal(want, a.get().view(base).reshape(10, -1)[:, :count])
    assert np.dtype(mine).itemsize == start.dtype.itemsize
    same = start.view(np.dtype(mine))
    queue.parallel_for(10, mix, same).wait()
    assert np.array_equal(want, numbers[:, :count])


def test_what_kernels_cannot_take_is_refused(
        cl: Any, arrays: Any, theirs: Any, queue: sycl.queue) -> None:
    x = arrays.to_device(theirs, np.zeros((6, 4), np.int32))
    with pytest.raises(sycl.KernelError, match="C-contiguous"):
        queue.parallel_for(6, plus, x[:, 1], x[:, 2])
    with pytest.raises(sycl.KernelError, match="one to three"):
        queue.parallel_for(1, plus, x.reshape(1, 1, 6, 4), x)
    context = cl.Context([theirs.device])
    elsewhere = cl.CommandQueue(context)
    y = arrays.to_device(elsewhere, np.zeros(6, np.int32))
    assert sycl.errc.kernel_argument == code_of(queue.parallel_for, 6, plus, y, y)
    owner = sycl.make_context(OPENCL, context)
    q = sycl.queue(owner, queue.get_device())
    q.parallel_for(6, plus, y, y).wait()
    for device in sycl.device.get_devices():
        if device.get_backend() != OPENCL:
            with pytest.raises(sycl.exception, match="own context"):
                sycl.queue(device).parallel_for(6, plus, y, y)


SCALE = """
__kernel void scale(__global float *x, float by) { x[get_global_id(0)] *= by; }
"""


def scaling(cl: Any, q: sycl.queue) -> Any:
    """Return a native kernel that multiplies a row by a number."""
    program = cl._cl._Program(sycl.get_native(OPENCL, q.get_context()), SCALE)
    program._build(b"", [sycl.get_native(OPENCL, q.get_device())])
    return sycl.make_kernel(OPENCL, cl.Kernel(program, "scale"), q.get_context())


@pytest.mark.row("I-5")
def test_native_kernels_take_arrays_between_commands_of_both(
        cl: Any, arrays: Any, theirs: Any, queue: sycl.queue) -> None:
    scale, start = scaling(cl, queue), np.arange(100, dtype=np.float32)
    x = arrays.to_device(theirs, start)
    seen, want = [], []
    for first, last, by in ((0, 100, 3), (32, 64, 2), (0, 100, 0.5)):
        part = x[first:last]
        queue.submit(lambda h, part=part, by=by: (
            h.set_args(part, np.float32(by)), h.parallel_for(part.size, scale)))
        seen.append(x.copy())  # behind the kernel, and before the next
        start[first:last] *= np.float32(by)
        want.append(start.copy())
    assert np.array_equal(want, [y.get() for y in seen])


@pytest.mark.row("I-5", "F-2")
def test_native_kernels_refuse_arrays_that_they_cannot_take(
        cl: Any, arrays: Any, theirs: Any, queue: sycl.queue) -> None:
    scale = scaling(cl, queue)
    context = cl.Context([theirs.device])
    elsewhere = cl.CommandQueue(context)
    x = arrays.to_device(theirs, np.ones((4, 4), np.float32))
    for wrong, text in ((x[:, 1], "C-contiguous"), (arrays.zeros(elsewhere, 4, np.float32),
                                                    "own context"), (x.data, "make_buffer")):
        with pytest.raises(sycl.exception, match=text) as caught:
            queue.submit(lambda h, wrong=wrong: (h.set_args(wrong, np.float32(2)),
                                                 h.parallel_for(4, scale)))
        assert sycl.errc.kernel_argument == caught.value.code()
    assert (x.get() == 1).all()


@pytest.mark.row("I-5", "F-19")
def test_a_graph_refuses_freed_memory_of_native_kernels(cl: Any, queue: sycl.queue) -> None:
    scale, p = scaling(cl, queue), sycl.malloc_shared(8, np.float32, queue)
    p[:] = np.ones(8)
    graph = ext.command_graph(queue.get_context(), queue.get_device())
    with graph.record(queue):
        queue.submit(lambda h: (h.set_args(p, np.float32(2)), h.parallel_for(8, scale)))
    made = graph.finalize()
    queue.ext_oneapi_graph(made).wait()
    assert p[:].tolist() == [2] * 8
    sycl.free(p, queue)
    with pytest.raises(sycl.exception, match="freed"):
        queue.ext_oneapi_graph(made)


@pytest.mark.row("F-2")
def test_where_arrays_are_not_taken_the_way_out_is_told(
        arrays: Any, theirs: Any, queue: sycl.queue) -> None:
    x = arrays.to_device(theirs, np.ones(4, np.float32))
    for call in (lambda: sycl.buffer(x), lambda: queue.memcpy(np.zeros(4, np.float32), x),
                 lambda: sycl.reduction(x, sycl.plus())):
        assert "make_buffer(backend, array.data, context" in refusal(call)
    context = queue.get_context()
    assert "array.data" in refusal(sycl.make_buffer, OPENCL, x, context)
    theirs.finish()  # a blocking write only lets go of the host's data
    made = sycl.make_buffer(OPENCL, x.data, context, dtype=x.dtype, shape=x.shape)
    with sycl.host_accessor(made, sycl.read_only) as seen:
        assert seen.get_view().tolist() == [1] * 4


@pytest.mark.row("I-10")
def test_a_launch_lets_go_of_the_array(
        cl: Any, arrays: Any, theirs: Any, queue: sycl.queue) -> None:
    x = arrays.to_device(theirs, np.zeros(64, np.int32))
    memory = x.base_data
    before = memory.reference_count
    for first in (0, 1, 32):
        queue.parallel_for(8, plus, x[first:first + 8], x[first:first + 8]).wait()
    queue.wait()
    theirs.finish()
    del x
    queue.wait()
    assert memory.reference_count <= before
