"""One command that carries out calls and messages, between copies of what only devices see.

Non-goals: the order of calls (``submit``). Invariants: everything is begun before anything is
waited for; where nothing is in its way, it begins in the thread that submits it, and whoever waits
for it carries it on: no thread is handed anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import unisycl as sycl
from unisycl.oneapi.ccl.communicators import communicator
from unisycl.oneapi.ccl.memory import Side
from unisycl.ranks.links.gates import all_of, begin_posted
from unisycl.ranks.links.link import Ending

Post = Callable[[], Ending]


def run(comm: communicator, queue: sycl.queue, sides: Sequence[Side], posts: Sequence[Post],
        after: list[Any]) -> Any:
    """Submit a command that begins everything, and ends when all of it has."""
    for side in sides:
        after = side.fetch(queue, after)

    def body() -> Ending:
        comm.link.check_open("a collective call")
        return all_of([post() for post in posts])

    def group(h: Any) -> None:
        h.depends_on(after)
        for side in sides:
            side.enter(h)
        h.check_free("a collective call")
        h.set_command("a collective call", begin_posted(body, h.users()), native=False)
    event = queue.submit(group)
    for side in sides:
        event = side.put_back(queue, event)
    return event
