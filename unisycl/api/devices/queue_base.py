"""What every queue is to the classes it is given to: a channel.

Non-goals: submitting. Exists so that USM and reductions know a queue without the module
of ``queue``, which needs them.
"""

from __future__ import annotations

from unisycl.runtime.graph.channel import Channel


class QueueBase:
    """Base of ``queue``: holds the channel its commands go through."""

    __slots__ = ("channel",)
    channel: Channel
