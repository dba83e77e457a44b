"""Formats that do not fit the values."""

import numpy as np

import unisycl as sycl

ROWS = ("D-48",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def kernel(i):
    sycl.printf("%d", a[i])
    sycl.printf("%.2f", n[i])
    sycl.printf("%d and %d", n[i])
    sycl.printf("%y", n[i])
    sycl.printf("%v5d", n[i])
    sycl.printf("%v4f", (a[0], a[1]))
    sycl.printf("%s", n[i])
    sycl.printf("100%")
    sycl.printf(n[i], 1)
    sycl.printf(5)
    sycl.printf()
    sycl.printf("%d", n[i], end="")
    print(f"{a[i]:d}", f"{n[i]:q}")


def launch(queue):
    queue.parallel_for(8, kernel)
