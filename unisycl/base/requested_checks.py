"""Which checks a launch makes: what its kernel, its queue and the environment ask for.

The kernel (``debug=``), its queue (``property.queue.debug``) and the environment
(``UNISYCL_DEBUG``) each ask for words; a kernel makes the checks of all three, unless it says
``debug=False``. Non-goals: the words (``checked_mode``). Invariant: without a request no Python
code runs.
"""

from __future__ import annotations

from typing import Any

from unisycl.base import settings
from unisycl.base.checked_mode import NONE, Words, both

asked = settings.DEBUG.raw()
"""Returns the text of ``UNISYCL_DEBUG``; false if there is none: without a call of Python's."""
_known: dict[Any, Words] = {}


def environment() -> Words:
    """Return what ``UNISYCL_DEBUG`` asks for at present; ``errc.invalid`` for other words."""
    raw = asked()
    if not raw:
        return NONE
    found = _known.get(raw)
    if found is None:
        found = _known[raw] = settings.DEBUG.value()
    return found


def now(queue: Words) -> Words:
    """Return what a queue and the environment ask for."""
    if not asked():
        return queue
    found = environment()
    return both(found, queue) if queue else found


def of_kernel(own: Words | None, queue: Words) -> Words:
    """Return the checks of a kernel; its own words may be None, and none of them means none."""
    if own is None:
        return now(queue)
    return both(own, now(queue)) if own else NONE
