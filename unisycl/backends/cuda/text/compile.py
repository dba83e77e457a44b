"""Text to machine code: by NVIDIA's compiler at run time, kept on disk.

The compiler is a library without headers or tools beside it, which comes as the wheel
``nvidia-cuda-nvrtc`` or with the toolkit. A device newer than the compiler gets PTX, which its
driver finishes. Non-goals: the text, and loading code. Invariants: code is taken from disk only for
the same text, options, architecture and compiler; a failure shows the user's line and the log.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from unisycl.backends.cfamily import logs
from unisycl.backends.cfamily.kernel import Source
from unisycl.backends.cuda.text import carried
from unisycl.backends.cuda.text.target import Target
from unisycl.base.errors import BuildError, UnsupportedError, errc
from unisycl.ir.nodes import Kernel
from unisycl.process import disk_cache

WHEEL = "nvidia-cuda-nvrtc"
OLDEST = 12
_NEWEST = 19
_FILE = "kernel.cu"
_SILENT = "--diag-suppress=68,177,549,550"
"""What says nothing: constants that wrap when they become unsigned, as they are to; names that
nobody reads, or gave a value, which are the user's."""
_SAID = {"-ffast-math": ("--use_fast_math",), "-g": ("--generate-line-info",)}
_LEVELS = {f"-O{level}": (f"--ptxas-options=-O{level}",) for level in (0, 1)}
"""What asks for less than all; only the second half of the compiler can be asked."""


class Compiler:
    """NVIDIA's compiler as a library of C functions; ``version`` is (13, 5)."""

    def __init__(self, path: str) -> None:
        self._api = ctypes.CDLL(path)
        self._api.nvrtcGetErrorString.restype = ctypes.c_char_p
        major, minor = ctypes.c_int(), ctypes.c_int()
        self._check("nvrtcVersion", ctypes.byref(major), ctypes.byref(minor))
        self.version = (major.value, minor.value)
        count = ctypes.c_int()
        self._check("nvrtcGetNumSupportedArchs", ctypes.byref(count))
        numbers = (ctypes.c_int * count.value)()
        self._check("nvrtcGetSupportedArchs", numbers)
        self.architectures = tuple(sorted(numbers))

    def compile(self, text: str, options: Sequence[str], kind: str) -> tuple[bytes, str]:
        """Return code of a text and the log; no code where the text was refused.

        Args:
            text: the program.
            options: the compiler's.
            kind: CUBIN or PTX.
        """
        program = ctypes.c_void_p()
        self._check("nvrtcCreateProgram", ctypes.byref(program), text.encode(), _FILE.encode(), 0,
                    None, None)
        try:
            words = [x.encode() for x in options]
            status = self._api.nvrtcCompileProgram(
                program, len(words), (ctypes.c_char_p * len(words))(*words))
            log = self._text(program, "ProgramLog").rstrip(b"\0").decode(errors="replace").strip()
            if status:
                return b"", log or self._why(status)
            return self._text(program, kind), log
        finally:
            self._api.nvrtcDestroyProgram(ctypes.byref(program))

    def _text(self, program: ctypes.c_void_p, what: str) -> bytes:
        size = ctypes.c_size_t()
        self._check(f"nvrtcGet{what}Size", program, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(size.value)
        self._check(f"nvrtcGet{what}", program, buffer)
        return buffer.raw

    def _check(self, routine: str, *arguments: object) -> None:
        status = getattr(self._api, routine)(*arguments)
        if status:
            raise UnsupportedError(errc.build, f"{routine} failed: {self._why(status)}")

    def _why(self, status: int) -> str:
        found: bytes | None = self._api.nvrtcGetErrorString(status)
        return (found or b"").decode(errors="replace") or f"status {status}"


def problem() -> str:
    """Return why nothing can be compiled, and what to do about it; '' where that is not so."""
    found = _found()
    return found if isinstance(found, str) else ""


def compiler() -> Compiler:
    """Return the compiler; ``UnsupportedError`` where there is none."""
    found = _found()
    if isinstance(found, str):
        raise UnsupportedError(errc.build, found)
    return found


@functools.cache
def _found() -> Compiler | str:
    """Return the compiler, or why there is none."""
    tried = []
    for path in _places():
        try:
            found = Compiler(path)
        except (OSError, AttributeError, UnsupportedError) as error:
            tried.append(f"{path} ({error})")
            continue
        if found.version[0] >= OLDEST:
            return found
        tried.append(f"{path} (version {found.version[0]}, older than {OLDEST})")
    more = f" What was found: {'; '.join(tried)}." if tried else ""
    return f"kernels for CUDA need NVIDIA's compiler: pip install {WHEEL}.{more}"


def _places() -> Iterator[str]:
    """Yield where the compiler may be: wheels, newest first, then what the system finds."""
    wheels: list[Path] = []
    for folder in _wheel_folders():
        wheels += [*folder.glob("*/lib/libnvrtc.so.*"), *folder.glob("*/bin/**/nvrtc64_*.dll")]
    yield from sorted((str(p) for p in wheels if ".alt." not in p.name), key=_version_of,
                      reverse=True)
    if sys.platform == "win32":
        return
    for major in range(_NEWEST, OLDEST - 1, -1):
        name = f"libnvrtc.so.{major}"
        try:
            ctypes.CDLL(name)
        except OSError:
            continue
        yield name


def _wheel_folders() -> list[Path]:
    """Return the folders of NVIDIA's wheels in this environment."""
    try:
        found = importlib.util.find_spec("nvidia")
    except (ImportError, ValueError):
        return []
    places = found.submodule_search_locations if found is not None else None
    return [Path(x) for x in places or ()]


def headers() -> list[str]:
    """Return the folders of NVIDIA's headers in this environment, for texts of a user's own."""
    return [str(x) for folder in _wheel_folders() for x in sorted(folder.glob("*/include"))]


def _version_of(path: str) -> list[int]:
    return [int(x) for x in re.findall(r"\d+", Path(path).name)]


# ---------------------------------------------------------------- kernels
def architecture(target: Target, known: Sequence[int]) -> tuple[str, str]:
    """Return the architecture to compile for and what comes of it: CUBIN, or PTX to finish.

    ``known`` are those that the compiler knows. Code runs on later devices of the same major
    compute capability.
    """
    fitting = [x for x in known if x <= target.number]
    if not fitting:
        raise UnsupportedError(errc.build, "NVIDIA's compiler no longer knows devices of compute "
                               f"capability {target.arch[0]}.{target.arch[1]}, the oldest it knows "
                               f"is {min(known) / 10}; install an older {WHEEL}")
    best = max(fitting)
    if best // 10 == target.arch[0]:
        return f"sm_{best}", "CUBIN"
    return f"compute_{best}", "PTX"


def options(kernel: Kernel, name: str) -> list[str]:
    """Return the options of a kernel's program for an architecture by name."""
    said = dict(kernel.traits)
    words = [f"--gpu-architecture={name}", "--std=c++17", _SILENT]
    for word in map(str, said.get("options", ())):
        if word.startswith("-march=") and word != "-march=native":
            raise BuildError(errc.build, f"kernel '{kernel.name}': {word} is nothing to a device "
                             "whose architecture is known; leave it out, or write -march=native")
        words += _SAID.get(word, _LEVELS.get(word, ()))
    given = map(str, said.get("compiler_options", ()))
    return [*words, *(w for w in given if w not in words)]


def exact(name: str, text: str) -> str:
    """Return the architecture of a text that uses what only this one has (``wgmma``)."""
    return f"{name}a" if "wgmma." in text and name == "sm_90" else name


def compile_kernel(source: Source, kernel: Kernel, target: Target,
                   more: Sequence[str] = ()) -> bytes:
    """Return the code of a kernel's text: its package's, from disk, or compiled now.

    ``more`` are options besides the kernel's own.
    """
    brought = carried.find(source, kernel, target)
    if brought is not None:
        return brought
    tool = compiler()
    name, kind = architecture(target, tool.architectures)
    words = [*options(kernel, exact(name, source.text)), *more]
    key = disk_cache.key_of("cuda-program-1", source.text, " ".join(words), kind,
                            ".".join(map(str, tool.version)))
    code = disk_cache.load(key)
    if code is not None:
        return code
    code, log = tool.compile(source.text, words, kind)
    if not code:
        raise logs.failure(kernel, "NVIDIA's compiler", log)
    disk_cache.save(key, code)
    return code


def compile_for(source: Source, kernel: Kernel, name: str) -> bytes:
    """Return the code of a kernel's text for an architecture by name, for a package."""
    tool = compiler()
    if int(name.removeprefix("sm_")) not in tool.architectures:
        raise UnsupportedError(errc.build, f"this NVRTC compiles for no {name}; it knows "
                               f"{', '.join(f'sm_{x}' for x in tool.architectures)}")
    code, log = tool.compile(source.text, options(kernel, exact(name, source.text)), "CUBIN")
    if not code:
        raise logs.failure(kernel, "NVIDIA's compiler", log)
    return code
