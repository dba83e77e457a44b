"""What a ``device_global`` is inside a kernel on the host device (sycl_ext_oneapi_device_global).

Non-goals: the variable itself and its storage (``api.memory.device_global``). Invariants: it stands
for the element it holds wherever a value is wanted; ``x += 1`` under ``global x`` changes the
memory and leaves the name what it was.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from unisycl.base.errors import UsageError, errc
from unisycl.lang.memory.views import HostView, Record
from unisycl.lang.numbers.elements import Elements


class GlobalView(HostView):
    """The memory of a device_global: a view, and where it is not an array also its element."""

    __slots__ = ()

    @property
    def _single(self) -> bool:
        """Whether it is one element, not an array."""
        return not getattr(self._raw, "shape", ())

    def get(self) -> Any:
        """Return the variable: the memory of an array, a record in place, or a number."""
        return super().__getitem__(0) if self._single else self

    def _value(self) -> Any:
        if not self._single:
            raise UsageError(errc.invalid, f"'{self._name}' is an array here; index it")
        return self.get()

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents; () for one element."""
        return () if self._single else self._data.shape

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    def _in_place(self) -> Any:
        """Return the vec or record itself, so that assigning its parts writes the memory."""
        return HostView._place(self, 0)

    def __getitem__(self, index: Any) -> Any:
        if index != () and self._copies and self._single:
            return self._in_place()[index]
        return super().__getitem__(self._index(index))

    def __setitem__(self, index: Any, value: Any) -> None:
        if index != () and self._copies and self._single:
            self._in_place()[index] = value
        else:
            super().__setitem__(self._index(index), value)

    def _index(self, index: Any) -> Any:
        return 0 if index == () and self._single else index

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and self._single:
            held = self.get()
            if isinstance(held, Record | Elements):
                return getattr(held, name)
        return super().__getattr__(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            object.__setattr__(self, name, value)
        else:
            setattr(self._in_place(), name, value)

    def __bool__(self) -> bool:
        return bool(self._value())

    def __int__(self) -> int:
        return int(self._value())

    def __float__(self) -> float:
        return float(self._value())

    def __index__(self) -> int:
        return operator.index(self._value())

    def __neg__(self) -> Any:
        return -self._value()

    def __pos__(self) -> Any:
        return +self._value()

    def __invert__(self) -> Any:
        return ~self._value()

    def __abs__(self) -> Any:
        return abs(self._value())

    def __hash__(self) -> int:
        return id(self)


def _value_of(x: Any) -> Any:
    return x._value() if isinstance(x, GlobalView) else x


def _forward(compute: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def method(self: GlobalView, other: Any) -> Any:
        return compute(self._value(), _value_of(other))
    return method


def _backward(compute: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def method(self: GlobalView, other: Any) -> Any:
        return compute(_value_of(other), self._value())
    return method


def _in_place(compute: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def method(self: GlobalView, other: Any) -> GlobalView:
        self[()] = compute(self._value(), _value_of(other))
        return self
    return method


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and",
              "or", "xor"):
    _compute = getattr(operator, _name + "_" if _name in ("and", "or") else _name)
    setattr(GlobalView, f"__{_name}__", _forward(_compute))
    setattr(GlobalView, f"__r{_name}__", _backward(_compute))
    setattr(GlobalView, f"__i{_name}__", _in_place(_compute))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(GlobalView, f"__{_name}__", _forward(getattr(operator, _name)))
