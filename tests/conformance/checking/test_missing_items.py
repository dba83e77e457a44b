"""Values asked of work-items that are not there: told of broadcasts, and of nothing else."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.checking.found import place, told

checked = sycl.kernel(debug="divergence")


@checked
def giver(it: Any, a: Any) -> None:
    a[it.get_global_id(0)] = sycl.group_broadcast(it.get_group(), it.get_local_id(0), 4)  # here


@checked
def giver_of_a_part(it: Any, a: Any) -> None:
    part = sycl.ext.oneapi.experimental.chunked_partition(it.get_sub_group(), 2)
    k = it.get_local_id(0)
    a[it.get_global_id(0)] = sycl.group_broadcast(part, k, it.get_local_range(0) - 2)  # here


@checked
def at_the_ends(it: Any, a: Any) -> None:
    group = it.get_sub_group()
    k, own = it.get_global_id(0), group.get_local_linear_id()
    before = sycl.select_from_group(group, own, own - 1)
    behind = sycl.select_from_group(group, own, own + 1)
    other = sycl.permute_group_by_xor(group, own, group.get_max_local_range()[0] // 2)
    sycl.permute_group_by_xor(group, own, 64)
    first = sycl.group_broadcast(group, own, 0) + sycl.group_broadcast(it.get_group(), k, 3)
    wrong = before != own - 1 if own > 0 else first != 3 and k < 4
    if own + 1 < group.get_local_linear_range():
        wrong = wrong or behind != own + 1
    a[k] = int(wrong or other > 63)


def launch(kernel: Any, queue: sycl.queue, *, size: int = 4) -> np.ndarray:
    a = sycl.malloc_shared(2 * size, np.int32, queue)
    a[:] = 1
    queue.parallel_for(sycl.nd_range(2 * size, size), kernel, a)
    queue.wait_and_throw()
    return np.array(a)


@pytest.mark.part("Q-4")
def test_a_broadcast_from_a_work_item_that_the_group_has_not_is_told(device: sycl.device) -> None:
    text = told(device, lambda queue: launch(giver, queue))
    assert place(giver, "# here") in text
    assert "group_broadcast: the group has 4 work-items; there is no id 4" in text


@pytest.mark.part("Q-4")
def test_a_broadcast_from_a_work_item_that_a_part_has_not_is_told(device: sycl.device) -> None:
    if not device.get_info(sycl.info.device.sub_group_sizes):
        pytest.skip("no sub-groups")
    text = told(device, lambda queue: launch(giver_of_a_part, queue))
    assert place(giver_of_a_part, "# here") in text
    assert re.search(r"group_broadcast: the group has [12] work-items; there is no id 2", text)


@pytest.mark.part("Q-4")
@pytest.mark.parametrize("size", [4, 17])
def test_items_at_the_ends_may_ask_neighbours_that_are_not_there(
        device: sycl.device, size: int) -> None:
    if not device.get_info(sycl.info.device.sub_group_sizes):
        pytest.skip("no sub-groups")
    assert not launch(at_the_ends, sycl.queue(device), size=size).any()
