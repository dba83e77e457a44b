"""Long runs of random guarded kernels: ``python -m tests.property.guarded --count N --seed S``.

Each is launched a few times, over sizes around the widths of vectors, as a range and an nd_range,
on arrays that lie forwards or backwards and may be the same memory. What devices (``--device``, as
``fuzz`` takes them) make of it is compared with what Python does. Programs run in child processes;
what differs is kept in ``--keep`` as files. Non-goals: making programs (``guards``). Invariant: a
number makes one program and its launches.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import unisycl as sycl
from tests.property.cases import load
from tests.property.fuzz import FINE, LIMIT, batch, limit
from tests.property.guards import program
from unisycl.backends.cpu import driver
from unisycl.base.errors import UnsupportedError
from unisycl.testing import find_device

Array = np.ndarray[Any, Any]
LANES = (1, 7, 8, 15, 16, 17, 31, 32, 33, 40, 63, 64, 65, 70, 96, 128, 130)
LAUNCHES = 3
TOGETHER = ("apart", "apart", "same", "mirrored", "moved")
"""How both arrays of a kernel of rows lie: each for itself, or in the same rows."""


@dataclass(frozen=True)
class Launch:
    """One launch of a program; ``local`` is empty for a range; ``back`` has arrays backwards."""

    shape: tuple[int, ...]
    local: tuple[int, ...]
    kind: str
    numbers: tuple[int, int, int, int]
    back: bool
    together: str
    seed: int

    def places(self) -> Array:
        """Return a list of places below n, behind each of which is another: runs with gaps."""
        rng, n = np.random.default_rng(self.seed), self.numbers[0]
        steps = rng.choice((1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 5), self.shape[-1])
        found = (np.cumsum(steps) if self.seed % 3 else np.arange(self.shape[-1])) % max(n - 1, 1)
        return found.astype(np.int32 if self.seed % 2 else np.int64)

    def memory(self, *, rows: bool) -> tuple[Array, Array, Array]:
        """Return new arrays a, b and o."""
        rng = np.random.default_rng(self.seed)
        n, m, *_ = self.numbers

        def made(*shape: int) -> Array:
            return rng.integers(-9, 10, shape).astype(self.kind)
        turn = slice(None, None, -1 if self.back else 1)
        b = made(m)[turn]
        if not rows:
            return made(n)[turn], b, made(*self.shape)[..., turn]
        wide = made(self.shape[0], n + 1)
        o = wide[:, :n][:, turn]
        a = {"same": o, "mirrored": o[:, ::-1], "moved": wide[:, 1:]}.get(self.together)
        return made(self.shape[0], n)[turn] if a is None else a, b, o


def launches(names: dict[str, Any], seed: int) -> list[Launch]:
    """Return the launches of the program of a seed, by what it says at its head."""
    rng, found = Random(seed ^ 0x5EED), []
    rows, dims, lane = names["ROWS"], names["DIMS"], rng.choice(LANES)
    for _ in range(LAUNCHES):
        size = rng.choice((lane, rng.randint(1, 80)))
        shape = tuple(rng.randint(1, 5 - dims // 3) for _ in range(dims - 1)) + (size,)
        if rows or rng.random() < 0.15:
            shape = (size,) + (1,) * (dims - 1)
        elif names["SHORT"]:
            shape = shape[::-1]
        local = tuple(rng.choice([d for d in (1, 2, 4, 8, 16, 32) if s % d == 0]) for s in shape)
        n = rng.choice((lane, rng.randint(1, 40))) if rows else \
            rng.choice((shape[-1], shape[0], max(1, shape[-1] - 1), rng.randint(1, 70)))
        numbers = n, rng.choice((n, rng.randint(1, 50))), rng.randint(0, 5), rng.choice(
            (16, 32, 3, 1, 64))
        found.append(Launch(shape, local if rng.random() < 0.3 else (), names["KIND"],
                            numbers, rng.random() < 0.3, rng.choice(TOGETHER), seed))
    return found


def expected(names: dict[str, Any], launch: Launch) -> tuple[Array, ...]:
    """Return what Python leaves in memory, one item after another."""
    memory = launch.memory(rows=names["ROWS"])
    with np.errstate(all="ignore"):
        for at in itertools.product(*map(range, launch.shape)):
            names["kernel"](at, *memory, launch.places(), *launch.numbers)
    return memory


def given(names: dict[str, Any], launch: Launch, device: sycl.device) -> tuple[Array, ...]:
    """Return what a device leaves in memory."""
    memory = launch.memory(rows=names["ROWS"])
    space, kernel = sycl.range(*launch.shape), names["kernel"]
    if launch.local:
        space, kernel = sycl.nd_range(launch.shape, launch.local), names["nd_kernel"]
    queue = sycl.queue(device)
    queue.parallel_for(
        space, kernel, *memory, launch.places(), *launch.numbers).wait_and_throw()
    return memory


def fitting(text: str, devices: Mapping[str, sycl.device]) -> str:
    """Return a program in float32 where it is in float64 and a device lacks that."""
    able = all(device.has(sycl.aspect.fp64) for device in devices.values())
    return text if able else text.replace("'float64'", "'float32'")


def differing(text: str, seed: int, devices: Mapping[str, sycl.device]) -> list[str]:
    """Run a program on devices, given by their names; return what differs from Python."""
    names, found = load(text), []
    for launch in launches(names, seed):
        wanted = expected(names, launch)
        for said, device in devices.items():
            for name, x, y in zip("abo", wanted, given(names, launch, device), strict=True):
                if not np.array_equal(x, y, equal_nan=True):
                    at = tuple(np.argwhere((x != y) & ~(np.isnan(x) & np.isnan(y)))[0].tolist())
                    found.append(f"{said}: {name}{list(at)}: expected {x[at]!r}, got {y[at]!r}"
                                 f" of {launch}")
    return found


def outcome(text: str, seed: int, devices: Mapping[str, sycl.device]) -> tuple[str, str]:
    """Run a program; return a word for how it went, and details."""
    try:
        found = differing(text, seed, devices)
    except UnsupportedError as error:
        return "refused", str(error)
    except Exception as error:  # noqa: BLE001 -- whatever goes wrong is the result
        where = traceback.extract_tb(error.__traceback__)[-1]
        what = f"{type(error).__name__}: {error}"
        return type(error).__name__, f"{what}\n{Path(where.filename).name}:{where.lineno}"
    return ("differs", "\n".join(found)) if found else ("same", "")


def used(text: str, seed: int) -> list[str]:
    """Return words for what a program was made of, one for each of its launches too."""
    names = load(text)
    rows, dims = names["ROWS"], names["DIMS"]
    kind = "rows" if rows else "short rows" if names["SHORT"] else "grid"
    found = [f"{kind} of {dims}"]
    for launch in launches(names, seed):
        found += ["launches", "nd_range" if launch.local else "range", launch.kind]
        found += ["backwards"] * launch.back + [launch.together] * rows
        found += ["one column"] * (dims == 2 and launch.shape[1] == 1)
    return found


def work(seeds: range, pipe: int, keep: Path, devices: str) -> None:
    """Run seeds in this process; report each on the pipe, as ``fuzz`` reads it."""
    driver._FLAT_ITEMS = 0
    warnings.simplefilter("ignore")
    found = {name: find_device(name) for name in devices.split(",")}
    with os.fdopen(pipe, "w", buffering=1) as out:
        for seed in seeds:
            print("start", seed, file=out)
            limit(LIMIT)
            text = fitting(program(seed), found)
            word, details = outcome(text, seed, found)
            limit(0)
            if word not in FINE:
                note = "\n".join("# " + line for line in details.splitlines())
                (keep / f"{word}_{seed}.py").write_text(f"{text}\n{note}\n", encoding="utf-8")
            words = ",".join(x.replace(" ", "_") for x in used(text, seed))
            print("done", seed, word, words, details.split("\n")[0][:150], file=out)


def main() -> int:
    """Run programs and print how they went."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so long")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, default=Path("fuzz_failures"))
    parser.add_argument("--device", default="cpu", help="as in tests: cpu,opencl:1, ...")
    options = parser.parse_args()
    options.keep.mkdir(parents=True, exist_ok=True)
    counts: Counter[str] = Counter()
    words: Counter[str] = Counter()
    at, stop, start = options.seed, options.seed + options.count, time.monotonic()
    while at < stop and time.monotonic() - start < options.seconds:
        at = batch(range(at, min(at + 20, stop)), options.keep, counts, words, options.device,
                   work=work, program=program)
        print(f"\r{at - options.seed} of {options.count}, {dict(counts)}", end="", flush=True,
              file=sys.stderr)
    print(f"\nseeds {options.seed} to {at - 1} on {options.device}: {dict(counts)}")
    print(dict(words.most_common()))
    return int(not FINE.issuperset(counts))


if __name__ == "__main__":
    sys.exit(main())
