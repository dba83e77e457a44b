"""``reduction``: a variable that all work-items of a kernel combine into (SYCL 2020 §4.9.2).

Non-goals: combining (backends, ``lang.groups.reducer``). Invariant: the variable is one element of
a buffer or of USM, or all elements of an array or span; old values take part unless they are
initialised to the identity.
"""

from __future__ import annotations

import operator
from types import BuiltinFunctionType
from typing import Any

import numpy as np

from unisycl.api import properties
from unisycl.api.memory.access import Tag
from unisycl.api.memory.accessor import accessor
from unisycl.api.memory.buffer import buffer
from unisycl.api.memory.usm import usm_pointer
from unisycl.api.properties import HasProperties, Property, property_list
from unisycl.base.dtypes import find_dtype
from unisycl.base.enums import access_mode
from unisycl.base.errors import UsageError, errc
from unisycl.base.foreign_objects import native_help
from unisycl.base.tracebacks import ends_at_call
from unisycl.lang.numbers.function_objects import has_known_identity, known_identity, plus
from unisycl.runtime.graph.channel import Channel
from unisycl.runtime.graph.command_group import BoundView, Group
from unisycl.runtime.launch.args import bind_array

_MISSING: Any = object()


@ends_at_call
class reduction(HasProperties):
    """A reduction variable, given to ``parallel_for`` before the kernel (SYCL 2020 §4.9.2.1).

    Args:
        variable: a buffer of one element, USM memory (its first element), a ``span`` of USM
            memory, or a one-dimensional array; of several elements each is a variable, which the
            kernel subscripts: ``r[k] += x``. An accessor of one element will do, too.
            Complex numbers not from an accessor; bfloat16 is combined in float32 by SYCL's
            operators and rounded in the end.
        args: the handler (buffers only), then the identity if the operator has no known one, the
            operator (``plus``, ``minimum``, ..., or a function of two), properties.

    Example::

        total = unisycl.malloc_shared(1, np.float32, q)
        q.parallel_for(n, unisycl.reduction(total, unisycl.plus), kernel).wait()
    """

    __kernel_refusal__ = ("reductions come before the kernel: parallel_for(range, reduction, "
                          "kernel, *arguments)")
    __capture_refusal__ = "the kernel gets a reducer as its parameter behind the index"
    __slots__ = ("_properties", "_variable", "dtype", "extent", "identity", "initialize", "joint",
                 "op", "paired")

    def __init__(self, variable: Any, *args: Any) -> None:
        group = next((a for a in args if isinstance(a, Group)), None)
        given = [a for a in args if isinstance(a, Property | property_list)
                 or properties.is_property(a)]
        rest = [a for a in args if not isinstance(a, Group) and not any(a is g for g in given)]
        if not rest or len(rest) > 2 or not callable(rest[-1]):
            raise UsageError(errc.invalid, "reduction: give (variable, [handler,] [identity,] "
                             "operator); the operator is plus, minimum, ... or a function of two")
        self.op: Any = rest[-1]
        if isinstance(self.op, BuiltinFunctionType):
            _refuse_python(self.op)
        self._properties = properties.check(properties.flatten(given), "reduction")
        zero = len(rest) == 1 or (isinstance(rest[0], int | float | complex | np.number)
                                  and rest[0] == 0)
        halves = _halves(variable)
        self.joint = halves is not None and not (self.op is plus and zero)
        self.paired = halves is not None
        self._variable = self._resolve(variable if halves is None else halves, group)
        self.dtype: np.dtype[Any] = self._variable.dtype
        self.extent = _extent(self._variable)
        self.initialize = self._drops()
        self.identity = self._identity(
            rest[0] if len(rest) == 2 and self.joint >= self.paired else _MISSING)

    def _resolve(self, variable: Any, group: Group | None) -> Any:
        """Return what the result goes to: an accessor, USM, or an array."""
        if isinstance(variable, buffer):
            if group is None:
                raise UsageError(errc.invalid, "reduction: a buffer needs the handler after it")
            if variable.size() != 1 + self.paired:
                raise UsageError(errc.invalid, f"reduction: the buffer has {variable.size()} "
                                 "elements; it must have 1")
            drop = self.has_property(properties.property.reduction.initialize_to_identity)
            tag = Tag("reduction", access_mode.write if drop else access_mode.read_write)
            return accessor(variable, group, tag)
        if isinstance(variable, accessor):
            if variable.size() != 1:
                raise UsageError(errc.invalid, f"reduction: the accessor has {variable.size()} "
                                 "elements; it must have 1")
            if not variable.mode.writes:
                raise UsageError(errc.invalid, "reduction: the accessor is read-only; request "
                                 "write_only or read_write")
            return variable
        if isinstance(variable, usm_pointer):
            if variable.size() < 1:
                raise UsageError(errc.invalid, "reduction: the USM memory has no element")
            return variable if variable.shape == (1 + self.paired,) else usm_pointer(
                variable.block, variable.dtype, (1 + self.paired,), variable.offset)
        if isinstance(variable, span):
            return variable.data
        if isinstance(variable, np.ndarray):
            if (variable.ndim != 1 and variable.size != 1) or not variable.size \
                    or not variable.flags.writeable:
                kind = "" if variable.flags.writeable else "read-only "
                raise UsageError(errc.invalid, f"reduction: a {kind}array of shape "
                                 f"{variable.shape}; it must be writable, of one dimension and not "
                                 "empty")
            return variable
        raise UsageError(errc.invalid, "reduction: expected a buffer, USM memory, a span or an "
                         f"array, got {type(variable).__name__}{native_help(variable)}")

    def _drops(self) -> bool:
        """Say whether old values do not count: as asked, or because an accessor discards them."""
        dropped = properties.property.no_init
        return self.has_property(properties.property.reduction.initialize_to_identity) or (
            isinstance(self._variable, accessor) and self._variable.has_property(dropped))

    def _identity(self, given: Any) -> Any:
        kind = np.result_type(self.dtype, np.complex64) if self.joint else self.dtype
        if given is not _MISSING and kind.names:
            raise UsageError(errc.invalid, "reduction: the variable is a record; reduce numbers, "
                             "or the best place as an integer; dpl.reduce of unisycl.oneapi "
                             "combines records and tuples")
        if given is not _MISSING:
            return kind.type(given)
        if has_known_identity(self.op, kind):
            return known_identity(self.op, kind)
        if self.initialize:
            name = getattr(self.op, "__name__", repr(self.op))
            raise UsageError(errc.invalid, f"reduction: initialize_to_identity needs an identity, "
                             f"and none is known for {name} on {kind}; give it before the "
                             "operator")
        return None

    def bind_result(self, group: Group | None, channel: Channel) -> tuple[Any, bool]:
        """Return where the result goes, and whether the old value is dropped (internal)."""
        if isinstance(self._variable, np.ndarray):
            view = bind_array(self._variable.reshape(-1)[:self.extent], channel)
            if not isinstance(view, BoundView):
                return view, self.initialize
        else:
            view = self._variable.bind(group, channel)
        return BoundView(view.memory, view.offset, (self.extent,), (1,)), self.initialize

    def bind_variable(self, group: Group | None, channel: Channel) -> tuple[Any, bool]:
        """Return what tells this launch's result from others', as ``bind_result`` (internal)."""
        if isinstance(self._variable, np.ndarray):
            return None, self.initialize
        return self._variable.bind(group, channel), self.initialize

    @property
    def block(self) -> Any:
        """The USM allocation that the result goes to; None for other memory (internal)."""
        return getattr(self._variable, "block", None)

    def __repr__(self) -> str:
        return f"reduction({self._variable!r}, {getattr(self.op, '__name__', self.op)})"


def _refuse_python(op: Any) -> None:
    """Refuse Python's functions of many values where an operator of two is meant."""
    instead = {max: "maximum", min: "minimum", sum: "plus", any: "logical_or",
               all: "logical_and"}.get(op)
    if instead is not None:
        raise UsageError(errc.invalid, f"reduction: {op.__name__} is Python's function; the "
                         f"operator of two values is unisycl.{instead}()")


@ends_at_call
class span:
    """Neighbouring elements of USM memory or an array, their number fixed (C++ ``std::span``).

    Args:
        data: USM memory or a one-dimensional array.
        extent: how many of its first elements; all if left out.

    Raises ``errc.invalid`` if there are fewer, or none.
    """

    __slots__ = ("data", "extent")

    def __init__(self, data: Any, extent: int | None = None) -> None:
        if not isinstance(data, usm_pointer | np.ndarray) or len(data.shape) != 1:
            raise UsageError(errc.invalid, "span: expected USM memory or an array of one "
                             f"dimension, got {type(data).__name__}")
        whole = data.shape[0]
        self.extent = whole if extent is None else operator.index(extent)
        if not 0 < self.extent <= whole:
            raise UsageError(errc.invalid, f"span: {self.extent} elements of {whole}")
        self.data: Any = data[:self.extent] if isinstance(data, np.ndarray) else usm_pointer(
            data.block, data.dtype, (self.extent,), data.offset)

    def __len__(self) -> int:
        return self.extent

    def __repr__(self) -> str:
        return f"span({self.data!r})"


def _halves(variable: Any) -> Any:
    """Return complex variables as their parts, one after another; None for other things."""
    if isinstance(variable, span):
        inner = _halves(variable.data)
        return None if inner is None else span(inner)
    dtype = getattr(variable, "dtype", None)
    row = find_dtype(dtype) if dtype is not None else None
    if row is None or row.kind != "c":
        return None
    part = row.part.numpy
    if isinstance(variable, buffer) and variable.size() == 1:
        return variable.reinterpret(part, 2)
    if isinstance(variable, usm_pointer) and variable.size():
        return usm_pointer(variable.block, part, (2 * variable.size(),), variable.offset)
    if isinstance(variable, np.ndarray) and variable.flags.c_contiguous:
        return variable.reshape(-1).view(part)
    return None


def _extent(variable: Any) -> int:
    """Return how many variables there are."""
    return int(variable.size) if isinstance(variable, np.ndarray) else int(variable.size())
