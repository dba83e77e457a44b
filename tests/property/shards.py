"""Random programs in many processes: ``python -m tests.property.shards --seconds S --seed K``.

Each process takes the next hundred seeds until the time is over; one line tells how all went, and
which seeds were run. Failures are written to ``--keep`` as by ``fuzz``, to whose ``--device`` the
one here is passed. Non-goals: the programs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import chain, islice
from pathlib import Path

SHARE = 100
ROOT = Path(__file__).resolve().parents[2]


def shares(first: int, seconds: float) -> Iterator[int]:
    """Yield the first seed of one share after the other until the time is over."""
    start = time.monotonic()
    while time.monotonic() - start < seconds:
        yield first
        first += SHARE


def run(seed: int, keep: Path, device: str) -> Counter[str]:
    """Run the programs of one share; return how many went how."""
    told = keep / f"counts_{seed}.json"
    done = subprocess.run(
        [sys.executable, "-m", "tests.property.fuzz", "--count", str(SHARE), "--seed", str(seed),
         "--keep", str(keep), "--counts", str(told), "--device", device],
        cwd=ROOT, capture_output=True, text=True, check=False)
    if not told.exists():
        print(f"{seed}: {done.stderr[-500:]}", flush=True)
        return Counter({"broken": SHARE})
    found: Counter[str] = Counter(json.loads(told.read_text(encoding="utf-8"))["programs"])
    told.unlink()
    for line in done.stdout.splitlines():
        if line.partition(":")[0].isdigit():
            print(line, flush=True)
    return found


def main() -> int:
    """Run programs and print how they went."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--keep", type=Path, default=Path("fuzz_failures"))
    parser.add_argument("--device", default="cpu", help="as in tests: cpu,opencl:1, ...")
    options = parser.parse_args()
    options.keep.mkdir(parents=True, exist_ok=True)
    counts: Counter[str] = Counter()
    todo = shares(options.seed, options.seconds)
    last = options.seed
    with ThreadPoolExecutor(options.processes) as pool:
        running: set[Future[Counter[str]]] = set()
        while True:
            for seed in islice(todo, options.processes - len(running)):
                running.add(pool.submit(run, seed, options.keep, options.device))
                last = seed + SHARE
            if not running:
                break
            ended, running = wait(running, return_when=FIRST_COMPLETED)
            counts.update(chain.from_iterable(e.result().elements() for e in ended))
            print(f"\r{sum(counts.values())} programs, {dict(counts)}", end="", file=sys.stderr,
                  flush=True)
    print(f"\nseeds {options.seed} to {last - 1}: {dict(counts)}")
    return int(not {"same", "refused"}.issuperset(counts))


if __name__ == "__main__":
    sys.exit(main())
