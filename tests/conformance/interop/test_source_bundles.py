"""Kernels from strings of OpenCL C (sycl_ext_oneapi_kernel_compiler)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from unisycl.ext.oneapi import experimental as ext

OPENCL = ext.source_language.opencl
SOURCE = """
__kernel void iota(__global int *out, int start)
{ out[get_global_id(0)] = start + get_global_id(0); }
#ifdef TWICE
__kernel void twice(__global int *out) { out[get_global_id(0)] *= 2; }
#endif
"""


def code_of(call: Any, *args: Any) -> sycl.errc:
    with pytest.raises(sycl.exception) as caught:
        call(*args)
    return caught.value.code()


@pytest.fixture
def compiling(queue: sycl.queue) -> sycl.queue:
    """The queue, if its device compiles OpenCL C."""
    if not ext.is_source_kernel_bundle_supported(queue.get_device(), OPENCL):
        assert code_of(ext.create_kernel_bundle_from_source, queue.get_context(), OPENCL,
                       SOURCE) == sycl.errc.invalid
        pytest.skip("refused: the device compiles no OpenCL C")
    return queue


@pytest.mark.row("M-10", "I-6")
def test_a_string_of_opencl_c_becomes_kernels(compiling: sycl.queue) -> None:
    q, log = compiling, []
    source = ext.create_kernel_bundle_from_source(q.get_context(), OPENCL, SOURCE)
    assert source.get_context() == q.get_context()
    bundle = ext.build(source, [q.get_device()], ext.build_options("-DTWICE"), ext.save_log(log))
    assert len(log) == 1
    assert bundle.get_devices() == [q.get_device()]
    assert bundle.ext_oneapi_has_kernel("twice")
    iota, twice = (bundle.ext_oneapi_get_kernel(n) for n in ("iota", "twice"))
    assert iota.name == "iota"
    out = np.zeros(32, np.int32)
    with sycl.buffer(out) as b:
        def first(h: sycl.handler) -> None:
            h.set_args(sycl.accessor(b, h, sycl.write_only, sycl.no_init), np.int32(5))
            h.parallel_for(32, iota)

        def then(h: sycl.handler) -> None:
            h.set_args(sycl.accessor(b, h))
            h.parallel_for(sycl.nd_range(32, 8), twice)
        q.submit(first)
        q.submit(then)
    assert out.tolist() == [2 * (5 + k) for k in range(32)]


@pytest.mark.row("M-10", "I-6")
def test_what_does_not_compile_shows_the_log(compiling: sycl.queue) -> None:
    owner = compiling.get_context()
    plain = ext.build(ext.create_kernel_bundle_from_source(owner, OPENCL, SOURCE))
    assert not plain.ext_oneapi_has_kernel("twice")
    assert code_of(plain.ext_oneapi_get_kernel, "twice") == sycl.errc.invalid
    wrong = ext.create_kernel_bundle_from_source(owner, OPENCL, "__kernel void f() { nonsense; }")
    with pytest.raises(sycl.exception, match="nonsense") as caught:
        ext.build(wrong)
    assert caught.value.code() == sycl.errc.build
    assert code_of(ext.build, wrong, 3) == sycl.errc.invalid
    assert not ext.is_source_kernel_bundle_supported(owner, ext.source_language.sycl)
