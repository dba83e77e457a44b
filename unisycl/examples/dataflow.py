"""Data flow: four kernels in a diamond, ordered in three ways; temporaries; work split in two.

``python -m unisycl.examples.dataflow [--n N] [--device D]``

One kernel feeds two that do not depend on each other, and a fourth needs both: the shape of a
diamond. Accessors say so by what they access; with USM, events say it, or an in-order queue.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

import unisycl as sycl
from unisycl.examples.comparison import Comparison, at_least, command_line, pick_size

Array = npt.NDArray[Any]


# The four kernels of the diamond, over whatever memory the forms below give them.


def doubled(i: sycl.item, old: Any, new: Any) -> None:
    """Write twice the old."""
    new[i] = 2 * old[i]


def squared(i: sycl.item, old: Any, new: Any) -> None:
    """Write the old squared."""
    new[i] = old[i] * old[i]


def raised(i: sycl.item, old: Any, new: Any) -> None:
    """Write the old and three."""
    new[i] = old[i] + 3


def difference(i: sycl.item, left: Any, right: Any, new: Any) -> None:
    """Write what two differ by."""
    new[i] = left[i] - right[i]


def expected(values: Array) -> Array:
    """Return what the diamond computes, by NumPy."""
    double = 2 * values
    result: Array = double * double - (double + 3)
    return result


def by_accessors(queue: sycl.queue, values: Array) -> Array:
    """Buffers and accessors: what a kernel reads and writes is its place in the order.

    The buffers between have no host memory behind them, so nothing is copied back from them.
    """
    result = np.empty_like(values)
    size = sycl.range(len(values))
    with (sycl.buffer(values) as source, sycl.buffer(result) as target,
          sycl.buffer(size, dtype=values.dtype) as top,
          sycl.buffer(size, dtype=values.dtype) as left,
          sycl.buffer(size, dtype=values.dtype) as right):
        def step(kernel: Any, new: sycl.buffer, *olds: sycl.buffer) -> None:
            queue.submit(lambda h: h.parallel_for(
                size, kernel, *(sycl.accessor(b, h, sycl.read_only) for b in olds),
                sycl.accessor(new, h, sycl.write_only, sycl.no_init)))
        step(doubled, top, source)
        step(squared, left, top)
        step(raised, right, top)
        step(difference, target, left, right)
    return result


def temporary_over_an_array(queue: sycl.queue, values: Array) -> Array:
    """A buffer over an array that is only scratch: no final data, so the array keeps its values.

    Returns that array and, in a second row, what was computed.
    """
    scratch = values.copy()
    result = np.empty_like(values)
    with sycl.buffer(result) as target, sycl.buffer(scratch) as between:
        between.set_final_data(None)
        size = between.get_range()
        queue.submit(lambda h: h.parallel_for(size, doubled, *(2 * [sycl.accessor(between, h)])))
        queue.submit(lambda h: h.parallel_for(
            size, doubled, sycl.accessor(between, h, sycl.read_only),
            sycl.accessor(target, h, sycl.write_only, sycl.no_init)))
    return np.stack([scratch, result])


def _usm(queue: sycl.queue, values: Array) -> list[Any]:
    """Return shared memory for source, top, left, right and target."""
    memory: list[Any] = [sycl.malloc_shared(len(values), values.dtype, queue) for _ in range(5)]
    memory[0][:] = values
    return memory


def _take(queue: sycl.queue, memory: list[Any]) -> Array:
    """Return a copy of the last of the memories, and free them all."""
    result = np.array(memory[-1][:])
    for pointer in memory:
        sycl.free(pointer, queue)
    return result


def by_events(queue: sycl.queue, values: Array) -> Array:
    """USM knows no order of its own: each kernel names the events that it needs."""
    memory = _usm(queue, values)
    source, top, left, right, target = memory
    n = len(values)
    first = queue.parallel_for(n, doubled, source, top)
    one = queue.parallel_for(n, [first], squared, top, left)
    other = queue.parallel_for(n, [first], raised, top, right)
    queue.parallel_for(n, [one, other], difference, left, right, target).wait()
    return _take(queue, memory)


def in_order(queue: sycl.queue, values: Array) -> Array:
    """A queue that keeps the order of submission needs no events, and runs no two at a time."""
    ordered = sycl.queue(queue.get_context(), queue.get_device(), sycl.property.queue.in_order())
    memory = _usm(ordered, values)
    source, top, left, right, target = memory
    n = len(values)
    ordered.parallel_for(n, doubled, source, top)
    ordered.parallel_for(n, squared, top, left)
    ordered.parallel_for(n, raised, top, right)
    ordered.parallel_for(n, difference, left, right, target)
    ordered.wait()
    return _take(ordered, memory)


def split(queues: list[sycl.queue], values: Array) -> Array:
    """Each device takes its part; sub-buffers say that the parts do not overlap."""
    result = np.empty_like(values)
    # Sub-buffers begin where every device can address: offsets are multiples of its alignment.
    bits = max(q.get_device().get_info(sycl.info.device.mem_base_addr_align) for q in queues)
    step = max(1, bits // 8 // values.itemsize)
    share = -(-len(values) // len(queues) // step) * step
    with sycl.buffer(values) as source, sycl.buffer(result) as target:
        for k, queue in enumerate(queues):
            begin, end = k * share, min((k + 1) * share, len(values))
            if begin >= end:
                break
            size, offset = sycl.range(end - begin), sycl.id(begin)

            def part(h: sycl.handler, o: sycl.id = offset, s: sycl.range = size) -> None:
                h.parallel_for(s, doubled,
                               sycl.accessor(sycl.buffer(source, o, s), h, sycl.read_only),
                               sycl.accessor(sycl.buffer(target, o, s), h, sycl.write_only,
                                             sycl.no_init))
            queue.submit(part)
    return result


def several_queues(device: sycl.device) -> list[sycl.queue]:
    """Return queues on halves of a device, or on it and another if it cannot be split."""
    units = device.get_info(sycl.info.device.max_compute_units)
    kind = sycl.info.partition_property.partition_equally
    if kind in device.get_info(sycl.info.device.partition_properties) and units >= 2:
        return [sycl.queue(d) for d in device.create_sub_devices(kind, units // 2)][:2]
    others = [d for p in sycl.platform.get_platforms() for d in p.get_devices() if d != device]
    return [sycl.queue(d) for d in [device, *others][:2]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the example from the command line."""
    parser = command_line("dataflow", "Orders four kernels in three ways, and splits work.")
    parser.add_argument("--n", type=int, help="elements; default 1000000, on the host device 1000")
    options = parser.parse_args(arguments)
    compare = Comparison(options.device)
    queue = compare.queue
    n = pick_size(queue, options.n, 1_000_000, 1_000)
    at_least(1, n=n)

    values = np.random.default_rng(8).integers(-100, 100, n).astype(np.int32)
    want = expected(values)
    compare.introduce(f"a diamond of four kernels over {n} integers")
    compare.run("buffers and accessors", lambda: by_accessors(queue, values), want)
    compare.run("USM and events", lambda: by_events(queue, values), want)
    compare.run("USM and an in-order queue", lambda: in_order(queue, values), want)
    compare.run("an array as scratch, no final data",
                lambda: temporary_over_an_array(queue, values), np.stack([values, 4 * values]))
    queues = several_queues(queue.get_device())
    compare.run(f"split over {len(queues)} device(s)", lambda: split(queues, values), 2 * values)
    return compare.finish()


if __name__ == "__main__":
    raise SystemExit(main())
