"""Barriers and group functions that not all reach, and what a group has to share: who is where."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.checking.found import place, told

checked = sycl.kernel(debug="divergence")


@checked
def barrier(it: Any, a: Any) -> None:
    if a[it.get_global_id(0)] > 2:
        sycl.group_barrier(it.get_group())  # here
    a[it.get_global_id(0)] = 1


@checked
def left(it: Any, a: Any) -> None:
    if a[it.get_global_id(0)] == 5:
        return
    sycl.group_barrier(it.get_group())  # here
    a[it.get_global_id(0)] = 1


@checked
def collective(it: Any, a: Any) -> None:
    k = it.get_global_id(0)
    for n in range(a[k]):
        a[k] = sycl.reduce_over_group(it.get_group(), n, sycl.plus())  # here


@checked
def different(it: Any, a: Any) -> None:
    k = it.get_global_id(0)
    if a[k] < 5:
        a[k] = sycl.reduce_over_group(it.get_group(), a[k], sycl.plus())  # here
    else:
        sycl.group_barrier(it.get_group())


@checked
def arguments(it: Any, a: Any) -> None:
    k = it.get_global_id(0)
    a[k] = sycl.group_broadcast(it.get_group(), k, a[k] % 4)  # here


@checked
def all_come(it: Any, a: Any) -> None:
    k, group = it.get_global_id(0), it.get_group()
    for n in range(a[4 * it.get_group(0)]):
        sycl.group_barrier(group)
        a[k] += sycl.group_broadcast(group, n, n % 4)
    if it.get_group(0) == 1:
        a[k] = sycl.reduce_over_group(group, a[k], sycl.plus())


def found_by(device: sycl.device, kernel: Any) -> str:
    a = np.arange(8, dtype=np.int32)
    return told(device, lambda q: q.parallel_for(sycl.nd_range(8, 4), kernel, a))


@pytest.mark.row("Q-4")
@pytest.mark.parametrize(("kernel", "who"), [
    (barrier, ("(3)",)), (left, ("(5)",)), (collective, ("(0)", "(4)")),
    (different, ("(5)", "(4)")),
], ids=lambda v: getattr(v, "__name__", ""))
def test_what_not_all_reach(device: sycl.device, kernel: Any,
                            who: tuple[str, ...]) -> None:
    found = found_by(device, kernel)
    assert f"kernel '{kernel.function.__name__}'" in found, found
    assert "not all work-items of" in found, found
    assert place(kernel, "# here") in found, found
    assert any(w in found for w in who), found


@pytest.mark.row("Q-4")
def test_what_a_group_has_to_share(device: sycl.device) -> None:
    found = found_by(device, arguments)
    assert place(arguments, "# here") in found, found
    assert "the id of group_broadcast is 0 here and 1 in " in found, found
    assert "the group has to give one" in found


@pytest.mark.row("Q-4")
def test_where_all_come_nothing_is_told(device: sycl.device) -> None:
    assert found_by(device, all_come) == ""
