"""Splitting devices, on a device of four units that runs nothing."""

from __future__ import annotations

import pytest

from tests.unit.runtime.null import state
from unisycl.base.errors import errc, exception
from unisycl.runtime.devices import partition
from unisycl.runtime.devices.devices import DeviceState

HALVES = ((0, 1), (2, 3))


def units_of(made: list[DeviceState]) -> list[int]:
    return [d.info.max_compute_units for d in made]


def test_a_device_of_one_unit_has_no_kinds() -> None:
    device = state(units=(), domains={"numa": HALVES})
    assert [] == partition.kinds(device)
    assert [] == partition.affinity_domains(device)


def test_the_next_domain_is_the_widest() -> None:
    device = state(domains={"L2_cache": ((0,), (1,), (2,), (3,)), "L3_cache": HALVES})
    assert ["L3_cache", "L2_cache", "next_partitionable"] == partition.affinity_domains(device)
    made = partition.by_domain(device, "next_partitionable")
    assert [2, 2] == units_of(made)
    assert ("partition_by_affinity_domain", "L3_cache") == made[0].split


def test_a_domain_the_device_lacks_is_refused() -> None:
    with pytest.raises(exception, match="L2_cache, next_partitionable") as caught:
        partition.by_domain(state(domains={"L2_cache": HALVES}), "numa")
    assert errc.feature_not_supported == caught.value.code()


def test_parts_are_split_again_and_know_their_root() -> None:
    device = state()
    three, one = partition.by_counts(device, [3, 1])
    assert ("null/0-2", "null/3") == (three.name, one.name)
    inner = partition.equally(three, 2)
    assert [2] == units_of(inner)
    assert inner[0].parent is three
    assert inner[0].root() is device
    assert partition.equally(three, 2) == inner
