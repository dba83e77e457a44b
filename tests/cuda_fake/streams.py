"""Streams and events.

Non-goals: real time: an hour of it is a step.
"""

from __future__ import annotations

import time
from typing import Any

from tests.cuda_fake.core import INVALID_HANDLE, NOT_READY, Core, Stream, number, store


class Streams(Core):
    """Functions about streams and events."""

    def _cuStreamCreate(self, out: Any, flags: int) -> None:
        self._entered("cuStreamCreate")
        store(out, value := next(self._numbers))
        self._streams[value] = Stream(self._stack()[-1])

    def _cuStreamCreateWithPriority(self, out: Any, flags: int, priority: int) -> None:
        if not -5 <= priority <= 0:
            self.misuse.append(f"a stream of priority {priority}")
        self._cuStreamCreate(out, flags)
        self.priorities[out._obj.value] = priority

    def _cuCtxGetStreamPriorityRange(self, least: Any, most: Any) -> None:
        self._entered("cuCtxGetStreamPriorityRange")
        store(least, 0)
        store(most, -5)

    def _cuStreamDestroy_v2(self, stream: Any) -> None:
        self._finish(self._stream(stream))
        del self._streams[number(stream)]

    def _cuStreamWaitEvent(self, stream: Any, event: Any, flags: int) -> None:
        at = number(event)
        if at not in self._events:
            self.misuse.append("a wait for an event that is none")
        due = self._records.get(at, 0)
        self._stream(stream).waiting.append(lambda: self._reached.get(at, 0) >= due)

    def _cuStreamSynchronize(self, stream: Any) -> int:
        self._finish(self._stream(stream))
        return self.lost

    def _cuStreamGetCtx(self, stream: Any, out: Any) -> None:
        self._stream(stream)
        store(out, 0x1000)

    def _cuStreamQuery(self, stream: Any) -> int:
        self.step()
        return NOT_READY if self._stream(stream).waiting else self.lost

    def _cuEventCreate(self, out: Any, flags: int) -> None:
        self._entered("cuEventCreate")
        store(out, value := next(self._numbers))
        self._events[value] = flags

    def _cuEventDestroy_v2(self, event: Any) -> None:
        if self._events.pop(number(event), None) is None:
            self.misuse.append("an event destroyed that is none")

    def _cuEventRecord(self, event: Any, stream: Any) -> int:
        at = number(event)
        if at not in self._events:
            return INVALID_HANDLE
        due = self._records[at] = self._records.get(at, 0) + 1

        def reach() -> bool:
            self._reached[at] = max(due, self._reached.get(at, 0))
            self._times[at] = time.monotonic() * 1e3
            return True

        self._stream(stream).waiting.append(reach)
        return 0

    def _cuEventQuery(self, event: Any) -> int:
        at = number(event)
        if at not in self._events:
            return INVALID_HANDLE
        self.step()
        if self.lost:
            return self.lost
        return 0 if self._reached.get(at, 0) >= self._records.get(at, 0) else NOT_READY

    def _cuEventSynchronize(self, event: Any) -> int:
        at = number(event)
        while self._reached.get(at, 0) < self._records.get(at, 0) and self.step():
            pass
        return self.lost

    def _cuEventElapsedTime(self, out: Any, start: Any, stop: Any) -> int:
        for event in (start, stop):
            if self._events.get(number(event)) != 0:
                return INVALID_HANDLE  # made without times
        store(out, self._times[number(stop)] - self._times[number(start)])
        return 0
