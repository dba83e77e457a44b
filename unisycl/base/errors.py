"""Every exception class of unisycl, and how a diagnostic is rendered.

Non-goals: deciding when something is an error. Invariant: one ``except unisycl.exception`` catches
everything raised here (SYCL 2020 §4.13.2).
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from unisycl.base.span import Span


class errc(enum.IntEnum):
    """SYCL 2020 §4.13.2: the error codes of the ``sycl`` category."""

    success = 0
    runtime = 1
    kernel = 2
    accessor = 3
    nd_range = 4
    event = 5
    kernel_argument = 6
    build = 7
    invalid = 8
    memory_allocation = 9
    platform = 10
    profiling = 11
    feature_not_supported = 12
    kernel_not_supported = 13
    backend_mismatch = 14


@dataclass(frozen=True, slots=True)
class error_category:
    """Names the family an error code belongs to; ``name()`` is ``"sycl"`` for the core codes."""

    _name: str = "sycl"

    def name(self) -> str:
        """Return the category's name."""
        return self._name


def sycl_category() -> error_category:
    """Return the category of the core codes (SYCL 2020 §4.13.2)."""
    return error_category()


class exception(Exception):
    """The error every unisycl call raises (SYCL 2020 §4.13.2).

    Args:
        code: what went wrong, an ``errc``.
        message: what, what was expected, what to do.
        context: the SYCL context concerned, if any.
    """

    def __init__(self, code: errc = errc.runtime, message: str = "",
                 context: object = None) -> None:
        super().__init__(code, message)
        self._code = code
        self._message = message
        self._context = context

    def code(self) -> errc:
        """Return the error code."""
        return self._code

    def category(self) -> error_category:
        """Return the category of the code."""
        return sycl_category()

    def what(self) -> str:
        """Return the message."""
        return self._message

    def get_description(self) -> str:
        """Return the message, as SYCL 1.2 §3.2 spells it."""
        return self._message

    def has_context(self) -> bool:
        """Say whether the error belongs to a context."""
        return self._context is not None

    def get_context(self) -> object:
        """Return the context the error belongs to; ``errc.invalid`` if there is none."""
        if self._context is None:
            raise exception(errc.invalid, "this exception has no context; ask has_context() first")
        return self._context

    def __str__(self) -> str:
        return f"{self._message} [errc.{self._code.name}]" if self._message else self._code.name

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self._code, self._message))


class UsageError(exception, ValueError):
    """The host API was given something it cannot accept; nothing was enqueued."""


class BoundsError(exception, IndexError):
    """An index lies outside the memory it was used on; the message names both."""


class UnsupportedError(exception):
    """The device lacks an aspect, a size or a built-in; the message names both."""


class BuildError(exception):
    """A device compiler refused; the message carries its log."""


class DeviceError(exception):
    """A command failed while it ran; raised where the program waits for it."""


class NativeError(DeviceError):
    """A native interface refused; ``native_code`` is what it returned (SYCL 2020 App. C.7.4)."""

    def __init__(self, code: errc = errc.runtime, message: str = "", context: object = None,
                 native_code: int = 0) -> None:
        super().__init__(code, message, context)
        self.native_code = native_code

    def get_cl_code(self) -> int:
        """Return the native code, as SYCL 1.2 §3.2 spells it."""
        return self.native_code

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self._code, self._message, None, self.native_code))


class KernelWarning(UserWarning):
    """A kernel compiles, but may not do what it was written for; the place is the kernel's line."""


class FollowingError(NativeError):
    """A native command did not run because one before it failed."""


class InternalError(exception):
    """A defect of unisycl itself. Please report it with the message."""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One thing that is wrong with a kernel: stable id, reason, place, and the way out."""

    id: str
    message: str
    span: Span | None = None
    help: str = ""
    notes: tuple[tuple[str, Span | None], ...] = ()

    def render(self) -> str:
        """Return the text a user reads: place, source line, caret, reason, way out."""
        place = f"{self.span.place()}: " if self.span else ""
        lines = [f"{place}error {self.id}: {self.message}"]
        if self.span:
            lines += self.span.excerpt()
        for text, span in self.notes:
            lines.append(f"  note: {text}" + (f" ({span.place()})" if span else ""))
        if self.help:
            lines.append(f"  help: {self.help}")
        return "\n".join(lines)


class KernelError(exception):
    """The kernel cannot be compiled: every problem of it at once, each at the user's line.

    ``diagnostics`` holds them; ``str()`` renders them (SYCL 2020 §5.4).
    """

    def __init__(self, diagnostics: Sequence[Diagnostic], kernel: str = "",
                 code: errc = errc.kernel) -> None:
        self.diagnostics = tuple(diagnostics)
        self.kernel = kernel
        count = len(self.diagnostics)
        head = f"kernel '{kernel}' cannot be compiled ({count} error{'s' if count != 1 else ''})"
        super().__init__(code, "\n".join([head, *(d.render() for d in self.diagnostics)]))

    def __str__(self) -> str:
        return self._message

    def __reduce__(self) -> tuple[object, ...]:
        return (KernelError, (self.diagnostics, self.kernel, self._code))


@dataclass(slots=True)
class exception_list:
    """What an asynchronous handler receives (SYCL 2020 §4.13.2): sized and iterable."""

    errors: list[BaseException] = field(default_factory=list)

    def size(self) -> int:
        """Return the number of errors."""
        return len(self.errors)

    def __len__(self) -> int:
        return len(self.errors)

    def __iter__(self) -> Iterator[BaseException]:
        return iter(self.errors)
