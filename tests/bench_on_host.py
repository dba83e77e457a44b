"""``python -m tests.bench_on_host [NAMES]``: CUDA C++ of ``bench/cuda/more.cu`` on the processor.

The shim of ``tests.cuda_on_host`` runs it on few elements, and NumPy checks what comes of it: so a
card's time is not spent on sources that are wrong. Non-goals: ``kernels.cu``, which has run on a
card; speed.
"""

from __future__ import annotations

import ctypes
import sys
import traceback

import numpy as np

from bench.cuda.card import SOURCES
from bench.cuda.more_cases import CASES
from tests.cuda_on_host import shim

SCALES = {"gauss": 64, "sobel": 64, "life": 64, "floyd": 64, "heat": 64, "rows": 64, "nearest": 64}
MEETING = ("rows", "softmax", "normalise", "nearest")
"""Kernels whose threads meet, so that each needs a stack."""


def run(name: str) -> None:
    """Run one kernel and check it."""
    library = shim().load(SOURCES[1].read_text(), list(CASES))
    case = CASES[name](SCALES.get(name, 256))
    memory = [x.copy() for x in case.operands]
    for k in case.clears:
        memory[k][:] = 0
    cells = [*(ctypes.c_uint64(x.ctypes.data) for x in memory), *map(ctypes.c_int, case.numbers)]
    places = (ctypes.c_void_p * len(cells))(*map(ctypes.addressof, cells))
    grid, block = ((ctypes.c_uint * 3)(*(*part, 1)[:3]) for part in case.grid)
    status = shim().api.shim_run(getattr(library, f"run_{name}"), places, grid, block,
                                 int(name in MEETING), (ctypes.c_ubyte * 64)())
    assert status == 0, status
    case.check([memory[k] for k in case.results])


def main() -> int:
    """Run all that are asked for; return how many are wrong."""
    bad = 0
    np.seterr(all="ignore")
    for name in sys.argv[1:] or CASES:
        try:
            run(name)
        except Exception:  # noqa: BLE001 - the next one may be right
            bad += 1
            print(f"{name}: WRONG\n{traceback.format_exc()}", flush=True)
        else:
            print(f"{name}: right", flush=True)
    return bad


if __name__ == "__main__":
    sys.exit(main())
