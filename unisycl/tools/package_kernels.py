"""The file of kernels for a package: every declared form, compiled for each target.

Non-goals: the wheel around it. Invariant: a target that cannot take a kernel is named, and nothing
is left out silently.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import unisycl as sycl
from unisycl.api.bundles import launch_form
from unisycl.backends import registry
from unisycl.backends.base import DeviceInfo, Geometry
from unisycl.base.errors import UsageError, errc
from unisycl.frontend import shipped, specialize
from unisycl.lang.kernels import forms
from unisycl.process import packages
from unisycl.runtime.launch import program
from unisycl.tools.wheel import Wheel


@dataclass(frozen=True)
class Found:
    """What was compiled: the archive, what to tell of it, whether code of a processor is in it."""

    archive: bytes
    lines: list[str]
    native: bool


@dataclass(frozen=True)
class _Target:
    """One entry of ``--targets``: what kernels may ask about it, and how it is compiled for."""

    name: str
    what: str
    backend: registry.Shipping
    info: DeviceInfo

    def make(self, kernel: Any, geometry: Geometry) -> bytes | None:
        """Return what is compiled for it; None if it compiles kernels at run time."""
        program.check_kernel(self.info, kernel, geometry)
        return self.backend.make(kernel, geometry, self.what)


def _target(name: str) -> _Target:
    kind, _, what = name.partition(":")
    found = registry.shipping(kind)
    return _Target(name, what, found, found.info(what))


@dataclass
class _Archive:
    """The archive while it is made."""

    blobs: dict[str, bytes] = field(default_factory=dict)
    kernels: dict[str, list[str]] = field(default_factory=dict)

    def add(self, what: str, raw: bytes) -> str:
        """Keep a blob; return its name."""
        name = f"{what}/{len(self.blobs)}"
        self.blobs[name] = raw
        return name


def compiled(made: Wheel, names: Sequence[str]) -> Found:
    """Compile every declared kernel of a package for targets; ``errc.build`` where one fails."""
    targets, archive, lines = [_target(name) for name in names], _Archive(), []
    for function, declared in _declared(made.folder):
        inner = getattr(function, "__unisycl_function__", function)
        own = shipped.name_of(inner.__code__, inner.__module__)
        specialize.forget()  # equal code may be of another file
        seen: dict[int, Any] = {}
        size = sum(len(raw) for form in declared for raw in _form(
            archive, own, function, form, targets=targets, made=made, seen=seen))
        lines.append(f"{inner.__module__}.{inner.__qualname__}: {len(archive.kernels[own])} "
                     f"form(s), {size} bytes")
    if not archive.kernels:
        raise UsageError(errc.build, f"no kernel of '{made.package}' says how it is launched; "
                         "write kernel.declare(range, *arguments) behind each, with examples of "
                         "arguments (ext.unisycl.usm_like(dtype) for USM memory)")
    head = {"distribution": made.distribution, "state": packages.state(),
            "unisycl": sycl.__version__, "targets": list(names), "kernels": archive.kernels}
    for kind in {name.partition(":")[0] for name in names}:
        backend = registry.shipping(kind)
        archive.blobs.update({f"code/{key}": raw for key, raw in backend.runtime().items()})
        head[kind] = backend.facts()
    native = any(name.startswith(f"{registry.NATIVE}:") for name in names)
    return Found(packages.packed(head, archive.blobs), lines, native)


def _declared(folder: Path) -> Iterator[tuple[Any, list[forms.Form]]]:
    """Yield the kernels of a package that say how they are launched."""
    modules: list[Any] = list(sys.modules.values())
    named = [value for module in modules if isinstance(module, ModuleType)
             for value in vars(module).values() if isinstance(value, sycl.kernel)]
    # By their objects: the table of registered ones holds one of equal code in two files.
    every = {id(f): f for f in (*named, *forms.registered())}
    for function in sorted(every.values(), key=lambda f: str(getattr(f, "__qualname__", ""))):
        code = forms.code_of(function)
        found = list(forms.forms_of(code))
        if found and Path(code.co_filename).is_relative_to(folder):
            yield function, found


def _form(archive: _Archive, own: str, function: Any, form: forms.Form, *,
          targets: Sequence[_Target], made: Wheel, seen: dict[int, Any]) -> Iterator[bytes]:
    """Compile one form for all targets, unless an equal one was seen; yield what was kept."""
    geometry, arguments, reductions = launch_form.launched(form)
    blobs: dict[int, tuple[Any, dict[str, str]]] = {}
    for target in targets:
        spec = specialize.specialize(function, geometry.kind, len(geometry.global_), arguments,
                                     reductions, geometry.local, target.info)
        if id(spec) in seen:
            continue
        raw = target.make(spec.kernel, geometry)
        kept = blobs.setdefault(id(spec), (spec, {}))[1]
        if raw is not None:
            kept[target.name] = archive.add("made", raw)
            yield raw
    seen.update({number: spec for number, (spec, _) in blobs.items()})
    for spec, kept in blobs.values():
        raw = shipped.write(spec, (len(arguments), len(reductions)), kept, made.digest_of)
        archive.kernels.setdefault(own, []).append(archive.add("kernel", raw))
        yield raw
