"""Reductions, scans and votes of groups: every operator, type and size, by NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from unisycl.testing.refusal import PREFIX

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float16", "float32", "float64"]
NUMPY = {"plus": np.add, "multiplies": np.multiply, "bit_and": np.bitwise_and,
         "bit_or": np.bitwise_or, "bit_xor": np.bitwise_xor, "minimum": np.minimum,
         "maximum": np.maximum, "logical_and": np.logical_and, "logical_or": np.logical_or}
# work-groups of whole sub-groups, with a rest, smaller than one, of one item, in two dimensions
SHAPES = [((96,), (48,)), ((74,), (37,)), ((6,), (3,)), ((4,), (1,)), ((4, 30), (2, 15))]


def operators(dtype):
    if dtype == "bool":
        return ["bit_and", "bit_or", "bit_xor", "minimum", "maximum", "logical_and", "logical_or"]
    return [op for op in NUMPY if not (dtype in FLOATS and op.startswith("bit"))]


def operands(dtype, count):
    rng = np.random.default_rng(count)
    if dtype == "bool":
        return rng.random(count) < 0.7
    if dtype in FLOATS:  # few bits, so that sums and products are exact in any order
        return rng.choice([0.5, 1.0, -1.0, 2.0, 1.0, 1.0], count).astype(dtype)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, count, dtype=dtype, endpoint=True)


def scans(op, x):
    """Return the inclusive and the exclusive scan of one group."""
    first = {"logical_and": True, "logical_or": False}.get(op)
    if first is None:
        first = sycl.known_identity(getattr(sycl, op), x.dtype)
    whole = np.concatenate([np.array([first]).astype(x.dtype), x])
    with np.errstate(over="ignore"):
        found = NUMPY[op].accumulate(whole, dtype=None if "logical" in op else x.dtype)
    return found[1:].astype(x.dtype), found[:-1].astype(x.dtype)


def everything(x, out, ops, known):
    """Return a kernel that does all there is over a group and over a sub-group."""
    def kernel(it):
        g, s = it.get_group(), it.get_sub_group()
        k = it.get_group_linear_id() * g.get_local_linear_range() + it.get_local_linear_id()
        for j, fn in enumerate(ops):
            out[j, 0, k] = sycl.reduce_over_group(g, x[k], fn)
            out[j, 1, k] = sycl.inclusive_scan_over_group(g, x[k], fn)
            out[j, 3, k] = sycl.reduce_over_group(s, x[k], fn)
            out[j, 4, k] = sycl.inclusive_scan_over_group(s, x[k], fn)
            if known[j]:
                out[j, 2, k] = sycl.exclusive_scan_over_group(g, x[k], fn)
                out[j, 5, k] = sycl.exclusive_scan_over_group(s, x[k], fn)
    return kernel


def check(queue, dtype, whole, local, sub_group, names):
    count, size = int(np.prod(whole)), int(np.prod(local))
    x = operands(dtype, count)
    ops = tuple(getattr(sycl, name) for name in names)
    known = tuple(sycl.has_known_identity(op, x.dtype) for op in ops)
    out = np.zeros((len(ops), 6, count), dtype)
    decorate = sycl.kernel(reqd_sub_group_size=sub_group)
    for j in range(len(ops)):  # one by one: some compilers take long for many barriers
        kernel = decorate(everything(x, out[j:j + 1], ops[j:j + 1], known[j:j + 1]))
        queue.parallel_for(sycl.nd_range(whole, local), kernel)
    queue.wait()
    for j, name in enumerate(names):
        for start in range(0, count, size):
            pieces = [(0, start, start + size)] + [
                (3, k, min(k + sub_group, start + size))
                for k in range(start, start + size, sub_group)]
            for first, low, high in pieces:
                inclusive, exclusive = scans(name, x[low:high])
                found = out[j, :, low:high].tolist()
                assert [inclusive[-1]] * (high - low) == found[first], (name, first)
                assert inclusive.tolist() == found[first + 1], (name, first)
                assert not known[j] or exclusive.tolist() == found[first + 2], (name, first)


def sub_group_sizes(queue):
    """Return the sizes that a kernel may ask for; end the test where there are none."""
    found = queue.get_device().get_info(sycl.info.device.sub_group_sizes)
    if not found:
        pytest.skip(f"{PREFIX}the device has no sub-groups of sizes that kernels may ask for")
    return found


def sub_group_size(queue, wanted):
    """Return a size if the device has it, else the smallest that it has of several items."""
    sizes = [size for size in sub_group_sizes(queue) if size > 1]
    if not sizes:
        pytest.skip(f"{PREFIX}the device has no sub-groups of several items")
    return wanted if wanted in sizes else min(sizes)


@pytest.mark.row("D-41", "D-42", "D-31")
@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, *FLOATS])
def test_every_operator_on_every_type(queue, dtype):
    names = operators(dtype)
    for turn, (whole, local) in enumerate(SHAPES):  # an operator is combined alike in all of them
        size = sub_group_size(queue, 4 if local == (3,) else 8)
        some = names[2 * turn - 2:][:2] if turn else names
        check(queue, dtype, whole, local, size, some)


@pytest.mark.row("D-17", "D-41", "D-42")
def test_every_sub_group_size_the_device_reports(queue):
    sizes = sub_group_sizes(queue)
    assert sizes
    for turn, sub_group in enumerate(sizes):
        dtype = ["int32", "float64", "uint8", "bool"][turn % 4]
        check(queue, dtype, (150,), (75,), sub_group, operators(dtype)[turn % 3::3])
