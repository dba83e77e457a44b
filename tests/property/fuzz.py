"""Long runs of random programs: ``python -m tests.property.fuzz --count N --seed S``.

Programs run in a child process, so that one that crashes or hangs costs only itself. Failures are
written to ``--keep`` as files. ``--twice`` runs each batch in a second process as well, which finds
the first one's code on disk; ``--stream`` lets arrays of any size be written past the caches;
``--counts`` says how many programs used which feature; ``--device`` names other devices than the
CPU, with commas: each program runs on all; with one that lacks half precision, in single precision.
Non-goals: making failures small (``shrink``).
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import os
import signal
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import unisycl as sycl
from tests.property.cases import case_of, compare
from tests.property.features import features
from tests.property.programs import program
from unisycl.backends.cpu import driver
from unisycl.base.errors import UnsupportedError
from unisycl.testing import find_device

LIMIT = 60
"""Seconds of processor time that a program may take."""
PATIENCE = 20
"""How many times as long it may take by the clock, for other programs run as well."""
FINE = frozenset(("same", "refused"))
"""The outcomes that are no failures: a device may lack a type that a program uses."""


def outcome(text: str, device: str = "cpu") -> tuple[str, str]:
    """Run a program on the host and devices; return a word for how it went, and details."""
    try:
        found = compare(text, device)
    except UnsupportedError as error:
        return "refused", str(error)
    except Exception as error:  # noqa: BLE001 -- whatever goes wrong is the result
        where = traceback.extract_tb(error.__traceback__)[-1]
        what = f"{type(error).__name__}: {error}"
        return type(error).__name__, f"{what}\n{Path(where.filename).name}:{where.lineno}"
    return ("differs", "\n".join(found)) if found else ("same", "")


def fitting(text: str, device: str) -> str:
    """Return a program in float32 where it is in float16 and a device lacks that."""
    if "float16" not in text or all(
            find_device(name).has(sycl.aspect.fp16) for name in device.split(",")):
        return text
    made = text.replace("float16", "float32")
    try:
        compile(made, "program", "exec")
    except SyntaxError:  # two arguments of one name
        return text
    return made


def limit(seconds: int) -> None:
    """Kill this process after so much time of its own, or many times that by the clock."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.alarm(PATIENCE * seconds)


def work(seeds: range, pipe: int, keep: Path, device: str) -> None:
    """Run seeds in this process; report each on the pipe."""
    warnings.simplefilter("ignore")
    with os.fdopen(pipe, "w", buffering=1) as out:
        for seed in seeds:
            print("start", seed, file=out)
            limit(LIMIT)
            text = fitting(program(seed), device)
            word, details = outcome(text, device)
            limit(0)
            if word not in FINE:
                note = "\n".join("# " + line for line in details.splitlines())
                (keep / f"{word}_{seed}.py").write_text(f"{text}\n{note}\n", encoding="utf-8")
            used = ",".join(x.replace(" ", "_") for x in features(case_of(text), text))
            print("done", seed, word, used, details.split("\n")[0][:150], file=out)


def batch(seeds: range, keep: Path, counts: Counter[str], used: Counter[str],
          device: str = "cpu", *, work: Callable[[range, int, Path, str], None] = work,
          program: Callable[[int], str] = program) -> int:
    """Run seeds in a child until all are done or it dies; return the first seed not done."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        faulthandler.enable(all_threads=False)
        work(seeds, write, keep, device)
        os._exit(0)
    os.close(write)
    at = seeds.start
    with os.fdopen(read) as lines:
        for line in lines:
            word, number, *rest = line.split(maxsplit=4)
            at = int(number)
            if word == "done":
                at += 1
                counts[rest[0]] += 1
                used.update(rest[1].replace("_", " ").split(","))
                if rest[0] not in FINE:
                    print(f"\n{number}: {rest[0]} {' '.join(rest[2:])}", flush=True)
    _, status = os.waitpid(child, 0)
    if status:
        counts["died"] += 1
        print(f"\n{at}: died with {status}", flush=True)
        (keep / f"died_{at}.py").write_text(program(at), encoding="utf-8")
        at += 1
    return at


def main() -> int:
    """Run programs and print how they went."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, default=Path("fuzz_failures"))
    parser.add_argument("--twice", action="store_true")
    parser.add_argument("--counts", type=Path, help="a file for counts by feature, as JSON")
    parser.add_argument("--stream", action="store_true")
    parser.add_argument("--device", default="cpu", help="as in tests: cpu,opencl:1, ...")
    options = parser.parse_args()
    options.keep.mkdir(parents=True, exist_ok=True)
    driver._FLAT_ITEMS = 0
    if options.stream:
        driver._STREAM_BYTES = 1
    counts: Counter[str] = Counter()
    used: Counter[str] = Counter()
    at, stop, start = options.seed, options.seed + options.count, time.monotonic()
    while at < stop:
        seeds = range(at, min(at + 50, stop))
        at = batch(seeds, options.keep, counts, used, options.device)
        if options.twice:
            batch(range(seeds.start, at), options.keep, counts, Counter(), options.device)
        done = at - options.seed
        print(f"\r{done} of {options.count}, {done / (time.monotonic() - start):.1f}/s, "
              f"{dict(counts)}", end="", flush=True, file=sys.stderr)
        if options.counts:
            options.counts.write_text(json.dumps({"programs": counts, "features": used}))
    print(f"\n{dict(counts)}\n{dict(used.most_common())}")
    return int(not FINE.issuperset(counts))


if __name__ == "__main__":
    sys.exit(main())
