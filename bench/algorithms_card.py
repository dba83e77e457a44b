"""Parallel algorithms on a card beside CUB's, and random numbers beside cuRAND's.

::

    python -m bench.algorithms_card [NAMES] [--log2 28] [--rounds 5] [--library FILE] [--json FILE]
    python -m bench.algorithms_card --device cpu --log2 14      checks ours where there is no card

CUB's calls are in ``algorithms_cub.cu``, built by nvcc -O3 unless a library is given. Both work on
the same memory of the card, results are compared element by element, and they run by turns. Told
apart are, in ms, the least of the rounds: *card*, the commands of ours recorded in a graph, by the
card's own clock, beside CUB's by the same clock; *call*, a whole call that waits and has come
before; *new*, a call that was not bound; *host*, what the thread that submits that is busy for.
Non-goals: judging.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import functools
import json
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import unisycl as sycl
from bench.cuda.__main__ import queue_stream
from bench.cuda.card import Card
from unisycl.oneapi import dpl
from unisycl.oneapi.mkl import rng
from unisycl.testing import find_device

SOURCE = Path(__file__).with_name("algorithms_cub.cu")
Run = Callable[[], Any]


@dataclass
class Case:
    """An algorithm over memory, in the order in which CUB takes it; a count's place comes last.

    ``ours(form, m)`` calls the algorithm, ``form`` being what turns its name into the routine;
    ``moved`` are the bytes that have to be moved. ``mine`` and ``cubs`` say where the results are;
    ``fresh`` is what ours changes and has to be put back; ``counted`` says that so many elements of
    the results are compared as were found.
    """

    memory: list[Any]
    ours: Callable[[Any, list[Any]], Any]
    expected: Callable[[], list[Any]]
    moved: float
    mine: tuple[int, ...] = (1,)
    cubs: tuple[int, ...] = (1,)
    fresh: tuple[int, ...] = ()
    counted: bool = False


def signs(n: int) -> Any:
    """Return floats whose sums are whole: -1, 0 and 1."""
    return np.random.default_rng(1).integers(-1, 2, n, np.int8).astype(np.float32)


def words(n: int) -> Any:
    """Return random numbers of 32 bits."""
    return np.random.default_rng(2).integers(0, 1 << 32, n, np.uint32)


def runs(n: int) -> Any:
    """Return keys in runs of 4."""
    return (np.arange(n, dtype=np.uint32) >> np.uint32(2)) % np.uint32(1000)


def heads(keys: Any) -> Any:
    """Return where runs begin."""
    return np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))


def scans(n: int) -> dict[str, Case]:
    """Return scans and reductions."""
    x, like, keys = signs(n), np.zeros(n, np.float32), runs(n)

    def by_runs() -> Any:
        total, at = np.cumsum(x, dtype=np.float64), heads(keys)
        before = (total - x)[at]
        return (total - np.repeat(before, np.diff(at, append=n))).astype(np.float32)

    return {
        "inclusive_scan": Case(
            [x, like], lambda f, m: f("inclusive_scan")(m[0], m[1]),
            lambda: [np.cumsum(x, dtype=np.float64).astype(np.float32)], 8 * n),
        "reduce": Case([x, like[:1]], lambda f, m: f("reduce")(m[0]),
                       lambda: [x.sum(dtype=np.float64, keepdims=True).astype(np.float32)], 4 * n),
        "scan_by_segment": Case(
            [keys, x, like], lambda f, m: f("inclusive_scan_by_segment")(m[0], m[1], m[2]),
            lambda: [by_runs()], 12 * n, (2,), (2,)),
        "reduce_by_segment": Case(
            [keys, x, keys, like], lambda f, m: f("reduce_by_segment")(m[0], m[1], m[2], m[3]),
            lambda: [keys[heads(keys)], np.add.reduceat(x, heads(keys))], 10 * n, (2, 3), (2, 3),
            counted=True),
    }


def selections(n: int) -> dict[str, Case]:
    """Return what keeps and counts."""
    x, like, keys, big = signs(n) - np.float32(0.5), np.zeros(n, np.float32), runs(n), words(n)
    return {
        "copy_if": Case([x, like], lambda f, m: f("copy_if")(m[0], m[1], lambda v: v > 0),
                        lambda: [x[x > 0]], 4 * n + 4 * n / 3, counted=True),
        "partition_copy": Case(
            [x, like, like],
            lambda f, m: f("partition_copy")(m[0], m[1], m[2], lambda v: v > 0),
            lambda: [x[x > 0]], 8 * n, counted=True),
        "unique_copy": Case([keys, keys], lambda f, m: f("unique_copy")(m[0], m[1]),
                            lambda: [keys[heads(keys)]], 5 * n, counted=True),
        "histogram": Case(
            [big, np.zeros(256, np.uint32)],
            lambda f, m: f("histogram")(m[0], 256, 0, 1 << 32, m[1]),
            lambda: [np.bincount(big >> np.uint32(24), minlength=256)], 4 * n),
    }


def sorts(n: int) -> dict[str, Case]:
    """Return sorts by digits, with values, and by a function."""
    keys, values = words(n), np.arange(n, dtype=np.uint32)
    return {
        "sort": Case([keys, keys], lambda f, m: f("sort")(m[0]), lambda: [np.sort(keys)],
                     8 * n, (0,), fresh=(0,)),
        "sort_by_key": Case(
            [keys, keys, values, values], lambda f, m: f("sort_by_key")(m[0], m[2]),
            lambda: [np.sort(keys)], 16 * n, (0, 2), (1, 3), (0, 2)),
        "sort_by_function": Case(
            [keys, keys],
            lambda f, m: f("sort")(m[0], lambda a, b: (a & 0xFFFFFF) < (b & 0xFFFFFF)),
            list, 8 * n, (0,), fresh=(0,)),
    }


class Bench:
    """A queue, memory of one case, and CUB's function for it, if there is a card."""

    def __init__(self, queue: sycl.queue, case: Case, card: Card | None, cub: Any) -> None:
        self.queue, self.case, self.card, self.cub = queue, case, card, cub
        self.memory = [self.device(x) for x in case.memory]
        self.sources = {k: self.device(case.memory[k]) for k in case.fresh}
        self.count = self.device(np.zeros(1, np.int64))
        self.sized = self._sized()
        queue.wait()

    def device(self, x: Any) -> Any:
        """Return memory of the device with these numbers."""
        found = sycl.malloc_device(x.size, x.dtype, self.queue)
        self.queue.memcpy(found, x, x.nbytes).wait()
        return found

    def host(self, memory: Any) -> Any:
        """Return what lies in memory of the device."""
        found = np.zeros(memory.size(), memory.dtype)
        self.queue.memcpy(found, memory, found.nbytes).wait()
        return found

    def _sized(self) -> Any:
        if self.cub is None:
            return None
        places = (ctypes.c_void_p * 5)(*[m.address() for m in self.memory], self.count.address())
        size = ctypes.c_size_t()
        n = ctypes.c_longlong(self.case.memory[0].size)
        self._said(self.cub(None, ctypes.byref(size), places, n, None))
        self.room = sycl.malloc_device(max(size.value, 1), np.uint8, self.queue)
        return places, size, n

    def _said(self, status: int) -> None:
        if status:
            raise RuntimeError(f"CUB: error {status}")

    def theirs(self) -> None:
        """Call CUB."""
        places, size, n = self.sized
        assert self.card is not None
        self._said(self.cub(ctypes.c_void_p(self.room.address()), ctypes.byref(size), places, n,
                            self.card.stream))

    def again(self) -> None:
        """Put back what ours changes."""
        for k, source in self.sources.items():
            self.queue.memcpy(self.memory[k], source, source.byte_size())
        self.queue.wait()

    def spoil(self) -> None:
        """Write nonsense where results go."""
        for k in {*self.case.mine, *self.case.cubs}:
            self.queue.memset(self.memory[k], 0x5A)
        self.again()

    def ours(self, *, later: bool = False) -> Any:
        """Call our algorithm."""
        def form(name: str) -> Any:
            routine = getattr(dpl, name + "_async" if later else name)
            return lambda *args: routine(self.queue, *args)
        return self.case.ours(form, self.memory)

    def free(self) -> None:
        """Give the memory back."""
        for memory in (*self.memory, *self.sources.values(), self.count):
            sycl.free(memory, self.queue)
        if self.sized is not None:
            sycl.free(self.room, self.queue)

    def check(self) -> None:
        """Compare ours with NumPy's results, what is recorded with ours, and CUB's, too."""
        expected = self.case.expected()
        self.spoil()
        mine = self.results(self.ours())
        for a, b in zip(mine, expected, strict=False):
            assert np.array_equal(a, b), "ours differ from NumPy's"
        self.spoil()
        replay, later = self.recorded()
        replay()
        self.queue.wait()
        for a, b in zip(mine, self.results(later.value()), strict=True):
            assert np.array_equal(a, b), "what is recorded differs"
        if self.cub is None:
            return
        self.spoil()
        self.theirs()
        assert self.card is not None
        self.card.finish()
        count = int(self.host(self.count)[0]) if self.case.counted else None
        theirs = [self.host(self.memory[k])[:count] for k in self.case.cubs]
        for a, b in zip(mine, theirs, strict=False):
            assert np.array_equal(a, b), "ours differ from CUB's"

    def results(self, value: Any) -> list[Any]:
        """Return what our algorithm found, or where it wrote it."""
        if isinstance(value, np.generic):
            return [np.array([value])]
        count = value[0] if isinstance(value, tuple) else value
        return [self.host(self.memory[k])[:count if self.case.counted else None]
                for k in self.case.mine]

    def recorded(self) -> tuple[Run, Any]:
        """Return what submits the commands of one call again, and that call's future."""
        return recorded(self.queue, lambda: self.ours(later=True))

    def measure(self, rounds: int) -> dict[str, float]:
        """Return seconds."""
        assert self.card is not None
        stream = queue_stream(self.queue)
        found: dict[str, float] = {}
        replay, _kept = self.recorded()

        def note(name: str, seconds: float) -> None:
            found[name] = min(found.get(name, 1e9), seconds)

        for _ in range(rounds):
            self.again()
            note("card", self.card.timed(stream, replay))
            note("cub", self.card.timed(self.card.stream, self.theirs))
            for _ in range(3):  # new, then bound, then what comes again
                self.again()
                begin = time.perf_counter()
                self.ours()
                note("call", time.perf_counter() - begin)
            self.again()
            begin, busy = time.perf_counter(), time.thread_time()
            later = self.ours(later=True)
            note("host", time.thread_time() - busy)
            later.wait()
            note("new", time.perf_counter() - begin)
            self.card.finish()
        return found


def recorded(queue: sycl.queue, run: Run) -> tuple[Run, Any]:
    """Return what submits the commands of a call again, and the call's future."""
    graph = sycl.ext.oneapi.experimental.command_graph(queue)
    graph.begin_recording(queue)
    kept = run()
    graph.end_recording()
    made = graph.finalize()
    return lambda: queue.ext_oneapi_graph(made), kept


def curand() -> Any:
    """Return cuRAND's library, if it is to be found."""
    places = [Path("/usr/local/cuda/lib64"), *(
        x for folder in sys.path for x in Path(folder).glob("nvidia/*/lib"))]
    found = [str(x) for folder in places for x in sorted(folder.glob("libcurand.so*"))]
    for name in ("libcurand.so.10", *found):
        with contextlib.suppress(OSError):
            return ctypes.CDLL(name)
    return None


def numbers(queue: sycl.queue, card: Card, n: int, rounds: int) -> Iterable[
        tuple[str, dict[str, float], float]]:
    """Measure random numbers beside cuRAND's."""
    library = curand()
    if library is None:
        print("no cuRAND here", flush=True)
        return
    out, generator = sycl.malloc_device(n, np.float32, queue), ctypes.c_void_p()
    for status in (library.curandCreateGenerator(ctypes.byref(generator), 161),
                   library.curandSetStream(generator, card.stream)):
        assert not status, f"cuRAND: {status}"
    place, size = ctypes.c_void_p(out.address()), ctypes.c_size_t(n)
    engine = rng.philox4x32x10(queue)
    for law, theirs in ((rng.uniform(), lambda: library.curandGenerateUniform(
            generator, place, size)), (rng.gaussian(), lambda: library.curandGenerateNormal(
                generator, place, size, ctypes.c_float(0), ctypes.c_float(1)))):
        found: dict[str, float] = {}
        replay, _kept = recorded(queue, functools.partial(rng.generate_async, law, engine, out))
        for _ in range(rounds + 1):
            begin = time.perf_counter()
            rng.generate(law, engine, out)
            found["call"] = min(found.get("call", 1), time.perf_counter() - begin)
            stream = queue_stream(queue)
            found["card"] = min(found.get("card", 1), card.timed(stream, replay))
            found["cub"] = min(found.get("cub", 1), card.timed(card.stream, theirs))
        yield f"philox {type(law).__name__}", found, 4 * n
    library.curandDestroyGenerator(generator)
    sycl.free(out, queue)


def library_of(path: Path | None, arch: int) -> Any:
    """Return CUB's calls, built if they are not given."""
    if path is not None:
        return ctypes.CDLL(str(path))
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "cub.so"
        subprocess.run(("nvcc", "-O3", "-std=c++17", "-shared", "-Xcompiler", "-fPIC",
                        f"-gencode=arch=compute_{arch}a,code=sm_{arch}a", "-o", out, SOURCE),
                       check=True)
        return ctypes.CDLL(str(out))


def row(name: str, t: dict[str, float], moved: float) -> str:
    """Return a line of the table."""
    cells = "".join(f"{1e3 * t[k]:10.3f}" if k in t else f"{'':10}"
                    for k in ("cub", "card", "call", "new", "host"))
    return (f"{name:20}{cells}{t['cub'] / t['card']:9.2f}{t['cub'] / t['call']:9.2f}"
            f"{moved / t['card'] / 1e12:9.2f}")


def main() -> int:
    """Compare; print a table."""
    parser = argparse.ArgumentParser(prog="bench.algorithms_card", description=__doc__)
    parser.add_argument("names", nargs="*", help="some of the algorithms")
    parser.add_argument("--log2", type=int, default=28, help="how many elements, as a power of two")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--library", type=Path, help="algorithms_cub.cu, built before")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    queue = sycl.queue(find_device(asked.device), sycl.property.queue.in_order())
    card = Card() if queue.get_backend() == sycl.backend.cuda else None
    cub = None if card is None else library_of(asked.library, card.arch)
    n, bad, results = 1 << asked.log2, 0, {}
    print(f"{n} elements on {queue.get_device().get_info(sycl.info.device.name)}; ms\n{'':20}"
          + "".join(f"{x:>10}" for x in ("CUB", "card", "call", "new", "host"))
          + f"{'CUB/card':>9}{'CUB/call':>9}{'TB/s':>9}", flush=True)
    for family in (scans, selections, sorts):
        for name, case in family(n).items():
            if asked.names and name not in asked.names:
                continue
            try:
                bench = Bench(queue, case, card, None if cub is None else getattr(cub, name))
                bench.check()
                if card is None:
                    print(f"{name}: right", flush=True)
                else:
                    results[name] = bench.measure(asked.rounds)
                    print(row(name, results[name], case.moved), flush=True)
                bench.free()
            except Exception:  # noqa: BLE001 - the next one may do
                bad += 1
                print(f"{name}: FAILED\n{traceback.format_exc()}", flush=True)
    if card is not None and (not asked.names or "philox" in asked.names):
        for name, found, moved in numbers(queue, card, n, asked.rounds):
            results[name] = found
            print(row(name, found, moved), flush=True)
    if asked.json is not None:
        asked.json.write_text(json.dumps({"elements": n, "seconds": results}, indent=1))
    return bad


if __name__ == "__main__":
    sys.exit(main())
