"""Which backends there are, and how each is loaded when it is first needed.

Non-goals: choosing a device. Invariant: importing this module loads no backend; a backend that
cannot be used here is remembered with the reason, never raised.
"""

from __future__ import annotations

import importlib
import os
import threading
from collections.abc import Callable

from unisycl.backends.base import Driver
from unisycl.base import config
from unisycl.base.errors import UsageError

BACKENDS: dict[str, str] = {
    "cpu": "unisycl.backends.cpu.driver:make_driver",
    "host": "unisycl.backends.host.driver:make_driver",
}


class _Loaded:
    """The drivers of this process; the lock makes discovery happen once."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.drivers: dict[str, Driver] = {}
        self.problems: dict[str, str] = {}


_loaded = _Loaded()


def _renew_lock() -> None:
    """A forked child must not find the lock held by a thread it does not have."""
    _loaded.lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)


def wanted() -> list[str]:
    """Return the names of the backends to look for, in order of discovery."""
    asked = [n.strip() for n in config.BACKENDS.get().split(",") if n.strip()]
    return [n for n in BACKENDS if n in asked] if asked else list(BACKENDS)


def drivers() -> dict[str, Driver]:
    """Return the drivers that can be used here, by name, loading each on the first call."""
    with _loaded.lock:
        for name in wanted():
            if name not in _loaded.drivers and name not in _loaded.problems:
                _load(name)
        return {n: _loaded.drivers[n] for n in wanted() if n in _loaded.drivers}


def problems() -> dict[str, str]:
    """Return why each backend that was looked for cannot be used."""
    drivers()
    with _loaded.lock:
        return dict(_loaded.problems)


def use(name: str, driver: Driver) -> None:
    """Install a driver under a name (tests, and programs that bring their own backend)."""
    with _loaded.lock:
        BACKENDS.setdefault(name, "")
        _loaded.drivers[name] = driver
        _loaded.problems.pop(name, None)


def forget() -> None:
    """Drop every loaded driver: a forked child loads its own."""
    global _loaded
    _loaded = _Loaded()


def _load(name: str) -> None:
    module, _, attribute = BACKENDS[name].partition(":")
    try:
        make: Callable[[], Driver] = getattr(importlib.import_module(module), attribute)
        driver = make()
    except UsageError:  # a setting that makes no sense is said, not worked around
        raise
    except Exception as err:  # noqa: BLE001 - whatever a vendor's library raises is the reason
        _loaded.problems[name] = f"{type(err).__name__}: {err}"
    else:
        _loaded.drivers[name] = driver
