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
_started = False
_FIRST, _LONGEST = 3e-5, 1e-3


def add(ending: Ending) -> None:
    """Carry this on until it ends."""
    global _started
    with _lock:
        _under_way.append(ending)
        start, _started = not _started, True
    _wake.set()
    if start:
        threading.Thread(target=_run, name="unisycl-messages", daemon=True).start()


def _run() -> None:
    pause = _FIRST
    while True:
        if not _under_way:
            _wake.wait()
            pause = _FIRST
        _wake.clear()
        with _lock:
            now = list(_under_way)
        ended = [e for e in now if e.done()]
        if ended:
            pause = _FIRST
            with _lock:
                for one in ended:
                    _under_way.remove(one)
        else:
            time.sleep(pause)
            pause = min(pause * 1.3, _LONGEST)
