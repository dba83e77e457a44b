"""One command that carries out calls and messages, between copies of what only devices see.

Non-goals: the order of calls (``submit``). Invariants: everything is begun before anything is
waited for; where nothing is in its way, it begins in the thread that submits it, and whoever waits
for it carries it on: no thread is handed anything.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import unisycl as sycl
from unisycl.oneapi.ccl.communicators import communicator
from unisycl.oneapi.ccl.memory import Side
from unisycl.ranks.links.gates import all_of, begin_posted
from unisycl.ranks.links.link import Ending, give_way

PATIENCE = 5e-5
"""So many seconds a call is held up for other ranks before it becomes a command."""
Post = Callable[[], Ending]


def run(comm: communicator, queue: sycl.queue, sides: Sequence[Side], posts: Sequence[Post],
        after: list[Any]) -> Any:
    """Submit a command that begins everything, and ends when all of it has.

    A call over the host's memory that has nothing before it begins at once. If all ranks have come
    within a moment it is over then, and no command is submitted.
    """
    if len(posts) == 1 and not after and comm.link.broken is None and not any(
            s.needs_command for s in sides):
        found: list[Ending] = []
        begin = time.perf_counter()
        if queue.ext_unisycl_call_now(lambda: found.append(posts[0]())):
            return at_once(queue, found[0], begin)
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


def at_once(queue: sycl.queue, ending: Ending, begin: float) -> Any:
    """Return the event of what was begun then: of none that it has to wait for, if it ends now."""
    while not ending.done() and (spent := time.perf_counter() - begin) < PATIENCE:
        give_way(spent)
    if ending.over() and ending.error() is None:
        return sycl.event()

    def group(h: Any) -> None:
        h.set_command("a collective call", begin_posted(lambda: ending, ()), native=False)
    return queue.submit(group)
