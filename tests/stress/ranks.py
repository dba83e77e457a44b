"""Ranks that are killed at random moments: ``python -m tests.stress.ranks --seconds 60``.

Each round starts three processes, kills one at a random moment, and demands the rank and its last
command within a time, a status, and that nothing is left. Beside that, three ranks whose messages
are late and lost by chance have to find the right result, or to name who did not come in time.
"""

from __future__ import annotations

import argparse
import random
import re
import time

import numpy as np

import unisycl as sycl
from tests.ranks import programs
from tests.ranks.faults import FaultyLink
from tests.ranks.test_mpirun import ends, mpirun
from unisycl.ranks.links import threads

LIMIT = 2.0


def faulty(seed: int, lost: float) -> bool:
    """Run a program whose messages are late, and lost so often; say whether it found its end."""
    begin = time.monotonic()
    try:
        found = threads.run(
            3, lambda link: programs.heat(sycl.ext.unisycl.distr_queue("cpu")), limit=LIMIT,
            wrap=lambda link: FaultyLink(link, seed, 0.01, lost))
    except sycl.exception as error:
        told = str(error)
        if not lost or not re.search(r"did not come within 2 s|has failed", told):
            raise
        spent = time.monotonic() - begin
        if spent > 20 * LIMIT:
            raise SystemExit(f"seed {seed}: {spent:.0f} s until {told}") from error
        return False
    for one in found:
        np.testing.assert_allclose(one, programs.heat_by_numpy(), rtol=1e-12)
    return True


def main() -> None:
    """Kill ranks until the time is over; print what was seen."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    chance, end, rounds, longest = random.Random(options.seed), time.monotonic() + \
        options.seconds, 0, 0.0
    faults: dict[tuple[bool, bool], int] = {}
    while time.monotonic() < end:
        lost = chance.choice((0.0, 0.02, 0.2))
        key = lost > 0, faulty(chance.randrange(1 << 20), lost)
        faults[key] = faults.get(key, 0) + 1
        rank, after = chance.randrange(3), chance.random() * 2
        begin = time.monotonic()
        status, out, err = ends(mpirun("random", str(rank), str(after), limit="20"))
        told = re.fullmatch(rf"rank {rank} of 3 was ended by SIGKILL; its last command was number "
                            r"\d+, .*", err.strip())
        if status != 9 or told is None:
            raise SystemExit(f"rank {rank} after {after:.3f} s: status {status}\n{out}\n{err}")
        rounds, longest = rounds + 1, max(longest, time.monotonic() - begin - after)
    print(f"{rounds} ranks killed, each named with its last command; {longest:.1f} s at most from "
          "start to end besides the time they ran")
    print(f"messages late: {faults.get((False, True), 0)} programs right; late and lost: "
          f"{faults.get((True, True), 0)} right, {faults.get((True, False), 0)} ended by an error")


if __name__ == "__main__":
    main()
