"""What primitives of neural networks should find: plain NumPy, in float64."""

from __future__ import annotations

import itertools
import math

import numpy as np

import unisycl as sycl
from unisycl.oneapi import dnn
from unisycl.oneapi.frame import table

data_type, tag = dnn.memory.data_type, dnn.memory.format_tag
ERRORS = {np.dtype(np.float32): 2e-5, np.dtype(np.float16): 2e-3}


def providers(queue: sycl.queue) -> list[str]:
    """Return the providers to test on a device: behind other devices our kernels are enough.

    What is there for cards does not work on the processor.
    """
    own = [row.name for row in table.ROWS if row.library == "dnn" and (row.host or row.kernels)]
    found = [name for name in dnn.available() if name in own]
    return found if queue.get_device().get_backend() is sycl.backend.cpu else ["kernels"]


def numbers(rng, shape, dtype=np.float32):
    """Return numbers of a type: of whole numbers small ones, so that nothing is cut off."""
    dtype = np.dtype(dtype)
    if dtype.kind in "iu":
        return rng.integers(0 if dtype.kind == "u" else -5, 6, shape).astype(dtype)
    return (rng.random(shape) * 2 - 1).astype(dtype)


def plain(x, how=None):
    """Return the descriptor of an array row by row, or open."""
    if how is None:
        return dnn.memory(x, dnn.engine()).get_desc()
    return dnn.memory.desc(x.shape, x.dtype, how)


def near(found, right, dtype=np.float32, scale=1.0):
    """Compare with what is right, as far as a type goes."""
    error = ERRORS.get(np.dtype(dtype), 1.6e-2) * scale
    right = np.asarray(right, np.float64)
    assert found.shape == right.shape, (found.shape, right.shape)
    bound = error * np.maximum(1.0, np.abs(right).max(initial=0.0))
    worst = np.abs(found.astype(np.float64) - right).max(initial=0.0)
    assert worst <= bound, (worst, bound)


def taken(x, starts, steps, counts):
    """Return the elements of space at positions; zeros outside."""
    found = np.zeros((*x.shape[:2], *counts), np.float64)
    for at in np.ndindex(*counts):
        place = [a + s * k for a, s, k in zip(starts, steps, at, strict=True)]
        if all(0 <= p < n for p, n in zip(place, x.shape[2:], strict=True)):
            found[(slice(None), slice(None), *at)] = x[(slice(None), slice(None), *place)]
    return found


def result_size(size, kernel, stride, dilate, left, right):
    """Return how many windows there are."""
    return (size - ((kernel - 1) * (dilate + 1) + 1) + left + right) // stride + 1


def convolution(x, w, strides, dilates, left, right, groups=1):
    """Return a convolution: weights (groups times) out, in, kernel."""
    x, w = x.astype(np.float64), w.astype(np.float64).reshape(-1, *w.shape[w.ndim - x.ndim + 1:])
    outs, ins = w.shape[0] // groups, w.shape[1]
    counts = [result_size(n, k, s, d, a, b) for n, k, s, d, a, b in zip(
        x.shape[2:], w.shape[2:], strides, dilates, left, right, strict=True)]
    found = np.zeros((x.shape[0], w.shape[0], *counts))
    for at in np.ndindex(*w.shape[2:]):
        part = taken(x, [k * (d + 1) - p for k, d, p in zip(at, dilates, left, strict=True)],
                     strides, counts)
        for g in range(groups):
            found[:, g * outs:(g + 1) * outs] += np.einsum(
                "ni...,oi->no...", part[:, g * ins:(g + 1) * ins],
                w[(slice(g * outs, (g + 1) * outs), slice(None), *at)])
    return found


def transposed(apply, shape):
    """Return a linear map's transpose as a function, by its columns."""
    basis = np.eye(math.prod(shape)).reshape(-1, *shape)
    columns = np.stack([apply(b).ravel() for b in basis], 1)
    return lambda g: (columns.T @ np.asarray(g, np.float64).ravel()).reshape(shape)


def slope(f, x, step=1e-6):
    """Return the slope of a function of elements."""
    return (f(x + step) - f(x - step)) / (2 * step)


def layouts(shape):
    """Return tags for a shape: rows, channels last, blocks."""
    letters = "abcdef"[:len(shape)]
    found = [letters, letters[0] + letters[2:] + letters[1] if len(shape) > 2 else letters[::-1]]
    if len(shape) > 2:
        found.append(letters[0] + letters[1].upper() + letters[2:] + "8b")
    return found


def blocked(x, name):
    """Return where NumPy would put the elements of a tag with at most one block."""
    head = name.rstrip("0123456789b") if name != name.lower() else name
    order = ["abcdef".index(c.lower()) for c in head]
    if head == name:
        return x.transpose(order).ravel()
    size = int(name[len(head):-1])
    padded = np.pad(x, [(0, -n % size if k == 1 else 0) for k, n in enumerate(x.shape)])
    cut = padded.reshape(*padded.shape[:1], -1, size, *padded.shape[2:])
    return cut.transpose([k + (k > 1) for k in order] + [2]).ravel()


def products(*values):
    """Return all combinations."""
    return list(itertools.product(*values))
