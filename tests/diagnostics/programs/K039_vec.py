"""Elements of a vec in memory that may not be written, or read."""

import numpy as np

import unisycl as sycl

ROWS = ("D-7",)
a = np.zeros(8, sycl.float4)
captured = sycl.float4(1)


def launch(queue):
    with sycl.buffer(a) as b:
        @queue.submit
        def group(h):
            r = sycl.accessor(b, h, sycl.read_only)
            w = sycl.accessor(b, h, sycl.write_only)

            @h.parallel_for(8)
            def kernel(i):
                r[i].x = 1
                r[i] = sycl.float4(0)
                w[i].y = 2
                x = w[i].x
                w[i].z += 1
                captured.x = 3
