"""One thread of the process that carries on what was posted, while nobody waits for it.

Non-goals: knowing what it is. Invariant: the thread runs only while something is under way; it
sleeps between any two looks, since a thread that only looked would keep Python from all others. It
looks the less often the longer nothing happens, and seldom while kernels need the processors.
"""

from __future__ import annotations

import threading
import time

from unisycl.ranks.links.link import Ending
from unisycl.runtime.threads.per_process import process

_lock = threading.Lock()
_under_way: list[Ending] = []
_bell = threading.Lock()  # whoever lets go of it wakes the thread
_bell.acquire()
_started = _asleep = False
_FIRST, _LONGEST = 2e-5, 1e-3
_SHARE = 0.05  # of the time that nothing has come, while the process has nothing else to do
_GROWTH = 1.3  # of the time between two looks, while it has
_NAPS = 50  # so often it looks for more before it sleeps until it is woken


def add(ending: Ending, *, soon: bool = True) -> None:
    """Carry this on until it ends; not ``soon``: somebody is about to wait for it, and does."""
    global _started
    with _lock:
        _under_way.append(ending)
        start, _started = not _started, True
        if (soon or _asleep) and _bell.locked():
            _bell.release()
    if start:
        threading.Thread(target=_run, name="unisycl-messages", daemon=True).start()


def _run() -> None:
    process.executor.join()
    pause, naps, since = _FIRST, 0, time.monotonic()
    while True:
        if not _under_way:
            naps += 1
            _rest(for_long=naps > _NAPS)
            pause, since = _FIRST, time.monotonic()
        with _lock:
            now = list(_under_way)
        ended = [e for e in now if (e.over() if e.waited else e.done())]
        if ended:
            with _lock:
                for one in ended:
                    _under_way.remove(one)
            pause, naps, since = _FIRST, 0, time.monotonic()
        elif all(e.waited for e in now):
            _bell.acquire(timeout=_LONGEST)
            pause, since = _FIRST, time.monotonic()
        else:
            pause, since = _nap(pause, since)


def _nap(pause: float, since: float) -> tuple[float, float]:
    """Sleep; return how long to sleep next, and when something came or the process computed."""
    used, begin = time.process_time() - time.thread_time(), time.monotonic()
    if _bell.acquire(timeout=pause):
        return _FIRST, time.monotonic()
    end = time.monotonic()
    if time.process_time() - time.thread_time() - used > (end - begin) / 2:  # by other threads
        return min(pause * _GROWTH, _LONGEST), end
    return min(max(_FIRST, (end - since) * _SHARE), _LONGEST), since


def _rest(*, for_long: bool) -> None:
    """Do nothing until there may be something to do."""
    global _asleep
    if not for_long:
        _bell.acquire(timeout=_LONGEST)
        return
    _asleep = True  # whoever adds something sees it, or is seen here
    if not _under_way:
        _bell.acquire()
    _asleep = False
