"""Kernels that call functions written in CUDA C++; elsewhere their Python bodies run.

They are M-10's counterpart for functions: a part of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from unisycl.ext.oneapi import experimental as ext
from unisycl.testing import refused

pytestmark = pytest.mark.part("M-10")

TEXT = """
#define TWICE(x) ((x) * 2)
namespace { template<class T> __device__ T helper(T x) { return TWICE(x); } }

static __device__ float scale(float *__restrict__ p, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += p[i];
    p[0] = -1;
    return helper(sum);
}

__device__ __forceinline__ float4 turned(const float4 v, float by)
{
    return make_float4(v.w * by, v.z * by, v.y * by, v.x * by);
}
extern "C" __device__ void put(int *cells, const unsigned char *from, int k)
{
    cells[k] = from[k] + 3;
}
__device__ unsigned long long high(unsigned long long a, long long b)
{
    return __umul64hi(a, (unsigned long long)b);
}
"""
cuda = sycl.ext.unisycl.extern(TEXT, sycl.backend.cuda)


@cuda
def scale(p: Any, n: Any) -> Any:
    total = np.float32(0)
    for i in range(n):
        total += p[i]
    p[0] = -1
    return total * 2


@cuda
def turned(v: Any, by: Any) -> Any:
    return v.wzyx * by


@cuda
def put(cells: Any, source: Any, k: Any) -> None:
    cells[k] = source[k] + 3


@cuda
def high(a: Any, b: Any) -> Any:
    return sycl.mul_hi(a, np.uint64(b))


@sycl.ext.unisycl.extern("__device__ float bare(float x) { return __fdividef(x, 4); }",
                         sycl.backend.cuda)
def bare(x: Any) -> Any: ...


def test_numbers_vectors_and_pointers_go_in_and_come_back(queue: sycl.queue) -> None:
    a, sums = np.arange(32, dtype=np.float32), np.zeros(8, np.float32)
    v, tops = np.arange(32, dtype=np.float32).view(sycl.float4.dtype), np.zeros(8, np.uint64)
    before = v.view(np.float32).reshape(8, 4).copy()

    def kernel(i: Any, p: Any, sums: Any, v: Any, tops: Any) -> None:
        sums[i] = scale(sycl.multi_ptr(p) + 4 * i, 4)
        v[i] = turned(v[i], by=np.int8(-3))
        tops[i] = high(np.uint64(1) << np.uint64(63), i[0] + 2)
    queue.parallel_for(8, kernel, a, sums, v, tops).wait_and_throw()
    expected = np.arange(32, dtype=np.float32).reshape(8, 4)
    np.testing.assert_array_equal(sums, expected.sum(1) * 2)
    np.testing.assert_array_equal(a[::4], np.full(8, -1))
    np.testing.assert_array_equal(v.view(np.float32).reshape(8, 4), before[:, ::-1] * -3)
    assert [(k + 2) // 2 for k in range(8)] == tops.tolist()


def test_local_memory_is_reached(queue: sycl.queue) -> None:
    data, out = np.arange(16, dtype=np.uint8), np.zeros(16, np.int32)

    def kernel(it: Any, cells: Any, data: Any, out: Any) -> None:
        i, k = it.get_global_id(0), it.get_local_id(0)
        put(cells, sycl.multi_ptr(data) + (i - k), k)
        sycl.group_barrier(it.get_group())
        out[i] = cells[3 - k]
    queue.submit(lambda h: h.parallel_for(sycl.nd_range(16, 4), kernel, sycl.local_accessor(
        np.int32, 4, h), data, out)).wait_and_throw()
    np.testing.assert_array_equal(out, (data + 3).reshape(4, 4)[:, ::-1].ravel())


def test_without_a_body_it_is_for_cuda_alone(queue: sycl.queue) -> None:
    a = np.arange(100, dtype=np.float32)

    def kernel(i: Any, a: Any) -> None:
        a[i] = bare(a[i]) + 1
    with refused(queue.get_device(), able=ext.is_source_kernel_bundle_supported(
            queue.get_device(), ext.source_language.cuda)):
        queue.parallel_for(100, kernel, a).wait_and_throw()
    np.testing.assert_array_equal(a, np.arange(100) / 4 + 1)


def test_what_the_compiler_refuses_is_shown(queue: sycl.queue) -> None:
    @sycl.ext.unisycl.extern("// a comment\n__device__ float wrong(float x)\n{\n"
                             "    return absent * x;\n}\n", sycl.backend.cuda)
    def wrong(x: Any) -> Any: ...

    with pytest.raises(sycl.exception) as caught:
        queue.parallel_for(4, lambda i, a: wrong(a[i]), np.zeros(4, np.float32)).wait_and_throw()
    if queue.get_device().get_backend() is sycl.backend.cuda:
        assert "line 4 of wrong.cu:\n    return absent * x;\n" in str(caught.value)
    else:
        assert "'wrong' is a function in CUDA C++ without a Python body" in str(caught.value)


def test_a_backend_without_a_language_is_named() -> None:
    with pytest.raises(sycl.exception, match=r"devices of backend\.opencl, backend\.cuda, not"):
        sycl.ext.unisycl.extern("float f(float x);", sycl.backend.cpu)
