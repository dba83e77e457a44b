"""What the choice of lanes costs: ``python -m bench.lanes [NAMES] [--rounds N] [--behind]``.

Each form of the corpus runs as the compiler has it, one work-item at a time, with a vector and
with two of them; a line has the least processor time of each, and what ``passes.simd.costs``
foretells of items alone over vectors. Non-goals: peers (``bench.corpus``). Invariant: kernels that
ask for a sub-group's size, and those without a choice, run as they are in all columns.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from typing import Any

from bench.corpus import catalogue
from bench.harness import processor_times

WAYS = ("chosen", "alone", "native", "two")
LEAST = 0.04  # seconds


def _force(way: str, told: dict[str, float]) -> None:
    """Have the compiler choose as a column says, and note what it foretells."""
    from unisycl.backends.cpu import making  # noqa: PLC0415 - children only
    from unisycl.backends.cpu.emit import widths  # noqa: PLC0415

    setattr(making, "other_lanes", lambda *_: 0)  # noqa: B010 - no launch tries another form
    choose = widths._choose

    def chosen(kernel: Any, vector_bits: int) -> int:
        lanes = choose(kernel, vector_bits)
        if kernel.index_kind not in ("range", "nd_range") or kernel.sub_group:
            return lanes
        native = max(2, vector_bits // widths.widest_element(kernel))
        costs = widths.foretold(kernel, native, vector_bits)
        told[f"{kernel.name}"] = costs.scalar / max(costs.vector, 1e-9)
        if way == "chosen" or widths._asks_sub_groups(kernel):
            return lanes
        wanted = {"alone": 1, "native": native, "two": 2 * native}[way]
        if kernel.index_kind == "nd_range" and wanted > 1:
            while wanted > 1 and kernel.local[-1] % wanted:
                wanted //= 2
        return wanted

    widths._choose = chosen


def child(way: str, names: list[str]) -> None:
    """Print a line of JSON for each form."""
    from bench.corpus import peers  # noqa: PLC0415
    from bench.corpus.worker import checked  # noqa: PLC0415

    told: dict[str, float] = {}
    _force(way, told)
    entries = catalogue.entries()
    for name, form in catalogue.rows(names):
        entry, family = entries[name]
        told.clear()
        try:
            wrong, _, _ = checked(peers.prepare_ours, entry, family, form)
            run = peers.prepare_ours(entry, family, entry.size, form).run
            run()
            _, spent = processor_times(run, LEAST)
        except Exception as error:  # noqa: BLE001 - told in the line
            wrong, spent = str(error).partition("\n")[0], [math.nan]
        print(json.dumps([catalogue.title(name, form), min(spent), wrong, told]), flush=True)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.lanes", description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--way", choices=WAYS)
    parser.add_argument("--behind", action="store_true", help="only forms with a better column")
    asked = parser.parse_args()
    if asked.way:
        child(asked.way, asked.names)
        return 0
    found: dict[str, dict[str, float]] = {}
    ratios: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for way in WAYS:
            done = subprocess.run(
                [sys.executable, "-m", "bench.lanes", *asked.names, "--way", way], check=True,
                stdout=subprocess.PIPE, text=True,
                env=dict(os.environ, UNISYCL_CACHE=f"{folder}/{way}"))
            for line in done.stdout.splitlines():
                if not line.startswith("["):
                    continue
                title, spent, wrong, told = json.loads(line)
                found.setdefault(title, {})[way] = math.nan if wrong else spent
                if wrong:
                    print(f"{title} {way}: {wrong}")
                ratios[title] = told
    print(f"{'ms of processor time':40}" + "".join(f"{w:>9}" for w in WAYS)
          + "   alone/vector, foretold")
    for title, times in found.items():
        least = min((t for t in times.values() if not math.isnan(t)), default=math.nan)
        if asked.behind and times["chosen"] < 1.15 * least:
            continue
        vector = min(times.get("native", math.nan), times.get("two", math.nan))
        print(f"{title:40}" + "".join(f"{1e3 * times.get(w, math.nan):9.3f}" for w in WAYS)
              + f"   {times.get('alone', math.nan) / vector:6.2f}  "
              + " ".join(f"{k}={v:.2f}" for k, v in ratios[title].items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
