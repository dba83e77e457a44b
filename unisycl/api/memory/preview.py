"""What memory holds, as text, where looking costs no wait.

Non-goals: waiting, copying from devices. Invariant: looking changes nothing: no error is delivered
and no access is noted for the search for races.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from unisycl.base.enums import usm_kind
from unisycl.runtime.graph import lifecycle
from unisycl.runtime.graph.channel import Channel
from unisycl.runtime.memory import moves

_MOST = 24


def is_busy(context: Any) -> bool:
    """Say whether commands of a context are pending, any of which may use its memory."""
    for line in lifecycle.channels():
        if isinstance(line, Channel) and line.context is context:
            line.prune()
            if line.pending:
                return True
    return False


def buffer_values(region: Any) -> str:
    """Return the elements of a buffer that lie in the host's memory; or how to see them."""
    memory = region.memory
    if memory.closed:
        return "closed"
    if not all(task.done() for task in memory.users()):
        return "commands are pending that may use it: wait, then print it again"
    if not memory.allocated() and memory.copies is None:
        return "nothing was written yet"
    if not moves.lies_at_home(memory):
        return "on a device: unisycl.host_accessor(buffer) copies it"
    shown = region.array(region.shape, (0,) * len(region.shape))
    return np.array2string(shown, threshold=_MOST, edgeitems=3)


def values(pointer: Any) -> str:
    """Return the elements, the first and last of many; or how to see them."""
    block = pointer.block
    if block.freed:
        return "freed"
    if block.kind is usm_kind.device:
        return "on the device: queue.memcpy(array, pointer).wait() copies it"
    if is_busy(block.context):
        return "commands are pending that may use it: wait, then print it again"
    return np.array2string(pointer.get_view(), threshold=_MOST, edgeitems=3)
