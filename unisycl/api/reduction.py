"""``reduction``: a variable that all work-items of a kernel combine into (SYCL 2020 §4.9.2).

Non-goals: combining (backends, ``lang.reducer``). Invariant: the variable is one element of a
buffer, of USM or of an array; its old value takes part unless it is initialised to the identity.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from unisycl.api import properties
from unisycl.api.access import Tag
from unisycl.api.accessor import accessor
from unisycl.api.buffer import buffer
from unisycl.api.properties import HasProperties, Property, property_list
from unisycl.api.usm import usm_pointer
from unisycl.base.enums import access_mode
from unisycl.base.errors import UsageError, errc
from unisycl.lang.functions import has_known_identity, known_identity
from unisycl.runtime.args import bind_array
from unisycl.runtime.channel import Channel
from unisycl.runtime.group import BoundView, Group

_MISSING: Any = object()


class reduction(HasProperties):
    """A reduction variable, given to ``parallel_for`` before the kernel (SYCL 2020 §4.9.2.1).

    Args:
        variable: a buffer of one element, USM memory (its first element), or an array of one
            element.
        args: the handler (buffers only), then the identity if the operator has no known one, the
            operator (``plus``, ``minimum``, ..., or a function of two), properties.

    Example::

        total = unisycl.malloc_shared(1, np.float32, q)
        q.parallel_for(n, unisycl.reduction(total, unisycl.plus), kernel).wait()
    """

    __slots__ = ("_properties", "_variable", "dtype", "identity", "initialize", "op")

    def __init__(self, variable: Any, *args: Any) -> None:
        group = next((a for a in args if isinstance(a, Group)), None)
        given = [a for a in args if isinstance(a, Property | property_list)
                 or properties.is_property(a)]
        rest = [a for a in args if not isinstance(a, Group) and not any(a is g for g in given)]
        if not rest or len(rest) > 2 or not callable(rest[-1]):
            raise UsageError(errc.invalid, "reduction: give (variable, [handler,] [identity,] "
                             "operator); the operator is plus, minimum, ... or a function of two")
        self.op: Any = rest[-1]
        self._properties = properties.check(properties.flatten(given), "reduction")
        self._variable = self._resolve(variable, group)
        self.dtype: np.dtype[Any] = self._variable.dtype
        self.initialize = self.has_property(properties.property.reduction.initialize_to_identity)
        self.identity = self._identity(rest[0] if len(rest) == 2 else _MISSING)

    def _resolve(self, variable: Any, group: Group | None) -> Any:
        """Return what the result goes to: an accessor, USM, or an array."""
        if isinstance(variable, buffer):
            if group is None:
                raise UsageError(errc.invalid, "reduction: a buffer needs the handler after it")
            if variable.size() != 1:
                raise UsageError(errc.invalid, f"reduction: the buffer has {variable.size()} "
                                 "elements; it must have 1")
            drop = self.has_property(properties.property.reduction.initialize_to_identity)
            tag = Tag("reduction", access_mode.write if drop else access_mode.read_write)
            return accessor(variable, group, tag)
        if isinstance(variable, accessor):
            if variable.size() != 1:
                raise UsageError(errc.invalid, f"reduction: the accessor has {variable.size()} "
                                 "elements; it must have 1")
            return variable
        if isinstance(variable, usm_pointer):
            if variable.size() < 1:
                raise UsageError(errc.invalid, "reduction: the USM memory has no element")
            return usm_pointer(variable.block, variable.dtype, (1,), variable.offset)
        if isinstance(variable, np.ndarray):
            if variable.size != 1 or not variable.flags.writeable:
                raise UsageError(errc.invalid, f"reduction: the array has {variable.size} elements"
                                 f"{'' if variable.flags.writeable else ' and is read-only'}; it "
                                 "must be writable and have 1")
            return variable
        raise UsageError(errc.invalid, "reduction: expected a buffer, USM memory or an array, got "
                         f"{type(variable).__name__}")

    def _identity(self, given: Any) -> Any:
        if given is not _MISSING:
            return self.dtype.type(given)
        if has_known_identity(self.op, self.dtype):
            return known_identity(self.op, self.dtype)
        if self.initialize:
            name = getattr(self.op, "__name__", repr(self.op))
            raise UsageError(errc.invalid, f"reduction: initialize_to_identity needs an identity, "
                             f"and none is known for {name} on {self.dtype}; give it before the "
                             "operator")
        return None

    def bind_result(self, group: Group | None, channel: Channel) -> tuple[BoundView, bool]:
        """Return where the result goes, and whether the old value is dropped (internal)."""
        if isinstance(self._variable, np.ndarray):
            view = bind_array(self._variable, channel)
        else:
            view = self._variable.bind(group, channel)
        return BoundView(view.memory, view.offset, (1,), (1,)), self.initialize

    def __repr__(self) -> str:
        return f"reduction({self._variable!r}, {getattr(self.op, '__name__', self.op)})"
