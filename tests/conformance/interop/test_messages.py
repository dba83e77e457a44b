"""What is wrongly given instead of the right object is told with the right one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.refusals import code_of, refusal
from unisycl.ext.oneapi import experimental as ext

OPENCL = sycl.backend.opencl
pytestmark = [pytest.mark.row("F-2"), pytest.mark.part("I-1", "I-2")]
SOURCE = "__kernel void one(__global float *x) { x[get_global_id(0)] = 1; }"


def one(i, x):
    x[i] = 1


def double(i, x):
    x[i] = x[i] * 2


def corner(i, x):
    x[i].x = 1


def told(call: Any, *args: Any) -> str:
    """Return the whole text of a refusal."""
    with pytest.raises(sycl.exception) as caught:
        call(*args)
    return str(caught.value)


def test_read_only_arrays_are_told_how_to_become_writable(queue: sycl.queue) -> None:
    x = np.zeros(4, np.float32)
    x.flags.writeable = False
    assert "for a read-only array, or" in told(queue.parallel_for, 4, one, x)
    for call in (lambda: queue.memcpy(x, np.ones(4, np.float32)), lambda: queue.fill(x, 1),
                 lambda: queue.copy(np.ones(4, np.float32), x)):
        assert "such as array.copy()" in refusal(call)
    assert x.tolist() == [0] * 4


def first(i, x, y):
    y[i] = x[0]


def test_none_where_memory_is_wanted_is_told_where_it_is_used(queue: sycl.queue) -> None:
    x = np.zeros(4, np.float32)
    for kernel, args in ((one, (None,)), (first, (None, x))):
        assert "pass memory, a tuple or an id" in told(queue.parallel_for, 4, kernel, *args)


def test_accessors_outside_their_command_are_told_the_tag(queue: sycl.queue) -> None:
    with sycl.buffer(np.zeros(4, np.float32)) as b:
        def group(h):
            x = sycl.accessor(b, h)
            h.host_task(lambda: x[0])
        with pytest.raises(sycl.exception, match="read_write_host_task"):
            queue.submit(group).wait_and_throw()


def test_masked_arrays_are_told_how_to_lose_their_mask(queue: sycl.queue) -> None:
    x = np.ma.masked_array(np.zeros(4, np.float32), [1, 0, 0, 0])
    assert "pass array.filled(value)" in told(queue.parallel_for, 4, one, x)
    assert x.data.tolist() == [0] * 4


@pytest.mark.parametrize(("count", "name"), [(2, "float2"), (3, "float3"), (4, "float4")])
def test_vectors_of_another_library_are_told_how_to_be_seen(
        queue: sycl.queue, count: int, name: str) -> None:
    """The layout of ``pyopencl.cltypes.float4``: titles x, y, z, w, names s0 to s3."""
    fields: list[Any] = [(("xyzw"[k], f"s{k}"), np.float32) for k in range(count)]
    kind = np.dtype(fields + [("padding0", np.float32)] * (count == 3))
    x = np.zeros(4, kind)
    for kernel in (one, double, corner):
        assert f"array.view(np.dtype(sycl.{name}))" in told(queue.parallel_for, 4, kernel, x)
    seen = x.view(np.dtype(getattr(sycl, name)))
    queue.parallel_for(4, corner, seen).wait()
    assert x["s0"].tolist() == [1] * 4


def test_other_records_are_told_as_before(queue: sycl.queue) -> None:
    for kind in ([("s0", np.float32), ("s1", np.int32)], [("a", np.float32), ("b", np.float32)]):
        assert "view(" not in told(queue.parallel_for, 4, double, np.zeros(4, np.dtype(kind)))


def test_what_is_no_command_group_is_told_from_a_kernel(queue: sycl.queue) -> None:
    for wrong in (3, None, "text"):
        for submit in (queue.submit, lambda f: ext.submit(queue, f)):
            assert "expected a command group function, which takes the handler" in refusal(
                submit, wrong)


def test_an_image_needs_a_format() -> None:
    assert "give (pixels, image_format, ...), such as image_format." in refusal(
        sycl.unsampled_image, np.zeros((4, 4, 4), np.float32))


def test_functions_of_another_language_have_names_and_texts(tmp_path: Path) -> None:
    assert "expected OpenCL C in a str, or the path of a file" in refusal(
        sycl.opencl.extern, lambda x: x)
    assert "a lambda has no name" in refusal(
        sycl.opencl.extern("int f(int x) { return x; }"), lambda x: x)
    assert "cannot be read" in refusal(sycl.opencl.extern, tmp_path / "nothing.cl")


def test_a_bundle_of_source_shows_no_kernels(cl: Any, queue: sycl.queue) -> None:
    if not ext.is_source_kernel_bundle_supported(queue.get_device(), ext.source_language.opencl):
        pytest.skip("the device compiles no OpenCL C")
    text = ext.create_kernel_bundle_from_source(
        queue.get_context(), ext.source_language.opencl, SOURCE)
    for ask in (text.ext_oneapi_get_kernel, text.ext_oneapi_has_kernel):
        assert "ask the bundle that build(bundle) returns" in refusal(ask, "one")
    assert ext.build(text).ext_oneapi_has_kernel("one")


def test_native_memory_is_told_how_to_become_a_buffer(cl: Any, queue: sycl.queue) -> None:
    memory = cl.Buffer(sycl.get_native(OPENCL, queue.get_context()), cl.mem_flags.READ_WRITE, 64)
    text = told(queue.parallel_for, 4, one, memory)
    assert "argument 'x' is a native Buffer; of native memory make a buffer" in text
    assert code_of(queue.parallel_for, 4, one, memory) == sycl.errc.kernel_argument
    for call in (sycl.buffer, sycl.accessor, sycl.host_accessor,
                 lambda m: queue.memcpy(m, np.zeros(4, np.uint8))):
        assert "make_buffer makes a buffer of native memory" in refusal(call, memory)


def test_what_is_no_native_object_is_told_so(cl: Any, queue: sycl.queue) -> None:
    context = queue.get_context()
    for make, wrong in ((sycl.make_context, context), (sycl.make_device, queue.get_device()),
                        (lambda b, q: sycl.make_queue(b, q, context), queue)):
        assert "which is SYCL's already; get_native" in refusal(make, OPENCL, wrong)
    for made in (sycl.make_unsampled_image, sycl.make_buffer):
        assert "got ndarray; a buffer or an image of an array is made by buffer or" in refusal(
            made, OPENCL, np.zeros(4, np.uint8), context)


def test_elements_that_do_not_fill_native_memory_are_refused(cl: Any, queue: sycl.queue) -> None:
    context = queue.get_context()
    memory = cl.Buffer(sycl.get_native(OPENCL, context), cl.mem_flags.READ_WRITE, 10)
    assert "10 bytes are no whole number of float32 (4 bytes each); give shape=" in refusal(
        lambda: sycl.make_buffer(OPENCL, memory, context, dtype=np.float32))
    with sycl.make_buffer(OPENCL, memory, context, dtype=np.float32, shape=2) as b:
        assert b.size() == 2
    with sycl.make_buffer(OPENCL, memory, context, dtype=np.uint16) as b:
        assert b.size() == 5


def test_memory_that_kernels_may_only_read_is_not_written(cl: Any, queue: sycl.queue) -> None:
    context, flags = queue.get_context(), cl.mem_flags
    given = np.arange(4, dtype=np.float32)
    memory = cl.Buffer(sycl.get_native(OPENCL, context), flags.READ_ONLY | flags.COPY_HOST_PTR,
                       hostbuf=given)
    out = np.zeros(4, np.float32)
    with sycl.make_buffer(OPENCL, memory, context, dtype=np.float32) as b, sycl.buffer(out) as bo:
        def write(h: sycl.handler) -> None:
            h.parallel_for(4, double, sycl.accessor(b, h, sycl.read_write))

        def read(h: sycl.handler) -> None:
            x, y = sycl.accessor(b, h), sycl.accessor(bo, h, sycl.write_only)

            def kernel(i):
                y[i] = x[i] + 1
            h.parallel_for(4, kernel)
        assert "native memory that kernels may only read" in refusal(queue.submit, write)
        queue.submit(read)
    assert out.tolist() == [1, 2, 3, 4]


TWO = """
import unisycl as sycl
OPENCL = sycl.backend.opencl
found = [d for d in sycl.device.get_devices() if d.get_backend() is OPENCL
         and "Portable" in d.get_platform().get_info(sycl.info.platform.name)]
native = [sycl.get_native(OPENCL, d) for d in found]
import pyopencl as cl
for order in (native, native[::-1]):
    context = sycl.make_context(OPENCL, cl.Context(order))
    print([native.index(sycl.get_native(OPENCL, d)) for d in context.get_devices()])
    print(native.index(sycl.get_native(OPENCL, sycl.queue(context)).device))
"""


def test_devices_of_a_native_context_keep_their_order(
        cl: Any, device: sycl.device, tmp_path: Path) -> None:
    if "Portable" not in device.get_platform().get_info(sycl.info.platform.name):
        pytest.skip("only PoCL can be told to have two devices")
    done = subprocess.run(
        [sys.executable, "-c", TWO], capture_output=True, text=True, check=False, timeout=300,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "UNISYCL_DEVICE": "",
             "POCL_DEVICES": "pthread pthread", "UNISYCL_CACHE": str(tmp_path)})
    assert done.stdout.split("\n") == ["[0, 1]", "0", "[1, 0]", "1", ""], done.stderr
