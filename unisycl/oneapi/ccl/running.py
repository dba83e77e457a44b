"""One host task that carries out calls and messages, between copies of what only devices see.

Non-goals: the order of calls (``submit``). Invariant: everything is begun before anything is
waited for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import unisycl as sycl
from unisycl.oneapi.ccl.communicators import communicator
from unisycl.oneapi.ccl.memory import Side
from unisycl.ranks.links.link import Pending

Post = Callable[[], Pending]


def run(comm: communicator, queue: sycl.queue, sides: Sequence[Side], posts: Sequence[Post],
        after: list[Any]) -> Any:
    """Submit a host task that begins everything and then waits for all of it."""
    for side in sides:
        after = side.fetch(queue, after)

    def body() -> None:
        comm.link.check_open("a collective call")
        pending = [post() for post in posts]
        for one in pending:
            comm.link.finish(one)

    def group(h: sycl.handler) -> None:
        h.depends_on(after)
        for side in sides:
            side.enter(h)
        h.host_task(body)
    event = queue.submit(group)
    for side in sides:
        event = side.put_back(queue, event)
    return event
