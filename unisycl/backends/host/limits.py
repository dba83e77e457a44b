"""What the host device says of itself: how large its groups are, and how many run at a time."""

from __future__ import annotations

from unisycl.base.forward_progress import Levels, forward_progress_guarantee

PROGRESS: Levels = (forward_progress_guarantee.concurrent,) * 3
MOST_GROUPS = 64
MOST_THREADS = 1024
SUB_GROUP_SIZE = 8
