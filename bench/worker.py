"""The process that runs one implementation: ``python -m bench.worker BENCHMARK IMPLEMENTATION``.

It answers on standard output with one JSON object a line: first whether it is ready, then the times
of a round for every line it reads, by the device's clock if the line is "device". What libraries
print goes to standard error.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from typing import Any

from bench.catalogue import load
from bench.harness import Missing, prepare, time_commands, time_round


def in_one_line(error: Exception) -> str:
    """Return the name of an error and its message, cut to fit a table."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"[:160].rstrip(": ")


def main(name: str, implementation: str) -> int:
    """Serve rounds until the input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def answer(**what: Any) -> None:
        answers.write(json.dumps(what) + "\n")
        answers.flush()

    try:
        benchmark = load(name)
        case = prepare(benchmark, implementation)
    except Missing as why:
        answer(missing=str(why))
        return 0
    except Exception as error:  # noqa: BLE001 - whatever a peer raises is the answer
        traceback.print_exc()
        answer(error=in_one_line(error))
        return 1
    answer(ready=True)
    for line in sys.stdin:
        try:
            if line.strip() == "device":
                answer(device=time_commands(case))
            else:
                answer(seconds=time_round(case, single=benchmark.single))
        except Exception as error:  # noqa: BLE001 - as above
            traceback.print_exc()
            answer(error=in_one_line(error))
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
