"""When another process, or thread, has come to where it waits, however loaded the machine is.

Non-goals: saying for what it waits.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import unisycl as sycl

PATIENCE = 300.0
"""How long tests wait for what must come: they do not measure."""
_STEP, _CALM = 0.01, 8


def until(true: Callable[[], bool], seconds: float = PATIENCE) -> bool:
    """Wait until something is true; return whether it came to be."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.001)
    return True


def turns_for(queue: sycl.queue, kernel: Any, kind: Any, seconds: float = 0.04) -> int:
    """Return how many turns have ``kernel(i, memory, turns)`` at work for so long on a device.

    So that what comes behind it finds it at work, however fast a device is.
    """
    memory, turns, spent = sycl.malloc_shared(8, kind, queue), 1, 0.0
    queue.parallel_for(8, kernel, memory, turns).wait()
    while spent < seconds / 8:
        turns, begun = turns * 4, time.monotonic()
        queue.parallel_for(8, kernel, memory, turns).wait()
        spent = time.monotonic() - begun
    sycl.free(memory, queue)
    return int(turns * seconds / spent) + 1


def until_it_waits(pid: int) -> None:
    """Return once the main thread of a process sleeps and goes on sleeping.

    Some drivers' waits work: one that has worked for a while is taken to be in such a wait.
    """
    place = Path(f"/proc/{pid}/task/{pid}/stat")
    if not place.exists():
        time.sleep(0.5)
        return
    ticks = os.sysconf("SC_CLK_TCK")
    first = last = _look(place)[1]
    calm = 0
    while calm < _CALM and last - first < ticks // 20:
        time.sleep(_STEP)
        state, spent = _look(place)
        calm = calm + 1 if state in "SDZX" and spent == last else 0
        last = spent


def _look(place: Path) -> tuple[str, int]:
    """Return the state of a thread, and the processor time that it has used, in ticks."""
    try:
        fields = place.read_text().rpartition(")")[2].split()
    except OSError:  # it has ended
        return "X", 0
    return fields[0], int(fields[11]) + int(fields[12])


def until_thread_is_in(name: str, thread: int | None = None) -> None:
    """Return once a thread, the main one if none is named, runs a function of a name."""
    ident = threading.main_thread().ident if thread is None else thread

    def there() -> bool:
        frame = sys._current_frames().get(ident or 0)
        while frame is not None and frame.f_code.co_name != name:
            frame = frame.f_back
        return frame is not None
    assert until(there), name
