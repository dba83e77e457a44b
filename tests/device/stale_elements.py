"""Whether elements of local memory are read anew: ``tests.device.stale_elements DEVICE``.

Nothing but PyOpenCL: two running sums over work-groups of 5, each of which hands its carry on
through an element of local memory, behind a barrier. On Intel's runtime for processors (2026.2),
where a processor has AVX-512, the second one always reads 0; not with ``--volatile``. Non-goals:
unisycl's own text (tests/conformance/group/test_scans_after_scans.py).
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.testing import find_device

TEXT = """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
half lesser(half a, half b) { return b < a ? b : a; }
half hidden(half x) { return as_half((ushort)(as_ushort(x) << (get_work_dim() >> 8))); }
__kernel __attribute__((cold))
void sums(const long p0, __global half *a, __global half *o, __global int *b)
{
    __local half s[5];
    const int item = (int)get_local_id(0);
    __local int c[8];
    const long global_id = get_global_id(0);
    const long group_id = get_group_id(0);
    const long local_id = get_local_id(0);
    const long sub_group_id = get_sub_group_id();
    int lin = (int)global_id;
    int lid = (int)local_id;
    half carry = (half)INFINITY;
    half x = a[lin];
    for (int turn = 0; turn < 2; turn++) {
        half found = lesser(carry, work_group_scan_inclusive_min(x));
        s[item] = found;
        barrier(CLK_LOCAL_MEM_FENCE);
        half broadcast = s[4];
        barrier(CLK_LOCAL_MEM_FENCE);
        carry = hidden(broadcast);
    }
    if (item == 0) {
        for (int q9 = 0; q9 < 8; q9++) {
            c[q9] = 1;
        }
    }
    int t_3 = b[2L * (long)lin + 4L] >> 2;
    atomic_fetch_or_explicit((volatile __local atomic_int *)(&c[3]), t_3, memory_order_relaxed,
                             memory_scope_work_group);
    half carry_2 = (half)-0.0f;
    half x_2 = 0;
    for (int turn_2 = 0; turn_2 < 4; turn_2++) {
        long k_2 = turn_2 * 5L + local_id;
        x_2 = a[k_2];
        half found_2 = carry_2 + x_2;
        long t_5 = group_id * 32L + k_2;
        o[t_5] = found_2;
        s[item] = found_2;
        barrier(CLK_LOCAL_MEM_FENCE);
        half broadcast_2 = READ;
        barrier(CLK_LOCAL_MEM_FENCE);
        carry_2 = broadcast_2;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}
"""


def main() -> int:
    """Print what the second sum begins each turn with; the exit status is 1 if it is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.device.stale_elements")
    parser.add_argument("device")
    parser.add_argument("--volatile", action="store_true", help="read through a volatile pointer")
    options = parser.parse_args()
    device: Any = sycl.get_native(sycl.backend.opencl, find_device(options.device))
    import pyopencl as cl  # noqa: PLC0415 - once unisycl has shown it its runtimes

    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    read = "((volatile __local half *)s)[4]" if options.volatile else "s[4]"
    program = cl._cl._Program(context, TEXT.replace("READ", read))
    program._build(b"-cl-std=CL3.0", [device])
    kernel: Any = cl.Kernel(program, "sums")
    given, out = np.arange(20, dtype=np.float16), np.zeros(96, np.float16)
    flags = cl.mem_flags
    memory = [cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=a)
              for a in (given, out, np.arange(64, dtype=np.int32))]
    kernel.set_arg(0, np.int64(3))
    for k, value in enumerate(memory):
        kernel.set_arg(k + 1, value)
    cl.enqueue_nd_range_kernel(queue, kernel, (15,), (5,))
    cl.enqueue_copy(queue, out, memory[1])
    expected = given + np.repeat(np.concatenate([[0], np.cumsum(given[4::5])[:-1]]), 5)
    print("each turn begins with", out[:20:5] - given[::5])
    print("it ought to be       ", expected[::5] - given[::5])
    return int(not np.array_equal(out.reshape(3, 32)[:, :20], np.tile(expected, (3, 1))))


if __name__ == "__main__":
    sys.exit(main())
