"""Generator expressions that nothing adds up, and comprehensions of a length not known."""

import numpy as np

import unisycl as sycl

ROWS = ("D-60",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def kernel(i):
    g = (x for x in (1, 2, 3))
    b = [j for j in range(n[i])]
    c = [j for j in range(4) if n[j]]
    a[i] = sum((y := x) for x in (1, 2, 3))
    for x in a[2:5]:
        a[i] += len([y for y in a])


def launch(queue):
    queue.parallel_for(8, kernel)
