"""Products of large matrices on tensor cores, beside PyTorch's.

``python -m bench.gemm [--size N]``

Prints TFLOP/s by wall time of several launches and one wait, the best of a few rounds, and the
largest difference from PyTorch's product in float64 of some rows. Non-goals: other devices than
CUDA's. Invariant: rounds of ours and of PyTorch's take turns.
"""

from __future__ import annotations

import argparse
import importlib
import time
from collections.abc import Callable
from typing import Any

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


def measure(queue: sycl.queue, torch: Any, tile: Any, size: int) -> None:
    """Print what one kind of matrices takes."""
    rng = np.random.default_rng(1)
    x, y = (rng.standard_normal((size, size), np.float32).astype(tile.stored) for _ in range(2))
    words = (torch.from_numpy(m.view(np.int32 if tile is gemm.tf32 else np.int16)) for m in (x, y))
    left, right = (w.cuda().view(torch.float32 if tile is gemm.tf32 else torch.bfloat16)
                   for w in words)
    torch.backends.cuda.matmul.allow_tf32 = True
    a, b = (sycl.malloc_device(m.size, m.dtype, queue) for m in (x, y))
    c = sycl.malloc_device(size * size, np.float32, queue)
    queue.memcpy(a, x.reshape(-1))
    queue.memcpy(b, y.reshape(-1)).wait()
    queue.wait()
    kernel, shape = gemm.kernel_of(tile), (size, size, size)

    def ours() -> None:
        gemm.launch(queue, tile, kernel, a, b, c, shape=shape)

    ours()
    queue.wait()
    found = np.empty((size, size), np.float32)
    queue.memcpy(found.reshape(-1), c).wait()
    some = (left[::511].double() @ right.double()).cpu().numpy()
    difference = float(np.abs(found[::511] - some).max())
    own = theirs = float("inf")
    for _ in range(ROUNDS):
        own = min(own, best(ours, queue.wait))
        theirs = min(theirs, best(lambda: torch.matmul(left, right), torch.cuda.synchronize))
    flop = 2 * size ** 3 / 1e12
    print(f"{tile.__name__} {size}: ours {flop / own:.1f} TFLOP/s ({own * 1e3:.3f} ms), "
          f"torch {flop / theirs:.1f} ({theirs * 1e3:.3f} ms), ratio {theirs / own:.3f}, "
          f"largest difference {difference:.3g}", flush=True)


def main() -> None:
    """Measure all kinds."""
    parser = argparse.ArgumentParser(prog="python -m bench.gemm")
    parser.add_argument("--size", type=int, default=8192)
    size = parser.parse_args().size
    torch: Any = importlib.import_module("torch")
    queue = sycl.queue(sycl.gpu_selector_v, sycl.property.queue.in_order())
    print(queue.get_device().get_info(sycl.info.device.name), torch.__version__)
    for tile in (gemm.groups, gemm.bf16, gemm.tf32):
        measure(queue, torch, tile, size)


if __name__ == "__main__":
    main()
