"""``python -m bench.cuda --out DIR [NAMES]``: kernels of unisycl's beside CUDA C++ on one card.

The sources in CUDA C++ are ``kernels.cu`` and ``more.cu`` of ``bench/cuda``, built by nvcc -O3 if
it is found on PATH, else by NVRTC. Both get the same memory, their results are compared with
NumPy's, and they are timed by turns, in rows of launches of some 20 ms: by CUDA's events, and by
the clock with a wait at the end. (The card waits for the first launch of a row: of rows of 2 ms it
was 1 to 4 %, whatever the kernel.) A ratio above 1 means that ours is the faster. ``--device cpu
--small`` checks our kernels where there is no card. DIR receives ``cuda.json``. Non-goals: judging.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

import numpy as np

import unisycl as sycl
from bench.cuda import cases, more_cases
from bench.cuda.card import Card, build
from bench.cuda.cases import Case
from unisycl.testing import find_device

CASES = {**cases.CASES, **more_cases.CASES}
SMALL, LEAST_SECONDS, MOST_LAUNCHES = 16, 20e-3, 400


class Place:
    """A case's operands in memory of the device."""

    def __init__(self, queue: sycl.queue, case: Case) -> None:
        self.queue, self.case = queue, case
        self.memory: list[Any] = []
        for array in case.operands:
            memory = sycl.malloc_device(array.size, array.dtype, queue)
            queue.memcpy(memory, array, array.nbytes)
            self.memory.append(memory)
        queue.wait_and_throw()

    def clear(self) -> None:
        """Set what counts up to zero."""
        for k in self.case.clears:
            self.queue.memset(self.memory[k], 0)
        self.queue.wait_and_throw()

    def spoil(self) -> None:
        """Write nonsense where results go."""
        for k in self.case.results:
            self.queue.memset(self.memory[k], 0x5a)
        self.clear()

    def check(self) -> None:
        """Compare the results with NumPy's."""
        found = []
        for k in self.case.results:
            out = np.zeros_like(self.case.operands[k])
            self.queue.memcpy(out, self.memory[k], out.nbytes)
            found.append(out)
        self.queue.wait_and_throw()
        self.case.check(found)

    def free(self) -> None:
        """Give the memory back."""
        for memory in self.memory:
            sycl.free(memory, self.queue)


def compare(card: Card, place: Place, name: str, rounds: int) -> dict[str, float]:
    """Return seconds of one launch: ours and theirs, on the card and by the clock."""
    case, queue, memory = place.case, place.queue, place.memory
    theirs = card.launcher(name, case.grid, [m.address() for m in memory], case.numbers)

    def ours() -> None:
        case.ours(queue, memory)

    stream = queue_stream(queue)
    place.spoil()
    theirs()
    card.finish()
    place.check()
    place.spoil()
    ours()
    queue.wait_and_throw()
    place.check()
    once = max(1e-6, card.timed(card.stream, theirs))
    count = max(1, min(MOST_LAUNCHES, math.ceil(LEAST_SECONDS / once)))
    found: dict[str, list[float]] = {}
    for turn in range(rounds + 1):
        sides = (("theirs", theirs, card.stream), ("ours", ours, stream))
        for side, call, where in sides if turn % 2 else sides[::-1]:
            def work(call: Any = call) -> None:
                for _ in range(count):
                    call()
            spent = card.timed(where, work) / count
            begin = time.perf_counter()
            work()
            card.finish()
            clock = (time.perf_counter() - begin) / count
            queue.wait()
            if turn:
                found.setdefault(side, []).append(spent)
                found.setdefault(f"{side} by the clock", []).append(clock)
    result = {side: statistics.median(times) for side, times in found.items()}
    for way in ("", " by the clock"):
        pairs = zip(found["theirs" + way], found["ours" + way], strict=True)
        result[f"ratio{way}"] = statistics.median(a / b for a, b in pairs)
    return result


def queue_stream(queue: sycl.queue) -> Any:
    """Return the stream that a queue's commands go to."""
    import ctypes  # noqa: PLC0415 - for this only

    return ctypes.c_void_p(int(sycl.get_native(sycl.backend.cuda, queue)))


def row(name: str, found: dict[str, float], case: Case) -> str:
    """Return a line of the table."""
    more = ""
    if case.moved:
        more = f"{case.moved / found['ours'] / 1e12:7.3f} TB/s"
    elif case.flops:
        more = f"{case.flops / found['ours'] / 1e12:7.2f} TFLOP/s"
    return (f"{name:14} {found['theirs'] * 1e6:10.1f} {found['ours'] * 1e6:10.1f} "
            f"{found['ratio']:7.3f} {found['ratio by the clock']:9.3f}  {more}")


def check_only(device: str, names: list[str], scale: int) -> int:
    """Check our kernels on any device."""
    bad = 0
    for name in names:
        queue = sycl.queue(find_device(device), sycl.property.queue.in_order())
        place = Place(queue, CASES[name](scale))
        try:
            place.spoil()
            place.case.ours(queue, place.memory)
            queue.wait_and_throw()
            place.check()
            print(f"{name}: right", flush=True)
        except Exception:  # noqa: BLE001 - the next one may be right
            bad += 1
            print(f"{name}: WRONG\n{traceback.format_exc()}", flush=True)
        place.free()
    return bad


def main() -> int:
    """Compare; print a table."""
    parser = argparse.ArgumentParser(prog="bench.cuda", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"some of {', '.join(CASES)}")
    parser.add_argument("--out", type=Path, help="the folder for the results")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--small", action="store_true", help="sixteenths of the sizes")
    options = parser.parse_args()
    names, scale = options.names or list(CASES), SMALL if options.small else 1
    queue = sycl.queue(find_device(options.device), sycl.property.queue.in_order())
    if queue.get_backend() != sycl.backend.cuda:
        return check_only(options.device, names, scale)
    card, results, ratios = Card(), {}, []
    with tempfile.TemporaryDirectory() as folder:
        code, tool = build(Path(folder), card.arch)
    card.load(code)
    print(f"us a launch on the card; C++ by {tool}\n{'':14} {'C++':>10} {'unisycl':>10} "
          f"{'ratio':>7} {'by clock':>9}", flush=True)
    for name in names:
        try:
            case = CASES[name](scale)
            place = Place(queue, case)
            results[name] = compare(card, place, name, options.rounds)
            place.free()
        except Exception:  # noqa: BLE001 - the next one may do
            print(f"{name}: FAILED\n{traceback.format_exc()}", flush=True)
            continue
        ratios.append(results[name]["ratio"])
        print(row(name, results[name], case), flush=True)
    if ratios:
        print(f"geometric mean {statistics.geometric_mean(ratios):.3f}, least {min(ratios):.3f}")
    if options.out is not None:
        options.out.mkdir(parents=True, exist_ok=True)
        device = queue.get_device().get_info(sycl.info.device.name)
        (options.out / "cuda.json").write_text(json.dumps(
            {"tool": tool, "device": device, "results": results}, indent=1))
    return len(names) - len(ratios)


if __name__ == "__main__":
    sys.exit(main())
