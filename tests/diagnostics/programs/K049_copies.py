"""Asynchronous copies that cannot be: wrong memory, wrong types, wrong events."""

import numpy as np

import unisycl as sycl

ROWS = ("D-18",)
x = np.zeros(64, np.float32)
y = np.zeros(64, np.int32)
z = np.zeros((8, 8), np.float32)
tile = sycl.local_accessor(np.float32, 8)


def kernel(it, tile):
    it.async_work_group_copy(x, x, 8)
    it.async_work_group_copy(tile, y, 8)
    it.async_work_group_copy(tile, z, 8)
    it.async_work_group_copy(tile, x)
    it.async_work_group_copy(tile, x, 8.5)
    it.async_work_group_copy(tile, 5, 8)
    it.wait_for(3)


def launch(queue):
    queue.parallel_for(sycl.nd_range(8, 8), kernel, tile)
