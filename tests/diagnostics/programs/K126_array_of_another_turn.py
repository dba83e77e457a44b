"""Names for an array that an earlier turn of a loop made, beside the one that this turn makes."""

import numpy as np

import unisycl as sycl

ROWS = ("D-10",)
out = np.zeros(4)


def kernel(i):
    old = np.zeros(2)
    for k in range(4):
        new = np.zeros(2)
        new[0] = old[0] + 1
        old = new

    kept = new
    for k in range(4):
        turn = np.zeros(2)
        if k == 0:
            kept = turn
        out[k] = kept[0]


def launch(queue):
    queue.parallel_for(1, kernel)
