"""Maps: a buffer's elements on the host, asked for without waiting (OpenCL 3.0 §3.3.2).

Non-goals: copying; the view is the buffer's own memory. Invariant: from the moment a map is ready
until it is unmapped no conflicting command runs; making and unmapping one never blocks.
"""

from __future__ import annotations

from typing import Any

from unisycl.api.memory.access import Array, Request
from unisycl.api.memory.host_accessor import host_accessor
from unisycl.api.queue.event import event, tasks_of
from unisycl.base.errors import UsageError, errc
from unisycl.base.tracebacks import ends_at_call
from unisycl.runtime.graph.tasks import Task, begin_nothing
from unisycl.runtime.memory.host_access import Holding


@ends_at_call
class mapped_buffer(host_accessor):
    """As ``host_accessor``, but making it does not block: reading its elements does.

    Args:
        source: the buffer.
        args: a range, then an offset, a tag, ``no_init`` (which overwrites the whole region).
        depends_on: events that it waits for besides the users of the buffer.

    Example::

        m = unisycl.ext.unisycl.mapped_buffer(b, unisycl.read_only)
        ...                            # other work
        m.get_event().wait()
        print(m.get_view().sum())      # waits by itself, too
        m.unmap()                      # later commands go on
    """

    __slots__ = ("_open", "_ready")

    def __init__(self, source: Any, *args: Any, depends_on: Any = ()) -> None:
        self._holding: Holding | None = None
        self._seen: Array | None = None
        self._open = False
        self._setup("host_accessor", source, Request("host_accessor", args), None)
        mode = "writes" if self.mode.writes else "reads"
        self._holding = Holding(self._access(), self, f"a map that {mode} the buffer",
                                after=tasks_of(depends_on), block=False)
        self._open = True
        self._ready = Task(None, "a map of a buffer")
        self._ready.enqueue(self._holding.deps, begin_nothing)

    def get_event(self) -> event:
        """Return the event that completes when the elements may be used."""
        return event._of(self._ready)

    def get_view(self) -> Array:
        """Return the elements as an array over the memory itself, waiting until it is ready."""
        if self._seen is None:
            if not self._open or self._holding is None:
                raise UsageError(errc.accessor, "this map is unmapped; map the buffer again to see "
                                 "its elements")
            self._holding.wait()
            self._seen = self._host_array()
        return self._seen

    def unmap(self) -> event:
        """Let later commands go on; the elements cannot be used any more.

        Returns:
            The event of the unmapping. ``errc.accessor`` if that has been done.
        """
        if not self._open or self._holding is None:
            raise UsageError(errc.accessor, "unmap: this map is unmapped already")
        self.close()
        return event._of(self._holding.task())

    def close(self) -> None:
        """As ``unmap``, at the end of a ``with`` block, too; idempotent."""
        self._open = False
        super().close()

    def is_open(self) -> bool:
        """Say whether the elements can still be used."""
        return self._open
