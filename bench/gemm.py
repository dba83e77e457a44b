"""Products of large matrices on tensor cores, beside PyTorch's.

``python -m bench.gemm [--size N]``

Prints TFLOP/s by wall time of several launches and one wait, the best of a few rounds, and the
largest difference from PyTorch's product in float64 of some rows, over the largest number.
Non-goals: other devices than CUDA's. Invariant: rounds of ours and of PyTorch's take turns.
"""

from __future__ import annotations

import argparse
import importlib
import time
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

import unisycl as sycl
from unisycl.examples import gemm

ROUNDS, TIMES = 5, 10


def best(run: Callable[[], None], wait: Callable[[], None], rounds: int = 1) -> float:
    """Return the seconds that one of several runs takes."""
    found = float("inf")
    for _ in range(rounds):
        wait()
        start = time.perf_counter()
        for _ in range(TIMES):
            run()
        wait()
        found = min(found, (time.perf_counter() - start) / TIMES)
    return found


class e4m3_groups(gemm.groups):
    """Tiles of floats of 8 bits."""

    element: Any = ml_dtypes.float8_e4m3fn
    stored: Any = ml_dtypes.float8_e4m3fn
    depth = 128
    order: Any = gemm.int8_groups.order


_TORCH = {gemm.tf32: "float32", gemm.tf32_groups: "float32", gemm.int8_groups: "int8",
          e4m3_groups: "float8_e4m3fn"}


def theirs_of(torch: Any, tile: Any, left: Any, right: Any, columns: Any) -> Callable[[], Any]:
    """Return PyTorch's product; ``columns`` are those of B, one after another."""
    if tile is gemm.int8_groups:
        return lambda: torch._int_mm(left, columns.T)
    if tile is e4m3_groups:
        one = torch.ones((), device="cuda")
        return lambda: torch._scaled_mm(left, columns.T, one, one, out_dtype=torch.bfloat16,
                                        use_fast_accum=True)
    return lambda: torch.matmul(left, right)


def measure(queue: sycl.queue, torch: Any, tile: Any, size: int, *, turned: bool) -> None:
    """Print what one kind of matrices takes; ``turned``: columns of B lie together already."""
    rng = np.random.default_rng(1)
    x, y = ((rng.integers(-128, 128, (size, size), np.int8) if tile is gemm.int8_groups else
             rng.standard_normal((size, size), np.float32)).astype(tile.stored) for _ in range(2))
    kind = getattr(torch, _TORCH.get(tile, "bfloat16"))
    left, right, columns = (
        torch.from_numpy(np.ascontiguousarray(m).view(f"i{m.itemsize}")).cuda().view(kind)
        for m in (x, y, y.T))
    torch.backends.cuda.matmul.allow_tf32 = True
    a, b, other = (sycl.malloc_device(m.size, m.dtype, queue) for m in (x, y, y))
    sums = getattr(tile, "sum", np.float32)
    c = sycl.malloc_device(size * size, sums, queue)
    queue.memcpy(a, x.reshape(-1))
    queue.memcpy(b, y.reshape(-1)).wait()
    queue.wait()
    kernel, shape = gemm.kernel_of(tile), (size, size, size)
    by_columns = getattr(tile, "order", None) is e4m3_groups.order
    if by_columns:
        gemm.turn(queue, b, other, size, size).wait()

    def ours() -> None:
        if by_columns and not turned:
            gemm.turn(queue, b, other, size, size)
        gemm.launch(queue, tile, kernel, a, other if by_columns else b, c, shape=shape)

    ours()
    queue.wait()
    found = np.empty((size, size), sums)
    queue.memcpy(found.reshape(-1), c).wait()
    some = (left[::511].double() @ right.double()).cpu().numpy()
    difference = float(np.abs(found[::511] - some).max() / np.abs(some).max())
    run = theirs_of(torch, tile, left, right, columns)
    own = theirs = float("inf")
    for _ in range(ROUNDS):
        own = min(own, best(ours, queue.wait))
        theirs = min(theirs, best(run, torch.cuda.synchronize))
    flop = 2 * size ** 3 / 1e12
    how = ", columns of B turned each time" if by_columns and not turned else (
        ", columns of B together" if by_columns else "")
    print(f"{tile.__name__} {size}{how}: ours {flop / own:.1f} TFLOP/s ({own * 1e3:.3f} ms), "
          f"torch {flop / theirs:.1f} ({theirs * 1e3:.3f} ms), ratio {theirs / own:.3f}, "
          f"largest difference {difference:.3g} of the largest number", flush=True)
    for memory in (a, b, c, other):
        sycl.free(memory, queue)


def main() -> None:
    """Measure all kinds."""
    parser = argparse.ArgumentParser(prog="python -m bench.gemm")
    parser.add_argument("--size", type=int, default=8192)
    size = parser.parse_args().size
    torch: Any = importlib.import_module("torch")
    queue = sycl.queue(sycl.gpu_selector_v, sycl.property.queue.in_order())
    print(queue.get_device().get_info(sycl.info.device.name), torch.__version__)
    for tile in (gemm.groups, gemm.tf32_groups, gemm.int8_groups, e4m3_groups, gemm.bf16,
                 gemm.tf32):
        measure(queue, torch, tile, size, turned=True)
    measure(queue, torch, gemm.tf32_groups, size, turned=False)


if __name__ == "__main__":
    main()
