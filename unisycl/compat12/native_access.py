"""Accessors that give native memory to a program's own commands (SYCL 1.2 §3.6.4.8).

Non-goals: images, whose pixels are bytes to every device; host tasks, which are SYCL 2020's form of
this. Invariants: nothing here blocks; commands that use the buffer later wait for the release.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self

import numpy as np

from unisycl.api.interop.make import make_event
from unisycl.api.memory import accessor as accessors
from unisycl.api.queue.event import event
from unisycl.api.queue.queue import queue
from unisycl.api.queue.user_event import user_event
from unisycl.base.enums import NATIVE_OF_12, access_mode
from unisycl.base.errors import UnsupportedError, UsageError, errc
from unisycl.compat12.events import native_end
from unisycl.compat12.modes import mode


class native_accessor:
    """Native access to a buffer in the context of a queue, from the program's own commands.

    Args:
        source: the buffer.
        how: the mode; commands that use the buffer wait for one another by it.
        on: the queue; the memory is that of its device.

    The program's commands follow ``get_cl_event_object``, and ``release_event`` is given their end.
    As a context manager it is released at the end of the block, without an event.
    """

    __kernel_refusal__ = "it is for native commands; make another accessor for the kernel"

    def __init__(self, source: Any, how: mode, on: queue) -> None:
        asked, properties = how.modern()
        state, found = on.channel, []

        def acquire(h: Any) -> None:
            found.append(accessors.accessor(source, h, asked, *properties))

        def release(h: Any) -> None:
            accessors.accessor(source, h, access_mode.read_write if asked.writes else asked)
            h.depends_on(self._gate)
        self._queue = on
        self._gate = user_event()
        self._released = False
        self._ready: event = on.submit(acquire)
        self._memory = state.driver.native.memory(found[0].bound_window(state))
        self._done: event = on.submit(release)
        if on.get_backend() is not NATIVE_OF_12 or isinstance(self._memory, np.ndarray):
            self._end(None)
            raise UnsupportedError(errc.feature_not_supported, "accessor: the backend "
                                   f"'{on.get_backend().name}' has no native memory objects; use a "
                                   "host task")

    def get_cl_mem_object(self) -> Any:
        """Return the memory object of the whole buffer or sub-buffer."""
        return self._memory

    def get_cl_event_object(self) -> Any:
        """Return an event that is complete once the contents are there."""
        return native_end(self._ready, self._queue.channel.driver)

    get = get_cl_mem_object
    get_event = get_cl_event_object

    def release_event(self, native: Any) -> None:
        """Say what the program's last command on the memory is; later users wait for it.

        Args:
            native: the event, or a list of events, of the queue's context.
        """
        if self._released:
            raise UsageError(errc.invalid, "release_event: the accessor was released already")
        ended = make_event(self._queue.get_backend(), native, self._queue.get_context())
        self._released = True
        ended.ext_unisycl_add_callback(self._end)

    def _end(self, ended: event | None) -> None:
        self._released = True
        error = None if ended is None or ended.task is None else ended.task.error
        if error is None:
            self._gate.set()
        else:
            self._gate.fail(error)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        if not self._released:
            self._end(None)
