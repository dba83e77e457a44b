"""Which classes are groups: traits of types (sycl_ext_oneapi_non_uniform_groups).

Non-goals: the classes. Invariant: a class of groups has exactly one of the two traits.
"""

from __future__ import annotations

from unisycl.lang.index.groups import group, sub_group
from unisycl.lang.index.root_group import root_group
from unisycl.lang.library.fragments import fragment


def is_fixed_topology_group(kind: type) -> bool:
    """Say whether a class is of groups that a launch has: root_group, group or sub_group."""
    return issubclass(kind, (root_group, group, sub_group))


def is_user_constructed_group(kind: type) -> bool:
    """Say whether a class is of groups that kernels make: fragment, chunk or tangle."""
    return issubclass(kind, fragment)
