"""What shapes of launches and texts of kernels depend on, of any device with a compiler of its own.

Non-goals: what else a device is (``backends.base.DeviceInfo``). Invariant: two devices with equal
facts are given equal texts and shapes by one dialect.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Facts:
    """One device.

    Args:
        name: what messages call it.
        platform: what messages call its platform.
        kind: 'gpu', 'cpu' or another kind of device.
        max_group: the most items of a work-group.
        item_sizes: those along each dimension, the fastest one first.
        units: how many compute units there are.
        scalar: whether an item's instructions have no vectors of floats.
        local_size: the bytes of local memory that a work-group may have.
        loads: how many items of a range with reductions one item of a GPU takes in one go.
        few: whether launches look at numbers of 64 bits and at how large memory is, so that texts
            may compute with fewer bits.
        fixed_local: the bytes of local memory that a work-group may have by its text; 0: all of it
            is given by launches.
        most_groups: how many work-groups a launch has along each dimension, the fastest one first;
            () where there is no limit.
        short_ids: whether compilers take ids of work-items for numbers of 32 bits.
        starts: whether texts themselves add where ids begin, since launches cannot say it.
    """

    name: str
    platform: str
    kind: str
    max_group: int = 256
    item_sizes: tuple[int, ...] = (256, 256, 256)
    units: int = 1
    scalar: bool = True
    local_size: int = 0
    starts: bool = False
    most_groups: tuple[int, ...] = ()
    loads: int = 4
    few: bool = False
    fixed_local: int = 0
    short_ids: bool = False
