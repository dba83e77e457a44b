"""Which backends there are, and how each is loaded when it is first needed.

A backend's loader returns one driver, or a sequence with one for each of its devices, which are
then called ``name:0``, ``name:1``, ... Non-goals: choosing a device. Invariants: importing this
module loads no backend; a backend that cannot be used here is remembered with the reason, never
raised; whoever wants the native CPU does not wait for backends that offer processors only.
"""

from __future__ import annotations

import importlib
import os
import threading
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from unisycl.backends.base import DeviceInfo, Driver, Geometry
from unisycl.base import settings
from unisycl.base.errors import UnsupportedError, UsageError, errc, exception
from unisycl.ir.nodes import Kernel
from unisycl.process import notices

BACKENDS: dict[str, str] = {
    "cpu": "unisycl.backends.cpu.driver:make_driver",
    "host": "unisycl.backends.host.driver:make_driver",
    "cuda": "unisycl.backends.cuda.driver:make_drivers",  # the first of two for one card
    "opencl": "unisycl.backends.opencl.driver:make_drivers",
}
NATIVE = "cpu"
BEYOND = {"cuda": "unisycl.backends.cuda.discovery.library:beyond_processors",
          "opencl": "unisycl.backends.opencl.discovery.runtimes:beyond_processors"}
"""Functions that say, without loading the backend, whether it may have more than processors."""


SHIPPING = {name: f"unisycl.backends.{name}.shipping" for name in ("cpu", "cuda", "opencl")}
"""Modules that compile kernels for packages, for devices that need not be here."""


class Shipping(Protocol):
    """What such a module does; ``what`` is a kind of device, as ``--targets`` names it."""

    def info(self, what: str) -> DeviceInfo:
        """Return what kernels may ask about all devices of a kind."""

    def make(self, kernel: Kernel, geometry: Geometry, what: str) -> bytes | None:
        """Return what is compiled of a kernel; None where its driver compiles at run time."""

    def runtime(self) -> dict[str, bytes]:
        """Return the code that the backend itself runs on, by its keys."""

    def facts(self) -> list[str]:
        """Return what a process without a compiler has to know; nothing where that is nothing."""


def shipping(name: str) -> Shipping:
    """Return a backend's module for packages; ``errc.invalid`` if it has none."""
    if name not in SHIPPING:
        raise UsageError(errc.invalid, f"kernels cannot be compiled into a package for '{name}'; "
                         f"they can for {', '.join(SHIPPING)}")
    found: Any = importlib.import_module(SHIPPING[name])
    return found  # type: ignore[no-any-return]


class _Loaded:
    """The drivers of this process; the lock makes discovery happen once."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.drivers: dict[str, dict[str, Driver]] = {}
        self.problems: dict[str, str] = {}
        self.absent: set[str] = set()
        self.beyond: dict[str, bool] = {}
        self.told = False


_loaded = _Loaded()


def _renew_lock() -> None:
    """A forked child must not find the lock held by a thread it does not have."""
    _loaded.lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)


def wanted() -> list[str]:
    """Return the names of the backends to look for, in order of discovery.

    Raises ``UsageError`` where the environment names one that there is not.
    """
    asked = settings.BACKENDS.value()
    for name in asked:
        if name not in BACKENDS:
            raise UsageError(errc.invalid, f"UNISYCL_BACKENDS={settings.BACKENDS.get()}: "
                             "there is no "
                             f"backend '{name}'; expected names of {', '.join(BACKENDS)}")
    return [n for n in BACKENDS if n in asked] if asked else list(BACKENDS)


def native_problem() -> str:
    """Return why the native CPU cannot be used, though it was looked for; '' if it can."""
    with _loaded.lock:
        return _loaded.problems.get(NATIVE, "") if NATIVE in wanted() else ""


def drivers(*, near: bool = False) -> dict[str, Driver]:
    """Return the drivers that can be used here, by name, loading each on the first call.

    Args:
        near: do not load backends that have nothing but processors if the native CPU can be used.

    Raises ``UsageError`` the first time if a setting means nothing, and later for backends alone.
    """
    with _loaded.lock:
        if not _loaded.told:
            settings.check()
            _loaded.told = True
            for name, meant in settings.misspelt():
                notices.tell(f"the setting {name} means nothing; did you mean {meant}?")
        for name in wanted():
            if name in _loaded.drivers or name in _loaded.problems:
                continue
            if not near or NATIVE not in _loaded.drivers or _beyond_processors(name):
                _load(name)
        return {k: d for n in wanted() for k, d in _loaded.drivers.get(n, {}).items()}


def problems() -> dict[str, str]:
    """Return why each backend that was looked for cannot be used."""
    drivers()
    with _loaded.lock:
        return dict(_loaded.problems)


def absent() -> set[str]:
    """Return the backends among ``problems`` that are not installed, rather than broken."""
    drivers()
    with _loaded.lock:
        return set(_loaded.absent)


def advice(kind: str) -> str:
    """Return what to install, or to ask for, where a kind of device was wanted by its name."""
    if kind != "gpu":
        return ""
    return ("; gpu_selector_v takes the first graphics card of any backend; install "
            "unisycl[cuda] for NVIDIA's or unisycl[opencl] for all that have an OpenCL driver; "
            "'python -m unisycl doctor' says what was looked for")


def use(name: str, driver: Driver) -> None:
    """Install a driver under a name (tests, and programs that bring their own backend)."""
    with _loaded.lock:
        BACKENDS.setdefault(name, "")
        _loaded.drivers[name] = {name: driver}
        _loaded.problems.pop(name, None)
        _loaded.absent.discard(name)


def unuse(name: str) -> None:
    """Look again for the backend of a name that ``use`` had installed a driver under."""
    with _loaded.lock:
        _loaded.drivers.pop(name, None)


def forget() -> None:
    """Drop every loaded driver: a forked child loads its own."""
    global _loaded
    _loaded = _Loaded()


def _beyond_processors(name: str) -> bool:
    """Say whether a backend that is not loaded may have devices that are no processors."""
    known = _loaded.beyond.get(name)
    if known is None:
        module, _, attribute = BEYOND.get(name, "").partition(":")
        known = not module or bool(getattr(importlib.import_module(module), attribute)())
        _loaded.beyond[name] = known
    return known


def _load(name: str) -> None:
    with notices.held():  # a warning, be it an error here, decides about no device
        _load_now(name)


def _load_now(name: str) -> None:
    module, _, attribute = BACKENDS[name].partition(":")
    loaded = None
    try:
        loaded = importlib.import_module(module)
        make: Callable[[], Driver | Sequence[Driver]] = getattr(loaded, attribute)
        made = make()
    except UsageError:  # a setting that makes no sense is said, not worked around
        raise
    except UnsupportedError as err:
        _loaded.problems[name] = err.what()
        _loaded.absent.add(name)
    except exception as err:
        _loaded.problems[name] = err.what()
    except Exception as err:  # noqa: BLE001 - whatever a vendor's library raises is the reason
        _loaded.problems[name] = f"{type(err).__name__}: {err}"
    else:
        _loaded.drivers[name] = _named(name, made)
        for part, why in getattr(loaded, "problems", dict)().items():
            _loaded.problems[f"{name} ({part})"] = why
    for part, why in getattr(loaded, "missing", dict)().items():
        _loaded.problems[f"{name} ({part})"] = why
        _loaded.absent.add(f"{name} ({part})")


def _named(name: str, made: Driver | Sequence[Driver]) -> dict[str, Driver]:
    """Return the drivers of a backend by the names of their devices."""
    if not isinstance(made, Sequence):
        return {name: made}
    return {f"{name}:{k}": d for k, d in enumerate(made)} if len(made) != 1 else {name: made[0]}
