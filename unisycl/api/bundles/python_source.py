"""Kernels from a text of Python: the language ``sycl`` of source bundles.

The text is a module of its own: its kernels are those functions that ``@kernel`` or a property of
free functions marks, and those that ``registered_kernel_names`` names. Non-goals: compiling ahead
of the first launch, as for kernels in files. Invariant: include files are found before modules of
the same name, and only by the texts of their own bundle.
"""

from __future__ import annotations

import builtins
import importlib.util
import itertools
import sys
import traceback
from pathlib import PurePosixPath
from types import ModuleType
from typing import Any

from unisycl.api.bundles.source_options import include_files
from unisycl.api.devices.context import context
from unisycl.api.devices.device import device
from unisycl.base.enums import backend, bundle_state
from unisycl.base.errors import BuildError, UsageError, errc
from unisycl.base.tracebacks import ends_at_call
from unisycl.lang.kernels.kernel import kernel
from unisycl.process import executed_texts
from unisycl.runtime.devices.devices import DeviceState

_numbers = itertools.count(1)
_REGISTERED = "__registered_kernels__"


class _Text:
    """Loads one module from its text."""

    def __init__(self, text: str, name: str) -> None:
        self._text, self._name = text, name

    def get_source(self, fullname: str) -> str:
        """Return the text."""
        return self._text

    def get_code(self, fullname: str) -> Any:
        """Return the code of the text, which is remembered, so that kernels find theirs in it."""
        executed_texts.remember(self._name, self._text)
        return compile(self._text, self._name, "exec", dont_inherit=True)

    def create_module(self, spec: object) -> None:
        """Have a module made as any other."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the text as a module."""
        exec(self.get_code(module.__name__), module.__dict__)  # noqa: S102 - that is its meaning


class _Modules:
    """The modules of one bundle: its text and the files that it includes."""

    def __init__(self, files: include_files | None) -> None:
        self._number = next(_numbers)
        self._texts = {".".join(PurePosixPath(name).with_suffix("").parts): (name, text)
                       for name, text in files or ()}
        self._made: dict[str, ModuleType] = {}

    def load(self, text: str, name: str) -> ModuleType:
        """Return the module of a text; raises what running it raises."""
        where = f"unisycl_source_{self._number}.{name}"
        loader: Any = _Text(text, f"<kernel source {self._number}: {name}>")
        spec = importlib.util.spec_from_loader(where, loader)
        assert spec is not None
        module = importlib.util.module_from_spec(spec)
        module.__dict__["__builtins__"] = {**vars(builtins), "__import__": self._import}
        sys.modules[where] = module  # where dataclasses look for the names of their annotations
        try:
            loader.exec_module(module)
        finally:
            del sys.modules[where]
        return module

    def _import(self, name: str, space: Any = None, local: Any = None,
                wanted: Any = (), level: int = 0) -> Any:
        """Import an include file, or else what Python finds."""
        if level or name not in self._texts:
            return builtins.__import__(name, space, local, wanted, level)
        module = self._made.get(name)
        if module is None:
            file, text = self._texts[name]
            module = self._made[name] = self.load(text, file)
        if wanted or "." not in name:
            return module
        raise ImportError(f"write 'from {name} import ...' for an include file in a folder")


@ends_at_call
class python_bundle:
    """The kernels of a text of Python; made by ``build``."""

    __slots__ = ("_devices", "_kernels", "_owner", "_raw")
    state = bundle_state.executable

    def __init__(self, owner: context, devices: tuple[DeviceState, ...],
                 module: ModuleType) -> None:
        self._owner, self._devices = owner, devices
        self._kernels = {name: thing for name, thing in vars(module).items()
                         if isinstance(thing, kernel) and not name.startswith("__")}
        self._raw = {name: name for name in self._kernels}
        for number, (name, found) in enumerate(getattr(module, _REGISTERED).items()):
            if not callable(found):
                raise BuildError(errc.build, f"registered_kernel_names: '{name}' is no function "
                                 f"but {type(found).__name__}")
            made = found if isinstance(found, kernel) else kernel(found)
            raw = name if name.isidentifier() else (
                f"{getattr(found, '__qualname__', 'kernel')}@{number}")
            self._kernels[name] = self._kernels[raw] = made
            self._raw[name] = self._raw[raw] = raw

    def get_backend(self) -> backend:
        """Return the backend of the context."""
        return self._owner.get_backend()

    def get_context(self) -> context:
        """Return the context."""
        return self._owner

    def get_devices(self) -> list[device]:
        """Return the devices it was built for."""
        return [device._of(d) for d in self._devices]

    def get_kernel_ids(self) -> list[Any]:
        """Return nothing: kernels of source texts have no ids."""
        return []

    def ext_oneapi_has_kernel(self, name: str) -> bool:
        """Say whether there is a kernel of this name."""
        return name in self._kernels

    def ext_oneapi_get_kernel(self, name: str) -> kernel:
        """Return a kernel by its name, to be launched as any; ``errc.invalid`` without one."""
        return self._kernels[self.ext_oneapi_get_raw_kernel_name(name)]

    def ext_oneapi_get_raw_kernel_name(self, name: str) -> str:
        """Return the name of a kernel without the expression that registered it."""
        if name not in self._raw:
            raise UsageError(errc.invalid, f"the bundle has no kernel '{name}'; it has "
                             f"{', '.join(self._kernels) or 'none'}: functions under @kernel, or "
                             "named by registered_kernel_names")
        return self._raw[name]

    def __repr__(self) -> str:
        return f"<python_bundle: {', '.join(self._kernels) or 'no kernels'}>"


def build(owner: context, devices: tuple[DeviceState, ...], source: str,
          files: include_files | None, names: list[str]) -> python_bundle:
    """Run a text of Python and return its kernels; ``errc.build`` with the error if it fails."""
    listed = "".join(f"    {name!r}: ({name}),\n" for name in names)
    text = f"{source}\n{_REGISTERED} = {{\n{listed}}}\n"
    try:
        module = _Modules(files).load(text, "source.py")
    except Exception as error:
        shown = "".join(traceback.format_exception(error, limit=-1)).rstrip()
        raise BuildError(errc.build, f"the source text cannot be built:\n{shown}") from error
    return python_bundle(owner, devices, module)
