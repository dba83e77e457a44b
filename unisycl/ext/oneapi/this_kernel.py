"""Public: functions that speak of the calling work-item (``experimental.this_kernel`` in C++).

Non-goals: those of the core (``this_nd_item``). Invariant: called outside a kernel they raise
``UsageError``.
"""

from unisycl.lang.library.partitions import get_opportunistic_group

__all__ = ["get_opportunistic_group"]
