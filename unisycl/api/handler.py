"""``handler``: what a command group asks for (SYCL 2020 §4.9.4).

Non-goals: scheduling. Invariants: a handler lives while its command group function runs and issues
at most one command; a refused command leaves nothing behind.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, overload

from unisycl.api import transfer
from unisycl.api.accessor import accessor
from unisycl.api.event import event, tasks_of
from unisycl.api.reduction import reduction
from unisycl.api.usm import usm_pointer
from unisycl.base import geometry as geo
from unisycl.base.errors import UsageError, errc
from unisycl.runtime import launch
from unisycl.runtime.channel import Channel
from unisycl.runtime.group import BoundView, Group, HostUser
from unisycl.runtime.program import label
from unisycl.runtime.tasks import Begin, begin_nothing, begin_python

Kernel = Callable[..., Any]


class handler(Group):
    """The argument of a command group function (SYCL 2020 §4.9.4); made by ``queue.submit``."""

    __slots__ = ()
    __kernel_refusal__ = "use it in the command group function, outside the kernel"

    def __init__(self, *args: Any) -> None:
        if len(args) != 1 or not isinstance(args[0], Channel):
            raise UsageError(errc.invalid, "a handler is made by queue.submit, not by a program")
        super().__init__(args[0])

    # ------------------------------------------------------------------ requirements
    def require(self, placeholder: accessor) -> None:
        """Bind a placeholder accessor to this command group (SYCL 2020 §4.9.4.1)."""
        if not isinstance(placeholder, accessor):
            raise UsageError(errc.invalid, f"require: expected an accessor, got "
                             f"{type(placeholder).__name__}")
        placeholder.join(self)

    def depends_on(self, events: event | Sequence[event]) -> None:
        """Run the command after these events (SYCL 2020 §4.9.4.1)."""
        for task in tasks_of(events):
            self.add_dependency(task)

    # ------------------------------------------------------------------ kernels
    @overload
    def single_task(self) -> Callable[[Kernel], Kernel]: ...
    @overload
    def single_task(self, first: Any, /, *rest: Any) -> None: ...
    def single_task(self, *rest: Any) -> Any:
        """Run a kernel once; a decorator if no function is given (SYCL 2020 §4.9.4.2.1)."""
        self.check_free("single_task")
        if not rest:
            return self._decorator(lambda fn: self._kernel(launch.SINGLE, fn, (), ()))
        return self._kernel(launch.SINGLE, rest[0], rest[1:], ())

    @overload
    def parallel_for(self, space: Any, /) -> Callable[[Kernel], Kernel]: ...
    @overload
    def parallel_for(self, space: Any, first: Any, /, *rest: Any) -> Any: ...
    def parallel_for(self, space: Any, *rest: Any) -> Any:
        """Run a kernel over an index space (SYCL 2020 §4.9.4.2.2).

        Args:
            space: a range, an int, a tuple, or an nd_range.
            rest: an offset id (deprecated), reductions, the kernel, its further arguments. Without
                a kernel, returns a decorator for it.
        """
        self.check_free("parallel_for")
        offset, reductions, fn, args = split(rest)
        geometry = launch.space_geometry(space, offset)
        if fn is None:
            return self._decorator(lambda f: self._kernel(geometry, f, (), reductions))
        return self._kernel(geometry, fn, args, reductions)

    def parallel_for_work_group(self, groups: Any, *rest: Any) -> Any:
        """Run a hierarchical kernel once per work-group (SYCL 2020 §4.9.4.2.3).

        Args:
            groups: the number of work-groups: a range, an int or a tuple.
            rest: the local range (left out: chosen per loop), the kernel, its further arguments.
        """
        self.check_free("parallel_for_work_group")
        extent = tuple(geo.as_range(groups))
        local: tuple[int, ...] = ()
        if rest and (isinstance(rest[0], geo.range | tuple) or hasattr(rest[0], "__index__")):
            local, rest = tuple(geo.as_range(rest[0])), rest[1:]
            if len(local) != len(extent) or 0 in local:
                raise UsageError(errc.nd_range, f"parallel_for_work_group: the local range {local} "
                                 f"must be positive and have {len(extent)} dimension(s)")
        geometry = launch.work_group_geometry(extent, local)
        if not rest:
            return self._decorator(lambda f: self._kernel(geometry, f, (), ()))
        return self._kernel(geometry, rest[0], rest[1:], ())

    def _decorator(self, submit: Callable[[Any], None]) -> Callable[[Any], Any]:
        def decorate(fn: Any) -> Any:
            self.check_free("the kernel")
            submit(fn)
            return fn
        return decorate

    def _kernel(self, geometry: Any, fn: Any, args: tuple[Any, ...],
                reductions: tuple[reduction, ...]) -> None:
        check_callable(fn)
        made = launch.build(self.channel, self, fn, geometry, args, reductions)
        self.set_command(f"kernel '{label(fn)}'",
                         launch.begin_launch(self.channel, made, reductions), native=True)

    def host_task(self, fn: Any = None) -> Any:
        """Run a Python function on a thread of the runtime when its turn has come (§4.10.1).

        Accessors with a ``_host_task`` tag give it the data; an exception becomes an asynchronous
        error. A decorator without a function.
        """
        self.check_free("host_task")
        if fn is None:
            return self._decorator(self._host_task)
        return self._host_task(fn)

    def _host_task(self, fn: Any) -> None:
        check_callable(fn)
        self.set_command(f"host task '{label(fn)}'",
                         begin_python(functools.partial(_run_host_task, fn, self.users())),
                         native=False)

    # ------------------------------------------------------------------ copies
    def copy(self, src: Any, dst: Any, count: int | None = None) -> None:
        """Copy elements between accessors, USM memory and arrays (SYCL 2020 §4.9.4.3)."""
        self.check_free("copy")
        a, b = self._operand("copy", src), self._operand("copy", dst, writes=True)
        self._copy("copy", *transfer.fit("copy", b, a, count))

    def memcpy(self, dst: Any, src: Any, nbytes: int | None = None) -> None:
        """Copy bytes between USM memory and arrays; all of the source if not told otherwise."""
        self.check_free("memcpy")
        b, a = self._operand("memcpy", dst, writes=True), self._operand("memcpy", src)
        count = a.memory.dtype.itemsize * _size(a) if nbytes is None else nbytes
        self._copy("memcpy", transfer.as_bytes("memcpy", "destination", b, count),
                   transfer.as_bytes("memcpy", "source", a, count))

    def fill(self, dst: Any, value: Any, count: int | None = None) -> None:
        """Write one value to an accessor, USM memory or an array (SYCL 2020 §4.9.4.3)."""
        self.check_free("fill")
        view = self._operand("fill", dst, writes=True)
        if count is not None:
            view, _ = transfer.fit("fill", view, view, count)
        pattern = transfer.pattern_of("fill", view, value)
        self._fill("fill", view, pattern)

    def memset(self, dst: Any, value: int, nbytes: int | None = None) -> None:
        """Write one byte everywhere; ``value`` is taken modulo 256 (SYCL 2020 §4.9.4.3)."""
        self.check_free("memset")
        view = self._operand("memset", dst, writes=True)
        count = view.memory.dtype.itemsize * _size(view) if nbytes is None else nbytes
        view = transfer.as_bytes("memset", "destination", view, count)
        self._fill("memset", view, transfer.pattern_of("memset", view, int(value) & 255))

    def update_host(self, source: accessor) -> None:
        """Bring the host's copy of an accessor's data up to date (SYCL 2020 §4.9.4.3)."""
        self.check_free("update_host")
        self._operand("update_host", source)
        self.set_command("update_host", begin_nothing, native=True)

    def prefetch(self, pointer: usm_pointer, nbytes: int | None = None) -> None:
        """Say that the device will use shared memory soon: a hint (SYCL 2020 §4.9.4.3)."""
        self._hint("prefetch", pointer)

    def mem_advise(self, pointer: usm_pointer, nbytes: int | None = None, advice: int = 0) -> None:
        """Advise how memory will be used: a hint (SYCL 2020 §4.9.4.3)."""
        self._hint("mem_advise", pointer)

    def _hint(self, what: str, pointer: Any) -> None:
        self.check_free(what)
        if not isinstance(pointer, usm_pointer):
            raise UsageError(errc.invalid, f"{what}: expected USM memory, got "
                             f"{type(pointer).__name__}")
        pointer.bind(self, self.channel)
        self.set_command(what, begin_nothing, native=True)

    def _operand(self, what: str, thing: Any, *, writes: bool = False) -> BoundView:
        return transfer.operand(what, thing, self, self.channel, writes=writes)

    def _copy(self, what: str, dst: BoundView, src: BoundView) -> None:
        self._transfer(what, dst, launch.begin_copy(self.channel, dst, src))

    def _fill(self, what: str, dst: BoundView, pattern: Any) -> None:
        self._transfer(what, dst, launch.begin_fill(self.channel, dst, pattern))

    def _transfer(self, what: str, dst: BoundView, begin: Begin) -> None:
        self.set_command(what, begin if _size(dst) else begin_nothing, native=True)

    def __repr__(self) -> str:
        return f"<handler for {self.channel.device.name}{'' if self.alive else ', ended'}>"


def _size(view: BoundView) -> int:
    size = 1
    for extent in view.shape:
        size *= extent
    return size


def split(rest: tuple[Any, ...]) -> tuple[Any, tuple[reduction, ...], Any, tuple[Any, ...]]:
    """Sort what follows an index space: offset, reductions, kernel, arguments."""
    k, offset = 0, None
    if rest and isinstance(rest[0], geo.id):
        offset, k = rest[0], 1
    start = k
    while k < len(rest) and isinstance(rest[k], reduction):
        k += 1
    if k == len(rest):
        return offset, rest[start:], None, ()
    return offset, rest[start:k], rest[k], rest[k + 1:]


def check_callable(fn: Any) -> None:
    """Refuse what is no function, before the front end looks at it."""
    if not callable(fn):
        raise UsageError(errc.kernel_argument, f"expected a function to run, got "
                         f"{type(fn).__name__}; the kernel comes after the range and the "
                         "reductions")


def _run_host_task(fn: Callable[[], Any], users: list[HostUser]) -> None:
    for user in users:
        user.open()
    try:
        fn()
    finally:
        for user in users:
            user.shut()
