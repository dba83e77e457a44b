"""Events of a queue that makes none: they only say so (sycl_ext_oneapi_discard_queue_events).

Non-goals: saving the runtime's own bookkeeping of commands. Invariant: waiting for one, or giving
one to a command, raises ``errc.invalid``.
"""

from __future__ import annotations

from typing import Any, NoReturn, Self

from unisycl.api.devices.device import check_descriptor
from unisycl.api.devices.info import Descriptor
from unisycl.api.queue.event import event
from unisycl.base.enums import info_event_status
from unisycl.base.errors import UsageError, errc
from unisycl.base.tracebacks import ends_at_call
from unisycl.runtime.graph.tasks import Task


@ends_at_call
class discarded_event(event):
    """What commands of a queue return that was made with ``discard_events``."""

    __slots__ = ()

    @classmethod
    def _of(cls, task: Task) -> Self:
        made = object.__new__(cls)
        made.task = None
        return made

    def refuse(self) -> NoReturn:
        """Raise: there is nothing to wait for."""
        raise UsageError(errc.invalid, "this queue was made with discard_events: its events tell "
                         "nothing; wait for the queue, or make it without that property")

    def wait(self) -> NoReturn:
        """Raise ``errc.invalid``."""
        self.refuse()

    def wait_and_throw(self) -> NoReturn:
        """Raise ``errc.invalid``."""
        self.refuse()

    def __await__(self) -> NoReturn:
        """Raise ``errc.invalid``."""
        self.refuse()

    def get_wait_list(self) -> NoReturn:
        """Raise ``errc.invalid``."""
        self.refuse()

    def ext_unisycl_add_callback(self, function: Any) -> NoReturn:
        """Raise ``errc.invalid``."""
        self.refuse()

    def ext_unisycl_future(self) -> NoReturn:
        """Raise ``errc.invalid``."""
        self.refuse()

    def get_info(self, what: Descriptor) -> Any:
        """Return ``ext_oneapi_unknown`` for the status."""
        check_descriptor(what, "event")
        return 1 if what.name == "reference_count" else info_event_status.ext_oneapi_unknown

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __repr__(self) -> str:
        return "<event: discarded>"
