"""Texts of the user's own whose kernels launch kernels: linked to CUDA's runtime for devices.

The driver links; the archive is of the wheel nvidia-cuda-runtime or of a toolkit. Non-goals:
kernels that are Python functions, whose children the host starts. Invariant: what cannot be linked
raises ``BuildError`` that says what is missing.
"""

from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Sequence
from pathlib import Path

from unisycl.backends.cuda.session import Session
from unisycl.backends.cuda.text import compile as compiler
from unisycl.base.errors import BuildError, errc

RELOCATABLE = "--relocatable-device-code=true"
_ASKED = (RELOCATABLE, "-rdc=true", "-dc", "--device-c")
_NAME = "libcudadevrt.a"
_WHEEL = "nvidia-cuda-runtime"
_REMARK = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\])*\"", re.DOTALL)
_CUBIN, _PTX, _LIBRARY = 0, 1, 4  # CUjitInputType
_LOG, _LOG_SIZE = 5, 6  # CU_JIT_ERROR_LOG_BUFFER and its size
_ROOM = 8192


def wanted(text: str, words: Sequence[str]) -> bool:
    """Say whether a text launches kernels, or is compiled for linking because somebody asks."""
    return "<<<" in _REMARK.sub(" ", text) or asked(words)


def asked(words: Sequence[str]) -> bool:
    """Say whether options already have the compiler make code to be linked."""
    return any(word in _ASKED for word in words)


def archive() -> Path | None:
    """Return where the runtime for devices is: in a wheel, newest first, or in a toolkit."""
    toolkits = [x for x in map(Path, (os.environ.get("CUDA_HOME", ""), "/usr/local/cuda"))
                if x.is_absolute()]
    places = [*sorted((x.parent / "lib" for x in map(Path, compiler.headers())), reverse=True),
              *(x / part for x in toolkits for part in ("lib64", "targets/x86_64-linux/lib"))]
    return next((x / _NAME for x in places if (x / _NAME).is_file()), None)


def linked(session: Session, code: bytes, name: str) -> bytes:
    """Return relocatable code joined with the runtime; messages call the device ``name``."""
    found = archive()
    if found is None:
        raise BuildError(errc.build, f"the source launches kernels, which takes {_NAME} on "
                         f"'{name}': pip install {_WHEEL}")
    if not session.api.has("cuLinkCreate_v2"):
        raise BuildError(errc.build, f"the source launches kernels, and the driver of '{name}' "
                         "links no code; submit them from the host")
    log = ctypes.create_string_buffer(_ROOM)
    keys = (ctypes.c_int * 2)(_LOG, _LOG_SIZE)
    values = (ctypes.c_void_p * 2)(ctypes.addressof(log), _ROOM)
    kind = _CUBIN if code.startswith(b"\x7fELF") else _PTX
    with session as api:
        state = api.address_last("cuLinkCreate_v2", 2, keys, values)
        try:
            failed = api.attempt("cuLinkAddData_v2", state, kind, code, len(code), b"source",
                                 0, None, None) \
                or api.attempt("cuLinkAddFile_v2", state, _LIBRARY, os.fsencode(found), 0, None,
                               None)
            made, size = ctypes.c_void_p(), ctypes.c_size_t()
            failed = failed or api.attempt("cuLinkComplete", state, ctypes.byref(made),
                                           ctypes.byref(size))
            if failed:
                advice = newer(api.number("cuDriverGetVersion"), compiler.compiler().version)
                raise BuildError(errc.build, f"the source could not be linked with {found} (CUDA's "
                                 f"error {failed}).{advice} The log of '{name}':\n"
                                 f"{log.value.decode(errors='replace')}")
            return ctypes.string_at(made.value or 0, size.value)
        finally:
            api.attempt("cuLinkDestroy", state)


def newer(number: int, made: tuple[int, int]) -> str:
    """Return what is wrong where code was made by a newer CUDA than the driver's, which links it.

    ``number`` is the driver's version as CUDA gives it, ``made`` the compiler's.
    """
    known = number // 1000, number % 1000 // 10
    if made <= known:
        return ""
    return (f" NVIDIA's compiler is of CUDA {made[0]}.{made[1]}, and the driver of CUDA {known[0]}."
            f"{known[1]} links no newer code: pip install "
            f"'{compiler.WHEEL}=={known[0]}.{known[1]}.*', or a newer driver.")
