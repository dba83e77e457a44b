"""Specialization constants and the handler that kernels ask for them (SYCL 2020 §4.9.5).

Non-goals: bundles (``api``). Invariant: a value has the type of its ``specialization_id``; in a
kernel it is a compile-time constant.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from unisycl.base import dtypes
from unisycl.base.errors import UsageError, errc
from unisycl.base.tracebacks import ends_at_call
from unisycl.lang.index.place import Unconstructible
from unisycl.lang.numbers.elements import elements_type

_MISSING: Any = object()


class specialization_id:
    """Names a constant that is set before a kernel is compiled (SYCL 2020 §4.9.5).

    Args:
        dtype: the type of the value: a number type, a vec or marray type, or a dataclass; left
            out, a Python number that takes the other operand's type.
        default: the value where none is set.

    Make one at the level of a module or a class. Example::

        radius = unisycl.specialization_id(np.int32, 3)

        def blur(i, src, dst, kh: unisycl.kernel_handler):
            for k in range(kh.get_specialization_constant(radius)):
                ...
    """

    __slots__ = ("__weakref__", "_made_by", "default", "dtype", "name")

    @ends_at_call
    def __init__(self, dtype: Any, default: Any = _MISSING) -> None:
        if default is _MISSING:
            dtype, default = dtype.dtype if isinstance(dtype, np.generic) else None, dtype
        composed = isinstance(dtype, elements_type) or (
            isinstance(dtype, type) and dataclasses.is_dataclass(dtype))
        self._made_by: Any = dtype if composed else None
        self.dtype: np.dtype[Any] | None = None if composed or dtype is None else np.dtype(dtype)
        if self.dtype is not None and dtypes.find_dtype(self.dtype) is None:
            raise UsageError(errc.invalid, f"specialization_id: a constant cannot be of type "
                             f"{dtype}; use bool, a number type, a vec or marray type or a "
                             "dataclass")
        self.name = ""
        self.default: Any = _MISSING
        self.default = self.convert(default)

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = f"{owner.__name__}.{name}"

    def convert(self, value: Any) -> Any:
        """Return a value in the constant's type; ``errc.invalid`` if it does not fit."""
        if self._made_by is not None:
            return self._compose(value)
        if self.dtype is not None:
            if not isinstance(value, bool | int | float | complex | np.generic):
                raise UsageError(errc.invalid, f"{self!r}: expected a number, got "
                                 f"{type(value).__name__}")
            try:
                return self.dtype.type(value)
            except (TypeError, ValueError, OverflowError) as err:
                raise UsageError(errc.invalid, f"{self!r}: {value!r} is no {self.dtype}: {err}"
                                 ) from err
        if not isinstance(value, bool | int | float):
            raise UsageError(errc.invalid, f"{self!r}: expected a number, got "
                             f"{type(value).__name__}; give the dtype first for NumPy's types")
        return value if self.default is _MISSING else type(self.default)(value)

    def _compose(self, value: Any) -> Any:
        """Return a value of a vec or marray type or a dataclass, which no one else shares."""
        kind = self._made_by
        if isinstance(value, kind):
            return copy.deepcopy(value)
        if isinstance(kind, elements_type):
            try:
                return kind(*value) if isinstance(value, tuple | list) else kind(value)
            except (TypeError, ValueError, OverflowError, UsageError) as err:
                raise UsageError(errc.invalid, f"{self!r}: {value!r} is no {kind.__name__}: {err}"
                                 ) from err
        raise UsageError(errc.invalid, f"{self!r}: expected a {kind.__name__}, got "
                         f"{type(value).__name__}")

    def __repr__(self) -> str:
        named = getattr(self, "_made_by", None)
        kind = "" if self.dtype is None else f" of {self.dtype}"
        if named is not None:
            kind = f" of {named.__name__}"
        return f"<specialization_id{' ' if self.name else ''}{self.name}{kind}>"


Constants = Mapping[specialization_id, Any]


def likeness(value: Any) -> Any:
    """Return what two values of a constant have in common if kernels cannot tell them apart."""
    if isinstance(value, np.generic):
        return type(value), value.tobytes()
    if dataclasses.is_dataclass(value):
        return type(value), tuple(likeness(getattr(value, f.name))
                                  for f in dataclasses.fields(value))
    if isinstance(value, tuple):
        return tuple(likeness(v) for v in value)
    if isinstance(value, Mapping):
        return frozenset((k, likeness(v)) for k, v in value.items())
    return type(value), repr(value)


class Arguments(tuple[Any, ...]):  # noqa: SLOT001 - a tuple cannot have slots of its own
    """A kernel's arguments and specialization constants."""

    constants: Constants

    @classmethod
    def with_constants(cls, arguments: tuple[Any, ...], constants: Constants) -> Arguments:
        """Return the arguments together with constants."""
        made = cls(arguments)
        made.constants = constants
        return made

    def likeness(self) -> frozenset[Any]:
        """Return what other arguments with equal constants have in common with these."""
        known: frozenset[Any] = likeness(self.constants)
        return known


def constant_of(arguments: tuple[Any, ...], name: specialization_id) -> Any:
    """Return the value a launch with these arguments gives a constant."""
    constants = getattr(arguments, "constants", None)
    return name.default if constants is None else constants.get(name, name.default)


class kernel_handler(Unconstructible):
    """Gives a kernel its specialization constants (SYCL 2020 §4.12.3).

    A kernel gets one as last argument if its last parameter is annotated with ``kernel_handler``
    or called ``kh``.
    """

    __slots__ = ("_arguments",)
    _arguments: tuple[Any, ...]

    @classmethod
    def _make(cls, arguments: tuple[Any, ...]) -> kernel_handler:
        made = object.__new__(cls)
        made._arguments = arguments
        return made

    @property
    def given(self) -> tuple[Any, ...]:
        """The kernel's other arguments, as they were given (internal)."""
        return self._arguments

    def get_specialization_constant(self, name: specialization_id) -> Any:
        """Return the constant's value (SYCL 2020 §4.12.3)."""
        value = constant_of(self._arguments, name)
        return value if name._made_by is None else copy.deepcopy(value)

