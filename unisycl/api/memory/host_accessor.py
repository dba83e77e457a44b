"""Host accessors: a buffer's elements on the host (SYCL 2020 §4.7.6.10).

Non-goals: copying; the view is the buffer's own memory. Invariant: from construction to ``close``
no conflicting command runs, and submitting one never blocks.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import GenericAlias
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from unisycl.api.memory.access import Array, Request, Window
from unisycl.api.memory.closing import HostTurn
from unisycl.api.memory.dlpack import export, interface_of
from unisycl.base import geometry as geo
from unisycl.base.errors import UsageError, errc
from unisycl.base.tracebacks import RAISED, ends_at_call, shorten
from unisycl.lang.memory.views import storable
from unisycl.runtime.memory.host_access import Holding


@ends_at_call
class host_accessor(HostTurn, Window):
    """Blocks until the buffer is free, then gives its elements (SYCL 2020 §4.7.6.10).

    Later commands that conflict wait until it is closed: use ``with``, ``close()``, or let it go.

    Args:
        source: the buffer.
        args: a range, then an offset, a tag, ``no_init``.

    Example::

        with unisycl.host_accessor(bx, unisycl.read_only) as x:
            print(x[0], x.get_view().sum())
    """

    __slots__ = ("__weakref__", "_holding", "_seen")
    __class_getitem__: Any = classmethod(GenericAlias)
    __capture_refusal__ = "use accessor(buffer, handler, ...) inside the command group"

    def __init__(self, source: Any, *args: Any, dimensions: int | None = None) -> None:
        self._holding = self._seen = None
        request = Request("host_accessor", args)
        if request.group is not None:
            raise UsageError(errc.invalid, "host_accessor: it belongs to no command group, so it "
                             "takes no handler; make an accessor for the group's command")
        self._setup("host_accessor", source, request, dimensions)
        mode = "reads" if not self.mode.writes else "writes"
        self._holding = Holding(self._access(), self, f"a host_accessor that {mode} the buffer")
        self._seen = self._host_array()

    def get_view(self) -> Array:
        """Return the elements as an array over the memory itself; valid until ``close``."""
        try:
            array: Array | None = self._seen
            if array is None:
                raise UsageError(errc.accessor, "this host_accessor is closed; make a new one "
                                 "to see the buffer again")
            return array
        except RAISED as error:
            shorten(error)
            raise

    def swap(self, other: Self) -> None:
        """Exchange what two host accessors denote (SYCL 2020 §4.7.6.12)."""
        super().swap(other)
        for one in (self, other):
            one._region.memory.open_hosts.add(one)

    def __getitem__(self, index: Any) -> Any:
        try:
            return self.get_view()[tuple(index) if isinstance(index, geo.id) else index]
        except RAISED as error:
            shorten(error)
            raise

    def __setitem__(self, index: Any, value: Any) -> None:
        try:
            if not self.mode.writes:
                raise UsageError(errc.accessor, "this host_accessor is read_only; make one with "
                                 "write_only or read_write to store")
            view = self.get_view()
            view[tuple(index) if isinstance(index, geo.id) else index] = (
                storable(value, view.dtype) if view.dtype.kind == "V" else value)
        except RAISED as error:
            shorten(error)
            raise

    def __iter__(self) -> Iterator[Any]:
        return iter(self.get_view().reshape(-1))

    def __reversed__(self) -> Iterator[Any]:
        return iter(self.get_view().reshape(-1)[::-1])

    @property
    @ends_at_call
    def __array_interface__(self) -> dict[str, Any]:
        return interface_of(self.get_view())

    def __dlpack__(self, **options: Any) -> Any:
        """Return a DLPack capsule over the elements, to be used before ``close``."""
        return export(self.get_view(), options)

    def __dlpack_device__(self) -> tuple[int, int]:
        """Return DLPack's name of the host's memory."""
        device, index = self.get_view().__dlpack_device__()
        return int(device), int(index)

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> Array:
        return np.array(self.get_view(), dtype=dtype, copy=copy)

    def _check_open(self) -> None:
        self.get_view()

    def __repr__(self) -> str:
        extent = " x ".join(map(str, self._shape)) or "one element"
        state = "" if self.is_open() else ", closed"
        return f"<host_accessor {self.mode.name}: {extent} of {self._region.dtype}{state}>"
