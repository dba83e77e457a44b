"""Libraries with the C interface of BLAS and LAPACK: OpenBLAS, as wheels have it, and MKL.

Non-goals: what routines mean. Invariants: found by absolute path in an installed package, never in
the system's folders; MKL runs its sequential layer where the program has not loaded it before.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

from unisycl.oneapi.frame.library import Library, Threads, beside, of_wheel

_GNU, _SEQUENTIAL, _TBB = 3, 1, 4
_DECORATIONS = (("scipy_{}64_", ctypes.c_int64), ("scipy_{}", ctypes.c_int32),
                ("{}64_", ctypes.c_int64), ("{}", ctypes.c_int32))


class Interface:
    """One such library: its functions, the type of its integers, its version, its threads."""

    def __init__(self, name: str, library: Library, integer: Any, version: str,
                 threads: Threads) -> None:
        self.name, self.library, self.integer = name, library, integer
        self.version, self.threads = version, threads


def _openblas(name: str, path: Path) -> Interface:
    for decorated, integer in _DECORATIONS:
        library = Library(path, decorated)
        if library.find("cblas_sgemm") is not None:
            return _described(name, library, integer)
    raise OSError(f"{path.name} has no cblas_sgemm")


def _described(name: str, library: Library, integer: Any) -> Interface:
    config = library.find("openblas_get_config", [], ctypes.c_char_p)
    text = config().decode() if config is not None else "OpenBLAS"
    get = library.find("openblas_get_num_threads", [], ctypes.c_int)
    change = library.find("openblas_set_num_threads", [ctypes.c_int])
    return Interface(name, library, integer, " ".join(text.split()[:2]), Threads(get, change))


def _first(name: str, paths: list[Path]) -> Interface:
    if not paths:
        raise OSError("no library of this name is installed with it")
    return _openblas(name, paths[0])


def _mkl(name: str) -> Interface:
    paths = [p for p in of_wheel("mkl", "libmkl_rt.so") if p.exists()]
    if not paths:
        raise OSError("the package mkl has no libmkl_rt.so")
    library = Library(paths[0], "{}_64", shared=True)
    layer = library.plain("MKL_Set_Threading_Layer", [ctypes.c_int], ctypes.c_int)
    layer(_GNU if _has_gomp() else _SEQUENTIAL)
    text = ctypes.create_string_buffer(256)
    library.plain("MKL_Get_Version_String", [ctypes.c_char_p, ctypes.c_int])(text, 255)
    words = text.value.decode().split()
    version = next((w for w in words if w[:2] == "20"), "")
    get = library.plain("MKL_Get_Max_Threads", [], ctypes.c_int)
    change = library.plain("MKL_Set_Num_Threads_Local", [ctypes.c_int], ctypes.c_int)
    return Interface(name, library, ctypes.c_int64, f"MKL {version}", Threads(get, change))


@functools.cache
def _has_gomp() -> bool:
    """Say whether GNU's OpenMP can be loaded, by which MKL uses several threads."""
    try:
        ctypes.CDLL("libgomp.so.1", mode=ctypes.RTLD_GLOBAL)
    except OSError:
        return False
    return True


_HOW: dict[str, Callable[[str], Interface]] = {
    "openblas": lambda name: _first(name, beside("numpy", "numpy.libs/libscipy_openblas*")
                                    + beside("scipy", "scipy.libs/libscipy_openblas*")),
    "openblas64": lambda name: _first(name, beside("scipy_openblas64",
                                                   "scipy_openblas64/lib/libscipy_openblas*.so")),
    "mkl": _mkl,
}


@functools.cache
def interface(name: str) -> Interface:
    """Return a library by the name of its provider; raises ``OSError`` where it is not there."""
    return _HOW[name](name)
