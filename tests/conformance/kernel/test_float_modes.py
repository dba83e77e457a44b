"""Kernels compute alike whatever the mode of the calling thread is: denormals, rounding."""

from __future__ import annotations

import ctypes
import functools
import platform
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

import unisycl as sycl

pytestmark = [
    pytest.mark.row("D-19"),
    pytest.mark.skipif(platform.machine() != "x86_64", reason="sets the register of x86-64")]
FLUSH, UP, ZERO = 0x8040, 0x4000, 0x6000
USUAL = 0x1F80
SIZES = (1, 3, 100_000)
TINY = np.float32(1e-40)


@functools.cache
def register():
    """Return functions that write and read MXCSR."""
    binding = pytest.importorskip("llvmlite.binding")
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    module = binding.parse_assembly("""
declare void @llvm.x86.sse.ldmxcsr(ptr)
declare void @llvm.x86.sse.stmxcsr(ptr)
define void @put(i32 %x) {
  %p = alloca i32
  store i32 %x, ptr %p
  call void @llvm.x86.sse.ldmxcsr(ptr %p)
  ret void
}
define i32 @get() {
  %p = alloca i32
  call void @llvm.x86.sse.stmxcsr(ptr %p)
  %x = load i32, ptr %p
  ret i32 %x
}""")
    machine = binding.Target.from_default_triple().create_target_machine()
    engine = binding.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    put = ctypes.CFUNCTYPE(None, ctypes.c_uint32)(engine.get_function_address("put"))
    get = ctypes.CFUNCTYPE(ctypes.c_uint32)(engine.get_function_address("get"))
    return put, get, engine


@contextmanager
def mode(bits: int) -> Iterator[None]:
    put, get, _ = register()
    before = get()
    put(USUAL | bits)
    try:
        yield
        assert get() & 0xFFC0 == USUAL | bits  # as the program set it
    finally:
        put(before)


def compute(i, tiny, third, scale):
    tiny[i] = tiny[i] * scale
    third[i] = np.float32(1) / (third[i] + np.float32(2))


def expected(size):
    tiny, third = np.full(size, TINY), np.arange(size).astype(np.float32)
    return tiny * np.float32(0.5), np.float32(1) / (third + np.float32(2))


def operands(size):
    return np.full(size, TINY), np.arange(size).astype(np.float32), np.float32(0.5)


def check(size, tiny, third, times=1):
    wanted, quotient = expected(size)
    for _ in range(times - 1):
        wanted, quotient = wanted * np.float32(0.5), np.float32(1) / (quotient + np.float32(2))
    assert (tiny.view(np.uint32) == wanted.view(np.uint32)).all()
    assert (third.view(np.uint32) == quotient.view(np.uint32)).all()
    assert tiny.view(np.uint32).all()


MODES = pytest.mark.parametrize("bits", [FLUSH, UP, ZERO, FLUSH | UP],
                                ids=["flush", "up", "zero", "both"])


@MODES
def test_launches_of_every_size(queue, bits):
    for size in SIZES:
        if size > 1000 and queue.get_backend() is sycl.backend.host:
            continue
        for waits in (True, False):
            tiny, third, scale = operands(size)
            with mode(bits):
                done = queue.parallel_for(size, compute, tiny, third, scale)
                if waits:
                    done.wait()
            queue.wait()
            check(size, tiny, third)


@MODES
def test_groups_and_single_tasks(queue, bits):
    tiny, third, scale = operands(64)
    total = np.zeros(1, np.float32)
    one, two = operands(1)[:2]

    def grouped(it):
        compute(it.get_global_id(0), tiny, third, scale)
        sycl.group_barrier(it.get_group())

    def alone():
        compute(0, one, two, scale)

    def summed(i, result):
        result += TINY
    with mode(bits):
        queue.parallel_for(sycl.nd_range(64, 16), grouped).wait()
        queue.single_task(alone).wait()
        queue.parallel_for(8, sycl.reduction(total, sycl.plus), summed).wait()
    check(64, tiny, third)
    check(1, one, two)
    assert total[0] == np.float32(8) * TINY


@MODES
def test_bound_launches_graphs_and_batches(queue, bits):
    tiny, third, scale = operands(3)
    bound = queue.bind(3, compute, tiny, third, scale)
    graph = sycl.ext.oneapi.experimental.command_graph(queue.get_context(), queue.get_device())
    graph.begin_recording(queue)
    before = queue.parallel_for(3, compute, tiny, third, scale)
    queue.submit(lambda h: (h.depends_on(before), h.parallel_for(3, compute, tiny, third, scale)))
    graph.end_recording()
    ready = graph.finalize()
    with mode(bits):
        bound().wait()
        queue.ext_oneapi_graph(ready).wait()
        bound().wait()
    check(3, tiny, third, times=4)


def test_constants_of_kernels_compiled_meanwhile(queue):
    out = np.zeros(4, np.float32)
    tenth, denormal = 0.1, np.float32(3e-41)

    def kernel():
        out[0] = tenth
        out[1] = np.float32(0.7)
        out[2] = denormal * np.float32(1)
        out[3] = 1e-45
    with mode(UP | FLUSH):
        queue.single_task(kernel).wait()
    assert [np.float32(x).view(np.uint32) for x in (0.1, 0.7, 3e-41, 1e-45)] == list(
        out.view(np.uint32))


def test_threads_that_the_runtime_starts_meanwhile(device):
    tiny, third, scale = operands(50_000 if device.get_backend() is not sycl.backend.host else 50)
    size = len(tiny)

    def work():
        with mode(FLUSH | UP):
            q = sycl.queue(device)
            first = q.submit(lambda h: h.host_task(lambda: None))
            q.submit(lambda h: (h.depends_on(first),
                                h.parallel_for(size, compute, tiny, third, scale))).wait()
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    check(size, tiny, third)
