"""What else cuDNN and cuBLAS do on a card, against float64: what is behind products, pools, halves.

::

    python -m tests.device.fused

Prints a line for each case: the greatest error, as a share of the largest number, and who did what
stands behind the product. Non-goals: times (``tests.device.libraries --parts speed``).
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

import unisycl as sycl
from tests.conformance.oneapi import dnn_model, test_dnn_cudnn
from unisycl.oneapi import dnn, mkl
from unisycl.testing import find_device

A, memory = dnn.algorithm, dnn.memory
model: Any = dnn_model
KINDS = {"f32": np.dtype("f"), "f16": np.dtype("e"), "bf16": np.dtype(ml_dtypes.bfloat16)}
FUNCTIONS: dict[str, Any] = {
    "relu": (A.eltwise_relu, 0.0, lambda v: np.maximum(v, 0)),
    "leaky": (A.eltwise_relu, 0.25, lambda v: np.where(v > 0, v, 0.25 * v)),
    "tanh": (A.eltwise_tanh, 0.0, np.tanh),
    "logistic": (A.eltwise_logistic, 0.0, lambda v: 1 / (1 + np.exp(-v))),
    "elu": (A.eltwise_elu, 0.5, lambda v: np.where(v > 0, v, 0.5 * np.expm1(v))),
    "swish": (A.eltwise_swish, 1.5, lambda v: v / (1 + np.exp(-1.5 * v))),
    "residual": (A.eltwise_relu, 0.0, lambda v: np.maximum(v, 0) + 2),  # with a sum behind it
    "gelu_tanh": (A.eltwise_gelu_tanh, 0.0, lambda v: 0.5 * v * (1 + np.tanh(
        np.sqrt(2 / np.pi) * (v + 0.044715 * v ** 3))))}


def attributes(name: str) -> dnn.primitive_attr:
    """Return attributes with one function."""
    ops, attr = dnn.post_ops(), dnn.primitive_attr()
    ops.append_eltwise(*FUNCTIONS[name][:2], 0.0)
    if name == "residual":
        ops.append_sum(1.0)
    attr.set_post_ops(ops)
    return attr


def run(queue: sycl.queue, kind: Any, name: str, *, product: bool) -> str:
    """Run a convolution or a product with a bias and a function."""
    e, rng = dnn.engine(queue), np.random.default_rng(3)
    s = dnn.stream(e)
    shapes = ((40, 64), (64, 48), (1, 48), (40, 48)) if product else (
        (2, 16, 9, 9), (24, 16, 3, 3), (24,), (2, 24, 9, 9))
    x, w, b = (model.numbers(rng, n, kind) for n in shapes[:3])
    x.reshape(-1)[5] = np.nan
    wanted = [memory.desc(n, kind, memory.format_tag.any if len(n) > 2 else memory.format_tag.ab
                          if len(n) == 2 else memory.format_tag.a) for n in shapes]
    pd: Any
    if product:
        pd = dnn.matmul.primitive_desc(e, *wanted, attributes(name))
        right = x.astype("d") @ w.astype("d") + b.astype("d")
    else:
        pd = dnn.convolution_forward.primitive_desc(
            e, dnn.prop_kind.forward_inference, A.convolution_auto, *wanted, (1, 1), (1, 1), (1, 1),
            attributes(name))
        right = model.convolution(x, w, (1, 1), (0, 0), (1, 1), (1, 1)) + b.astype("d")[
            :, None, None]
    right = FUNCTIONS[name][2](right)
    numbers = (dnn.arg.SRC, dnn.arg.WEIGHTS, dnn.arg.BIAS, dnn.arg.DST)
    given = {n: memory(pd.exec_arg_desc(n), e) for n in numbers}
    for n, value in zip(numbers, (x, w, b), strict=False):
        of = memory(value, e)
        dnn.reorder(of, given[n]).execute(s, of, given[n])
        s.wait()
    old = memory(np.full(shapes[3], 2, kind), e)
    dnn.reorder(old, given[dnn.arg.DST]).execute(s, old, given[dnn.arg.DST])
    (dnn.matmul if product else dnn.convolution_forward)(pd).execute(s, given)
    out = memory(np.zeros(shapes[3], kind), e)
    dnn.reorder(given[dnn.arg.DST], out).execute(s, given[dnn.arg.DST], out)
    s.wait()
    found = np.asarray(out.map_data()).astype("d")
    good = ~np.isnan(right)
    error = np.abs(found - right)[good].max() / np.abs(right[good]).max()
    lost = int((~np.isnan(found[~good])).sum())
    whole = "library" if getattr(pd.implementation, "_fused", False) else "kernels"
    return f"error {error:.1e}, NaN lost {lost} of {int((~good).sum())}, {whole} behind, " + (
        pd.impl_info_str())


POOLS = {"3x3 step 2": ((4, 16, 112, 112), ((3, 3), (2, 2), (1, 1), (0, 0))),
         "2x2": ((2, 7, 30, 31), ((2, 2), (2, 2), (0, 0), (0, 0))),
         "1d": ((2, 3, 50), ((3,), (2,), (1,), (1,))),
         "3d": ((2, 5, 9, 10, 11), ((3, 2, 3), (2, 2, 1), (1, 0, 1), (1, 0, 1)))}


def pool(queue: sycl.queue, kind: Any, name: str, case: str, *, last: bool) -> str:
    """Run a pooling, with channels innermost or not."""
    shape, how = POOLS[case]
    return test_dnn_cudnn.one_pooling(queue, name, shape, how, last=last,
                                      kind=kind).impl_info_str()


def halves(queue: sycl.queue, kind: Any, *, wide: bool, by_rows: bool) -> str:
    """Multiply parts of matrices of halves."""
    rng, m, n, k, ld = np.random.default_rng(2), 33, 20, 48, 64
    a, b = (model.numbers(rng, (ld, ld), kind) for _ in "ab")
    c = model.numbers(rng, (ld, ld), np.dtype("f") if wide else kind)
    lie = (lambda x: x) if by_rows else (lambda x: x.T)
    right = c.astype("d")
    lie(right)[:m, :n] = 2 * (lie(a)[:m, :k].astype("d") @ lie(b)[:n, :k].astype("d").T) - (
        lie(c)[:m, :n].astype("d"))
    memories = []
    for x in (a, b, c):
        memories.append(sycl.malloc_device(x.size, x.dtype, queue))
        queue.copy(x.ravel(), memories[-1]).wait()
    space = mkl.blas.row_major if by_rows else mkl.blas.column_major
    plain, turned = mkl.transpose.nontrans, mkl.transpose.trans
    space.gemm(queue, plain, turned, m, n, k, 2, memories[0], ld, memories[1], ld, -1, memories[2],
               ld).wait()
    found = np.empty_like(c)
    queue.copy(memories[2], found.ravel(), found.size).wait()
    model.near(found.astype("d"), right, c.dtype)
    return str(mkl.provider_of(queue, "mkl.blas", "gemm", kind))


def tried(title: str, call: Any, *given: Any, **named: Any) -> None:
    """Print what a case says."""
    try:
        said = call(*given, **named)
    except Exception as error:  # noqa: BLE001 - the next one runs
        said = f"FAILED {type(error).__name__}: {error}"
    print(f"{title:36} {said}", flush=True)


def main() -> None:
    """Run all."""
    queue = sycl.queue(find_device("cuda"))
    print(queue.get_device().get_info(sycl.info.device.name))
    for product in (False, True):
        for kind, dtype in KINDS.items():
            for name in FUNCTIONS if kind == "bf16" else ("relu", "leaky", "residual"):
                tried(f"{'matmul' if product else 'convolution'} {kind} {name}", run, queue, dtype,
                      name, product=product)
    for kind, dtype in KINDS.items():
        for name in ("max", "avg_include_padding", "avg_exclude_padding"):
            for case in POOLS:
                for last in (False, True):
                    tried(f"{name} {kind} {case}{' last' * last}", pool, queue, dtype, name, case,
                          last=last)
        for wide in (False, True) if kind != "f32" else ():
            for by_rows in (False, True):
                tried(f"gemm {kind}{' to f32' * wide}{' rows' * by_rows}", halves, queue, dtype,
                      wide=wide, by_rows=by_rows)


if __name__ == "__main__":
    main()
