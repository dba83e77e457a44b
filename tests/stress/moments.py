"""Ctrl-C at each moment in turn: what SIGINT may cut short, cut short on purpose.

A turn submits commands of every kind. In the n-th run the n-th entry of a function, or return of a
C function, raises ``KeyboardInterrupt``, which is where Python looks for signals; so each moment is
met, not only the likely ones. Afterwards the same queue must give right results, and soon. What a
finaliser raises is swallowed by Python itself, and counted.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

import numpy as np

import unisycl as sycl
from tests.stress.run import Run

SIZE = 2000


class Moment:
    """Raises ``KeyboardInterrupt`` once, at the n-th event of this thread while it is entered."""

    def __init__(self, number: int) -> None:
        self._left = number
        self.came = False

    def __call__(self, frame: FrameType, kind: str, _: object) -> None:
        """Be told of an event of the profiler."""
        if kind in ("call", "c_return") and frame.f_code is not Moment.__exit__.__code__:
            self._left -= 1
            if self._left == 0:
                sys.setprofile(None)
                self.came = True
                raise KeyboardInterrupt

    def __enter__(self) -> None:
        sys.setprofile(self)

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)


def add(x: Any, y: Any, i: Any) -> None:
    """A kernel."""
    y[i] += x[i]


def bump(i: Any, p: Any) -> None:
    """A kernel."""
    p[i] += 1


def more(y: Any) -> None:
    """A host task."""
    y[:] = np.asarray(y) + 1


def recorded(q: sycl.queue, p: sycl.usm_pointer) -> Any:
    """Return a graph of two kernels; Python may be cut short where ``with`` begins or ends."""
    graph = sycl.ext.oneapi.experimental.command_graph(q.get_context(), q.get_device())
    try:
        with graph.record(q):
            q.parallel_for(SIZE, bump, p)
            q.parallel_for(SIZE, bump, p)
    finally:
        graph.end_recording()
    return graph.finalize()


def turn(q: sycl.queue, shared: sycl.buffer) -> None:
    """Submit one command of each kind and check what they did."""
    out = np.zeros(SIZE, np.int32)
    with sycl.buffer(out) as b:
        def kernel(h: sycl.handler) -> None:
            x, y = sycl.accessor(shared, h, sycl.read_only), sycl.accessor(b, h, sycl.read_write)
            h.parallel_for(SIZE, lambda i: add(x, y, i))

        def host(h: sycl.handler) -> None:
            y = sycl.accessor(b, h, sycl.read_write_host_task)
            h.host_task(lambda: more(y))
        q.submit(kernel)
        q.submit(host)
        q.submit(kernel)
        q.ext_oneapi_submit_barrier()
        with sycl.host_accessor(b, sycl.read_write) as seen:
            q.submit(kernel)
            first = int(seen[0])
    p = sycl.malloc_shared(SIZE, np.int32, q)
    told: list[int] = []
    filled = q.fill(p, 1)
    bumped = q.parallel_for(SIZE, bump, p, depends_on=[filled])
    bumped.ext_unisycl_add_callback(lambda _: told.append(1))
    q.parallel_for(SIZE, bump, p, depends_on=[bumped]).wait()
    q.ext_oneapi_graph(recorded(q, p)).wait()
    last = int(p[7])
    q.wait_and_throw()
    sycl.free(p, q)
    found = (int(out.min()), int(out.max()), first, last, told)
    if found != (4, 4, 3, 5, [1]):
        raise AssertionError(f"wrong: {found}")


def settle(q: sycl.queue, run: Run) -> None:
    """Take what the interrupted commands have left."""
    for _ in range(4):
        try:
            q.wait_and_throw()
            return
        except sycl.exception as error:
            if "KeyboardInterrupt" not in str(error):
                run.fail(f"an error of its own: {error}")


def interrupt(run: Run, q: sycl.queue, work: Callable[[], None], number: int) -> bool:
    """Cut ``work`` short at one moment; say whether that came before its end."""
    moment = Moment(number)
    try:
        with moment:
            work()
    except KeyboardInterrupt:
        run.counts["interrupts"] += 1
    except sycl.exception as error:
        if not moment.came:
            raise
        run.counts["told as an error"] += 1
        if "KeyboardInterrupt" not in str(error):
            run.fail(f"moment {number}: {error}")
    else:
        run.counts["swallowed"] += moment.came
    return moment.came


def main(arguments: Sequence[str] | None = None) -> int:
    """Go through the moments until the time is over, from a random one on."""
    run = Run("moments", arguments, seconds=60.0)
    ignored: list[object] = []
    sys.unraisablehook = ignored.append
    queues = [sycl.queue(*p) for p in ((), (sycl.property.queue.in_order(),))]
    shared = sycl.buffer(np.ones(SIZE, np.int32))
    number = 0
    for q in queues:
        turn(q, shared)
    number = run.random.randrange(1, 2000) if run.seconds < 60 else 1
    for n in run.turns():
        q = queues[n % 2]
        if not interrupt(run, q, lambda: turn(q, shared), number):  # noqa: B023 - called at once
            run.counts["rounds"] += 1
            number = 0
        settle(q, run)
        turn(q, shared)
        number += n % 2
    return run.end()


if __name__ == "__main__":
    sys.exit(main())
