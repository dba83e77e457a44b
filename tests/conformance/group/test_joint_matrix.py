"""Matrices of sub-groups: products of every combination of types, by NumPy in whole numbers.

Operands are small whole numbers, so that sums are exact in any order, on hardware, too.
"""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from tests.sampling import by_turns
from unisycl.testing.refusal import PREFIX

ml_dtypes = pytest.importorskip("ml_dtypes")

mx = sycl.ext.oneapi.experimental.matrix
about = sycl.ext.oneapi.experimental.info.device
ROW, COLUMN, PACKED = mx.layout.row_major, mx.layout.col_major, mx.layout.ext_intel_packed
A, B, SUM = mx.use.a, mx.use.b, mx.use.accumulator
BF16, E4M3, E5M2 = ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2
TF32 = mx.precision.tf32
STORED = {TF32: np.float32}
# types of A and B, C, D; shapes that hardware has, turned, of several, and of none
PRODUCTS = [
    (BF16, BF16, np.float32, np.float32, ((16, 16, 16), (8, 32, 16), (32, 64, 32), (8, 8, 16))),
    (np.float16, np.float16, np.float32, np.float32, ((32, 8, 16), (5, 7, 9))),
    (np.float16, np.float16, np.float16, np.float16, ((16, 16, 16), (8, 16, 32))),
    (np.float16, np.float16, np.float32, np.float16, ((16, 16, 16),)),
    (np.float16, np.float16, np.float16, np.float32, ((16, 16, 16),)),
    (TF32, TF32, np.float32, np.float32, ((16, 16, 8), (8, 16, 16), (16, 24, 4))),
    (np.float32, np.float32, np.float32, np.float32, ((16, 16, 16), (3, 20, 2))),
    (np.float64, np.float64, np.float64, np.float64, ((8, 8, 4), (16, 8, 8), (1, 64, 16))),
    (np.int8, np.int8, np.int32, np.int32, ((16, 16, 16), (8, 32, 32), (32, 8, 16))),
    (np.uint8, np.uint8, np.int32, np.int32, ((16, 16, 32), (16, 12, 16))),
    (np.int8, np.uint8, np.int32, np.int32, ((16, 8, 16),)),
    (np.uint8, np.int8, np.int32, np.int32, ((8, 16, 16), (64, 1, 3))),
    (E4M3, E5M2, np.float32, np.float32, ((16, 16, 32), (8, 16, 32))),
    (E5M2, E4M3, np.float32, np.float32, ((16, 8, 32), (7, 9, 5))),
]


def stored(kind):
    return np.dtype(STORED.get(kind, kind))


def numbers(kind, rows, cols, seed):
    """Return whole numbers whose products of depth 64 are exact in every type."""
    rng = np.random.default_rng(seed)
    least = -3 if stored(kind).kind != "u" else 0
    return rng.integers(least, 4, (rows, cols)).astype(stored(kind))


def laid_out(x, layout):
    """Return memory that has a matrix in a layout, two more elements a line; and its stride."""
    if layout is COLUMN:
        x = x.T
    if layout is PACKED:
        pack = max(1, 4 // x.dtype.itemsize)
        padded = np.zeros((-(-x.shape[0] // pack) * pack, x.shape[1]), x.dtype)
        padded[:x.shape[0]] = x
        x = padded.reshape(-1, pack, x.shape[1]).swapaxes(1, 2).reshape(-1, pack * x.shape[1])
    line = x.shape[1] + 2
    memory = np.zeros((x.shape[0], line), x.dtype)
    memory[:, :-2] = x
    return memory.reshape(-1), line


def run(queue, kernel, *arrays):
    """Run a kernel with one sub-group over copies of arrays; return them."""
    size = queue.get_device().get_info(about.ext_unisycl_matrix_sub_group_size)
    memory = [sycl.malloc_device(x.size, x.dtype, queue) for x in arrays]
    for there, x in zip(memory, arrays, strict=True):
        queue.memcpy(there, x).wait()
    queue.parallel_for(sycl.nd_range((size,), (size,)), kernel, *memory).wait()
    found = [np.empty_like(x) for x in arrays]
    for there, x in zip(memory, found, strict=True):
        queue.memcpy(x, there).wait()
        sycl.free(there, queue)
    return found


def in_place(it, memory, kind):
    """Return memory itself."""
    return memory


def staged(it, memory, kind):
    """Return a copy of memory in local memory."""
    copy = sycl.ext.oneapi.group_local_memory_for_overwrite((kind, 4500), it.get_group())
    for i in range(it.get_local_id(0), len(memory), it.get_local_range(0)):
        copy[i] = memory[i]
    sycl.group_barrier(it.get_group())
    return copy


def product(types, shape, layouts, where):
    """Return a kernel that multiplies what lies where a function says."""
    ta, tb, tc, td = types
    m, n, k = shape
    la, lb, lc = layouts
    ka, kb = stored(ta), stored(tb)

    def kernel(it, xa, xb, xc, xd, pa, pb, pc):
        sg = it.get_sub_group()
        a = mx.joint_matrix(sg, ta, A, m, k, la)
        b = mx.joint_matrix(sg, tb, B, k, n, lb)
        c = mx.joint_matrix(sg, tc, SUM, m, n)
        d = mx.joint_matrix(sg, td, SUM, m, n)
        mx.joint_matrix_load(sg, a, where(it, xa, ka), pa)
        mx.joint_matrix_load(sg, b, sycl.multi_ptr(where(it, xb, kb)), pb)
        mx.joint_matrix_load(sg, c, xc, pc, lc)
        mx.joint_matrix_mad(sg, d, a, b, c)
        mx.joint_matrix_store(sg, d, xd, pc, layout=lc)
    return kernel


def check_product(queue, types, shape, layouts, where):
    m, n, k = shape
    a, b, c = numbers(types[0], m, k, 1), numbers(types[1], k, n, 2), numbers(types[2], m, n, 3)
    (xa, pa), (xb, pb), (xc, pc) = (laid_out(x, y) for x, y in zip((a, b, c), layouts, strict=True))
    kernel = product(types, shape, layouts, where)
    found = run(queue, lambda it, xa, xb, xc, xd: kernel(it, xa, xb, xc, xd, pa, pb, pc),
                xa, xb, xc, np.zeros(xc.size, types[3]))[3]
    lines = found.reshape(-1, pc)[:, :-2]
    assert not found.reshape(-1, pc)[:, -2:].any()
    wide = np.int64 if stored(types[0]).kind in "iu" else np.float64
    want = a.astype(wide) @ b.astype(wide) + c.astype(wide)
    np.testing.assert_array_equal((lines.T if layouts[2] is COLUMN else lines).astype(wide), want)


LAYOUTS = [(ROW, ROW, ROW), (COLUMN, COLUMN, COLUMN), (ROW, PACKED, COLUMN), (PACKED, COLUMN, ROW)]


@pytest.mark.row("M-4")
@pytest.mark.parametrize("types", PRODUCTS, ids=lambda t: "-".join(x.__name__ for x in t[:4]))
def test_products_are_those_of_numpy(queue, types):
    device = queue.get_device()
    if np.float64 in types and not device.has(sycl.aspect.fp64):
        pytest.skip(PREFIX + "fp64")
    if np.float16 in types and not device.has(sycl.aspect.fp16):
        pytest.skip(PREFIX + "fp16")
    ways = [(turn, shape, k) for turn, shape in enumerate(types[4])
            for k in (range(4) if types[0] is BF16 and not turn else [turn % 4])]
    for turn, shape, k in by_turns(device, ways):
        where = staged if (turn + k) % 2 else in_place  # where it lies is nothing to the layout
        check_product(queue, types[:4], shape, LAYOUTS[k], where)


@pytest.mark.row("M-4", "P-13")
def test_what_a_device_says_it_multiplies_it_does(queue):
    device = queue.get_device()
    answers = device.get_info(about.matrix_combinations)
    assert answers
    assert all(bool(c.msize) is not bool(c.max_msize) for c in answers)
    names = {"bf16": BF16, "fp16": np.float16, "tf32": TF32, "fp32": np.float32, "e4m3": E4M3,
             "e5m2": E5M2, "fp64": np.float64, "sint8": np.int8, "uint8": np.uint8,
             "sint32": np.int32}
    seen = set()
    for c in answers:
        types = tuple(names[x.name] for x in (c.atype, c.btype, c.ctype, c.dtype))
        if not c.msize or (types, c.ksize) in seen or types[0] is TF32:
            continue
        seen.add((types, c.ksize))
        check_product(queue, types, (c.msize, c.nsize, c.ksize), (ROW, COLUMN, ROW), staged)


@pytest.mark.row("M-4")
def test_elements_are_filled_copied_and_changed_one_by_one(queue):
    def kernel(it, x, out, places, wide, counts):
        sg = it.get_sub_group()
        c = mx.joint_matrix(sg, np.float32, SUM, 12, 16)
        a = mx.joint_matrix(sg, BF16, A, 12, 16, ROW)
        b = mx.joint_matrix(sg, BF16, B, 12, 16, ROW)
        mx.joint_matrix_fill(sg, c, 1.5)
        mx.joint_matrix_apply(sg, c, lambda y: y * 2 + 1)
        mx.joint_matrix_store(sg, c, out, 16, ROW)
        mx.joint_matrix_load(sg, c, x, 16, ROW)
        mx.joint_matrix_copy(sg, c, a)
        mx.joint_matrix_copy(sg, a, b)
        mx.joint_matrix_apply(sg, b, lambda y: y + BF16(1))
        mx.joint_matrix_copy(sg, b, c)
        mx.joint_matrix_store(sg, c, wide, 16, ROW)

        def number(y, row, column):
            sycl.atomic_ref(counts, row).fetch_add(1)
            return np.float32(100 * row + column)
        sycl.ext.intel.experimental.matrix.joint_matrix_apply(sg, c, number)
        mx.joint_matrix_store(sg, c, places, 16, ROW)
    x = np.arange(192, dtype=np.float32) - 96
    zeros = np.zeros(192, np.float32)
    _, out, places, wide, counts = run(queue, kernel, x, zeros, zeros, zeros,
                                       np.zeros(12, np.int32))
    assert (out == 4).all()
    np.testing.assert_array_equal(wide, x + 1)
    np.testing.assert_array_equal(places.reshape(12, 16),
                                  100 * np.arange(12)[:, None] + np.arange(16))
    assert (counts == 16).all()


@pytest.mark.row("M-4")
def test_floats_are_multiplied_as_accurately_as_is_said(queue):
    rng = np.random.default_rng(5)
    for kind, size in ((BF16, 16), (np.float16, 16), (TF32, 8)):
        a = rng.standard_normal((16, size)).astype(stored(kind))
        b = rng.standard_normal((size, 16)).astype(stored(kind))
        c = rng.standard_normal((16, 16)).astype(np.float32)
        types = (kind, kind, np.float32, np.float32)
        kernel = product(types, (16, 16, size), (ROW, ROW, ROW), in_place)
        found = run(queue, lambda it, a, b, c, d, k=kernel, p=size: k(it, a, b, c, d, p, 16, 16),
                    a.reshape(-1), b.reshape(-1), c.reshape(-1), np.zeros(256, np.float32))[3]
        if kind is TF32:  # the low bits of an element count for nothing
            a, b = ((x.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32) for x in (a, b))
        a, b, c = (x.astype(np.float64) for x in (a, b, c))
        bound = (np.abs(a) @ np.abs(b) + np.abs(c)) * (size + 1) * 2.0 ** -23
        assert (np.abs(found.reshape(16, 16) - (a @ b + c)) <= bound).all()


@pytest.mark.row("P-13")
def test_rounding_to_tf32_is_to_nearest_even(queue):
    bits = np.random.default_rng(1).integers(0, 1 << 32, 4096, dtype=np.uint64).astype(np.uint32)
    bits[:6] = 0x3F801000, 0x3F803000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F7FFFFF
    bits[6:1000] &= np.uint32(0xFFFFF000)  # halves
    with sycl.buffer(bits.view(np.float32)) as x, sycl.buffer(np.zeros(4096, np.float32)) as y:
        def group(h):
            a, b = sycl.accessor(x, h, sycl.read_only), sycl.accessor(y, h, sycl.write_only)

            @h.parallel_for((4096,))
            def kernel(i):
                b[i] = mx.round_to_tf32(a[i])
        queue.submit(group).wait()
        found = np.array(y.get_host_access()).view(np.uint32)
    low = bits.astype(np.uint64)
    want = ((low + 0xFFF + ((low >> 13) & 1)) & 0xFFFFE000).astype(np.uint32)
    special = (bits & 0x7F800000) == 0x7F800000
    want[special] = bits[special]
    nan = np.isnan(bits.view(np.float32))
    np.testing.assert_array_equal(found[~nan], want[~nan])
    assert np.isnan(found[nan].view(np.float32)).all()


REFUSED = {
    "shapes": (lambda sg: mx.joint_matrix_mad(
        sg, mx.joint_matrix(sg, np.float32, SUM, 16, 16),
        mx.joint_matrix(sg, BF16, A, 16, 16, ROW), mx.joint_matrix(sg, BF16, B, 8, 16, ROW),
        mx.joint_matrix(sg, np.float32, SUM, 16, 16)), "the shapes do not fit"),
    "types": (lambda sg: mx.joint_matrix_mad(
        sg, mx.joint_matrix(sg, np.float32, SUM, 16, 16),
        mx.joint_matrix(sg, BF16, A, 16, 16, ROW), mx.joint_matrix(sg, np.float16, B, 16, 16, ROW),
        mx.joint_matrix(sg, np.float32, SUM, 16, 16)), "bf16 and fp16 are not multiplied"),
    "roles": (lambda sg: mx.joint_matrix_mad(
        sg, mx.joint_matrix(sg, np.float32, SUM, 16, 16),
        mx.joint_matrix(sg, BF16, B, 16, 16, ROW), mx.joint_matrix(sg, BF16, B, 16, 16, ROW),
        mx.joint_matrix(sg, np.float32, SUM, 16, 16)), "for use.a is needed"),
    "elements": (lambda sg: mx.joint_matrix(sg, np.complex64, A, 16, 16, ROW), "complex64"),
    "sizes": (lambda sg: mx.joint_matrix(sg, BF16, A, 16, 65, ROW), "from 1 to 64"),
    "a layout": (lambda sg: mx.joint_matrix(sg, BF16, A, 16, 16), "is declared with"),
    "no layout": (lambda sg: mx.joint_matrix(sg, np.float32, SUM, 16, 16, ROW), "no layout of its"),
}


@pytest.mark.row("M-4")
def test_what_does_not_fit_is_refused(queue):
    size = queue.get_device().get_info(about.ext_unisycl_matrix_sub_group_size)
    for what, (kernel, text) in REFUSED.items():
        with pytest.raises(sycl.KernelError, match=text):
            queue.parallel_for(sycl.nd_range((size,), (size,)),
                               lambda it, k=kernel: k(it.get_sub_group()))
        assert what
    if size > 1:
        with pytest.raises(sycl.KernelError, match="whole sub-groups"):
            queue.parallel_for(sycl.nd_range((size + 1,), (size + 1,)), lambda it: mx.joint_matrix(
                it.get_sub_group(), BF16, A, 16, 16, ROW))
