"""Public: the extensions that oneAPI defines (``sycl_ext_oneapi_...``).

Non-goals: experimental ones (``experimental``). Invariant: a constant ``SYCL_EXT_ONEAPI_...`` of
``unisycl`` tells that one is here.
"""

from unisycl.api.properties import property
from unisycl.ext.oneapi import experimental
from unisycl.lang.masks import group_ballot, sub_group_mask

__all__ = ["experimental", "group_ballot", "property", "sub_group_mask"]
