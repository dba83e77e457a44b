"""Debugged kernels tell who misses a meeting, and what a group has to share and does not."""

from __future__ import annotations

import re

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.kernel import meeting
from tests.conformance.kernel.test_debugging import failure, line_of

DATA = np.array([3, 4, 8, 3, 4, 4, 4, 4], np.int64)  # the second group agrees


def launch(queue, kernel, *more):
    """Run a kernel over two groups of four; return what it stores."""
    with sycl.buffer(np.zeros(8, np.int64)) as result:
        def group(h):
            h.parallel_for(sycl.nd_range(8, 4), kernel, sycl.accessor(result, h),
                           sycl.accessor(sycl.buffer(DATA), h, sycl.read_only), *more)
        queue.submit(group)
        queue.wait_and_throw()
        with sycl.host_accessor(result) as found:
            return np.array(found)


@pytest.mark.row("D-37", "Q-4", "F-25")
@pytest.mark.parametrize(("kernel", "function", "came", "away"), [
    (meeting.uneven_loop, "group_barrier", (1, 2), (0, 3)),
    (meeting.early_return, "reduce_over_group", (0, 1, 3), (2,)),
    (meeting.either_side, "group_barrier", (0, 3), (1, 2)),
    (meeting.breaking, "any_of_group", (1, 2), (0, 3))])
def test_a_meeting_that_some_items_miss_names_one_that_came_and_one_that_did_not(
        device, kernel, function, came, away):
    found = failure(device, lambda q: launch(q, kernel))
    assert kernel.function.__name__ in found
    assert f"{function}" in found
    assert f"{meeting.__file__}:{line_of(kernel, '# here')}" in found
    told = re.search(r"in work-item id\((\d+)\).*work-item id\((\d+)\) does not", found)
    if told is None:  # the host device lists them all
        assert "not all work-items of group" in found
        return
    assert int(told[1]) in came
    assert int(told[2]) in away


@pytest.mark.row("Q-4", "F-25")
@pytest.mark.parametrize(("kernel", "text"), [
    (meeting.ids, "the id of group_broadcast is 1 here and 0 in work-item id(1)"),
    (meeting.starts, "the initial value of reduce_over_group is 0 here and 1 in work-item id(2)"),
    (meeting.scans,
     "the initial value of exclusive_scan_over_group is 0 here and 1 in work-item id(2)"),
    (meeting.counts, "the number of elements of joint_reduce is 1 here and 2 in work-item id(1)"),
    (meeting.ranges, "the first element of a joint vote is 0 here and 1 in work-item id(1)")])
def test_what_a_group_has_to_share_and_does_not_is_told_with_both_values(device, kernel, text):
    found = failure(device, lambda q: launch(q, kernel))
    line = line_of(kernel, "# here")
    assert (f"kernel '{kernel.function.__name__}' failed in work-item id(0) (id(0) of group id(0)) "
            f"at {meeting.__file__}:{line}: {text}: the group has to give one") == found


@pytest.mark.row("F-25")
def test_so_it_is_in_sub_groups(device):
    if max(device.get_info(sycl.info.device.sub_group_sizes)) < 4:
        pytest.skip("sub-groups of one item always agree")
    found = failure(device, lambda q: launch(q, meeting.shifts))
    assert "the delta of shift_group_left is 0 here and 1 in item 2 of the sub-group" in found


@pytest.mark.row("D-49", "F-25")
def test_checks_change_no_result_of_kernels_whose_items_leave_after_the_last_meeting(device):
    queue = sycl.queue(device)
    expected = [2100 + d if d <= 6 else 7 for d in DATA.tolist()]
    assert expected == launch(queue, meeting.early_after_the_last).tolist()
    tile = sycl.local_accessor(np.int64, 4)
    assert [104, 3] * 4 == launch(queue, meeting.half_returns, tile).tolist()
