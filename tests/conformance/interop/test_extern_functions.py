"""Kernels that call functions written in OpenCL C (SYCL 2020 App. C.8.1; SYCL 1.2 §3.7.2.3).

Numbers, vectors and pointers are arguments; I-7 also asks for images, streams and events, which are
not built: what is checked of it is a part.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from unisycl.ext.oneapi import experimental as ext
from unisycl.testing import refused

pytestmark = pytest.mark.part("I-7")


def compiles_c(device: sycl.device) -> bool:
    """Say whether a device takes kernels in OpenCL C."""
    return ext.is_source_kernel_bundle_supported(device, ext.source_language.opencl)


TEXT = """
/* float scale(int no) { this is a comment } */
#define TWICE(x) ((x) * 2)
#define it 3
static float helper(float x) { return TWICE(x); }

float scale(__global float *p, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += p[i];
    p[0] = -1;
    return helper(sum);
}

float4 turned(const float4 v, float by) { return v.wzyx * by; }
void put(__local int *cells, __global const uchar *from, int k) { cells[k] = from[k] + it; }
inline float last(__private float *v, size_t n);
float last(__private float *v, size_t n) { return v[n - 1]; }
"""
opencl_c = sycl.opencl.extern(TEXT)


@opencl_c
def scale(p: sycl.global_ptr[np.float32], n: np.int32) -> np.float32:  # type: ignore[valid-type]
    total = np.float32(0)
    for i in range(n):
        total += p[i]
    p[0] = -1
    return total * 2


@opencl_c
def turned(v: sycl.float4, by: np.float32) -> sycl.float4:  # type: ignore[valid-type]
    return v.wzyx * by


@opencl_c
def put(cells: Any, source: Any, k: Any) -> None:
    cells[k] = source[k] + 3


@opencl_c
def last(v: Any, n: Any) -> Any:
    return v[n - 1]


@sycl.opencl.extern("float bare(float x) { return x / 4; }")
def bare(x: np.float32) -> np.float32: ...  # type: ignore[empty-body]


def test_a_kernel_calls_a_function_that_is_opencl_c_alone(queue: sycl.queue) -> None:
    a = np.arange(100, dtype=np.float32)

    def kernel(i: Any, a: Any) -> None:
        a[i] = bare(a[i]) + 1
    with refused(queue.get_device(), able=compiles_c(queue.get_device())):
        queue.parallel_for(100, kernel, a).wait()
    np.testing.assert_array_equal(a, np.arange(100) / 4 + 1)


def test_without_a_python_body_other_devices_name_function_and_line(queue: sycl.queue) -> None:
    if queue.get_device().get_backend() == sycl.backend.opencl:
        pytest.skip("the device has it")

    def kernel(a: Any) -> None:
        a[0] = bare(a[0])
    with pytest.raises(sycl.exception, match=r"test_extern_functions\.py:\d+:\d+: 'bare' is a func"
                                             "tion in OpenCL C without a Python body") as caught:
        queue.single_task(kernel, np.zeros(1, np.float32))
    assert caught.value.code() == sycl.errc.kernel_not_supported


def test_a_function_with_a_python_body_gives_the_same_on_every_device(queue: sycl.queue) -> None:
    a = np.arange(32, dtype=np.float32)
    sums = np.zeros(8, np.float32)

    def kernel(i: Any, p: Any, n: Any) -> None:
        n[i] = scale(sycl.multi_ptr(p) + 4 * i, 4)
    with sycl.buffer(a) as b, sycl.buffer(sums) as s:
        queue.submit(lambda h: h.parallel_for(8, kernel, sycl.accessor(b, h), sycl.accessor(s, h)))
    expected = np.arange(32, dtype=np.float32).reshape(8, 4)
    np.testing.assert_array_equal(sums, expected.sum(1) * 2)
    expected[:, 0] = -1
    np.testing.assert_array_equal(a.reshape(8, 4), expected)


def test_vectors_go_in_and_come_back(queue: sycl.queue) -> None:
    v = np.arange(64, dtype=np.float32).view(sycl.float4.dtype)
    before = v.view(np.float32).reshape(16, 4).copy()

    def kernel(i: Any, v: Any) -> None:
        swapped = turned(v[i], 3)
        v[i] = turned(swapped, by=np.int8(-1)) + swapped.x
    queue.parallel_for(16, kernel, v).wait()
    np.testing.assert_array_equal(v.view(np.float32).reshape(16, 4),
                                  before * -3 + before[:, 3:] * 3)


def test_pointers_to_local_and_private_memory(queue: sycl.queue) -> None:
    data = np.arange(16, dtype=np.uint8)
    out = np.zeros(16, np.float32)

    def kernel(it: Any, cells: Any, data: Any, out: Any) -> None:
        i, k = it.get_global_id(0), it.get_local_id(0)
        put(cells, sycl.multi_ptr(data) + (i - k), k)
        sycl.group_barrier(it.get_group())
        mine = sycl.private_array(np.float32, 3)
        mine[2] = cells[it.get_local_range(0) - 1 - k]
        out[i] = last(mine, 3)

    def group(h: sycl.handler) -> None:
        cells = sycl.local_accessor(np.int32, 4, h)
        h.parallel_for(sycl.nd_range(16, 4), kernel, cells, data, out)
    queue.submit(group).wait()
    np.testing.assert_array_equal(out, (data + 3).reshape(4, 4)[:, ::-1].ravel())


def test_usm_and_pointers_kept_in_memory(queue: sycl.queue) -> None:
    with refused(queue.get_device(), sycl.aspect.usm_shared_allocations):
        p = sycl.malloc_shared(8, queue, np.float32)
    kept = sycl.malloc_shared(1, queue, sycl.global_ptr[np.float32])
    p[:] = np.arange(8)
    out = sycl.malloc_shared(2, queue, np.float32)

    def keep(p: Any, kept: Any) -> None:
        kept[0] = sycl.multi_ptr(p) + 4

    def kernel(p: Any, kept: Any, out: Any) -> None:
        out[0] = scale(p, 4)
        out[1] = scale(kept[0], n=4)
    queue.single_task(keep, p, kept).wait()
    queue.single_task(kernel, p, kept, out).wait()
    assert list(out) == [12, 44]
    assert list(p) == [-1, 1, 2, 3, -1, 5, 6, 7]
    for one in (p, kept, out):
        sycl.free(one, queue)


def test_names_of_the_text_are_not_taken_by_the_kernel(queue: sycl.queue) -> None:
    a = np.arange(4, dtype=np.float32)

    def helper(it: Any, sum: Any, cells: Any) -> None:  # words of the text; 'it' is a macro there
        v = sum[it] + 1
        TWICE = v * 3
        sum[it] = turned(sycl.float4(TWICE, 0, 0, cells), 1).w
    queue.parallel_for(4, helper, a, np.float32(7)).wait()
    np.testing.assert_array_equal(a, (np.arange(4) + 1) * 3)


def test_the_text_counts_not_the_name(queue: sycl.queue) -> None:
    out = np.zeros(1, np.float32)

    def kernel_of(factor: int) -> Callable[[Any], None]:
        @sycl.opencl.extern(f"float times(float x) {{ return x * {factor}; }}")
        def times(x: Any) -> Any:
            return x * factor

        def kernel(out: Any) -> None:
            out[0] = times(5)
        return kernel
    for factor in (2, 3, 2):
        queue.single_task(kernel_of(factor), out).wait()
        assert out[0] == 5 * factor


def test_a_text_may_be_a_file(queue: sycl.queue, tmp_path: Path) -> None:
    path = tmp_path / "mix.cl"
    path.write_text("typedef float real;\n"
                    "real mixed(__global const real *x, unsigned int at, bool up)\n"
                    "{ return up ? x[at] + 0.5f : x[at]; }\n")

    @sycl.opencl.extern(path)
    def mixed(x: sycl.global_ptr[np.float32], at: Any, up: Any) -> np.float32:
        return x[at] + np.float32(0.5) if up else x[at]
    a, out = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    a.flags.writeable = False  # the pointer is to const

    def kernel(i: Any, a: Any, out: Any) -> None:
        out[i] = mixed(a, 7 - i, i % 2)
    queue.parallel_for(8, kernel, a, out).wait()
    np.testing.assert_array_equal(out, a[::-1] + np.arange(8) % 2 * np.float32(0.5))


def test_reductions_and_work_item_loops_call_them(queue: sycl.queue) -> None:
    total = np.zeros(1, np.float32)

    def adding(i: Any, r: Any) -> None:
        v = turned(sycl.float4(i[0], 1, 2, 3), 2)
        r += v.w
    with sycl.buffer(total) as b:
        queue.submit(lambda h: h.parallel_for(100, sycl.reduction(b, h, sycl.plus()), adding))
    assert total[0] == 9900
    out = np.zeros(8, np.float32)

    def grouped(g: Any, out: Any) -> None:
        def each(it: Any) -> None:
            out[it.get_global_id(0)] = turned(sycl.float4(it.get_global_id(0)), 2).x
        g.parallel_for_work_item(each)
    queue.submit(lambda h: h.parallel_for_work_group(2, 4, grouped, out)).wait()
    np.testing.assert_array_equal(out, np.arange(8) * 2)


def too_few(a: Any) -> None:
    a[0] = scale(a)


def wrong_name(a: Any) -> None:
    a[0] = scale(a, m=1)


def float_for_int(a: Any) -> None:
    a[0] = scale(a, 1.5)


def number_for_pointer(a: Any) -> None:
    a[0] = scale(a[0], 1)


def number_for_vector(a: Any) -> None:
    a[0] = turned(a[0], 1).x


def wrong_space(a: Any) -> None:
    mine = sycl.private_array(np.float32, 4)
    mine[0] = scale(mine, 4)


def wrong_element(a: Any) -> None:
    put(a, a, 1)


def too_large(a: Any) -> None:
    a[0] = scale(a, 1 << 40)


WRONG = {
    too_few: r"K034: 'scale' takes \(p, n\); 1 given",
    wrong_name: r"K034: 'scale' takes \(p, n\); 'm' given",
    float_for_int: "Python float cannot be used here: 'int' for 'n' of 'scale' is needed",
    number_for_pointer: r"float32 cannot be used here: '__global float \*' for 'p' of 'scale'",
    number_for_vector: "float32 cannot be used here: 'const float4' for 'v' of 'turned' is needed",
    wrong_space: "K085: this is private memory, not global",
    wrong_element: "K085: this is global memory, not local",
    too_large: "K057",
}


@pytest.mark.parametrize("kernel", WRONG, ids=lambda k: k.__name__)
def test_a_wrong_argument_is_refused_at_the_call(queue: sycl.queue, kernel: Any) -> None:
    with pytest.raises(sycl.exception, match=WRONG[kernel]) as caught:
        queue.single_task(kernel, np.zeros(4, np.float32))
    assert caught.value.code() == sycl.errc.kernel
    place = f"{Path(__file__).name}:{kernel.__code__.co_firstlineno + 1 + (kernel is wrong_space)}"
    assert place in str(caught.value)


def test_a_pointer_to_what_may_change_needs_writable_memory(queue: sycl.queue) -> None:
    a = np.zeros(4, np.float32)

    def kernel(p: Any) -> None:
        scale(p, 4)

    def group(h: sycl.handler) -> None:
        h.single_task(kernel, sycl.accessor(b, h, sycl.read_only))
    with sycl.buffer(a) as b, pytest.raises(sycl.exception, match="'p' is read-only here"):
        queue.submit(group)


def test_at_group_scope_no_work_item_calls(queue: sycl.queue) -> None:
    if queue.get_device().get_backend() != sycl.backend.opencl:
        pytest.skip("the Python body runs as any function does")

    def grouped(g: Any, out: Any) -> None:
        out[g.get_group_id(0)] = turned(sycl.float4(1), 2).x
    with pytest.raises(sycl.exception, match="K052: 'turned' cannot be used at group scope"):
        queue.submit(lambda h: h.parallel_for_work_group(2, 4, grouped, np.zeros(2, np.float32)))


def test_a_text_that_does_not_compile_shows_its_own_line(queue: sycl.queue) -> None:
    @sycl.opencl.extern("// a comment\nfloat wrong(float x)\n{\n    return absent * x;\n}\n")
    def wrong(x: Any) -> Any: ...

    def kernel(a: Any) -> None:
        a[0] = wrong(a[0])
    with refused(queue.get_device(), able=compiles_c(queue.get_device())):
        try:
            queue.single_task(kernel, np.zeros(1, np.float32)).wait()
        except sycl.exception as error:
            if error.code() != sycl.errc.build:
                raise
            said = str(error)
    assert Path(__file__).name in said.partition("kernel 'kernel' was refused")[0]
    assert "line 4 of wrong.cl:\n    return absent * x;\n" in said
    assert "absent" in said.partition("Its log:")[2]


def test_on_the_host_the_python_body_is_called() -> None:
    a = np.arange(4, dtype=np.float32)
    assert scale(a, 4) == 12
    assert a[0] == -1
    assert type(last(a, np.int8(2))) is np.float32
    with pytest.raises(sycl.exception, match="'bare' is a function in OpenCL C") as caught:
        bare(1.0)
    assert caught.value.code() == sycl.errc.feature_not_supported
