"""Tuples with names that are changed or made wrongly; choices of what is no function."""

from typing import NamedTuple

import numpy as np

import unisycl as sycl

ROWS = ("D-60",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


class Pair(NamedTuple):
    left: float
    right: float


def nothing(x):
    n[0] = 1


def kernel(i):
    p = Pair(a[i], 2)
    p.left = 3
    p = p._replace(middle=3)
    q = Pair(1)
    x = p.middle
    f = nothing if n[i] else abs
    a[i] = f(a[i])
    g = (abs, nothing, 3)[n[i]]
    h = abs if n[i] else "abs"


def launch(queue):
    queue.parallel_for(8, kernel)
