"""Kernels as files: what the front end made of a function, written and read without its text.

A package may bring kernels that were compiled when it was built. One is used if its function is
the one it was made of: the files of all functions in it are as they were, and every guard says
yes. Non-goals: archives and their digests (``process.packages``), code (the backends). Invariant:
a kernel that comes back is the one that compiling the function anew would make.
"""

from __future__ import annotations

import copy
import functools
import hashlib
import importlib
import io
import pickle
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from unisycl.base.dataclass import dataclass
from unisycl.base.errors import UsageError, errc
from unisycl.frontend import captures, guard_function, guards
from unisycl.frontend.kernel_shape import KernelShape
from unisycl.frontend.paths import Path as Way
from unisycl.frontend.paths import Question
from unisycl.ir import carried, pickles
from unisycl.ir import nodes as n
from unisycl.process import packages

_OURS = "unisycl."


@dataclass(frozen=True, slots=True)
class Shipped:
    """One kernel in one form, as a file holds it.

    ``files`` are the digests of the modules whose functions are in it, by name. ``blobs`` are the
    names of what backends made of it, by target.
    """

    shape: KernelShape
    counts: tuple[int, int]
    files: dict[str, str]
    kernel: n.Kernel
    guards: tuple[tuple[Way, Question], ...]
    handled: bool
    required: tuple[int, ...]
    asked: tuple[tuple[Any, bool], ...]
    blobs: dict[str, str]


# ---------------------------------------------------------------------- names of things
def name_of(code: CodeType, module: str) -> str:
    """Return what an archive calls a function."""
    return f"{module}:{code.co_qualname}:{code.co_firstlineno}"


def _module_of(code: CodeType) -> str:
    """Return the module whose file a function stands in."""
    for name, module in list(sys.modules.items()):
        if name != "__main__" and _file(module) == code.co_filename:
            return name
    raise pickle.PicklingError(f"the function '{code.co_qualname}' stands in {code.co_filename}, "
                               "which is no module that can be imported")


def _file(module: Any) -> str:
    """Return where the text of a module is, or was when it was compiled."""
    if not isinstance(module, ModuleType):
        return ""
    spec = module.__spec__
    return getattr(spec, "origin", None) or getattr(module, "__file__", None) or ""


@functools.cache
def digest_of(module: str) -> str:
    """Return the digest of a module's file; '' if it has none."""
    found = sys.modules.get(module) or importlib.import_module(module)
    name = getattr(found, "__file__", None)
    try:
        return hashlib.sha256(Path(name).read_bytes()).hexdigest() if name else ""
    except OSError:
        return ""


def _function(module: str, name: str, line: int) -> FunctionType:
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = captures.unwrap(getattr(found, part))
    if type(found) is not FunctionType or found.__code__.co_firstlineno != line:
        raise pickle.UnpicklingError(f"{module}.{name} is another function")
    return found


def _code(module: str, name: str, line: int) -> CodeType:
    return _function(module, name, line).__code__


def _found(function: FunctionType) -> Any:
    """Return what has a function's name in its module."""
    found: Any = sys.modules.get(function.__module__)
    for part in function.__qualname__.split("."):
        found = getattr(found, part, None)
    return found


class _Pickler(pickles.Pickler):
    """Writes functions and modules by their names, too."""

    def reducer_override(self, obj: Any) -> Any:
        kind = type(obj)
        if isinstance(obj, ModuleType):
            return importlib.import_module, (obj.__name__,)
        if kind is CodeType or (kind is FunctionType and _found(obj) is not obj):
            code = obj if kind is CodeType else obj.__code__
            where = (_module_of(code), code.co_qualname, code.co_firstlineno)
            if _code(*where) is not code:
                raise pickle.PicklingError(f"the function '{code.co_qualname}' cannot be imported "
                                           f"from {where[0]} by its name")
            return (_code if kind is CodeType else _function), where
        return super().reducer_override(obj)


def _dumped(obj: Any) -> bytes:
    out = io.BytesIO()
    _Pickler(out, 5).dump(obj)
    return out.getvalue()


def write(spec: Any, counts: tuple[int, int], blobs: dict[str, str],
          digest: Callable[[str], str]) -> bytes:
    """Return the bytes of a specialization; ``errc.build`` names what cannot be in a file.

    Args:
        spec: the specialization.
        counts: its arguments and reductions.
        blobs: the names of what backends made of it, by target.
        digest: the digest of a module's file as it will be installed, '' if it is elsewhere.
    """
    name = spec.kernel.name
    if spec.children:
        raise UsageError(errc.build, f"kernel '{name}' enqueues other kernels, which cannot be "
                         "compiled into a package")
    try:
        modules = {_module_of(use.code) for use in spec.uses}
        return _dumped(Shipped(
            spec.shape, counts, {m: digest(m) or digest_of(m) for m in sorted(modules)
                            if not f"{m}.".startswith(_OURS)},
            spec.kernel, _lasting(spec.guards), spec.handled, spec.required, spec.asked, blobs))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise UsageError(errc.build, f"kernel '{name}' depends on something that has no place in "
                         f"a package: {error}; pass it as an argument, or define it at the top of "
                         "an importable module") from error


def _lasting(asked: Iterable[tuple[Way, Question]],
             ) -> tuple[tuple[Way, Question], ...]:
    """Return guards of which none names the class of what stood for an argument."""
    found = []
    for path, test in asked:
        if isinstance(test, guards.Typed):
            test = copy.copy(test)
            test.kind = getattr(test.kind, "__stands_for__", test.kind)
        found.append((path, test))
    return tuple(found)


# ---------------------------------------------------------------------- finding one
def find(function: Any, shape: KernelShape, arguments: tuple[Any, ...],
         reductions: tuple[Any, ...],
         made: Callable[[Shipped, guard_function.Match], Any]) -> Any:
    """Return what ``made`` makes of the kernel that a package brings for a launch, or None."""
    for found in _all(function):
        if found.shape != shape or found.counts != (len(arguments), len(reductions)):
            continue
        match = guard_function.matcher(function.__code__, found.guards,
                                       (p.path for p in found.kernel.params))
        one = made(found, match) if match(function, arguments, reductions) is not None else None
        if one is not None:
            return one
    return None


def brought(function: Any) -> bool:
    """Say whether a package brings a kernel of a function."""
    return bool(_all(function))


def other_forms(function: Any) -> str:
    """Return what to say of a launch that a package brings no kernel for."""
    forms = []
    for found in _all(function):
        given = ", ".join(str(p.type) for p in found.kernel.params)
        forms.append(f"{found.shape.kind} of {found.shape.ndim} dimension(s)"
                     f"{f' in groups of {found.shape.local}' if found.shape.local else ''} "
                     f"with ({given})")
    return (f"kernel '{function.__name__}' comes compiled in its package, without its text, for: "
            f"{'; '.join(dict.fromkeys(forms))}. This launch, or what the kernel uses from its "
            "module, is of other types or values; launch it as declared, or have the package "
            "built with this form, too")


def _all(function: Any) -> Iterable[Shipped]:
    module = getattr(function, "__module__", None)
    if type(function) is not FunctionType or not module:
        return ()
    archive = packages.of_module(module)
    return () if archive is None else _read(archive, name_of(function.__code__, module))


@functools.cache
def _read(archive: packages.Archive, name: str) -> tuple[Shipped, ...]:
    found = []
    for blob in archive.head["kernels"].get(name, ()):
        raw = archive.blob(blob)
        try:
            one: Shipped = pickles.loaded(raw or b"")  # as installed, by its digest
        except (pickle.UnpicklingError, AttributeError, ImportError, KeyError):
            continue  # a function in it is another one now
        if all(digest_of(m) == digest for m, digest in one.files.items()):
            carried.note(one.kernel, one.blobs, archive.blob)
            found.append(one)
    return tuple(found)
