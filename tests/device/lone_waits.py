"""Whether several threads may wait in a driver: ``python -m tests.device.lone_waits DEVICE``.

Nothing but PyOpenCL: threads launch kernels on an out-of-order queue and on in-order ones by turns,
and wait for every third. On Intel's runtime for processors (2026.2) they stand still after some
hundred launches, an event being submitted for ever; not with ``--alone``, where one waits at a
time. Non-goals: unisycl's own waits (tests/conformance/queue/test_threads.py).
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import sys
import threading
import time
from typing import Any

import unisycl as sycl
from unisycl.testing import find_device

ITEMS, PATIENCE = 1 << 18, 5.0


def main() -> int:
    """Print whether all launches ended; the exit status is 1 if they stood still."""
    parser = argparse.ArgumentParser(prog="python -m tests.device.lone_waits")
    parser.add_argument("device")
    parser.add_argument("--threads", type=int, default=3)
    parser.add_argument("--launches", type=int, default=3000)
    parser.add_argument("--alone", action="store_true", help="one thread waits at a time")
    options = parser.parse_args()
    device: Any = sycl.get_native(sycl.backend.opencl, find_device(options.device))
    import pyopencl as cl  # noqa: PLC0415 - once unisycl has shown it its runtimes

    context = cl.Context([device])
    loose = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
    queues = [cl.CommandQueue(context, properties=loose),
              *(cl.CommandQueue(context) for _ in range(4))]
    program = cl._cl._Program(context, "__kernel void up(__global int *p) "
                                       "{ p[get_global_id(0)] += 1; }")
    program._build(b"", [device])
    one: Any = threading.Lock() if options.alone else contextlib.nullcontext()
    counts = [0] * options.threads

    def work(number: int) -> None:
        chance, kernel = random.Random(number), cl.Kernel(program, "up")
        memory = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4 * ITEMS)
        kernel.set_arg(0, memory)
        for k in range(options.launches):
            queue = chance.choice(queues)
            event = cl.enqueue_nd_range_kernel(queue, kernel, (ITEMS,), (256,))
            queue.flush()
            if k % 3 == 0:
                with one:
                    event.wait()
            counts[number] = k + 1
    threads = [threading.Thread(target=work, args=(n,), daemon=True) for n in range(len(counts))]
    for thread in threads:
        thread.start()
    before, since = counts[:], time.monotonic()
    while any(t.is_alive() for t in threads) and time.monotonic() - since < PATIENCE:
        time.sleep(0.1)
        if counts != before:
            before, since = counts[:], time.monotonic()
    still = any(t.is_alive() for t in threads)
    print(f"{'stands still' if still else 'ended'} after {sum(counts)} launches")
    sys.stdout.flush()
    os._exit(int(still))


if __name__ == "__main__":
    main()
