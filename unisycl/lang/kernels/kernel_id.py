"""``kernel_id``: the name by which bundles know a kernel (SYCL 2020 §4.11.6).

Non-goals: compiling; which kernels a device has built in. Invariant: two ids of one kernel are
equal, whoever asked for them.
"""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType
from typing import Any

from unisycl.base.errors import UsageError, errc
from unisycl.base.tracebacks import ends_at_call
from unisycl.lang.kernels import forms


@ends_at_call
class kernel_id:
    """Names a kernel of the program (SYCL 2020 §4.11.6); made by ``get_kernel_id``."""

    __slots__ = ("code", "function")
    code: CodeType
    function: Any

    def __init__(self, *_: Any) -> None:
        raise UsageError(errc.invalid, "a kernel_id is made by get_kernel_id, not by a program")

    @classmethod
    def _of(cls, function: Any) -> kernel_id:
        made = object.__new__(cls)
        made.function = function
        made.code = forms.code_of(function)
        return made

    def get_name(self) -> str:
        """Return the kernel's name: its module and qualified name (SYCL 2020 §4.11.6)."""
        return name_of(self.function)

    def declare(self, space: Any, *rest: Any) -> kernel_id:
        """Say how the kernel will be launched, as ``kernel.declare`` does."""
        forms.declare(self.function, space, rest)
        return self

    def __copy__(self) -> kernel_id:
        return self

    def __deepcopy__(self, memo: object) -> kernel_id:
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, kernel_id) and other.code == self.code

    def __hash__(self) -> int:
        return hash(("kernel_id", self.code))

    def __repr__(self) -> str:
        return f"<kernel_id {self.get_name()}>"


def _nothing() -> None:
    """Stand for the function of a kernel that no program wrote."""


@ends_at_call
class built_in_id(kernel_id):
    """Names a kernel that a device has built in (SYCL 2020 §4.11.3); a device tells its own."""

    __slots__ = ("name",)
    name: str

    @classmethod
    def _of(cls, function: str) -> built_in_id:
        made = object.__new__(cls)
        made.name, made.function, made.code = function, _nothing, _nothing.__code__
        return made

    def get_name(self) -> str:
        """Return the name that the device gives it."""
        return self.name

    def declare(self, space: Any, *rest: Any) -> kernel_id:
        """Refuse: nothing is compiled for it."""
        raise UsageError(errc.invalid, f"the kernel '{self.name}' is built into a device: it needs "
                         "no form; launch it with the arguments that it has")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, built_in_id) and other.name == self.name

    def __hash__(self) -> int:
        return hash(("built_in_id", self.name))


def name_of(function: Any) -> str:
    """Return a kernel's module and qualified name."""
    inner = getattr(function, "__unisycl_function__", function)
    inner = inner if hasattr(inner, "__qualname__") else type(inner)
    return f"{inner.__module__}.{inner.__qualname__}"


@ends_at_call
def get_kernel_id(kernel: Callable[..., Any] | str) -> kernel_id:
    """Return the id of a kernel, given itself or its name (SYCL 2020 §4.11.6).

    Args:
        kernel: the function, or the name of one that was decorated with ``@kernel`` or asked for
            before: all of it, or its end after a dot. ``errc.invalid`` if there is none.
    """
    if isinstance(kernel, str):
        found = {forms.code_of(f): f for f in forms.registered()
                 if name_of(f) == kernel or name_of(f).endswith(f".{kernel}")}
        if len(found) != 1:
            raise UsageError(errc.invalid, f"get_kernel_id: {len(found) or 'no'} kernels are named "
                             f"'{kernel}'; decorate the function with @kernel, or pass it itself")
        return kernel_id._of(next(iter(found.values())))
    made = kernel_id._of(kernel)
    forms.register(kernel)
    return made


@ends_at_call
def get_kernel_ids() -> list[kernel_id]:
    """Return the ids of the program's kernels: decorated, or asked for by id (§4.11.6)."""
    return list(dict.fromkeys(kernel_id._of(f) for f in forms.registered()))


def as_ids(kernels: Any) -> list[kernel_id]:
    """Return ids from a list of ids and kernels."""
    return [k if isinstance(k, kernel_id) else get_kernel_id(k) for k in kernels]
