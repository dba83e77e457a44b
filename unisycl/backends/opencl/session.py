"""OpenCL runtimes loaded into this process: a context for the devices of each platform.

Drivers that take one device in a context have one for each (``alone``).

Non-goals: finding runtimes (``discovery``). Invariants: a runtime is loaded on the first use of one
of its devices, once; a forked child never touches what its parent loaded.
"""

from __future__ import annotations

import importlib
import os
import threading
import weakref
from pathlib import Path
from typing import Any

from unisycl.backends.opencl.api import Api
from unisycl.backends.opencl.discovery import probe
from unisycl.backends.opencl.discovery.traits import Traits
from unisycl.backends.opencl.memory.unified_api import UnifiedApi
from unisycl.base.errors import DeviceError, UnsupportedError, errc

_lock = threading.RLock()
_NO_LIMIT = 256


class _Loaded:
    """What this process has loaded."""

    def __init__(self) -> None:
        self.pid = 0
        self.cl: Any = None
        self.api: Api | None = None
        self.devices: dict[tuple[str, str, str, int], Any] = {}
        self.sessions: dict[tuple[str, str, int, bool], Session] = {}


_loaded = _Loaded()
drivers: weakref.WeakSet[Any] = weakref.WeakSet()
"""All there are, so that a forked child lets none of them use what its parent opened."""
_kept: list[object] = []
"""What that was: a child that released it would wait for threads it does not have."""


def _after_fork() -> None:
    global _lock
    _lock = threading.RLock()
    for driver in drivers:  # the next use asks for the session, and is refused
        _kept.append((driver._open, driver._transfers))
        driver._open = driver._transfers = None
        driver._lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class Session:
    """One platform: its context, shared by all drivers of its devices; and how addresses are used.

    ``allocations``: by address, what host and kernels share (``shared``); ``sharing`` is held while
    any of it is made, moved or freed: NVIDIA's 580.159 gives no memory to two threads that ask at
    the same time (``tests/conformance/usm/test_turns.py``). ``low_limits``: what it
    says of a kernel's work-groups is at most 256, and then no limit.
    """

    low_limits = False

    def __init__(self, cl: Any, api: Api, context: Any, devices: list[Any]) -> None:
        self.cl = cl
        self.enqueue = cl.enqueue_nd_range_kernel
        self.api = api
        self.context = context
        self.devices = devices
        self.sharing = threading.RLock()
        self.allocations: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()

    def limit(self, told: int) -> int:
        """Return the most items of a kernel's group by what the driver says; 0: nobody knows."""
        return 0 if self.low_limits and told >= _NO_LIMIT else told


def open_session(traits: Traits, libraries: list[str], *,
                 extension: bool = False, alone: bool = False) -> tuple[Session, Any]:
    """Return the session of a device's platform and the device itself, loading what is needed.

    ``extension``: addresses go through ``cl_intel_unified_shared_memory``; ``alone``: the session
    is the device's own.

    Raises ``UnsupportedError`` in a process forked after its parent had loaded OpenCL, and
    ``DeviceError`` where the device is no longer there.
    """
    with _lock:
        if _loaded.pid and _loaded.pid != os.getpid():
            raise UnsupportedError(errc.feature_not_supported, f"'{traits.name}' cannot be used in "
                                   "this process: it was forked after its parent had used OpenCL, "
                                   "whose threads do not exist here; start the child with "
                                   "multiprocessing's 'spawn' method, use the native CPU in it "
                                   "(sycl.queue('cpu')), or use OpenCL in children only")
        if _loaded.cl is None:
            _load(libraries)
        device = _loaded.devices.get(_key(traits))
        if device is None:
            raise DeviceError(errc.runtime, f"the device '{traits.name}' ({traits.platform}) was "
                              "found, but not when OpenCL was loaded into this process; was "
                              "pyopencl used before unisycl? Use unisycl first, or set "
                              "OCL_ICD_VENDORS for both")
        return _session(traits, device, extension=extension, alone=alone), device


def _key(traits: Traits) -> tuple[str, str, str, int]:
    return traits.platform, traits.platform_version, traits.name, traits.number


def _load(libraries: list[str]) -> None:
    """Load every runtime found; the loader looks only once in a process."""
    try:
        cl = importlib.import_module("pyopencl")
    except ImportError as error:
        raise DeviceError(errc.runtime, f"PyOpenCL cannot be imported any more: {error}; install "
                          "it again with pip install --force-reinstall pyopencl") from error
    _loaded.pid = os.getpid()
    platforms = probe.platforms([Path(x) for x in libraries])
    for platform in platforms:
        for number, device in enumerate(platform.get_devices()):
            key = (platform.name.strip(), platform.version.strip(), device.name.strip(), number)
            _loaded.devices.setdefault(key, device)
    _loaded.api, _loaded.cl = Api(cl), cl


def _session(traits: Traits, device: Any, *, extension: bool, alone: bool) -> Session:
    whose = traits.platform, traits.platform_version, traits.number if alone else -1
    session = _loaded.sessions.get((*whose, extension))
    if session is None:
        assert _loaded.api is not None
        everything = [device] if alone else list(device.platform.get_devices())
        other = _loaded.sessions.get((*whose, not extension))
        context = _loaded.cl.Context(everything) if other is None else other.context
        api = UnifiedApi(_loaded.cl, device.platform) if extension else _loaded.api
        session = Session(_loaded.cl, api, context, everything)
        if other is not None:
            session.sharing, session.allocations = other.sharing, other.allocations
        _loaded.sessions[*whose, extension] = session
    return session
