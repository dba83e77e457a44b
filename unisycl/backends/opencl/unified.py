"""Memory of ``cl_intel_unified_shared_memory``: the host's, a device's own, or shared by both.

The driver brings it to whoever uses it, so nothing is mapped. Non-goals: the functions
(``unified_api``), SVM (``shared``). Invariant: the host touches no memory of kind device, though it
is an array: that need not be there for the host.
"""

from __future__ import annotations

import ctypes
from typing import Any

from unisycl.backends.opencl.levels import Level, kinds_of
from unisycl.backends.opencl.session import Session
from unisycl.backends.opencl.shared import Shared
from unisycl.backends.opencl.traits import Traits
from unisycl.backends.opencl.unified_api import INDIRECT, UnifiedApi
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

    def _announce(self, kernel: Any) -> None:
        for what in self._told:
            self.tell(kernel, what, _TRUE)
