"""The program whose picture docs/looking.md shows: two rods cool down and are compared."""

import numpy as np

import unisycl as sycl

N = 1 << 16


def start(h: sycl.handler, rod: sycl.buffer, peak: int) -> None:
    """Warm one place of a rod."""
    t = sycl.accessor(rod, h, sycl.write_only, sycl.no_init)

    @h.parallel_for(N)
    def warm(i):
        t[i] = 100.0 if int(i) == peak else 0.0


def step(h: sycl.handler, old: sycl.buffer, new: sycl.buffer) -> None:
    """Let heat flow to the neighbours."""
    a = sycl.accessor(old, h, sycl.read_only)
    b = sycl.accessor(new, h, sycl.write_only)

    @h.parallel_for(sycl.nd_range(N, 256))
    def diffuse(it):
        i = int(it.get_global_id(0))
        left, right = max(i - 1, 0), min(i + 1, N - 1)
        b[i] = 0.5 * a[i] + 0.25 * (a[left] + a[right])


def main() -> None:
    """Cool two rods and print how much they differ."""
    queue = sycl.queue()
    iron, copper, cooler = (sycl.buffer(sycl.range(N), dtype=np.float32) for _ in range(3))
    gap = sycl.buffer(np.zeros(1, np.float32))
    queue.submit(lambda h: start(h, iron, N // 3))
    queue.submit(lambda h: start(h, copper, N // 2))
    queue.submit(lambda h: step(h, iron, cooler))

    @queue.submit
    def compare(h: sycl.handler) -> None:
        a = sycl.accessor(cooler, h, sycl.read_only_host_task)
        b = sycl.accessor(copper, h, sycl.read_only_host_task)
        out = sycl.accessor(gap, h, sycl.write_only_host_task)

        @h.host_task
        def largest_gap() -> None:
            out[0] = np.abs(np.asarray(a) - np.asarray(b)).max()
    queue.submit(lambda h: step(h, copper, iron))
    with sycl.host_accessor(gap, sycl.read_only) as found:
        print(found[0])
    queue.wait()


main()
