"""Ranks that are killed at random moments: ``python -m tests.stress.ranks --seconds 60``.

Each round starts three processes, kills one at a random moment, and demands the rank and its last
command within a time, a status, and that nothing is left.
"""

from __future__ import annotations

import argparse
import random
import re
import time

from tests.ranks.test_mpirun import ends, mpirun


def main() -> None:
    """Kill ranks until the time is over; print what was seen."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    chance, end, rounds, longest = random.Random(options.seed), time.monotonic() + \
        options.seconds, 0, 0.0
    while time.monotonic() < end:
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


if __name__ == "__main__":
    main()
