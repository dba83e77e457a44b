"""NVIDIA's driver library: where it is, and why it cannot be used where it cannot.

Non-goals: what its functions do (``api``). Invariants: the library is loaded once in a process, and
initialised before anything is asked; a forked child never uses what its parent initialised.
"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Any

from unisycl.backends.cuda.api import OLDEST, Api
from unisycl.backends.cuda.errors import result_name
from unisycl.base.errors import DeviceError, UnsupportedError, errc

LIBRARY = "libcuda.so.1"
_FOLDERS = ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64",
            "/usr/lib/wsl/lib", "/usr/local/nvidia/lib64", "/run/opengl-driver/lib")
_MODULE = Path("/proc/driver/nvidia/version")
_VISIBLE = "CUDA_VISIBLE_DEVICES"
_WHY = {
    34: "the library is a stub to link with, not the driver; take its folder out of "
        "LD_LIBRARY_PATH",
    803: "the driver's library and its kernel module are of different versions; restart the "
         "machine after an update of the driver, or install matching ones",
    804: "a compatibility package of CUDA is loaded that this card does not work with; take its "
         "folder out of LD_LIBRARY_PATH",
    802: "the system is not ready, as where the fabric manager of an NVLink system does not run",
    805: "the daemon of MPS is not reachable", 807: "the daemon of MPS is not ready",
}


FORKED = ("it was forked after its parent had used CUDA, which does not work in it; start the "
          "child with multiprocessing's 'spawn' method, use the native CPU in it "
          "(sycl.queue('cpu')), or use CUDA in children only")


class _Loaded:
    """What this process has loaded."""

    def __init__(self) -> None:
        self.api: Api | None = None
        self.pid = 0


_loaded = _Loaded()


def load() -> Api:
    """Return the initialised driver's functions.

    Raises ``UnsupportedError`` where there is no driver, ``DeviceError`` where it does not work.
    """
    if _loaded.pid and _loaded.pid != os.getpid():
        raise DeviceError(errc.platform, f"this process has none: {FORKED}")
    if _loaded.api is None:
        api = bind(_library())
        initialise(api)
        _loaded.api, _loaded.pid = api, os.getpid()
    return _loaded.api


def leave_at_once() -> None:
    """Have the process end, when it does, without the driver's own work at its end.

    That waits for kernels that still run. The system's ``on_exit`` has the status of the process;
    what was noted for its end before this is left out.
    """
    system = ctypes.CDLL(None)
    if hasattr(system, "on_exit"):  # of the GNU library, which the driver needs
        system.fflush(None)
        system.on_exit(system._exit, None)


def _library() -> Any:
    first = ""
    for name in (LIBRARY, *(f"{folder}/{LIBRARY}" for folder in _FOLDERS)):
        try:
            return ctypes.CDLL(name)
        except OSError as error:
            if not first or Path(name).exists():
                first = str(error)
    if _MODULE.exists():
        raise DeviceError(errc.platform, f"NVIDIA's kernel module is loaded, but {LIBRARY} is not "
                          f"to be had here ({first}); in a container it comes with --gpus all, "
                          "elsewhere with the driver")
    raise UnsupportedError(errc.platform, f"there is no NVIDIA driver ({first})")


def bind(library: Any) -> Api:
    """Return the functions of a library; ``DeviceError`` where it is too old to have them all."""
    try:
        return Api(library)
    except AttributeError as error:
        raise DeviceError(errc.platform, f"NVIDIA's driver is too old: {error}; install one for "
                          f"CUDA {OLDEST // 1000} or newer") from error


def initialise(api: Api) -> None:
    """Initialise a driver; say why where it does not work or is too old."""
    result = api.attempt("cuInit", 0)
    if result == 100:
        raise UnsupportedError(errc.platform, f"NVIDIA's driver finds no device{_hidden()}")
    if result:
        why = _WHY.get(result, "look at what nvidia-smi says")
        raise DeviceError(errc.platform, f"NVIDIA's driver does not start: cuInit gives "
                          f"{result_name(result)}: {why}")
    version = api.number("cuDriverGetVersion")
    if version < OLDEST:
        raise DeviceError(errc.platform, f"NVIDIA's driver is too old: it runs CUDA "
                          f"{version_text(version)}, and this needs {version_text(OLDEST)}; "
                          "update the driver, or use the card by another backend")


def version_text(version: int) -> str:
    """Return ``12.8`` for 12080."""
    return f"{version // 1000}.{version % 1000 // 10}"


def _hidden() -> str:
    """Return what hides devices, as the end of a sentence."""
    value = os.environ.get(_VISIBLE)
    if value is not None:
        return (f"; {_VISIBLE}={value} lets it show only those that this names, by numbers, "
                "GPU-... or MIG-...")
    return "; nvidia-smi -L lists cards, and parts of those in MIG mode, which must have one"


def no_devices() -> str:
    """Return why a driver that works shows no device."""
    return f"NVIDIA's driver shows no device{_hidden()}"


def beyond_processors() -> bool:
    """Say, without loading anything, whether there may be a card."""
    return _MODULE.exists() or any(Path(p).exists() for p in (
        "/dev/nvidiactl", "/dev/nvidia0", "/dev/dxg"))
