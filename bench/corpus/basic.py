"""RAJAPerf's Basic group: loops of one or two statements, reductions, atomics, a shared tile."""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl
from bench.corpus.frame import (
    ROUNDING64,
    Entry,
    Local,
    Namespace,
    Nd,
    Operands,
    Step,
    inner,
    parallel,
    prange,
    show,
)

GROUP, TILE = 256, 16


def vectors(names: str, n: int, low: float = 0.0, **more: Any) -> Operands:
    """Return float64 arrays of random numbers under these names, beside other operands."""
    random = np.random.default_rng(1)
    return Namespace(n=n, **{name: random.uniform(low, 1, n) for name in names.split()}, **more)


# daxpy: y += a * x


@sycl.kernel
def daxpy(i: Any, y: Any, x: Any, a: Any) -> None:
    y[i] += a * x[i]


@sycl.kernel
def daxpy_guarded(it: Any, y: Any, x: Any, a: Any, n: Any) -> None:
    i = it.get_global_id(0)
    if i < n:
        y[i] += a * x[i]


@sycl.kernel
def daxpy_atomic(i: Any, y: Any, x: Any, a: Any) -> None:
    sycl.atomic_ref(y, i, sycl.memory_order.relaxed, sycl.memory_scope.device).fetch_add(a * x[i])


@parallel
def nb_daxpy(y: Any, x: Any, a: Any) -> None:
    for i in prange(len(y)):
        y[i] += a * x[i]


def rounded(n: int) -> Nd:
    """Return the range of groups that covers n, as CUDA users launch."""
    return Nd((-(-n // GROUP) * GROUP,), (GROUP,))


DAXPY = Entry(
    "daxpy", lambda n: vectors("y x", n, a=np.float64(1e-3)), 1 << 20, 1000,
    {"": lambda d: [Step(daxpy, d.n, d.y, d.x, d.a)],
     "guarded": lambda d: [Step(daxpy_guarded, rounded(d.n), d.y, d.x, d.a, d.n)]},
    lambda d: {"y": d.y + d.a * d.x}, ROUNDING64, "one fused rounding",
    numba=lambda d: nb_daxpy(d.y, d.x, d.a), opencl=True, twin=("", "guarded"), warp="daxpy",
    taichi="daxpy")

DAXPY_ATOMIC = Entry(
    "daxpy_atomic", lambda n: vectors("y x", n, a=np.float64(1e-3)), 1 << 20, 1000,
    {"": lambda d: [Step(daxpy_atomic, d.n, d.y, d.x, d.a)]},
    lambda d: {"y": d.y + d.a * d.x}, ROUNDING64, "one fused rounding")


# if_quad: roots of quadratic equations


@sycl.kernel
def if_quad(i: Any, a: Any, b: Any, c: Any, x1: Any, x2: Any) -> None:
    s = b[i] * b[i] - 4.0 * a[i] * c[i]
    if s >= 0:
        s = sycl.sqrt(s)
        x2[i] = (-b[i] + s) / (2.0 * a[i])
        x1[i] = (-b[i] - s) / (2.0 * a[i])
    else:
        x2[i] = 0.0
        x1[i] = 0.0


@parallel
def nb_if_quad(a: Any, b: Any, c: Any, x1: Any, x2: Any) -> None:
    for i in prange(len(a)):
        s = b[i] * b[i] - 4.0 * a[i] * c[i]
        if s >= 0:
            s = np.sqrt(s)
            x2[i] = (-b[i] + s) / (2.0 * a[i])
            x1[i] = (-b[i] - s) / (2.0 * a[i])
        else:
            x2[i] = 0.0
            x1[i] = 0.0


def make_quad(n: int) -> Operands:
    d = vectors("a b c", n, 0.1, x1=np.ones(n), x2=np.ones(n))
    d.b *= 2
    return d


def ref_if_quad(d: Operands) -> dict[str, Any]:
    s = d.b * d.b - 4 * d.a * d.c
    root = np.sqrt(np.maximum(s, 0))
    return {"x1": np.where(s >= 0, (-d.b - root) / (2 * d.a), 0),
            "x2": np.where(s >= 0, (-d.b + root) / (2 * d.a), 0)}


IF_QUAD = Entry(
    "if_quad", make_quad, 1 << 20, 1000,
    {"": lambda d: [Step(if_quad, d.n, d.a, d.b, d.c, d.x1, d.x2)]}, ref_if_quad,
    1e-7, "the root of a cancelled difference, which may be fused",
    numba=lambda d: nb_if_quad(d.a, d.b, d.c, d.x1, d.x2), opencl=True, outliers=0.001)


# init3, muladdsub, copy8: several streams at once


@sycl.kernel
def init3(i: Any, out1: Any, out2: Any, out3: Any, in1: Any, in2: Any) -> None:
    out1[i] = out2[i] = out3[i] = -in1[i] - in2[i]


@sycl.kernel
def muladdsub(i: Any, out1: Any, out2: Any, out3: Any, in1: Any, in2: Any) -> None:
    out1[i] = in1[i] * in2[i]
    out2[i] = in1[i] + in2[i]
    out3[i] = in1[i] - in2[i]


@parallel
def nb_init3(out1: Any, out2: Any, out3: Any, in1: Any, in2: Any) -> None:
    for i in prange(len(out1)):
        v = -in1[i] - in2[i]
        out1[i] = v
        out2[i] = v
        out3[i] = v


@parallel
def nb_muladdsub(out1: Any, out2: Any, out3: Any, in1: Any, in2: Any) -> None:
    for i in prange(len(out1)):
        out1[i] = in1[i] * in2[i]
        out2[i] = in1[i] + in2[i]
        out3[i] = in1[i] - in2[i]


INIT3 = Entry(
    "init3", lambda n: vectors("o1 o2 o3 a b", n), 1 << 20, 1000,
    {"": lambda d: [Step(init3, d.n, d.o1, d.o2, d.o3, d.a, d.b)]},
    lambda d: {"o1": -d.a - d.b, "o2": -d.a - d.b, "o3": -d.a - d.b},
    numba=lambda d: nb_init3(d.o1, d.o2, d.o3, d.a, d.b), opencl=True,
    tolerance=ROUNDING64, why="fast mathematics may negate the sum")

MULADDSUB = Entry(
    "muladdsub", lambda n: vectors("o1 o2 o3 a b", n), 1 << 20, 1000,
    {"": lambda d: [Step(muladdsub, d.n, d.o1, d.o2, d.o3, d.a, d.b)]},
    lambda d: {"o1": d.a * d.b, "o2": d.a + d.b, "o3": d.a - d.b},
    numba=lambda d: nb_muladdsub(d.o1, d.o2, d.o3, d.a, d.b), opencl=True)


@sycl.kernel
def copy8(i: Any, dst: Any, src: Any, n: Any) -> None:
    for k in range(8):
        dst[k * n + i] = src[k * n + i]


@sycl.kernel
def copy8_rows(i: Any, dst: Any, src: Any) -> None:
    for k in range(8):
        dst[k, i] = src[k, i]


@parallel
def nb_copy8(dst: Any, src: Any) -> None:
    for i in prange(dst.shape[1]):
        for k in range(8):
            dst[k, i] = src[k, i]


COPY8 = Entry(
    "copy8", lambda n: Namespace(
        n=n, src=np.random.default_rng(1).random((8, n)), dst=np.zeros((8, n))), 1 << 17, 500,
    {"": lambda d: [Step(copy8, d.n, d.dst.reshape(-1), d.src.reshape(-1), d.n)],
     "rows": lambda d: [Step(copy8_rows, d.n, d.dst, d.src)]},
    lambda d: {"dst": d.src}, numba=lambda d: nb_copy8(d.dst, d.src),
    opencl=lambda d: [Step("copy8", d.n, d.dst, d.src, d.n)])


# nested_init: three loops


@sycl.kernel
def nested_init(it: Any, array: Any) -> None:
    k, j, i = it[0], it[1], it[2]
    array[k, j, i] = 0.00000001 * i * j * k


@parallel
def nb_nested_init(array: Any) -> None:
    for k in prange(array.shape[0]):
        for j in range(array.shape[1]):
            for i in range(array.shape[2]):
                array[k, j, i] = 0.00000001 * i * j * k


def ref_nested(d: Operands) -> dict[str, Any]:
    k, j, i = np.indices(d.a.shape)
    return {"a": 0.00000001 * i * j * k}


NESTED_INIT = Entry(
    "nested_init", lambda n: Namespace(a=np.zeros((n, n, n))), 128, 11,
    {"": lambda d: [Step(nested_init, d.a.shape, d.a)]}, ref_nested, ROUNDING64,
    "the order of three products", numba=lambda d: nb_nested_init(d.a), opencl=True)


# pi_reduce, trap_int, reduce_struct, reduce3_int: reductions of the launch


@sycl.kernel
def pi_reduce(i: Any, pi: Any, dx: Any) -> None:
    x = (i + 0.5) * dx
    pi += dx / (1.0 + x * x)


@parallel
def nb_pi_reduce(out: Any, n: Any, dx: Any) -> None:
    total = 0.0
    for i in prange(n):
        x = (i + 0.5) * dx
        total += dx / (1.0 + x * x)
    out[0] = total


def parts(kernel: str, d: Operands, *args: Any) -> list[Step]:
    """Return two launches in OpenCL C: partial results of 64 groups, then their sum by one."""
    return [Step(kernel, Nd((64 * GROUP,), (GROUP,)), d.parts, *args),
            Step("finish", 1, d.parts, d.out)]


PI_REDUCE = Entry(
    "pi_reduce", lambda n: Namespace(n=n, dx=np.float64(1 / n), out=np.zeros(1),
                                     parts=np.zeros(64)), 1 << 22, 4096,
    {"": lambda d: [Step(pi_reduce, d.n, d.dx, reductions=[(d.out, "plus")])]},
    lambda d: {"out": [np.sum(d.dx / (1 + ((np.arange(d.n) + 0.5) * d.dx)**2))]},
    1e-11, "millions of float64 in another order", numba=lambda d: nb_pi_reduce(d.out, d.n, d.dx),
    opencl=lambda d: parts("pi_reduce", d, d.n, d.dx))


@inner
def trapezoid(x: Any, y: Any, xp: Any, yp: Any) -> Any:
    denominator = (x - xp) * (x - xp) + (y - yp) * (y - yp)
    return 1.0 / np.sqrt(denominator)


@sycl.kernel
def trap_int(i: Any, total: Any, x0: Any, h: Any, y: Any, xp: Any, yp: Any) -> None:
    x = x0 + i * h
    total += trapezoid(x, y, xp, yp)


@parallel
def nb_trap_int(out: Any, n: Any, x0: Any, h: Any, y: Any, xp: Any, yp: Any) -> None:
    total = 0.0
    for i in prange(n):
        total += trapezoid(x0 + i * h, y, xp, yp)
    out[0] = total


def make_trap(n: int) -> Operands:
    f = np.float64
    return Namespace(n=n, out=np.zeros(1), parts=np.zeros(64), x0=f(0.1), h=f(0.6 / n), y=f(0.3),
                     xp=f(0.4), yp=f(0.7))


TRAP_INT = Entry(
    "trap_int", make_trap, 1 << 22, 4096,
    {"": lambda d: [Step(trap_int, d.n, d.x0, d.h, d.y, d.xp, d.yp,
                         reductions=[(d.out, "plus")])]},
    lambda d: {"out": [np.sum(trapezoid(d.x0 + np.arange(d.n) * d.h, d.y, d.xp, d.yp))]},
    1e-11, "millions of float64 in another order",
    numba=lambda d: nb_trap_int(d.out, d.n, d.x0, d.h, d.y, d.xp, d.yp),
    opencl=lambda d: parts("trap_int", d, d.n, d.x0, d.h, d.y, d.xp, d.yp))


@sycl.kernel
def reduce_struct(i: Any, xsum: Any, xmin: Any, xmax: Any, ysum: Any, ymin: Any, ymax: Any,
                  x: Any, y: Any) -> None:
    xsum += x[i]
    xmin.combine(x[i])
    xmax.combine(x[i])
    ysum += y[i]
    ymin.combine(y[i])
    ymax.combine(y[i])


@parallel
def nb_reduce_struct(x: Any, y: Any, out: Any) -> None:
    xsum, xmin, xmax = 0.0, x[0], x[0]
    ysum, ymin, ymax = 0.0, y[0], y[0]
    for i in prange(len(x)):
        xsum += x[i]
        xmin = min(xmin, x[i])
        xmax = max(xmax, x[i])
        ysum += y[i]
        ymin = min(ymin, y[i])
        ymax = max(ymax, y[i])
    out[0][0], out[1][0], out[2][0], out[3][0], out[4][0], out[5][0] = (
        xsum, xmin, xmax, ysum, ymin, ymax)


def make_struct(n: int) -> Operands:
    return vectors("x y", n, -1, xsum=np.zeros(1), xmin=np.zeros(1), xmax=np.zeros(1),
                   ysum=np.zeros(1), ymin=np.zeros(1), ymax=np.zeros(1))


def sums(d: Operands) -> tuple[Any, ...]:
    return d.xsum, d.xmin, d.xmax, d.ysum, d.ymin, d.ymax


def ref_struct(d: Operands) -> dict[str, Any]:
    return {"xsum": [d.x.sum()], "xmin": [d.x.min()], "xmax": [d.x.max()],
            "ysum": [d.y.sum()], "ymin": [d.y.min()], "ymax": [d.y.max()]}


REDUCE_STRUCT = Entry(
    "reduce_struct", make_struct, 1 << 20, 1000,
    {"": lambda d: [Step(reduce_struct, d.n, d.x, d.y, reductions=[
        *zip(sums(d), ("plus", "minimum", "maximum") * 2, strict=True)])]},
    ref_struct, 1e-10, "a million float64 of both signs in another order",
    numba=lambda d: nb_reduce_struct(d.x, d.y, sums(d)))


# multi_reduce: sums by bin


@sycl.kernel
def multi_reduce(i: Any, values: Any, bins: Any, data: Any) -> None:
    sycl.atomic_ref(values, bins[i], sycl.memory_order.relaxed,
                    sycl.memory_scope.device).fetch_add(data[i])


@sycl.kernel
def clear(i: Any, values: Any) -> None:
    values[i] = 0.0


@parallel
def nb_multi_reduce(values: Any, bins: Any, data: Any) -> None:
    count, n = 8, len(data)
    own = np.zeros((count, len(values)))
    for p in prange(count):
        for i in range(p * n // count, (p + 1) * n // count):
            own[p, bins[i]] += data[i]
    for b in range(len(values)):
        values[b] = own[:, b].sum()


MULTI_REDUCE = Entry(
    "multi_reduce", lambda n: vectors(
        "data", n, values=np.zeros(10), bins=(np.arange(n) * 7919 % 10).astype(np.int32)),
    1 << 19, 1000,
    {"": lambda d: [Step(clear, 10, d.values), Step(multi_reduce, d.n, d.values, d.bins, d.data)]},
    lambda d: {"values": np.bincount(d.bins, d.data, 10)}, 1e-10,
    "float64 sums in another order",
    numba=lambda d: nb_multi_reduce(d.values, d.bins, d.data))


# indexlist: which are negative, in order


@sycl.kernel
def count_negative(it: Any, x: Any, counts: Any) -> None:
    group = it.get_group()
    own = 1 if x[it.get_global_id(0)] < 0.0 else 0
    total = sycl.reduce_over_group(group, np.int32(own), sycl.plus)
    if group.leader():
        counts[it.get_group(0)] = total


@sycl.kernel
def place_negative(it: Any, x: Any, counts: Any, found: Any, length: Any) -> None:
    group = it.get_group()
    i, g = it.get_global_id(0), it.get_group(0)
    own = np.int32(1 if x[i] < 0.0 else 0)
    first = sycl.joint_reduce(group, counts[0:g], sycl.plus) if g > 0 else np.int32(0)
    at = first + sycl.exclusive_scan_over_group(group, own, sycl.plus)
    if own == 1:
        found[at] = i
    if i == x.shape[0] - 1:
        length[0] = at + own


@parallel
def nb_indexlist(x: Any, found: Any, length: Any) -> None:
    share, n = 8, len(x)
    counts = np.zeros(share + 1, np.int64)
    for p in prange(share):
        c = 0
        for i in range(p * n // share, (p + 1) * n // share):
            if x[i] < 0.0:
                c += 1
        counts[p + 1] = c
    for p in range(share):
        counts[p + 1] += counts[p]
    for p in prange(share):
        at = counts[p]
        for i in range(p * n // share, (p + 1) * n // share):
            if x[i] < 0.0:
                found[at] = i
                at += 1
    length[0] = counts[share]


def make_indexlist(n: int) -> Operands:
    return vectors("x", n, -1, found=np.full(n, -1, np.int32), length=np.zeros(1, np.int32),
                   counts=np.zeros(n // GROUP, np.int32))


def ref_indexlist(d: Operands) -> dict[str, Any]:
    at = np.flatnonzero(d.x < 0).astype(np.int32)
    return {"found": np.pad(at, (0, d.n - len(at)), constant_values=-1), "length": [len(at)]}


INDEXLIST = Entry(
    "indexlist", make_indexlist, 1 << 18, 512,
    {"": lambda d: [Step(count_negative, rounded(d.n), d.x, d.counts),
                    Step(place_negative, rounded(d.n), d.x, d.counts, d.found, d.length)]},
    ref_indexlist, numba=lambda d: nb_indexlist(d.x, d.found, d.length))


# mat_mat_shared: tiles, with the guards of its authors


@sycl.kernel
def mat_mat_shared(it: Any, a: Any, b: Any, c: Any, n: Any, left: Any, right: Any) -> None:
    ty, tx = it.get_local_id(0), it.get_local_id(1)
    row, col = it.get_group(0) * TILE + ty, it.get_group(1) * TILE + tx
    total = 0.0
    for k in range((TILE + n - 1) // TILE):
        if k * TILE + tx < n and row < n:
            left[ty, tx] = a[row * n + k * TILE + tx]
        else:
            left[ty, tx] = 0.0
        if k * TILE + ty < n and col < n:
            right[ty, tx] = b[(k * TILE + ty) * n + col]
        else:
            right[ty, tx] = 0.0
        sycl.group_barrier(it.get_group())
        for m in range(TILE):
            total += left[ty, m] * right[m, tx]
        sycl.group_barrier(it.get_group())
    if row < n and col < n:
        c[row * n + col] = total


@parallel
def nb_matmul(a: Any, b: Any, c: Any, n: Any) -> None:
    for i in prange(n):
        for j in range(n):
            c[i * n + j] = 0.0
        for k in range(n):
            v = a[i * n + k]
            for j in range(n):
                c[i * n + j] += v * b[k * n + j]


def make_matmul(n: int) -> Operands:
    random = np.random.default_rng(1)
    whole = -(-n // TILE) * TILE
    return Namespace(n=n, a=random.random(n * n), b=random.random(n * n), c=np.zeros(n * n),
                     space=Nd((whole, whole), (TILE, TILE)), left=Local(np.float64, (TILE, TILE)),
                     right=Local(np.float64, (TILE, TILE)))


MAT_MAT_SHARED = Entry(
    "mat_mat_shared", make_matmul, 500, 21,
    {"": lambda d: [Step(mat_mat_shared, d.space, d.a, d.b, d.c, d.n, d.left, d.right)]},
    lambda d: {"c": (d.a.reshape(d.n, d.n) @ d.b.reshape(d.n, d.n)).ravel()}, ROUNDING64,
    "float64 sums in another order", numba=lambda d: nb_matmul(d.a, d.b, d.c, d.n), opencl=True)


ENTRIES = [DAXPY, DAXPY_ATOMIC, IF_QUAD, INIT3, MULADDSUB, COPY8, NESTED_INIT, PI_REDUCE, TRAP_INT,
           REDUCE_STRUCT, MULTI_REDUCE, INDEXLIST, MAT_MAT_SHARED]

if __name__ == "__main__":
    show(ENTRIES)
