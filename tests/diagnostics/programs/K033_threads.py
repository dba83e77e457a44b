"""Host objects for threading."""

import threading

import numpy as np

import unisycl as sycl

ROWS = ("D-61",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


lock = threading.Lock()


def kernel(i):
    lock.acquire()


def launch(queue):
    queue.parallel_for(8, kernel)
