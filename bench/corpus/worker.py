"""The process of one library: ``python -m bench.corpus.worker PEER``.

It reads a request a line, ``prepare NAME FORM`` or ``round``, and answers each with one line of
JSON. A form is checked at its small size before it is prepared at full size. What libraries print
goes to standard error.
"""

from __future__ import annotations

import json
import os
import shlex
import statistics
import sys
import time
import traceback
from typing import Any

import numpy as np

from bench.corpus import catalogue, frame, peers
from bench.harness import OURS, Missing, processor_times
from bench.worker import in_one_line

LEAST = 0.06  # seconds of a round


def checked(prepare: Any, entry: frame.Entry, family: Any, form: str) -> tuple[str, Any, float]:
    """Return what is wrong with results at the small size, nothing if all is well; their digest.

    The last is what the first run took, compiling included, in seconds of the processor.

    Some references are Numba's functions run by CPython. In Numba's process they are compiled, so
    that only the digest, which is compared with ours, tells whether it is right.
    """
    begun = time.process_time()
    ready = prepare(entry, family, entry.small, form)
    ready.run()
    took = time.process_time() - begun
    ready.fetch()
    wanted = entry.reference(entry.make(entry.small))
    return frame.mismatch(entry, ready.operands, wanted), frame.digest(ready.operands, wanted), took


def time_round(run: Any) -> dict[str, float]:
    """Return the least seconds of a run by the clock, and the processor's of the median batch."""
    walls, spent = processor_times(run, LEAST)
    return {"wall": min(walls), "cpu": statistics.median(spent)}


def _load_compiler() -> None:
    """Compile a first kernel, so that no entry's first run counts what loads the compiler."""
    import unisycl as sycl  # noqa: PLC0415 - peers' processes do without

    def zero(i: Any, a: Any) -> None:
        a[i] = 0

    sycl.queue().parallel_for(8, zero, np.zeros(8, np.float32)).wait()


class _Code:
    """Counts codes of kernels that this process puts into memory, and their bytes."""

    def __init__(self) -> None:
        from unisycl.backends.cpu.compile import jit  # noqa: PLC0415 - belongs to our process

        self.count = self.bytes = 0
        placed = jit.placed

        def counted(kept: bytes, names: tuple[str, ...]) -> Any:
            self.count += 1
            self.bytes += len(kept)
            return placed(kept, names)
        jit.placed = counted


class Worker:
    """What the requests of the parent do."""

    def __init__(self, peer: str) -> None:
        self.prepare_entry = peers.preparer(peer)
        self.entries = catalogue.entries()
        self.ready: Any = None
        self.code: _Code | None = None
        if peer == OURS:
            _load_compiler()
            self.code = _Code()

    def prepare(self, name: str, form: str, only: str) -> dict[str, Any]:
        self.ready = None
        entry, family = self.entries[name]
        if self.code is not None:
            self.code.count = self.code.bytes = 0
        wrong, small, compiled = checked(self.prepare_entry, entry, family, form)
        if wrong:
            return {"error": f"wrong: {wrong}"}
        told: dict[str, Any] = {"ready": True, "tolerance": max(entry.tolerance, entry.outliers),
                                "digest": {f"small {k}": v for k, v in small.items()}}
        if only == "check":
            return told
        self.ready = self.prepare_entry(entry, family, entry.size, form)
        self.ready.run()
        self.ready.fetch()
        told["digest"] |= frame.digest(self.ready.operands, small)
        if self.code is not None:
            told["code"] = [self.code.count, self.code.bytes]
        return {**told, "compiled": compiled}

    def answer(self, request: list[str]) -> dict[str, Any]:
        if request[0] == "round":
            return time_round(self.ready.run)
        return self.prepare(*request[1:])


def main(peer: str) -> int:
    """Serve requests until the input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    worker: Worker | None = None
    for line in sys.stdin:
        try:
            worker = worker or Worker(peer)
            told = worker.answer(shlex.split(line))
        except Missing as why:
            told = {"missing": str(why)}
        except Exception as error:  # noqa: BLE001 - whatever a peer raises is the answer
            traceback.print_exc()
            told = {"error": in_one_line(error)}
        answers.write(json.dumps(told) + "\n")
        answers.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
