"""Memory of ``cl_intel_unified_shared_memory``: the host's, a device's own, or shared by both.

The driver brings it to whoever uses it, so nothing is mapped. Non-goals: the functions
(``unified_api``), SVM (``shared``). Invariant: the host touches no memory of kind device, though it
is an array: that need not be there for the host.
"""

from __future__ import annotations

import ctypes
import math
from typing import Any

from unisycl.backends.base import BoundView
from unisycl.backends.opencl.discovery.traits import Traits
from unisycl.backends.opencl.launch.failed_calls import guarded
from unisycl.backends.opencl.memory.levels import Level, kinds_of
from unisycl.backends.opencl.memory.objects import address
from unisycl.backends.opencl.memory.shared import Shared, SharedArray
from unisycl.backends.opencl.memory.unified_api import INDIRECT, UnifiedApi
from unisycl.backends.opencl.session import Session
from unisycl.base.enums import usm_kind

_TRUE = (ctypes.c_uint32 * 1)(1)


class Unified(Shared):
    """The memory of one device that comes by the extension."""

    def __init__(self, session: Session, device: Any, queue: Any, traits: Traits) -> None:
        super().__init__(session, queue, traits, Level.unified)
        assert isinstance(session.api, UnifiedApi)
        self._api: UnifiedApi = session.api
        self._device = device
        self._told = [INDIRECT[kind] for kind in kinds_of(traits)]

    def _reserve(self, nbytes: int, alignment: int, kind: usm_kind) -> int:
        return self._api.reserve(self.session.context, self._device, kind, nbytes, alignment)

    def heeds(self, view: BoundView) -> bool:
        """Say whether hints about memory are for the driver: those about shared memory are."""
        memory = view.memory
        return isinstance(memory, SharedArray) and 0 not in view.shape and (
            memory.allocation.kind is usm_kind.shared)

    @guarded("a hint about memory")
    def hint(self, view: BoundView, waits: list[Any] | None, advice: int | None, *,
             to_host: bool) -> Any:
        """Enqueue that shared memory will be used; return an event.

        ``advice``: the device's own number for how; without one it is to be brought near.
        """
        nbytes = math.prod(view.shape) * view.memory.dtype.itemsize
        event = self._api.hint(self._queue, address(view), nbytes, waits or (), advice,
                               to_host=to_host)
        cl = self.session.cl
        if event is None and waits:
            event = cl.enqueue_marker(self._queue, wait_for=waits)
        if event is None:  # a marker would wait for everything
            event = cl.UserEvent(self.session.context)
            event.set_status(0)
        return event

    def _announce(self, kernel: Any) -> None:
        for what in self._told:
            self.tell(kernel, what, _TRUE)
