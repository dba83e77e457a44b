"""What a stream does not take."""

import numpy as np

import unisycl as sycl

ROWS = ("D-47",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def launch(queue):
    def group(handler):
        out = sycl.stream(1024, 256, handler)

        def kernel(i):
            out << a
            out << np.sin
            out << sycl.setw(1.5) << 3
            x = out + 1
            y = out >> 2
            n[i] = out
            out.flush()
            sycl.setw(3)

        handler.parallel_for(8, kernel)
    queue.submit(group)
