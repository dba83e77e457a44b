"""The sum of an array, four ways: naive, a tree in local memory, a group function, built in.

``python -m unisycl.examples.reductions [--n N] [--local L] [--dtype T] [--device D]``

The naive form needs no work-groups; the tree shows what a group does with local memory and
barriers; ``reduce_over_group`` does that in one call; ``reduction`` leaves it all to the runtime.
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
SHARES = 64  # work-items of the naive form


def naive(queue: sycl.queue, values: Array) -> Any:
    """Each of a few work-items adds up its share; a second kernel adds the shares' sums."""
    n, zero = len(values), values.dtype.type(0)
    result = np.zeros(1, values.dtype)
    with (sycl.buffer(values) as source, sycl.buffer(result) as total,
          sycl.buffer(sycl.range(SHARES), dtype=values.dtype) as sums):
        @queue.submit
        def add_shares(h: sycl.handler) -> None:
            x = sycl.accessor(source, h, sycl.read_only)
            partial = sycl.accessor(sums, h, sycl.write_only, sycl.no_init)

            @h.parallel_for(SHARES)
            def share_kernel(i: sycl.item) -> None:
                mine = zero
                for k in range(i[0], n, SHARES):
                    mine += x[k]
                partial[i] = mine

        @queue.submit
        def add_sums(h: sycl.handler) -> None:
            partial = sycl.accessor(sums, h, sycl.read_only)
            out = sycl.accessor(total, h, sycl.write_only, sycl.no_init)

            @h.single_task
            def sum_kernel() -> None:
                whole = zero
                for k in range(SHARES):
                    whole += partial[k]
                out[0] = whole
    return result[0]


def submit_tree(queue: sycl.queue, source: sycl.buffer, sums: sycl.buffer, n: int,
                local: int) -> None:
    """Add up each work-group's elements by a tree of pairs: one sum for each group."""
    @queue.submit
    def tree(h: sycl.handler) -> None:
        x = sycl.accessor(source, h, sycl.read_only)
        out = sycl.accessor(sums, h, sycl.write_only, sycl.no_init)
        tile = sycl.local_accessor(source.dtype, local, h)
        zero = source.dtype.type(0)

        @h.parallel_for(sycl.nd_range(rounded_up(n, local), local))
        def tree_kernel(it: sycl.nd_item) -> None:
            i, lane = it.get_global_id(0), it.get_local_id(0)
            mine = zero
            if i < n:  # the last group reaches beyond the end, and adds zeros there
                mine = x[i]
            tile[lane] = mine
            sycl.group_barrier(it.get_group())
            stride = local // 2
            while stride > 0:
                if lane < stride:
                    tile[lane] += tile[lane + stride]
                sycl.group_barrier(it.get_group())  # outside the branch: all or none get here
                stride //= 2
            if lane == 0:
                out[it.get_group(0)] = tile[0]


def tree(queue: sycl.queue, values: Array, local: int) -> Any:
    """Trees over groups, then over the groups' sums, until one sum is left."""
    result = np.zeros(1, values.dtype)
    n = len(values)
    source = sycl.buffer(values)
    with sycl.buffer(result) as total:
        while True:
            groups = -(-n // local)
            last = groups == 1
            sums = total if last else sycl.buffer(sycl.range(groups), dtype=values.dtype)
            submit_tree(queue, source, sums, n, local)
            if last:
                break
            source, n = sums, groups
    return result[0]


def group_and_atomic(queue: sycl.queue, values: Array, local: int) -> Any:
    """One call adds up a group; its first work-item adds that to the total, atomically."""
    n, zero = len(values), values.dtype.type(0)
    result = np.zeros(1, values.dtype)
    with sycl.buffer(values) as source, sycl.buffer(result) as total:
        @queue.submit
        def group_sums(h: sycl.handler) -> None:
            x = sycl.accessor(source, h, sycl.read_only)
            out = sycl.accessor(total, h, sycl.read_write)

            @h.parallel_for(sycl.nd_range(rounded_up(n, local), local))
            def group_kernel(it: sycl.nd_item) -> None:
                i = it.get_global_id(0)
                mine = zero
                if i < n:
                    mine = x[i]
                group_sum = sycl.reduce_over_group(it.get_group(), mine, sycl.plus)
                if it.get_local_id(0) == 0:
                    sycl.atomic_ref(out, 0, sycl.memory_order.relaxed,
                                    sycl.memory_scope.device).fetch_add(group_sum)
    return result[0]


def built_in(queue: sycl.queue, values: Array) -> Any:
    """The runtime chooses how; a kernel only names what is to be added."""
    result = np.zeros(1, values.dtype)
    with sycl.buffer(values) as source, sycl.buffer(result) as total:
        @queue.submit
        def whole(h: sycl.handler) -> None:
            x = sycl.accessor(source, h, sycl.read_only)

            # The reduction takes the buffer and the handler, not an accessor.
            @h.parallel_for(len(values), sycl.reduction(total, h, sycl.plus))
            def sum_kernel(i: sycl.item, total_sum: sycl.reducer) -> None:
                total_sum += x[i]
    return result[0]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the example from the command line."""
    parser = command_line("reductions", "Adds up an array in four ways.")
    parser.add_argument("--n", type=int, help="elements; default 10000000, on the host device 5000")
    parser.add_argument("--local", type=int, default=256, help="work-items in a group, a power of "
                        "two")
    parser.add_argument("--dtype", choices=["int32", "float32"], default="int32")
    options = parser.parse_args(arguments)
    compare = Comparison(options.device)
    queue = compare.queue
    n = pick_size(queue, options.n, 10_000_000, 5_000)
    at_least(1, n=n)
    power_of_two(local=options.local)

    values = np.random.default_rng(1).integers(-100, 100, n).astype(options.dtype)
    if options.dtype == "float32":
        values /= 7
    expected = values.sum(dtype=np.float64 if options.dtype == "float32" else np.int32)
    # Each addition rounds once; no order of n of them is further off than this.
    exact = values.dtype.kind == "i"
    bound = 0.0 if exact else n * float(np.finfo(np.float32).eps) * float(np.abs(values).sum())
    compare.introduce(f"the sum of {n} numbers of type {options.dtype}: {expected}")
    local = options.local
    compare.run("naive, two kernels", lambda: naive(queue, values), expected, bound)
    compare.run("tree in local memory", lambda: tree(queue, values, local), expected, bound)
    compare.run("reduce_over_group and atomic_ref",
                lambda: group_and_atomic(queue, values, local), expected, bound)
    compare.run("reduction", lambda: built_in(queue, values), expected, bound)
    return compare.finish()


if __name__ == "__main__":
    raise SystemExit(main())
