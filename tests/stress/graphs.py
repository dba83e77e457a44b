"""Random task graphs, drawn by hypothesis, against a sequential replay with NumPy.

Buffers, parts of them and USM; kernels, copies, fills and host tasks; three queues on two devices,
barriers, events, host accessors, and parts recorded as a command graph and replayed.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st

import unisycl as sycl
from tests.stress.run import Run, device_names

BUFFERS, SIZE, PART = 4, 384, 128
EXAMPLES = 20
experimental = sycl.ext.oneapi.experimental
Step = tuple[Any, ...]


def mixed(a, b, i, factor):
    b[i] = b[i] * factor + a[i]


def steps() -> st.SearchStrategy[list[Step]]:
    """Return lists of steps: what is done, where, with which buffers, parts and numbers."""
    one = st.tuples(
        st.sampled_from(("mix", "mix", "host", "copy", "fill", "look", "chain", "barrier",
                         "graph")),
        st.integers(0, 2), st.permutations(range(BUFFERS)).map(lambda p: tuple(p[:2])),
        st.integers(0, 3), st.integers(0, 3), st.integers(1, 3))
    return st.lists(one, min_size=4, max_size=40)


class Program:
    """Runs steps on devices and, one after the other, on arrays."""

    def __init__(self) -> None:
        devices = [sycl.queue(name).get_device() for name in device_names()]
        self.queues = [sycl.queue(devices[0]),
                       sycl.queue(devices[0], sycl.property.queue.in_order()),
                       sycl.queue(devices[-1])]
        self.arrays = [np.full(SIZE, k + 1, np.int64) for k in range(BUFFERS)]
        self.expected = [a.copy() for a in self.arrays]
        self.buffers = [sycl.buffer(a) for a in self.arrays]
        self.parts = [[b, *(sycl.buffer(b, PART * k, PART) for k in range(3))]
                      for b in self.buffers]
        self.usm = sycl.malloc_shared(SIZE, np.int64, self.queues[0])
        self.usm_expected = np.full(SIZE, 5, np.int64)
        self.last = self.queues[0].fill(self.usm, 5)

    def run(self, given: Sequence[Step]) -> None:
        """Do all steps both ways."""
        for what, queue, (a, b), part_a, part_b, factor in given:
            getattr(self, what)(self.queues[queue], a, b, part_a, part_b, factor)

    def _both(self, a: int, b: int, pa: int, pb: int) -> tuple[Any, ...]:
        """Return two buffers or parts of equal size, and the arrays they are."""
        def of(array: Any, part: int) -> Any:
            return array[PART * (part - 1):PART * part] if part else array
        pa, pb = (pa, pb) if pa and pb else (0, 0)
        return (self.parts[a][pa], self.parts[b][pb], of(self.expected[a], pa),
                of(self.expected[b], pb))

    def mix(self, queue: sycl.queue, a: int, b: int, pa: int, pb: int, factor: int) -> None:
        source, target, x, y = self._both(a, b, pa, pb)

        def group(h: sycl.handler) -> None:
            s = sycl.accessor(source, h, sycl.read_only)
            t = sycl.accessor(target, h, sycl.read_write)
            h.parallel_for(target.get_range(), lambda i: mixed(s, t, i, factor))
        queue.submit(group)
        y[:] = y * factor + x

    def host(self, queue: sycl.queue, a: int, b: int, pa: int, pb: int, factor: int) -> None:
        source, target, x, y = self._both(a, b, pa, pb)

        def group(h: sycl.handler) -> None:
            s = sycl.accessor(source, h, sycl.read_only_host_task)
            t = sycl.accessor(target, h, sycl.read_write_host_task)

            @h.host_task
            def task() -> None:
                t[:] = np.asarray(t) * factor + np.asarray(s)
        queue.submit(group)
        y[:] = y * factor + x

    def copy(self, queue: sycl.queue, a: int, b: int, pa: int, pb: int, factor: int) -> None:
        source, target, x, y = self._both(a, b, pa, pb)
        queue.submit(lambda h: h.copy(sycl.accessor(source, h, sycl.read_only),
                                      sycl.accessor(target, h, sycl.write_only)))
        y[:] = x

    def fill(self, queue: sycl.queue, a: int, b: int, pa: int, pb: int, factor: int) -> None:
        _, target, _, y = self._both(a, b, pa, pb)
        queue.submit(lambda h: h.fill(sycl.accessor(target, h, sycl.write_only), factor))
        y[:] = factor

    def look(self, queue: sycl.queue, a: int, b: int, pa: int, pb: int, factor: int) -> None:
        _, target, _, y = self._both(a, b, pa, pb)
        with sycl.host_accessor(target) as seen:
            assert y.tolist() == np.asarray(seen).tolist()
            seen[0] += factor
        y[0] += factor

    def chain(self, queue: sycl.queue, a: int, b: int, pa: int, pb: int, factor: int) -> None:
        """Change USM memory, after what changed it last."""
        p = self.usm
        if queue is self.queues[2]:  # of another context
            queue = self.queues[0]
        self.last = queue.parallel_for(SIZE, lambda i: mixed(p, p, i, factor),
                                       depends_on=self.last)
        self.usm_expected[:] = self.usm_expected * factor + self.usm_expected

    def barrier(self, queue: sycl.queue, *_: int) -> None:
        queue.ext_oneapi_submit_barrier()

    def graph(self, queue: sycl.queue, a: int, b: int, pa: int, pb: int, factor: int) -> None:
        """Record three steps and replay them twice."""
        graph = experimental.command_graph(queue)
        before = [e.copy() for e in self.expected]
        with graph.record(queue):
            self.mix(queue, a, b, pa, pb, factor)
            self.host(queue, b, a, pb, pa, 1)
            self.fill(queue, a, b, pa, pb, factor)
        for kept, now in zip(before, self.expected, strict=True):
            now[:] = kept
        replay = graph.finalize()
        for _ in range(2):
            queue.ext_oneapi_graph(replay)
            self._again(a, b, pa, pb, factor)

    def _again(self, a: int, b: int, pa: int, pb: int, factor: int) -> None:
        _, _, x, y = self._both(a, b, pa, pb)
        y[:] = y * factor + x
        _, _, x, y = self._both(b, a, pb, pa)
        y[:] = y + x
        _, _, x, y = self._both(a, b, pa, pb)
        y[:] = factor

    def end(self) -> None:
        """Close everything and compare."""
        self.last.wait()
        for row in self.parts:
            for buffer in row[::-1]:
                buffer.close()
        for expected, array in zip(self.expected, self.arrays, strict=True):
            assert expected.tolist() == array.tolist()
        assert self.usm_expected.tolist() == self.usm[:].tolist()
        sycl.free(self.usm, self.queues[0])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run random graphs until the time is over."""
    run = Run("graphs", arguments)

    def once(given: list[Step]) -> None:
        run.going()
        program = Program()
        program.run(given)
        program.end()
        run.counts["graphs"] += 1
        run.counts["commands"] += len(given)
    for turn in run.turns():
        check = seeded(run.seed + turn)(settings(
            max_examples=EXAMPLES, deadline=None, database=None,
            phases=(Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck))(given(steps())(once)))
        try:
            check()
        except Exception as error:  # noqa: BLE001 - hypothesis has made it small
            run.fail(f"{type(error).__name__}: {error} {getattr(error, '__notes__', '')}")
            break
    return run.end()


if __name__ == "__main__":
    sys.exit(main())
