"""``kernel``: a reusable kernel function (SYCL 2020 §4.12; attributes §5.8.1).

Non-goals: compiling. Invariant: the decorated function stays callable as ordinary Python.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, overload

from unisycl.base.errors import UsageError, errc


class kernel:
    """Mark a function as a kernel, optionally with attributes (SYCL 2020 §5.8.1).

    Args:
        function: the function; left out when attributes are given.
        reqd_work_group_size: the only work-group size it may be launched with, as a tuple.
        work_group_size_hint: the work-group size it is written for.
        reqd_sub_group_size: the sub-group size it needs.

    Example:
        >>> @kernel(reqd_work_group_size=(64,))
        ... def scale(it, data, factor):
        ...     data[it.get_global_id(0)] *= factor
    """

    __slots__ = ("__dict__", "__weakref__", "function", "reqd_sub_group_size",
                 "reqd_work_group_size", "work_group_size_hint")

    @overload
    def __new__(cls, function: Callable[..., Any], /) -> kernel: ...
    @overload
    def __new__(  # type: ignore[misc]  # a decorator, as functools.partial of the class
            cls, function: None = None, /, *, reqd_work_group_size: Any = (),
            work_group_size_hint: Any = (),
            reqd_sub_group_size: int = 0) -> Callable[[Callable[..., Any]], kernel]: ...
    def __new__(cls, function: Callable[..., Any] | None = None, /, *,
                reqd_work_group_size: Any = (), work_group_size_hint: Any = (),
                reqd_sub_group_size: int = 0) -> Any:
        """Return the kernel, or a decorator that makes it with these attributes."""
        if function is None:
            return functools.partial(
                cls._make, required=_sizes("reqd_work_group_size", reqd_work_group_size),
                hint=_sizes("work_group_size_hint", work_group_size_hint),
                sub_group=reqd_sub_group_size)
        return cls._make(function)

    @classmethod
    def _make(cls, function: Callable[..., Any], required: tuple[int, ...] = (),
              hint: tuple[int, ...] = (), sub_group: int = 0) -> kernel:
        if not callable(function):
            raise UsageError(errc.invalid, f"kernel: expected a function, got "
                             f"{type(function).__name__}")
        made = object.__new__(cls)
        made.function = function
        made.reqd_work_group_size = required
        made.work_group_size_hint = hint
        made.reqd_sub_group_size = sub_group
        functools.update_wrapper(made, function)
        return made

    function: Callable[..., Any]
    reqd_work_group_size: tuple[int, ...]
    work_group_size_hint: tuple[int, ...]
    reqd_sub_group_size: int

    @property
    def __unisycl_function__(self) -> Callable[..., Any]:
        """The Python function itself."""
        return self.function

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Call the function as ordinary Python."""
        return self.function(*arguments, **named)

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else self.function.__get__(instance, owner)

    def __repr__(self) -> str:
        return f"kernel({getattr(self.function, '__qualname__', self.function)!r})"


def _sizes(what: str, value: Any) -> tuple[int, ...]:
    sizes = (value,) if isinstance(value, int) else tuple(value)
    if len(sizes) > 3 or any(not isinstance(s, int) or s < 1 for s in sizes):
        raise UsageError(errc.invalid, f"kernel: {what} must be 1 to 3 positive ints, "
                         f"got {value!r}")
    return sizes
