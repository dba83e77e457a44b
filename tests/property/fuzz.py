"""Long runs of random programs: ``python -m tests.property.fuzz --count N --seed S``.

Programs run in a child process, so that one that crashes or hangs costs only itself. Failures are
written to ``--keep`` as files. ``--twice`` runs each batch in a second process as well, which finds
the first one's code on disk; ``--stream`` lets arrays of any size be written past the caches.
Non-goals: making failures small (``shrink``).
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import signal
import sys
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path

from tests.property.cases import compare
from tests.property.programs import program
from unisycl.backends.cpu import driver

LIMIT = 60


def outcome(text: str, device: str = "cpu") -> tuple[str, str]:
    """Run a program on the host and a device; return a word for how it went, and details."""
    try:
        found = compare(text, device)
    except Exception as error:  # noqa: BLE001 -- whatever goes wrong is the result
        where = traceback.extract_tb(error.__traceback__)[-1]
        what = f"{type(error).__name__}: {error}"
        return type(error).__name__, f"{what}\n{Path(where.filename).name}:{where.lineno}"
    return ("differs", "\n".join(found)) if found else ("same", "")


def work(seeds: range, pipe: int, keep: Path) -> None:
    """Run seeds in this process; report each on the pipe."""
    warnings.simplefilter("ignore")
    with os.fdopen(pipe, "w", buffering=1) as out:
        for seed in seeds:
            print("start", seed, file=out)
            signal.alarm(LIMIT)
            text = program(seed)
            word, details = outcome(text)
            signal.alarm(0)
            if word != "same":
                note = "\n".join("# " + line for line in details.splitlines())
                (keep / f"{word}_{seed}.py").write_text(f"{text}\n{note}\n", encoding="utf-8")
            print("done", seed, word, details.split("\n")[0][:150], file=out)


def batch(seeds: range, keep: Path, counts: Counter[str]) -> int:
    """Run seeds in a child until all are done or it dies; return the first seed not done."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        faulthandler.enable(all_threads=False)
        work(seeds, write, keep)
        os._exit(0)
    os.close(write)
    at = seeds.start
    with os.fdopen(read) as lines:
        for line in lines:
            word, number, *rest = line.split(maxsplit=3)
            at = int(number)
            if word == "done":
                at += 1
                counts[rest[0]] += 1
                if rest[0] != "same":
                    print(f"\n{number}: {' '.join(rest)}", flush=True)
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
    parser.add_argument("--stream", action="store_true")
    options = parser.parse_args()
    options.keep.mkdir(parents=True, exist_ok=True)
    if options.stream:
        driver._STREAM_BYTES = 1
    counts: Counter[str] = Counter()
    at, stop, start = options.seed, options.seed + options.count, time.monotonic()
    while at < stop:
        seeds = range(at, min(at + 50, stop))
        at = batch(seeds, options.keep, counts)
        if options.twice:
            batch(range(seeds.start, at), options.keep, counts)
        done = at - options.seed
        print(f"\r{done} of {options.count}, {done / (time.monotonic() - start):.1f}/s, "
              f"{dict(counts)}", end="", flush=True, file=sys.stderr)
    print(f"\n{dict(counts)}")
    return int(set(counts) != {"same"})


if __name__ == "__main__":
    sys.exit(main())
