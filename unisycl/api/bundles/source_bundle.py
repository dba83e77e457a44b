"""Kernels from source text: in a backend's own language, or Python (``source_language.sycl``).

(sycl_ext_oneapi_kernel_compiler) Non-goals: running texts of Python (``python_source``).
Invariant: what is built holds the kernels of every device it was built for; a text that does not
compile raises with the compiler's log.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NoReturn

from unisycl.api.bundles import python_source
from unisycl.api.bundles.functions import chosen
from unisycl.api.bundles.native_kernel import native_kernel
from unisycl.api.bundles.python_source import python_bundle
from unisycl.api.bundles.source_options import (
    include_files,
    registered_kernel_names,
    with_includes,
)
from unisycl.api.devices.context import context
from unisycl.api.devices.device import device
from unisycl.base.enums import backend, bundle_state, source_language
from unisycl.base.errors import BuildError, UsageError, errc
from unisycl.base.tracebacks import ends_at_call
from unisycl.lang.kernels.build_options import build_options
from unisycl.runtime.devices.devices import DeviceState


class save_log:
    """A list that the compiler's log is appended to."""

    def __init__(self, target: list[str]) -> None:
        self.target = target

    def __repr__(self) -> str:
        return f"save_log({self.target!r})"


@ends_at_call
class source_bundle:
    """Source text with a context; made by ``create_kernel_bundle_from_source``."""

    __slots__ = ("_owner", "files", "language", "source")

    def __init__(self, owner: context, language: source_language, source: str | bytes,
                 files: include_files | None = None) -> None:
        self._owner, self.language, self.source, self.files = owner, language, source, files

    def get_context(self) -> context:
        """Return the context."""
        return self._owner

    def get_backend(self) -> backend:
        """Return the backend of the context."""
        return self._owner.get_backend()

    def get_devices(self) -> list[device]:
        """Return the devices of the context."""
        return self._owner.get_devices()

    def ext_oneapi_has_kernel(self, name: str) -> bool:
        """Refuse: source shows its kernels when it is built (``errc.invalid``)."""
        return self._unbuilt("ext_oneapi_has_kernel")

    def ext_oneapi_get_kernel(self, name: str) -> native_kernel:
        """Refuse: source shows its kernels when it is built (``errc.invalid``)."""
        return self._unbuilt("ext_oneapi_get_kernel")

    def _unbuilt(self, what: str) -> NoReturn:
        raise UsageError(errc.invalid, f"{what}: this bundle is source, which shows its kernels "
                         "when it is built: ask the bundle that build(bundle) returns")

    def __repr__(self) -> str:
        kind = "characters" if isinstance(self.source, str) else "bytes"
        return f"<source_bundle: {len(self.source)} {kind} of {self.language.name}>"


@ends_at_call
class built_bundle:
    """Native programs and the kernels in them; made by ``build`` or ``make_kernel_bundle``.

    Those in state input or object show no kernels.
    """

    __slots__ = ("_built", "_owner", "state")

    def __init__(self, owner: context, built: dict[DeviceState, tuple[Any, ...]],
                 state: bundle_state = bundle_state.executable) -> None:
        self._owner, self._built, self.state = owner, built, state

    def get_backend(self) -> backend:
        """Return the backend of the context."""
        return self._owner.get_backend()

    def natives(self) -> list[Any]:
        """Return the backend's own programs, each once (internal)."""
        return list(dict.fromkeys(p.native for programs in self._built.values() for p in programs))

    def get_context(self) -> context:
        """Return the context."""
        return self._owner

    def get_devices(self) -> list[device]:
        """Return the devices it was built for."""
        return [device._of(d) for d in self._built]

    def ext_oneapi_has_kernel(self, name: str) -> bool:
        """Say whether there is a kernel of this name."""
        return all(any(name in p.names for p in programs) for programs in self._built.values())

    def ext_oneapi_get_kernel(self, name: str) -> native_kernel:
        """Return a kernel by the name it has in the text; ``errc.invalid`` if there is none."""
        if not self.ext_oneapi_has_kernel(name):
            programs = next(iter(self._built.values()))
            known = ", ".join(n for p in programs for n in p.names) or "none"
            raise UsageError(errc.invalid, f"the bundle has no kernel '{name}'; it has {known}")
        state, programs = next(iter(self._built.items()))
        found = next(p for p in programs if name in p.names)
        return native_kernel._of(found.kernel(name), state, self._owner)

    def ext_oneapi_get_raw_kernel_name(self, name: str) -> str:
        """Return the name of a kernel in what was compiled; ``errc.invalid`` if there is none."""
        return self.ext_oneapi_get_kernel(name).name

    def __repr__(self) -> str:
        names = list(dict.fromkeys(n for ps in self._built.values() for p in ps for n in p.names))
        more = ", ..." if len(names) > 3 else ""
        return f"<built_bundle, {self.state.name}: {', '.join(names[:3]) or 'no kernels'}{more}>"


@ends_at_call
def is_source_kernel_bundle_supported(where: Any, language: source_language) -> bool:
    """Say whether a device, or one of a context's, compiles a language.

    Args:
        where: a device or a context; a backend is not enough to know.
        language: what the text is written in.
    """
    return _compiles("is_source_kernel_bundle_supported", where, language)


def _compiles(what: str, where: Any, language: source_language) -> bool:
    if isinstance(where, device):
        states: tuple[DeviceState, ...] = (where.state,)
    elif isinstance(where, context):
        states = where.state.devices
    else:
        raise UsageError(errc.invalid, f"{what}: expected a device or a context, got "
                         f"{type(where).__name__}")
    return any(_compiles_here(s, language) for s in states)


def _compiles_here(state: DeviceState, language: source_language) -> bool:
    """Say whether a device compiles a language; every one runs kernels of Python."""
    return language is source_language.sycl or state.driver.adopt.language(language)


@ends_at_call
def create_kernel_bundle_from_source(owner: context, language: source_language,
                                     source: str | bytes | os.PathLike[str],
                                     files: include_files | None = None) -> source_bundle:
    """Return a bundle of source text (sycl_ext_oneapi_kernel_compiler).

    Args:
        owner: the context.
        language: what the text is written in.
        source: the text; of SPIR-V its bytes; or the path of a file that holds either. Text of
            ``source_language.sycl`` is Python.
        files: ``include_files``, which text includes (Python: imports) by their names.

    ``errc.invalid`` where no device of the context compiles the language, or for a file that cannot
    be read.
    """
    given: Any = owner
    if not isinstance(given, context):
        way_out = "; write queue.get_context()" if hasattr(given, "get_context") else ""
        raise UsageError(errc.invalid, "create_kernel_bundle_from_source: expected a context "
                         f"first, got {type(given).__name__}{way_out}")
    if not isinstance(language, source_language):
        raise UsageError(errc.invalid, "create_kernel_bundle_from_source: expected a "
                         f"member of source_language, got {language!r}")
    if not _compiles("create_kernel_bundle_from_source", owner, language):
        raise UsageError(errc.invalid, f"create_kernel_bundle_from_source: no device of {owner!r} "
                         f"compiles {language.name}")
    if isinstance(source, os.PathLike):
        source = _text_of(Path(source), language)
    if not isinstance(source, str | bytes):
        raise UsageError(errc.invalid, "create_kernel_bundle_from_source: expected text, bytes or "
                         f"a path, got {type(source).__name__}")
    if isinstance(source, str) and "\0" in source:
        raise UsageError(errc.invalid, "create_kernel_bundle_from_source: the text has a NUL at "
                         f"character {source.index(chr(0))}, where compilers would end it")
    after: Any = files
    if after is not None and not (isinstance(after, include_files) and isinstance(source, str)):
        raise UsageError(errc.invalid, "create_kernel_bundle_from_source: after a text may come "
                         f"include_files(...), got {type(after).__name__} after "
                         f"{type(source).__name__}")
    return source_bundle(owner, language, source, files)


def _text_of(path: Path, language: source_language) -> str | bytes:
    """Return what a file holds."""
    try:
        held = path.read_bytes()
        return held if language is source_language.spirv else held.decode()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(errc.invalid, f"create_kernel_bundle_from_source: '{path}' cannot be read "
                         f"as {language.name}: {error}") from error


@ends_at_call
def build(bundle: source_bundle, *options: Any) -> built_bundle | python_bundle:
    """Compile a source bundle.

    Args:
        bundle: the text.
        options: a list of devices (all of the context that can if left out), ``build_options``,
            ``save_log``, ``registered_kernel_names``.

    Raises ``errc.build`` with the compiler's log.
    """
    names: list[str] = []
    words: list[str] = []
    logs: list[list[str]] = []
    owner = bundle.get_context()
    states = tuple(s for s in owner.state.devices if _compiles_here(s, bundle.language))
    for option in options:
        if isinstance(option, build_options):
            words += option.words
        elif isinstance(option, save_log):
            logs.append(option.target)
        elif isinstance(option, registered_kernel_names):
            names += option.names
        elif isinstance(option, list | tuple):
            states = chosen("build", option, owner)
        else:
            raise UsageError(errc.invalid, "build: expected devices, build_options, save_log or "
                             f"registered_kernel_names, got {type(option).__name__}")
    source = bundle.source
    if bundle.language is source_language.sycl:
        if words:
            raise UsageError(errc.invalid, "build: kernels of a text of Python have their options "
                             "at @kernel(properties=[build_options(...)])")
        return python_source.build(owner, states, str(source), bundle.files, names)
    if isinstance(source, str):
        source = with_includes(source, bundle.files)
    built = {s: (s.driver.adopt.source(bundle.language, source, tuple(words)),)
             for s in states}
    for target in logs:
        target += [b.log for programs in built.values() for b in programs]
    made = built_bundle(owner, built)
    absent = [name for name in names if not made.ext_oneapi_has_kernel(name)]
    if absent:
        raise BuildError(errc.build, f"build: the text has no kernel '{absent[0]}', which "
                         "registered_kernel_names names")
    return made
