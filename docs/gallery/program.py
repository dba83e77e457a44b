"""The graph of a program.

Kernels say what they read and write; what may run beside what follows from that. `recording`
notes the commands of two steps of a gradient descent, and draws them as an .svg.
"""

import sys

import numpy as np

import unisycl as sycl

N = 1000
q = sycl.queue()
x, y, error, slope = (sycl.buffer(np.linspace(0, 1, N)) for _ in range(4))
weights = sycl.buffer(np.zeros(2))


def compare(h):
    inputs, targets, w = (sycl.accessor(b, h, sycl.read_only) for b in (x, y, weights))
    out = sycl.accessor(error, h, sycl.write_only)

    def residual(i):
        out[i] = w[0] + w[1] * inputs[i] - targets[i]
    h.parallel_for(N, residual)


def weigh(h):
    e, inputs = (sycl.accessor(b, h, sycl.read_only) for b in (error, x))
    out = sycl.accessor(slope, h, sycl.write_only)

    def product(i):
        out[i] = e[i] * inputs[i]
    h.parallel_for(N, product)


def descend(which, source):
    def group(h):
        e = sycl.accessor(source, h, sycl.read_only)
        w = sycl.accessor(weights, h, sycl.read_write)

        def update():
            total = 0.0
            for i in range(N):
                total += e[i]
            w[which] -= total / N
        h.single_task(update)
    return group


with sycl.recording() as seen:
    for _ in range(2):
        for step in (compare, weigh, descend(0, error), descend(1, slope)):
            q.submit(step)
q.wait()
seen.save(sys.argv[1])
