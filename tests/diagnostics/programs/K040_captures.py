"""Objects that a kernel cannot capture."""

import numpy as np

import unisycl as sycl

ROWS = ("D-58", "D-61")
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def make():
    values = [1, 2]
    table = {1, (2,)}
    wide = np.zeros(4, [('a', 'c16'), ('b', 'f8')])['a']
    texts = np.array(['a', 'b'])
    swapped = np.zeros(4, '>f4')
    number = np.timedelta64(1, 's')

    def kernel(i):
        x = values[0]
        y = 1 in table
        z = wide[0]
        w = texts[0]
        v = swapped[0]
        u = number
    return kernel


def launch(queue):
    queue.parallel_for(8, make())
