"""Which OpenCL runtimes are installed: libraries, wherever they lie, whatever is registered.

Looked at: the user's own choice (``OCL_ICD_VENDORS``, ``OCL_ICD_FILENAMES``), registrations of the
system and of the Python installation, libraries that wheels install without registering them or at
a path that does not exist, and drivers without a registration. Non-goals: loading anything.
Invariant: a library is listed once, under its real path.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from unisycl.base import start_folder

OLDEST = (2024, 2)  # PyOpenCL, as in pyproject.toml
# What wheels install: intel-opencl-rt (CPU and FPGA emulation), pocl-binary-distribution.
_WHEELS = ("libintelocl.so", "libintelocl_emu.so", "libpocl.so*", "libpocl-*.so*")
# What drivers install, with or without registering it.
_DRIVERS = ("libnvidia-opencl.so.1", "libamdocl64.so", "libigdrcl.so", "libmali.so",
            "libpocl.so.2", "libintelocl.so")
# What has processors only, or emulates; PoCL, too, unless it is told which devices to have.
_PROCESSORS = ("libintelocl", "liboclgrind")
_SYSTEM = ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib",
           "/usr/local/lib", "/usr/local/nvidia/lib64", "/usr/lib/wsl/lib", "/opt/rocm/lib",
           "/opt/rocm/opencl/lib", "/usr/lib/x86_64-linux-gnu/intel-opencl")
_NOWHERE = "names '{}', which is in none of the folders where libraries lie"


def libraries() -> list[Path]:
    """Return the libraries of the runtimes found, in a fixed order."""
    chosen = _chosen()
    if chosen:
        found = [*_named(chosen.get("OCL_ICD_FILENAMES", "")),
                 *_existing(_files(chosen.get("OCL_ICD_VENDORS", "")))]
    else:
        found = [*_in_wheels(), *_registered(), *_unregistered()]
    seen: dict[Path, Path] = {}
    for path in found:
        seen.setdefault(path.resolve(), path)
    return list(seen)


def why_none() -> str:
    """Return why no library was found, and what to do."""
    chosen = " ".join(f"{name}={value}" for name, value in _chosen().items())
    if chosen:
        return (f"{chosen} names no OpenCL runtime that is there; correct it, or unset it to look "
                "everywhere")
    return ("no OpenCL runtime is installed; for processors: pip install 'unisycl[opencl-cpu]' "
            "(Intel) or 'unisycl[pocl]'; graphics cards need their vendor's driver")


def missing() -> dict[str, str]:
    """Return what the registrations and settings name that is not there, by file or setting."""
    chosen, out = _chosen(), {}
    for file in _files(chosen.get("OCL_ICD_VENDORS", "")) if chosen else _registrations():
        if registration(file, _folders()) is None:
            text = _text(file)
            out[str(file)] = _NOWHERE.format(text) if text else (
                "is not there" if text is None else "names no library")
    for name in filter(None, chosen.get("OCL_ICD_FILENAMES", "").split(":")):
        if not any(_named(name)):
            out["OCL_ICD_FILENAMES"] = _NOWHERE.format(name)
    return out


def _chosen() -> dict[str, str]:
    """Return the settings by which the user narrows the choice."""
    return {name: value for name in ("OCL_ICD_VENDORS", "OCL_ICD_FILENAMES")
            if (value := os.environ.get(name, ""))}


def has_python_bindings() -> bool:
    """Say whether PyOpenCL is installed; does not import it."""
    return importlib.util.find_spec("pyopencl") is not None


def bindings_version() -> tuple[int, ...]:
    """Return the numbers of PyOpenCL's version; of one that was not installed, the oldest taken."""
    text = bindings_text()
    return tuple(int(x) for x in re.findall(r"\d+", text)) if text else OLDEST


def bindings_text() -> str:
    """Return PyOpenCL's version; '' of one that is imported from its source tree."""
    metadata: Any = importlib.import_module("importlib.metadata")  # takes long: not before needed
    try:
        return str(metadata.version("pyopencl"))
    except metadata.PackageNotFoundError:
        return ""


def beyond_processors() -> bool:
    """Say whether a runtime is installed that may have more than processors, by its name."""
    if not has_python_bindings():
        return False
    known = _PROCESSORS if "POCL_DEVICES" in os.environ else (*_PROCESSORS, "libpocl")
    return any(not library.name.startswith(known) for library in libraries())


def registration(path: Path, folders: Iterable[Path]) -> Path | None:
    """Return the library that a registration file names; None if there is no such file.

    A path that does not exist is looked for by its last part: wheels register where their package
    was built.
    """
    text = _text(path)
    if text is None:
        return None
    library = Path(text)
    if library.is_absolute() and library.is_file():
        return library
    for folder in (path.parent, *folders):
        if library.name and (folder / library.name).is_file():
            return folder / library.name
    return None


def _text(path: Path) -> str | None:
    """Return the first line of a registration file, empty if it has none; None without a file."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None
    return text.splitlines()[0].strip() if text else ""


def _folders() -> Iterator[Path]:
    """Yield where libraries may lie, wheels first."""
    extra = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    yield from _wheel_folders()
    yield from map(Path, (*filter(None, extra), *_SYSTEM))


def _wheel_folders() -> list[Path]:
    packages = [Path(p) for p in sys.path if p.endswith("-packages")]  # site-, dist-
    spec = importlib.util.find_spec("pyopencl")
    if spec is not None and spec.origin:
        packages.insert(0, Path(spec.origin).parent.parent)
    inside = [p / name / ".libs" for p in dict.fromkeys(packages)
              for name in ("pyopencl", "pocl_binary_distribution")]
    return [Path(sys.prefix) / "lib", *inside]


def _in_wheels() -> Iterator[Path]:
    for folder in _wheel_folders():
        for pattern in _WHEELS:
            yield from sorted(folder.glob(pattern))[:1]


def _registered() -> Iterator[Path]:
    yield from _existing(_registrations())


def _registrations() -> Iterator[Path]:
    """Yield the registration files of the Python installation and of the system."""
    for root in (Path(sys.prefix) / "etc", Path("/etc")):
        folder = root / "OpenCL" / "vendors"
        if folder.is_dir():
            yield from _files(str(folder))


def _files(place: str) -> list[Path]:
    """Return the registration files of a folder; or the one file that a place is."""
    if not place:
        return []
    root = Path(start_folder.FOLDER, place)
    try:
        return sorted(root.glob("*.icd")) if root.is_dir() else [root]
    except OSError:
        return []


def _existing(files: Iterable[Path]) -> Iterator[Path]:
    """Yield the libraries that registration files name."""
    for file in files:
        found = registration(file, _folders())
        if found is not None:
            yield found


def _named(names: str) -> Iterator[Path]:
    for name in filter(None, names.split(":")):
        # A mere name is looked up as the system's loader does: not in the current folder.
        folders = (Path(start_folder.FOLDER),) if "/" in name else _folders()
        for folder in folders:
            if (folder / name).is_file():
                yield folder / name
                break


def _unregistered() -> Iterator[Path]:
    for folder in _folders():
        for name in _DRIVERS:
            if (folder / name).is_file():
                yield folder / name
