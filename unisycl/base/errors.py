"""Every exception class of unisycl, and how a diagnostic is rendered.

Non-goals: deciding when something is an error. Invariant: one ``except unisycl.exception`` catches
everything raised here (SYCL 2020 §4.13.2).
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from unisycl.base.spans import Span


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

    def category(self) -> error_category:
        """Return the category of the core codes."""
        return sycl_category()

    def message(self) -> str:
        """Return the code's name, for people."""
        return self.name


@dataclass(frozen=True, slots=True)
class error_category:
    """Names the family an error code belongs to; ``name()`` is ``"sycl"`` for the core codes.

    A program makes categories of its own with another name.
    """

    _name: str = "sycl"

    def name(self) -> str:
        """Return the category's name."""
        return self._name

    def message(self, value: int) -> str:
        """Return the meaning of a code of this category, where known."""
        known = self._name == "sycl" and value in errc.__members__.values()
        return errc(value).message() if known else f"{self._name} error {value}"


def sycl_category() -> error_category:
    """Return the category of the core codes (SYCL 2020 §4.13.2)."""
    return _SYCL


_SYCL = error_category()


class error_code:
    """A number and the category it belongs to: ``std::error_code`` (SYCL 2020 §4.13.2).

    One of the category ``sycl`` equals the ``errc`` of its number. Without arguments, or of number
    0, it says that nothing is wrong.

    Args:
        value: the number, or an ``errc``.
        category: what the number is of; left out: that of ``sycl``.
    """

    __slots__ = ("_category", "_value")

    def __init__(self, value: Any = 0, category: Any = _SYCL) -> None:
        if not isinstance(value, int) or not isinstance(category, error_category):
            raise UsageError(errc.invalid, "error_code: expected (number, error_category), got "
                             f"({type(value).__name__}, {type(category).__name__})")
        self._value = int(value)
        self._category: error_category = category

    def value(self) -> int:
        """Return the number."""
        return self._value

    def category(self) -> error_category:
        """Return the category."""
        return self._category

    def message(self) -> str:
        """Return its meaning, where the category knows it."""
        return self._category.message(self._value)

    def __bool__(self) -> bool:
        return self._value != 0

    def __eq__(self, other: object) -> bool:
        if isinstance(other, errc):
            other = error_code(other)
        if not isinstance(other, error_code):
            return NotImplemented
        return (self._value, self._category) == (other._value, other._category)

    def __hash__(self) -> int:
        return hash(self._value)  # an errc's is its number's, too

    def __reduce__(self) -> tuple[object, ...]:
        return (error_code, (self._value, self._category))

    def __repr__(self) -> str:
        return f"<error_code {self._category.name()}:{self._value}>"


def make_error_code(code: errc) -> error_code:
    """Return the ``error_code`` of an ``errc`` (SYCL 2020 §4.13.2)."""
    if not isinstance(code, errc):
        raise UsageError(errc.invalid, f"make_error_code takes an errc, got {code!r}")
    return error_code(code)


def is_error_code_enum(kind: object) -> bool:
    """Say whether values of a type count as an ``error_code`` (SYCL 2020 §4.13.2): ``errc``."""
    return isinstance(kind, type) and issubclass(kind, errc)


class exception(Exception):
    """The error every unisycl call raises (SYCL 2020 §4.13.2).

    Args:
        arguments: ``([context,] code[, message])`` or ``([context,] number, category[, message])``.
            ``code`` is an ``errc`` or an ``error_code``; ``message`` says what, what was expected,
            what to do.
        code: the same by name.
        message: the same by name.
        context: the SYCL context concerned, if any.
    """

    def __init__(self, *arguments: Any, code: errc | error_code | None = None,
                 message: str | None = None, context: object = None) -> None:
        what, text, where = _sorted_out(list(arguments))
        self._code = _settled(code if what is None else what)
        self._message = (message or "") if text is None else text
        self._context = context if where is None else where
        super().__init__(self._code, self._message)

    def code(self) -> errc | error_code:
        """Return the error code; one of the category ``sycl`` is an ``errc``."""
        return self._code

    def category(self) -> error_category:
        """Return the category of the code."""
        return self._code.category()

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
        code = self._code
        name = f"errc.{code.name}" if isinstance(code, errc) else code.message()
        return f"{self._message} [{name}]" if self._message else name.removeprefix("errc.")

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self._code, self._message))


def _sorted_out(given: list[Any]) -> tuple[Any, str | None, object]:
    """Return the code, the text and the context among the arguments of ``exception``."""
    form = list(given)
    where = None
    if form and not isinstance(form[0], int | error_code | str):
        where = form.pop(0)
    code = form.pop(0) if form and isinstance(form[0], int | error_code) else None
    if form and isinstance(form[0], error_category) and type(code) is int:
        code = error_code(code, form.pop(0))
    text = form.pop(0) if form and isinstance(form[0], str) else None
    if form and where is None:
        where = form.pop(0)  # the context may come last, too
    if form or type(code) in (bool, int) or not (where is None or hasattr(where, "get_devices")):
        raise UsageError(errc.invalid, "exception: expected ([context,] errc or error_code[, "
                         "message]) or ([context,] number, error_category[, message]), got "
                         f"({', '.join(type(x).__name__ for x in given)})")
    return code, text, where


def _settled(code: errc | error_code | None) -> errc | error_code:
    """Return the ``errc`` of a code of SYCL's; ``errc.runtime`` if there is none."""
    if isinstance(code, error_code) and code.category() == _SYCL and (
            code.value() in errc.__members__.values()):
        return errc(code.value())
    return errc.runtime if code is None else code


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

    def __init__(self, code: errc | error_code = errc.runtime, message: str = "",
                 context: object = None,
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
    """One fault of a kernel: stable id, reason, place, and the way out."""

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
    """The errors given to an asynchronous handler (SYCL 2020 §4.13.2): sized and iterable."""

    errors: list[BaseException] = field(default_factory=list)

    def size(self) -> int:
        """Return the number of errors."""
        return len(self.errors)

    def __len__(self) -> int:
        return len(self.errors)

    def __iter__(self) -> Iterator[BaseException]:
        return iter(self.errors)
