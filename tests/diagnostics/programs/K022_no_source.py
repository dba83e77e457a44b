"""A helper made from a syntax tree has no text."""

import ast

import numpy as np

import unisycl as sycl

ROWS = ("D-60",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


space = {}
exec(compile(ast.parse('def helper(x):\n    return x'), '<generated>', 'exec'), space)
helper = space['helper']


def kernel(i):
    a[i] = helper(i)


def launch(queue):
    queue.parallel_for(8, kernel)
