"""``program``: SYCL 1.2's kernel bundles (§3.7.2.6).

Non-goals: OpenCL C programs. Invariant: a program is a kernel bundle and the options it was given.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from unisycl.api import bundles
from unisycl.api.context import context
from unisycl.api.device import device
from unisycl.api.device_kernel import device_kernel
from unisycl.api.interop import get_native
from unisycl.api.kernel_bundle import kernel_bundle
from unisycl.base.enums import NATIVE_OF_12, bundle_state
from unisycl.base.errors import UnsupportedError, UsageError, errc
from unisycl.base.tracebacks import ends_at_call
from unisycl.compat12.devices import retained


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


@ends_at_call
class program:
    """Kernels compiled together for a context (SYCL 1.2 §3.7.2.6).

    Args:
        source: a context, or a list of programs to link.
        rest: the devices, or the link options (a string).
    """

    __slots__ = ("_bundles", "_context", "_devices", "_options", "_state")

    def __init__(self, source: Any, *rest: Any) -> None:
        self._options: list[str] = []
        self._bundles: list[kernel_bundle] = []
        self._state: bundle_state | None = None
        if isinstance(source, context):
            self._context = source
            self._devices = list(rest[0]) if rest else source.get_devices()
            return
        linked = list(source) if isinstance(source, Iterable) else [source]
        if not linked or not all(isinstance(p, program) for p in linked):
            raise UsageError(errc.invalid, "program: expected a context or a list of programs")
        self._context = linked[0]._context
        self._devices = linked[0]._devices
        objects = [b for p in linked for b in p._bundles]
        if any(p._state is not bundle_state.object for p in linked):
            raise UsageError(errc.invalid, "program: only programs that were compiled "
                             "(compile_from_kernel_name) can be linked")
        self._options = [o for p in linked for o in p._options] + [o for o in rest if o]
        self._bundles = [bundles.link(objects)]
        self._state = bundle_state.executable

    def compile_from_kernel_name(self, kernel: Any, options: str = "") -> None:
        """Compile a kernel, ready to be linked."""
        self._add(kernel, options, bundle_state.object)

    def build_from_kernel_name(self, kernel: Any, options: str = "") -> None:
        """Build a kernel, ready to run."""
        self._add(kernel, options, bundle_state.executable)

    build_kernel_from_name = build_from_kernel_name  # as the document's example calls it

    def _add(self, kernel: Any, options: str, state: bundle_state) -> None:
        if self._state not in (None, state):
            raise UsageError(errc.invalid, "program: its kernels are in state "
                             f"{getattr(self._state, 'name', '')} already; use another program")
        self._bundles.append(bundles.get_kernel_bundle(
            self._context, self._devices, [kernel], state=state))
        self._state = state
        if options:
            self._options.append(options)

    def executable(self) -> kernel_bundle:
        """Return the bundle that launches use."""
        if self._state is not bundle_state.executable:
            raise UsageError(errc.invalid, "program: build its kernels, or link it, before they "
                             "are launched")
        return bundles.join(self._bundles)

    def get_kernel(self, kernel: Any) -> program_kernel:
        """Return one of the kernels; ``errc.invalid`` if it is not in the program."""
        found = self.executable().get_kernel(kernel)
        made: Any = program_kernel._of(found._source, found._bundle, found._devices,
                                       found._compiled)
        made._program = self
        return cast("program_kernel", made)

    def get(self) -> Any:
        """Return OpenCL's program, retained for the caller (SYCL 1.2 §2.5.10)."""
        found = get_native(NATIVE_OF_12, self.executable())
        return retained(found[0])

    def get_devices(self) -> list[device]:
        """Return the devices."""
        return list(self._devices)

    def get_context(self) -> context:
        """Return the context."""
        return self._context

    def get_build_options(self) -> str:
        """Return the options given so far; they are kept, and change nothing."""
        return " ".join(self._options)

    def get_binaries(self) -> list[bytes]:
        """Return what was compiled, for each device: machine code as text, or nothing."""
        return [b"\n".join(_code(c) for image in self.executable() for c in image.compiled
                           if c.device is d.state) for d in self._devices]

    def get_binary_sizes(self) -> list[int]:
        """Return the sizes of what ``get_binaries`` gives."""
        return [len(b) for b in self.get_binaries()]

    def __repr__(self) -> str:
        names = {i.get_name() for b in self._bundles for i in b.get_kernel_ids()}
        return f"<program of {', '.join(sorted(names)) or 'no kernels'}>"


def _code(compiled: Any) -> bytes:
    try:
        text = compiled.device.driver.text(compiled.kernel, compiled.geometry, "asm")
    except UnsupportedError:
        return b""
    return str(text).encode()
