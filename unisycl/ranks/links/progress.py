"""One thread of the process that carries on what was posted, while nobody waits for it.

Non-goals: knowing what it is. Invariant: the thread runs only while something is under way, and
looks the less often the longer nothing happens.
"""

from __future__ import annotations

import threading
import time

from unisycl.ranks.links.link import Ending

_lock = threading.Lock()
_under_way: list[Ending] = []
_wake = threading.Event()
_started = _asleep = False
_FIRST, _LONGEST = 3e-5, 1e-3
_NAPS = 50  # so often it looks for more before it sleeps until it is woken


def add(ending: Ending, *, soon: bool = True) -> None:
    """Carry this on until it ends; not ``soon``: somebody is about to wait for it, and does."""
    global _started
    with _lock:
        _under_way.append(ending)
        start, _started = not _started, True
    if soon or _asleep:
        _wake.set()
    if start:
        threading.Thread(target=_run, name="unisycl-messages", daemon=True).start()


def _run() -> None:
    pause, naps = _FIRST, 0
    while True:
        if not _under_way:
            naps += 1
            _rest(for_long=naps > _NAPS)
            pause = _FIRST
        _wake.clear()
        with _lock:
            now = list(_under_way)
        ended = [e for e in now if (e.over() if e.waited else e.done())]
        if ended:
            pause, naps = _FIRST, 0
            with _lock:
                for one in ended:
                    _under_way.remove(one)
        elif now:
            time.sleep(pause)
            pause = _LONGEST if all(e.waited for e in now) else min(pause * 1.3, _LONGEST)


def _rest(*, for_long: bool) -> None:
    """Do nothing until there may be something to do."""
    global _asleep
    if not for_long:
        _wake.wait(_LONGEST)
        return
    _asleep = True  # whoever adds something sees it, or is seen here
    if not _under_way:
        _wake.wait()
    _asleep = False
