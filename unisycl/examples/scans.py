"""Prefix sums: within blocks by up-sweep and down-sweep, and of any length in three launches.

``python -m unisycl.examples.scans [--n N] [--local L] [--device D]``

The first form is the classic one in local memory: 2·L elements for each group of L work-items, work
in proportion to the elements. The second scans each group with one call, then scans the groups'
totals, then adds to each group what lies before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

import unisycl as sycl
from unisycl.examples.comparison import (
    Comparison,
    at_least,
    command_line,
    pick_size,
    power_of_two,
    rounded_up,
)

Array = npt.NDArray[Any]


def scan_blocks(queue: sycl.queue, values: Array, local: int) -> Array:
    """Return the inclusive sums within each block of 2·local elements.

    Work-item k of a group loads and stores the elements 2k and 2k + 1 of its block: the order in
    local memory is the order in the array, and no other group touches the block.
    """
    n, zero, block = len(values), values.dtype.type(0), 2 * local
    result = np.empty_like(values)
    with sycl.buffer(values) as source, sycl.buffer(result) as target:
        @queue.submit
        def blocks(h: sycl.handler) -> None:
            x = sycl.accessor(source, h, sycl.read_only)
            out = sycl.accessor(target, h, sycl.write_only, sycl.no_init)
            sums = sycl.local_accessor(values.dtype, block, h)

            @h.parallel_for(sycl.nd_range(rounded_up(n, block) // 2, local))
            def block_kernel(it: sycl.nd_item) -> None:
                lane, first = it.get_local_id(0), 2 * it.get_global_id(0)
                for k in (0, 1):
                    loaded = zero
                    if first + k < n:
                        loaded = x[first + k]
                    sums[2 * lane + k] = loaded

                step = 1  # up: the last element of 2, 4, 8, ... gets the sum of them all
                while step < block:
                    sycl.group_barrier(it.get_group())
                    at = 2 * step * (lane + 1) - 1
                    if at < block:
                        sums[at] += sums[at - step]
                    step *= 2
                step = local // 2  # down: those sums go to the middles of the next stretches
                while step > 0:
                    sycl.group_barrier(it.get_group())
                    at = 2 * step * (lane + 1) - 1
                    if at + step < block:
                        sums[at + step] += sums[at]
                    step //= 2
                sycl.group_barrier(it.get_group())

                for k in (0, 1):
                    if first + k < n:
                        out[first + k] = sums[2 * lane + k]
    return result


def submit_groups(queue: sycl.queue, source: sycl.buffer, target: sycl.buffer,
                  totals: sycl.buffer, local: int, exclusive: bool) -> None:
    """First launch: scan each group by itself; its last work-item notes the group's total."""
    n, zero = source.size(), source.dtype.type(0)

    @queue.submit
    def groups(h: sycl.handler) -> None:
        x = sycl.accessor(source, h, sycl.read_only)
        out = sycl.accessor(target, h, sycl.write_only, sycl.no_init)
        total = sycl.accessor(totals, h, sycl.write_only, sycl.no_init)

        @h.parallel_for(sycl.nd_range(rounded_up(n, local), local))
        def group_kernel(it: sycl.nd_item) -> None:
            i, group = it.get_global_id(0), it.get_group()
            mine = zero
            if i < n:
                mine = x[i]
            # All work-items of the group come here, those beyond the end with a zero.
            upto = sycl.inclusive_scan_over_group(group, mine, sycl.plus)
            running = upto
            if exclusive:  # for all or for none
                running = sycl.exclusive_scan_over_group(group, mine, sycl.plus)
            if i < n:
                out[i] = running
            if it.get_local_id(0) == local - 1:
                total[it.get_group(0)] = upto


def submit_totals(queue: sycl.queue, totals: sycl.buffer, local: int) -> None:
    """Second launch: one group replaces each total by the sum of those before it."""
    @queue.submit
    def before(h: sycl.handler) -> None:
        total = sycl.accessor(totals, h, sycl.read_write)

        @h.parallel_for(sycl.nd_range(local, local))
        def before_kernel(it: sycl.nd_item) -> None:
            # The joint form walks through memory, so any number of groups will do.
            sycl.joint_exclusive_scan(it.get_group(), total[0:len(total)], total[0:len(total)],
                                      sycl.plus)


def submit_offsets(queue: sycl.queue, target: sycl.buffer, totals: sycl.buffer,
                   local: int) -> None:
    """Third launch: add to each element what all groups before its own add up to."""
    @queue.submit
    def offsets(h: sycl.handler) -> None:
        out = sycl.accessor(target, h, sycl.read_write)
        before = sycl.accessor(totals, h, sycl.read_only)

        @h.parallel_for(target.get_range())
        def offset_kernel(i: sycl.item) -> None:
            out[i] += before[i[0] // local]


def scan(queue: sycl.queue, values: Array, local: int, exclusive: bool = False) -> Array:
    """Return the running sums of any number of values: up to each element, or before it."""
    result = np.empty_like(values)
    groups = -(-len(values) // local)
    with (sycl.buffer(values) as source, sycl.buffer(result) as target,
          sycl.buffer(sycl.range(groups), dtype=values.dtype) as totals):
        submit_groups(queue, source, target, totals, local, exclusive)
        submit_totals(queue, totals, local)
        submit_offsets(queue, target, totals, local)
    return result


def block_sums(values: Array, block: int) -> Array:
    """Return by NumPy the running sums within blocks."""
    whole = np.zeros(rounded_up(len(values), block), values.dtype)
    whole[:len(values)] = values
    sums: Array = np.cumsum(whole.reshape(-1, block), axis=1, dtype=values.dtype)
    return sums.reshape(-1)[:len(values)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the example from the command line."""
    parser = command_line("scans", "Computes prefix sums in blocks and of any length.")
    parser.add_argument("--n", type=int, help="elements; default 5000000, on the host device 3000")
    parser.add_argument("--local", type=int, default=128, help="work-items in a group, a power of "
                        "two")
    options = parser.parse_args(arguments)
    compare = Comparison(options.device)
    queue, local = compare.queue, options.local
    n = pick_size(queue, options.n, 5_000_000, 3_000)
    at_least(1, n=n)
    power_of_two(local=local)

    values = np.random.default_rng(2).integers(-9, 10, n).astype(np.int32)
    sums = np.cumsum(values, dtype=np.int32)
    compare.introduce(f"running sums of {n} integers, groups of {local} work-items")
    compare.run(f"up-sweep, down-sweep: blocks of {2 * local}",
                lambda: scan_blocks(queue, values, local), block_sums(values, 2 * local))
    compare.run("inclusive, any length", lambda: scan(queue, values, local), sums)
    compare.run("exclusive, any length", lambda: scan(queue, values, local, exclusive=True),
                sums - values)
    return compare.finish()


if __name__ == "__main__":
    raise SystemExit(main())
