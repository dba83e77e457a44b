"""Public: the index objects of the calling work-item (sycl_ext_oneapi_free_function_queries).

Non-goals: others than those of the core (``this_nd_item`` and its kin), which these are. Invariant:
called outside a kernel over an nd_range they raise ``UsageError``.
"""

from unisycl.lang.index.this import this_group as get_work_group
from unisycl.lang.index.this import this_nd_item as get_nd_item
from unisycl.lang.index.this import this_sub_group as get_sub_group

__all__ = ["get_nd_item", "get_sub_group", "get_work_group"]
