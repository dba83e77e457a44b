"""``program``: SYCL 1.2's kernel bundles (§3.7.2.6).

Non-goals: text in OpenCL C (``create_kernel_bundle_from_source``). Invariants: a program is kernel
bundles and the options they were compiled with, or one of OpenCL's; what a compiler misses in
kernels that are compiled, and not yet linked, is an error where they are linked.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator
from typing import Any, cast

from unisycl.api.bundles import functions
from unisycl.api.bundles.kernel_bundle import device_kernel, kernel_bundle
from unisycl.api.bundles.source_bundle import built_bundle
from unisycl.api.devices.context import context
from unisycl.api.devices.device import device
from unisycl.api.interop.make import make_kernel_bundle
from unisycl.api.interop.native_objects import get_native
from unisycl.base.enums import NATIVE_OF_12, bundle_state
from unisycl.base.errors import BuildError, KernelError, UnsupportedError, UsageError, errc
from unisycl.base.foreign_objects import is_native
from unisycl.base.tracebacks import ends_at_call
from unisycl.compat12.devices import retained
from unisycl.compat12.kernels import cl_kernel
from unisycl.compat12.options import check_linking, traits_of
from unisycl.lang.kernels.kernel_properties import Traits, joined
from unisycl.runtime.launch.compile_ahead import Compiled


class program_info(enum.IntEnum):
    """What ``program.get_info`` tells, by OpenCL's numbers."""

    reference_count = 0x1160
    context = 0x1161
    num_devices = 0x1162
    devices = 0x1163
    source = 0x1164
    binary_sizes = 0x1165
    binaries = 0x1166
    num_kernels = 0x1167
    kernel_names = 0x1168


@ends_at_call
class program:
    """Kernels compiled together for a context (SYCL 1.2 §3.7.2.6).

    Args:
        source: a context, or a list of programs to link.
        rest: the devices, OpenCL's program, or the link options (a string).
    """

    __slots__ = ("_bundles", "_context", "_devices", "_native", "_options", "_state", "_waiting")

    def __init__(self, source: Any, *rest: Any) -> None:
        self._options: list[str] = []
        self._bundles: list[kernel_bundle] = []
        self._waiting: list[tuple[kernel_bundle, Traits, BuildError]] = []
        self._native: built_bundle | None = None
        self._state: bundle_state | None = None
        if isinstance(source, context):
            self._context = source
            if rest and is_native(rest[0]):
                self._take(rest[0])
                return
            self._devices = list(rest[0]) if rest else source.get_devices()
            return
        linked = list(source) if isinstance(source, Iterable) else [source]
        if not linked or not all(isinstance(p, program) for p in linked):
            raise UsageError(errc.invalid, "program: expected a context or a list of programs")
        self._link(linked, "".join(rest))

    # ------------------------------------------------------------------ making
    def _take(self, native: Any) -> None:
        """Be one of OpenCL's, compiled where it is source."""
        try:
            self._native = make_kernel_bundle(NATIVE_OF_12, native, self._context,
                                              bundle_state.object)
        except UsageError:  # it is linked already
            self._native = make_kernel_bundle(NATIVE_OF_12, native, self._context)
        self._state = self._native.state
        self._devices = self._native.get_devices()

    def _link(self, linked: list[program], options: str) -> None:
        if any(p._state is not bundle_state.object for p in linked):
            raise UsageError(errc.invalid, "program: only programs that were compiled "
                             "(compile_from_kernel_name) can be linked")
        self._context = linked[0]._context
        self._devices = linked[0]._devices
        check_linking(options, [d.state for d in self._devices])
        self._options = [o for p in linked for o in p._options] + [options] * bool(options)
        objects = [b for p in linked for b in p._bundles]
        waiting = [w for p in linked for w in p._waiting]
        libraries = tuple(self._library(n) for p in linked if p._native is not None
                          for n in p._native.natives())
        if waiting and not libraries:
            raise waiting[0][2]
        for source, traits, _ in waiting:
            objects.append(source.compiled([d.state for d in self._devices], joined(
                "program", traits, (("linked", libraries),))))
        if not objects:
            raise UnsupportedError(errc.feature_not_supported, "program: no kernel of Python is "
                                   "among these programs; link native ones natively")
        self._bundles = [functions.link(objects)]
        self._state = bundle_state.executable

    def _library(self, native: Any) -> int:
        """Return the number by which kernels name a program of OpenCL's to be linked with."""
        numbers = {d.state.driver.adopt.library(native) for d in self._devices}
        if len(numbers) != 1 or None in numbers:
            raise UsageError(errc.invalid, "program: kernels are linked with native programs of "
                             "their own context")
        return int(numbers.pop())

    def compile_from_kernel_name(self, kernel: Any, options: str = "") -> None:
        """Compile a kernel, ready to be linked; ``errc.build`` for options no compiler knows."""
        self._add(kernel, options, bundle_state.object)

    def build_from_kernel_name(self, kernel: Any, options: str = "") -> None:
        """Build a kernel, ready to run; ``errc.build`` for options no compiler knows."""
        self._add(kernel, options, bundle_state.executable)

    build_kernel_from_name = build_from_kernel_name  # as the document's example calls it

    def _add(self, kernel: Any, options: str, state: bundle_state) -> None:
        if self._state not in (None, state) or self._native is not None:
            raise UsageError(errc.invalid, "program: its kernels are in state "
                             f"{getattr(self._state, 'name', '')} already; use another program")
        states = [d.state for d in self._devices]
        traits = traits_of(options, states)
        source = functions.get_kernel_bundle(self._context, self._devices, [kernel],
                                           state=bundle_state.input)
        try:
            compiled = source.compiled(states, traits)
        except BuildError as error:
            if state is bundle_state.executable or isinstance(error.__cause__, KernelError):
                raise
            self._waiting.append((source, traits, error))
        else:
            self._bundles.append(compiled if state is bundle_state.object else functions.link(
                compiled))
        self._state = state
        if options:
            self._options.append(options)

    # ------------------------------------------------------------------ using
    def executable(self) -> kernel_bundle:
        """Return the bundle that launches use."""
        if self._native is not None:
            raise UsageError(errc.invalid, "program: it is a native one; launch its kernels, "
                             "which get_kernel gives by name")
        if self._state is not bundle_state.executable:
            raise UsageError(errc.invalid, "program: build its kernels, or link it, before they "
                             "are launched")
        return functions.join(self._bundles)

    def get_kernel(self, kernel: Any) -> Any:
        """Return one of the kernels; ``errc.invalid`` if it is not in the program.

        Args:
            kernel: the function; of OpenCL's programs the name.
        """
        if self._native is not None:
            if self._state is not bundle_state.executable:
                raise UsageError(errc.invalid, "program: link it before its kernels are taken")
            return native_program_kernel(self._native.ext_oneapi_get_kernel(kernel).get_native(),
                                         self)
        found = self.executable().get_kernel(kernel)
        made: Any = program_kernel._of(found._source, found._bundle, found._devices,
                                       found._compiled)
        made._program = self
        return cast("program_kernel", made)

    def get(self) -> Any:
        """Return OpenCL's program, retained for the caller (SYCL 1.2 §2.5.10)."""
        if self._native is not None:
            return retained(self._native.natives()[0])
        found = get_native(NATIVE_OF_12, self.executable())
        if not found:
            raise UsageError(errc.invalid, "get: nothing of this program has been compiled; name "
                             "the forms of its kernels' launches with kernel.declare")
        return retained(found[0])

    # ------------------------------------------------------------------ asking
    def get_devices(self) -> list[device]:
        """Return the devices."""
        return list(self._devices)

    def get_context(self) -> context:
        """Return the context."""
        return self._context

    def get_build_options(self) -> str:
        """Return the options given so far."""
        return " ".join(self._options)

    def get_info(self, what: Any) -> Any:
        """Return what a ``program_info``, or OpenCL's number of one, asks for (Table 3.48).

        Of several kernels, each of which is a program of OpenCL's own, the sources follow one
        another, and the count is that of the first.
        """
        try:
            asked = program_info(what)
        except ValueError:
            raise UsageError(errc.invalid, f"program.get_info: expected one of program_info, or "
                             f"its number, got {what!r}") from None
        return _ANSWERS[asked](self)

    def get_binaries(self) -> list[bytes]:
        """Return what was compiled, for each device: its driver's binary, or machine code as text.

        A device has one for each kernel that was compiled for it, or an empty one.
        """
        return [b for d in self._devices for b in self._binaries_of(d)]

    def get_binary_sizes(self) -> list[int]:
        """Return the sizes of what ``get_binaries`` gives."""
        return [len(b) for b in self.get_binaries()]

    def _binaries_of(self, on: device) -> list[bytes]:
        driver = on.state.driver
        if self._native is not None:
            return [driver.native.binary(_Alone(n)) for n in self._native.natives()]
        return [_code(c) for c in self._compiled() if c.device is on.state] or [b""]

    def _compiled(self) -> Iterator[Compiled]:
        for bundle in self._bundles:
            yield from bundle.compiled_forms()

    def _names(self) -> list[str]:
        if self._native is not None:
            return [n for native in self._native.natives() for n in _names_of(native)]
        found = {i.get_name().rpartition(".")[2]: None for b in self._bundles
                 for i in b.get_kernel_ids()}
        return list(found)

    def _source(self) -> str:
        if self._native is not None:
            return str(self._native.natives()[0].get_info(int(program_info.source)))
        texts = [_text(c, "source") for c in self._compiled()]
        return "\n".join(dict.fromkeys(t for t in texts if t))

    def _reference_count(self) -> int:
        return int(self.get().get_info(int(program_info.reference_count))) - 1  # get has one

    def __repr__(self) -> str:
        return f"<program of {', '.join(sorted(self._names())) or 'no kernels'}>"


_ANSWERS: dict[program_info, Callable[[program], Any]] = {
    program_info.reference_count: program._reference_count,
    program_info.context: program.get_context,
    program_info.num_devices: lambda p: len(p._devices),
    program_info.devices: program.get_devices,
    program_info.source: program._source,
    program_info.binary_sizes: program.get_binary_sizes,
    program_info.binaries: program.get_binaries,
    program_info.num_kernels: lambda p: len(p._names()),
    program_info.kernel_names: lambda p: ";".join(p._names()),
}


class program_kernel(device_kernel):
    """A kernel of a program (SYCL 1.2 §3.7.2.5)."""

    __slots__ = ("_program",)
    _program: program

    def get(self) -> Any:
        """Return OpenCL's kernel, retained for the caller (SYCL 1.2 §2.5.10)."""
        return retained(get_native(NATIVE_OF_12, self))

    def get_program(self) -> program:
        """Return the program."""
        return self._program

    def get_function_name(self) -> str:
        """Return the kernel's name."""
        return str(getattr(self.function, "__name__", type(self.function).__name__))

    def get_kernel_attributes(self) -> str:
        """Return the kernel's attributes."""
        return self._attributes()


class native_program_kernel(cl_kernel):
    """A kernel of a program that is one of OpenCL's."""

    __slots__ = ("_program",)

    def __init__(self, native: Any, of: program) -> None:
        super().__init__(native, of.get_context())
        self._program = of

    def get_program(self) -> program:
        """Return the program."""
        return self._program


class _Alone:
    """A program of OpenCL's where what was compiled of a kernel is meant."""

    def __init__(self, native: Any) -> None:
        self.program = native


def _names_of(native: Any) -> list[str]:
    return [n for n in native.get_info(int(program_info.kernel_names)).split(";") if n]


def _code(compiled: Compiled) -> bytes:
    try:
        return compiled.device.driver.native.binary(compiled.program.executable)
    except UnsupportedError:
        return _text(compiled, "asm").encode()


def _text(compiled: Compiled, stage: str) -> str:
    try:
        return str(compiled.device.driver.text(compiled.kernel, compiled.geometry, stage))
    except UnsupportedError:
        return ""
