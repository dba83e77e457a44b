"""Elements of an atomic accessor are stored to like others."""

import warnings

import numpy as np

ROWS = ("B-33",)


def launch(queue):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from unisycl.compat12 import access, buffer, command_group, parallel_for
    mine = buffer(np.zeros(8, np.int32))

    def body():
        acc = mine.get_access(access.atomic)

        def kernel(i):
            acc[i] = 1
            acc[i] += 1
        parallel_for(8, kernel)
    command_group(queue, body)
