"""Kernels from strings of CUDA C++, as sycl_ext_oneapi_kernel_compiler has them of OpenCL C."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.refusals import code_of
from unisycl.ext.oneapi import experimental as ext

CUDA = ext.source_language.cuda
SOURCE = """
extern "C" __global__ void iota(int *out, int start)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = start + i;
}
struct pair { double a; short b; };
template<class T> __device__ T half_of(T x) { return x / 2; }
__global__ void mixed(float *p, pair given, unsigned char c, const double *q)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    p[i] = half_of(p[i]) + given.a + given.b + c + q[0];
}
#ifdef TURNED
extern "C" __global__ void turned(int *out)
{
    extern __shared__ int tile[];
    tile[threadIdx.x] = out[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void rows(int *out)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    out[row * (gridDim.x * blockDim.x) + blockIdx.x * blockDim.x + threadIdx.x] = row;
}
#endif
"""
PAIR = np.dtype([("a", np.float64), ("b", np.int16)], align=True)


@pytest.fixture
def compiling(queue: sycl.queue) -> sycl.queue:
    """The queue, if its device compiles CUDA C++."""
    if not ext.is_source_kernel_bundle_supported(queue.get_device(), CUDA):
        assert sycl.errc.invalid == code_of(ext.create_kernel_bundle_from_source,
                                            queue.get_context(), CUDA, SOURCE)
        pytest.skip("refused: the device compiles no CUDA C++")
    return queue


def built(q: sycl.queue, *words: str) -> Any:
    source = ext.create_kernel_bundle_from_source(q.get_context(), CUDA, SOURCE)
    return ext.build(source, [q.get_device()], ext.build_options(*words)) if words else (
        ext.build(source))


@pytest.mark.part("M-10")
def test_a_string_of_cuda_becomes_kernels_between_ours(compiling: sycl.queue) -> None:
    q, bundle = compiling, built(compiling)
    assert bundle.ext_oneapi_has_kernel("iota")
    assert bundle.ext_oneapi_has_kernel("mixed")
    assert not bundle.ext_oneapi_has_kernel("turned")
    k = bundle.ext_oneapi_get_kernel("iota")
    assert ("iota", sycl.backend.cuda) == (k.name, k.get_backend())
    out = np.zeros(1000, np.int32)
    with sycl.buffer(out) as b:
        def theirs(h: sycl.handler) -> None:
            h.set_args(sycl.accessor(b, h, sycl.write_only), np.int32(7))
            h.parallel_for(1000, k)

        def ours(h: sycl.handler) -> None:
            acc = sycl.accessor(b, h)

            def double(i: Any) -> None:
                acc[i] = 2 * acc[i]
            h.parallel_for(1000, double)
        q.submit(theirs)
        q.submit(ours)
    assert (2 * (np.arange(1000) + 7)).tolist() == out.tolist()


@pytest.mark.part("M-10")
def test_records_numbers_and_pointers_are_arguments(compiling: sycl.queue) -> None:
    q, k = compiling, built(compiling).ext_oneapi_get_kernel("mixed")
    p = sycl.malloc_shared(64, np.float32, q)
    more = sycl.malloc_device(1, np.float64, q)
    p[:] = np.arange(64)
    q.fill(more, 0.25).wait()
    given = np.array((1.5, -3), PAIR)

    def group(h: sycl.handler) -> None:
        h.set_args(p, given[()], np.uint8(200), more)
        h.parallel_for(sycl.nd_range(64, 16), k)
    q.submit(group).wait_and_throw()
    assert (np.arange(64) / 2 + 198.75).tolist() == p[:].tolist()


@pytest.mark.part("M-10")
def test_local_memory_is_the_launchs_and_dimensions_are_turned(compiling: sycl.queue) -> None:
    q, bundle = compiling, built(compiling, "-DTURNED")
    out = sycl.malloc_shared(96, np.int32, q)
    out[:] = np.arange(96)

    def turn(h: sycl.handler) -> None:
        h.set_args(out, sycl.local_accessor(np.int32, 32, h))
        h.parallel_for(sycl.nd_range(96, 32), bundle.ext_oneapi_get_kernel("turned"))

    def number(h: sycl.handler) -> None:
        h.set_args(out)
        h.parallel_for(sycl.range(8, 12), bundle.ext_oneapi_get_kernel("rows"))
    q.submit(turn).wait_and_throw()
    assert np.arange(96).reshape(3, 32)[:, ::-1].ravel().tolist() == out[:].tolist()
    q.submit(number).wait_and_throw()
    assert np.repeat(np.arange(8), 12).tolist() == out[:].tolist()


@pytest.mark.part("M-10")
def test_wrong_arguments_sizes_and_texts_are_refused(compiling: sycl.queue) -> None:
    q, k = compiling, built(compiling).ext_oneapi_get_kernel("iota")
    out = sycl.malloc_shared(64, np.int32, q)

    def launched(space: Any, *args: Any) -> None:
        def group(h: sycl.handler) -> None:
            h.set_args(*args)
            h.parallel_for(space, k)
        q.submit(group)
    for args in ((out,), (out, np.int64(1)), (out, np.int32(1), out)):
        assert sycl.errc.kernel_argument == code_of(launched, 64, *args)
    assert sycl.errc.nd_range == code_of(launched, sycl.nd_range(4096, 4096), out, np.int32(1))
    assert sycl.errc.invalid == code_of(launched, sycl.nd_range(64, 32, 4), out, np.int32(1))
    wrong = ext.create_kernel_bundle_from_source(
        q.get_context(), CUDA, "__global__ void k() { x; }")
    with pytest.raises(sycl.exception, match='identifier "x" is undefined') as caught:
        ext.build(wrong)
    assert sycl.errc.build == caught.value.code()


CHILDREN = """
extern "C" __global__ void add(int *out, int at, int depth)
{
    atomicAdd(out + at, (int)threadIdx.x);
    if (depth > 0 && threadIdx.x == 0) add<<<2, 32>>>(out, at, depth - 1);
}
extern "C" __global__ void last(int *out, int count)
{
    for (int k = 0; k < count; k++) out[k] += 1;
}
extern "C" __global__ void start(int *out)
{
    const int me = blockIdx.x * blockDim.x + threadIdx.x;
    add<<<1, 32, 0, cudaStreamFireAndForget>>>(out, me, 2);
    if (me == 0) last<<<1, 1, 0, cudaStreamTailLaunch>>>(out, gridDim.x * blockDim.x);
}
"""


@pytest.mark.part("M-10")
def test_kernels_of_a_text_launch_kernels(compiling: sycl.queue) -> None:
    q = compiling
    bundle = ext.build(ext.create_kernel_bundle_from_source(q.get_context(), CUDA, CHILDREN))
    kernel = bundle.ext_oneapi_get_kernel("start")
    out = np.zeros(40, np.int32)
    with sycl.buffer(out) as b:
        def theirs(h: sycl.handler) -> None:
            h.set_args(sycl.accessor(b, h))
            h.parallel_for(sycl.nd_range(40, 8), kernel)

        def ours(h: sycl.handler) -> None:
            acc = sycl.accessor(b, h)

            def double(i: Any) -> None:
                acc[i] = 2 * acc[i]
            h.parallel_for(40, double)
        q.submit(theirs)
        q.submit(ours)
    # Seven groups for each: one, its two, and their four; what follows comes behind all of them.
    assert [2 * (7 * sum(range(32)) + 1)] * 40 == out.tolist()
