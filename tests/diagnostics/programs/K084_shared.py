"""Elements of a vec that two names share."""

import numpy as np

import unisycl as sycl

ROWS = ("D-5", "D-7")
a = np.zeros(8, sycl.float4)


def same(v):
    return v


def kernel(i):
    v = a[i]
    w = v
    w.x = 1

    low = v.lo
    v.y = 2

    one = a[i]
    other = same(one)
    other.z = 3

    best = a[i]
    turn = sycl.float4(0)
    for k in range(3):
        turn.x += 1
        if turn.x > 1:
            best = turn

    pair = (one, best)
    best[1] = 4


def launch(queue):
    queue.parallel_for(8, kernel)
