"""``as_completed``: go through events as their commands end, for progress of long waits.

Non-goals: drawing bars, which other packages do. Invariant: each event comes once, when waiting for
it costs nothing any more; an error of a command is raised in its turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from unisycl.api.queue.event import checked, event
from unisycl.base.tracebacks import ends_at_call


@ends_at_call
class as_completed:
    """The given events, each as soon as its command and those before it in the list have ended.

    Args:
        events: the events.

    It has a length, so that ``tqdm`` and others show how far a long wait is::

        for _ in tqdm(unisycl.ext.unisycl.as_completed(events)):
            pass
    """

    __slots__ = ("_events",)

    def __init__(self, events: Iterable[event]) -> None:
        self._events = checked(events)

    def __len__(self) -> int:
        return len(self._events)

    def __iter__(self) -> Iterator[event]:
        for one in self._events:
            one.wait()
            yield one
