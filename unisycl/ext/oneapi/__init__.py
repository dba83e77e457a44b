"""Public: the extensions that oneAPI defines (``sycl_ext_oneapi_...``).

Non-goals: experimental ones (``experimental``). Invariant: a constant ``SYCL_EXT_ONEAPI_...`` of
``unisycl`` tells that one is here.
"""

from typing import Any

from unisycl.api.properties import property
from unisycl.base.enums import peer_access
from unisycl.ext.oneapi import experimental, this_work_item
from unisycl.lang.groups.group_functions import group_local_memory_for_overwrite
from unisycl.lang.groups.masks import group_ballot, sub_group_mask
from unisycl.lang.memory.local_memory import group_local_memory
from unisycl.lang.numbers import short_floats

__all__ = ["experimental", "group_ballot", "group_local_memory",
           "group_local_memory_for_overwrite", "peer_access", "property", "sub_group_mask",
           "this_work_item"]


def __getattr__(name: str) -> Any:
    """Return ``bfloat16`` (SYCL_EXT_ONEAPI_BFLOAT16), a type of the package ml_dtypes."""
    if name == "bfloat16":
        return short_floats.class_of(name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
