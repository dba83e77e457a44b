"""Parts of what is no sub-group, and chunks of a size that is not known or no power of two."""

import numpy as np

import unisycl as sycl

ROWS = ("M-6",)
parts = sycl.ext.oneapi.experimental


def kernel(it, size):
    s = it.get_sub_group()
    parts.chunked_partition(s, size)
    parts.chunked_partition(s, 3)
    parts.get_fixed_size_group(it.get_group(), 4)
    parts.binary_partition(it.get_group(), True)
    half = parts.binary_partition(s, True)
    parts.entangle(half)
    parts.sort_over_group(half, size)


def launch(queue):
    queue.parallel_for(sycl.nd_range(16, 16), kernel, np.int32(4))
