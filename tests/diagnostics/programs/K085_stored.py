"""What cannot be kept in memory as a pointer, or done with one from there."""

import dataclasses

import numpy as np

import unisycl as sycl

ROWS = ("C-15",)


@sycl.is_device_copyable.register
@dataclasses.dataclass
class Node:
    value: np.int32
    next: sycl.global_ptr["Node"]


array = np.zeros(4, Node)


def kernel(it, nodes, numbers, tile):
    p = nodes[0].next
    nodes[0].next = sycl.multi_ptr(tile)
    nodes[0].next = sycl.multi_ptr(numbers)
    nodes[0].next = 5
    nodes[0].value = p
    numbers[0] = p + p
    numbers[0] = p * 2
    if p is sycl.multi_ptr(nodes):
        numbers[0] = 1
    numbers[0] = sycl.sqrt(p)
    p.next.values = 1
    p.next = sycl.multi_ptr(array)


def launch(queue):
    nodes = sycl.malloc_shared(2, Node, queue)
    numbers = sycl.malloc_shared(2, np.float32, queue)
    queue.parallel_for(sycl.nd_range(8, 8), kernel, nodes, numbers, sycl.local_accessor(Node, 2))
