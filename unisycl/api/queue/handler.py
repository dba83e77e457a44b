"""``handler``: what a command group asks for (SYCL 2020 §4.9.4).

Non-goals: scheduling. Invariants: a handler lives while its command group function runs and issues
at most one command; a refused command leaves nothing behind.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from types import CoroutineType, FunctionType, GeneratorType
from typing import Any, NoReturn, overload

from unisycl.api.bundles.kernel_bundle import kernel_bundle
from unisycl.api.bundles.kernel_constants import checked_id
from unisycl.api.bundles.native_kernel import bind as bind_native
from unisycl.api.bundles.native_kernel import native_kernel
from unisycl.api.devices.device import device
from unisycl.api.memory.accessor import accessor
from unisycl.api.memory.usm import usm_pointer
from unisycl.api.queue import transfer
from unisycl.api.queue.dynamic_parameter import dynamic_parameter
from unisycl.api.queue.event import event, tasks_of
from unisycl.api.queue.native_commands import NativeCommands, run_host_task
from unisycl.api.queue.reduction import reduction
from unisycl.base import deprecation
from unisycl.base import geometry as geo
from unisycl.base.enums import bundle_state, node_type
from unisycl.base.errors import KernelError, UnsupportedError, UsageError, errc, exception
from unisycl.lang.kernels.kernel import kernel, with_properties, with_traits
from unisycl.lang.kernels.kernel_properties import properties
from unisycl.lang.kernels.specialization import Arguments, specialization_id
from unisycl.runtime.graph.channel import Channel
from unisycl.runtime.graph.command_group import BoundView, Command, Group
from unisycl.runtime.graph.fallback import Either
from unisycl.runtime.graph.tasks import Begin, Task, begin_nothing, begin_python
from unisycl.runtime.launch import grouped, launch
from unisycl.runtime.launch.program import label
from unisycl.runtime.recorded.command_graph import Dynamic, Redo, note_uses, plan_of, present

Kernel = Callable[..., Any]
_NOTHING_SET: Mapping[Any, Any] = {}


class handler(NativeCommands):
    """The argument of a command group function (SYCL 2020 §4.9.4); made by ``queue.submit``."""

    __slots__ = ("_bundle", "_constants", "_dynamic", "_recipe", "_redo", "_set")
    __kernel_refusal__ = "use it in the command group function, outside the kernel"
    __capture_refusal__ = "the handler lives on the host"

    def __init__(self, *args: Any) -> None:
        if not args or not isinstance(args[0], Channel):
            raise UsageError(errc.invalid, "a handler is made by queue.submit, not by a program")
        Group.__init__(self, args[0])
        self.second = args[1] if len(args) > 1 else None
        self._constants: Mapping[specialization_id, Any] = _NOTHING_SET
        self._bundle: kernel_bundle | None = None
        self._dynamic: Sequence[Any] = ()
        self._redo: Redo | None = None
        self._recipe: tuple[str, tuple[Any, ...]] | None = None
        self._set: Mapping[int, Any] = _NOTHING_SET

    # ------------------------------------------------------------------ requirements
    def require(self, placeholder: accessor | dynamic_parameter) -> None:
        """Bind a placeholder accessor to this command group (SYCL 2020 §4.9.4.1).

        In a command group of a graph also a ``dynamic_parameter`` of one.
        """
        if isinstance(placeholder, dynamic_parameter) and self.channel.recorder is not None:
            placeholder = placeholder.value()
        if not isinstance(placeholder, accessor):
            raise UsageError(errc.invalid, f"require: expected an accessor, got "
                             f"{type(placeholder).__name__}")
        placeholder.join(self)

    def depends_on(self, events: event | Sequence[event]) -> None:
        """Run the command after these events (SYCL 2020 §4.9.4.1)."""
        self.check_alive()
        for task in tasks_of(events, recording=self.channel.recorder is not None):
            self.add_dependency(task)

    def set_specialization_constant(self, name: specialization_id, value: Any) -> None:
        """Give a constant a value for the kernel of this command group (SYCL 2020 §4.9.5).

        ``errc.invalid`` together with ``use_kernel_bundle``, and if the value does not fit.
        """
        self.check_alive()
        if self._bundle is not None:
            raise UsageError(errc.invalid, "set_specialization_constant: this command group uses a "
                             "kernel bundle; set the constant on the bundle in input state")
        known = checked_id(name)
        self._constants = {**self._constants, known: known.convert(value)}

    def get_specialization_constant(self, name: specialization_id) -> Any:
        """Return the value the kernel of this command group will see (SYCL 2020 §4.9.5)."""
        self.check_alive()
        if self._bundle is not None:
            return self._bundle.get_specialization_constant(name)
        return self._constants.get(checked_id(name), name.default)

    def use_kernel_bundle(self, bundle: Any) -> None:
        """Launch the kernel of this command group out of a bundle (SYCL 2020 §4.9.4.4).

        ``errc.invalid`` for a bundle of another context or not executable, and after
        ``set_specialization_constant``; a kernel that is not in the bundle is refused with
        ``errc.kernel_not_supported`` when it is launched.
        """
        self.check_alive()
        if not isinstance(bundle, kernel_bundle) or bundle.state is not bundle_state.executable:
            raise UsageError(errc.invalid, "use_kernel_bundle: expected a kernel_bundle in state "
                             f"executable, got {bundle!r}")
        if any(bundle.get_context().state is not c.context for c in self.channels()):
            raise UsageError(errc.invalid, "use_kernel_bundle: the bundle belongs to another "
                             "context than the queue; get it with queue.get_context()")
        if self._constants:
            raise UsageError(errc.invalid, "use_kernel_bundle: a constant was set on the handler "
                             "before; set it on the bundle in input state instead")
        self._bundle = bundle

    # ------------------------------------------------------------------ kernels
    @overload
    def single_task(self) -> Callable[[Kernel], Kernel]: ...
    @overload
    def single_task(self, first: Any, /, *rest: Any) -> None: ...
    def single_task(self, *rest: Any) -> Any:
        """Run a kernel once; a decorator if no function is given (SYCL 2020 §4.9.4.2.1)."""
        self.check_free("single_task")
        if not rest:
            return self._decorator(lambda fn: self.launch(launch.SINGLE, fn, (), ()))
        rest = apply_properties(rest)
        return self.launch(launch.SINGLE, rest[0], rest[1:], ())

    @overload
    def parallel_for(self, space: Any, /) -> Callable[[Kernel], Kernel]: ...
    @overload
    def parallel_for(self, space: Any, first: Any, /, *rest: Any) -> Any: ...
    def parallel_for(self, space: Any, *rest: Any) -> Any:
        """Run a kernel over an index space (SYCL 2020 §4.9.4.2.2).

        Args:
            space: a range, an int, a tuple, or an nd_range.
            rest: an offset id (deprecated), ``properties`` of the kernel, reductions, the kernel,
                its further arguments. Without a kernel, returns a decorator for it.
        """
        if not self.alive or self._begin is not None:
            self.check_free("parallel_for")
        if rest and type(rest[0]) is FunctionType:
            return self.launch(launch.space_geometry(space), rest[0], rest[1:], ())
        offset, reductions, fn, args = split(rest)
        geometry = launch.space_geometry(space, offset)
        if fn is None:
            return self._decorator(lambda f: self.launch(geometry, f, (), reductions))
        return self.launch(geometry, fn, args, reductions)

    def parallel_for_work_group(self, groups: Any, *rest: Any) -> Any:
        """Run a hierarchical kernel once per work-group (SYCL 2020 §4.9.4.2.3).

        Args:
            groups: the number of work-groups: a range, an int or a tuple.
            rest: the local range (left out: chosen per loop), the kernel, its further arguments.
        """
        self.check_free("parallel_for_work_group")
        extent = tuple(geo.as_range(groups))
        local: tuple[int, ...] = ()
        if rest and (isinstance(rest[0], geo.range | range | tuple)
                     or hasattr(rest[0], "__index__")):
            local, rest = tuple(geo.as_range(rest[0])), rest[1:]
            if len(local) != len(extent) or 0 in local:
                raise UsageError(errc.nd_range, f"parallel_for_work_group: the local range {local} "
                                 f"must be positive and have {len(extent)} dimension(s)")
        geometry = launch.work_group_geometry(extent, local)
        if not rest:
            return self._decorator(lambda f: self.launch(geometry, f, (), ()))
        rest = apply_properties(rest)
        return self.launch(geometry, rest[0], rest[1:], ())

    def _decorator(self, submit: Callable[[Any], None]) -> Callable[[Any], Any]:
        def decorate(fn: Any) -> Any:
            self.check_free("the kernel")
            submit(fn)
            return fn
        return decorate

    def launch(self, geometry: Any, fn: Any, args: tuple[Any, ...],
               reductions: tuple[reduction, ...]) -> None:
        """Set a kernel as the command of the group (internal)."""
        latest = self.channel.latest_group
        if latest is not None and type(fn) is FunctionType and not (
                reductions or self._set or self._constants or self._bundle or self.second) and (
                grouped.once_more(self, latest, geometry, fn, args)):
            return
        if type(fn) is not FunctionType:
            if isinstance(fn, native_kernel):
                self._launch_native(geometry, fn, args, reductions)
                return
            check_callable(fn)
        if self._set:
            args = self._given_apart(fn, args)
        if self.channel.recorder is not None:
            self._dynamic, args = args, present(args)
        if self._bundle is not None:
            args = _from_bundle(self, self._bundle, fn, args)
            fn = with_traits(fn, self._bundle.traits_of(fn))
        elif self._constants:
            args = Arguments.with_constants(args, self._constants)
        if self.second is not None:
            self._set_either(f"kernel '{label(fn)}'", lambda channel: launch.begin_launch(
                channel, launch.build(channel, self, fn, geometry, args, reductions), reductions))
            return
        fn = (self.channel.repeats and type(fn) is kernel and fn.plain) or fn
        made, begin, again = launch.in_group(self.channel, self, fn, geometry, args, reductions)
        self.set_command(f"kernel '{label(fn)}'" if again is None else again.title, begin,
                         native=True, launch=made, again=again)

    def _given_apart(self, fn: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the arguments that ``set_arg`` and ``set_args`` gave a kernel of Python."""
        if args:
            raise UsageError(errc.kernel_argument, f"kernel '{label(fn)}': arguments were given by "
                             "set_args and behind the kernel; give them in one of these ways")
        absent = [k for k in range(len(self._set)) if k not in self._set]
        if absent:
            raise UsageError(errc.kernel_argument, f"kernel '{label(fn)}': argument {absent[0]} "
                             "was not set, but later ones were; give each with set_arg")
        return tuple(self._set[k] for k in range(len(self._set)))

    def set_arg(self, index: int, value: Any) -> None:
        """Set an argument of the kernel that the group launches (SYCL 2020 §4.9.4.2).

        Args:
            index: the position, from 0.
            value: an accessor, a local_accessor, USM memory, or a value of NumPy's or a vec.
        """
        self.check_alive()
        self._set = {**self._set, index: value}

    def set_args(self, *values: Any) -> None:
        """Set the arguments of the kernel that the group launches, from the first on."""
        self.check_alive()
        self._set = dict(enumerate(values))

    def _launch_native(self, geometry: Any, kernel: native_kernel, args: tuple[Any, ...],
                       reductions: tuple[reduction, ...]) -> None:
        if reductions or geometry.kind == "work_group":
            raise UsageError(errc.invalid, f"{kernel!r} is launched over a range or an nd_range, "
                             "without reductions")
        if args:
            self.set_args(*args)
        channel = self.channel
        executable, values = kernel.executable(channel), bind_native(dict(self._set), self, channel)
        executable.check(geometry, values)
        made = launch.Launch(executable, geometry, values)
        launch.stage(channel, made)
        self.set_command(f"kernel '{kernel.name}'", launch.begin_launch(channel, made), native=True,
                         launch=made)

    def _set_either(self, what: str, make: Callable[[Channel], Begin],
                    kind: node_type | None = None) -> None:
        """Set a command that runs on the secondary queue if the primary one fails.

        A kernel that either device does not support is refused (SYCL 2020 §5.7).
        """
        ways: dict[Channel, Begin] = {}
        errors: list[exception] = []
        for channel in self.channels():
            self.channel = channel
            try:
                ways[channel] = make(channel)
            except exception as err:
                if err.code() is errc.kernel_not_supported or isinstance(err, KernelError):
                    raise
                errors.append(err)
        if not ways:
            raise errors[0]
        self.channel, begin = next(iter(ways.items()))
        if self.second is not None and len(ways) == 2:
            begin = Either(begin, self.channel, self.second, ways[self.second])
        self.set_command(what, begin, native=True, kind=kind)

    def recorded(self, node: Any) -> None:
        """Tell dynamic parameters which node of a graph uses them (internal)."""
        node.redo, node.recipe = self._redo, self._recipe
        note_uses(node, self._dynamic)

    def ext_oneapi_barrier(self, events: Any = None) -> None:
        """Let no later command of the queue begin before these events, or all commands so far.

        (sycl_ext_oneapi_enqueue_barrier)
        """
        self.check_free("ext_oneapi_barrier")
        recording = self.channel.recorder is not None
        for task in self.channel.snapshot() if events is None else tasks_of(
                events, recording=recording):
            self.add_dependency(task)
        self.fences = True
        self.set_command("a barrier", begin_nothing, native=True,
                         kind=node_type.ext_oneapi_barrier)

    def ext_oneapi_graph(self, graph: Any) -> None:
        """Run an executable graph as the command of this group (sycl_ext_oneapi_graph)."""
        self.check_free("ext_oneapi_graph")
        plan = plan_of(graph)
        plan.check(self.channel)
        if self.channel.recorder is not None:
            plan = plan.copy()
        else:
            self.turns = plan
        for access in plan.accesses:
            self.add_access(access)
        self.set_command("a graph", plan.begin(), native=plan.one_end(), kind=node_type.subgraph)

    def host_task(self, fn: Any = None) -> Any:
        """Run a Python function on a runtime thread after its dependencies (§4.10.1).

        Accessors with a ``_host_task`` tag give it the data; an exception becomes an asynchronous
        error. A function with a parameter gets an ``interop_handle``. A decorator without a
        function.
        """
        self.check_free("host_task")
        if fn is None:
            return self._decorator(self._host_task)
        return self._host_task(fn)

    def _host_task(self, fn: Any) -> None:
        check_callable(fn)
        self.set_command(f"host task '{label(fn)}'",
                         begin_python(functools.partial(
                             run_host_task, fn, self.users(), self.channel)),
                         native=False)

    # ------------------------------------------------------------------ copies
    def copy(self, src: Any, dst: Any, count: int | None = None, start: int = 0) -> None:
        """Copy elements between accessors, USM memory, arrays and device_globals (§4.9.4.3).

        ``start`` is the first element of a device_global that takes part.
        """
        if self._varies("copy", (src, dst), lambda h, a, b: h.copy(a, b, count, start)):
            return
        transfer.check_start("copy", src, dst, start)

        def views() -> tuple[BoundView, BoundView]:
            a, b = self._operand("copy", src), self._operand("copy", dst, writes=True)
            a, b = (transfer.begin_at("copy", x, view, start) for x, view in ((src, a), (dst, b)))
            return transfer.fit("copy", b, a, count)

        self._recipe = "copy", (src, dst, count, start)
        self._transfer("copy", node_type.memcpy, views, launch.begin_copy)

    def memcpy(self, dst: Any, src: Any, nbytes: int | None = None, offset: int = 0) -> None:
        """Copy bytes between USM memory, arrays and device_globals; all of the source by default.

        ``offset`` is the first byte of a device_global that takes part.
        """
        if self._varies("memcpy", (dst, src), lambda h, a, b: h.memcpy(a, b, nbytes, offset)):
            return
        transfer.check_start("memcpy", src, dst, offset)

        def views() -> tuple[BoundView, BoundView]:
            b, a = self._operand("memcpy", dst, writes=True), self._operand("memcpy", src)
            b, a = (transfer.from_byte("memcpy", side, x, view, offset) for side, x, view in (
                ("destination", dst, b), ("source", src, a)))
            size = _size(a) * a.memory.dtype.itemsize if nbytes is None else nbytes
            return (transfer.as_bytes("memcpy", "destination", b, size),
                    transfer.as_bytes("memcpy", "source", a, size))

        self._recipe = "memcpy", (dst, src, nbytes, offset)
        self._transfer("memcpy", node_type.memcpy, views, launch.begin_copy)

    def fill(self, dst: Any, value: Any, count: int | None = None) -> None:
        """Write one value to an accessor, USM memory or an array (SYCL 2020 §4.9.4.3)."""
        if self._varies("fill", (dst, value), lambda h, a, b: h.fill(a, b, count)):
            return

        def views() -> tuple[BoundView, Any]:
            view = self._operand("fill", dst, writes=True)
            if count is not None:
                view, _ = transfer.fit("fill", view, view, count)
            return view, transfer.pattern_of("fill", view, value)

        self._recipe = "fill", (dst, value, count)
        self._transfer("fill", node_type.memfill, views, launch.begin_fill)

    def memset(self, dst: Any, value: int, nbytes: int | None = None) -> None:
        """Write one byte everywhere; ``value`` is taken modulo 256 (SYCL 2020 §4.9.4.3)."""
        if self._varies("memset", (dst, value), lambda h, a, b: h.memset(a, b, nbytes)):
            return

        def views() -> tuple[BoundView, Any]:
            view = self._operand("memset", dst, writes=True)
            count = view.memory.dtype.itemsize * _size(view) if nbytes is None else nbytes
            view = transfer.as_bytes("memset", "destination", view, count)
            return view, transfer.pattern_of("memset", view, transfer.as_count(
                "memset", "the byte to write", value) & 255)

        self._recipe = "memset", (dst, value, nbytes)
        self._transfer("memset", node_type.memset, views, launch.begin_fill)

    def update_host(self, source: accessor) -> None:
        """Bring the host's copy of an accessor's data up to date (SYCL 2020 §4.9.4.3)."""
        self.check_free("update_host")
        self._operand("update_host", source)
        self.add_access(source.on_host())
        self.set_command("update_host", begin_nothing, native=True, kind=node_type.memcpy)

    def prefetch(self, pointer: usm_pointer, nbytes: int | None = None) -> None:
        """Say that the device will use shared memory soon: a hint (SYCL 2020 §4.9.4.3)."""
        self.hint("prefetch", node_type.prefetch, pointer, nbytes)

    def mem_advise(self, pointer: usm_pointer, nbytes: int | None = None, advice: int = 0) -> None:
        """Advise how memory will be used: a hint (SYCL 2020 §4.9.4.3)."""
        transfer.as_count("mem_advise", "the advice", advice)
        self.hint("mem_advise", node_type.memadvise, pointer, nbytes, advice=int(advice))

    def hint(self, what: str, kind: node_type, pointer: Any, nbytes: int | None,
             **how: Any) -> None:
        """Set a hint about memory as the command of the group (internal)."""
        self.check_free(what)
        if not isinstance(pointer, usm_pointer):
            raise UsageError(errc.invalid, f"{what}: expected USM memory, got "
                             f"{type(pointer).__name__}")
        view = pointer.bind(self, self.channel)
        if nbytes is not None:
            view = transfer.as_bytes(what, "memory", view, nbytes)
        begin = self.channel.driver.hint(view, **how)
        self.set_command(what, begin or begin_nothing, native=True, kind=kind)

    def _operand(self, what: str, thing: Any, *, writes: bool = False) -> BoundView:
        return transfer.operand(what, thing, self, self.channel, writes=writes)

    def _varies(self, what: str, operands: Sequence[Any], ask: Callable[..., None]) -> bool:
        """Set a copy or fill of which a graph records an operand that may change, if it is one.

        It is asked for again when one of its operands changes.
        """
        self.check_free(what)
        if self.channel.recorder is None or not any(isinstance(o, Dynamic) for o in operands):
            return False
        known = dict(enumerate(present(operands)))

        def redo(values: dict[int, Any]) -> Command:
            fresh = handler(self.channel)
            ask(fresh, *{**known, **values}.values())
            known.update(values)
            return fresh.command()
        ask(self, *known.values())
        self._dynamic, self._redo = operands, redo
        return True

    def _transfer(self, what: str, kind: node_type, views: Callable[[], tuple[BoundView, Any]],
                  begin: Callable[..., Begin]) -> None:
        first, found = self.channel, views()
        if not _size(found[0]):
            self.set_command(what, begin_nothing, native=True, kind=kind)
        elif self.second is not None:
            self._set_either(what, lambda channel: begin(
                channel, *(found if channel is first else views())), kind)
        else:
            self.set_command(what, begin(first, *found), native=True, kind=kind)
            self.note_use([(name, view, name == "destination") for name, view in zip(
                ("destination", "source"), found, strict=True) if isinstance(view, BoundView)])

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        """Refuse copies and pickles: there is one handler for a group (SYCL 2020 §4.9.4)."""
        raise UsageError(errc.invalid, "a handler cannot be copied: it is the command group's own, "
                         "and dead when that ends")

    def __repr__(self) -> str:
        return f"<handler for {self.channel.device.name}{'' if self.alive else ', ended'}>"


def _from_bundle(h: handler, bundle: kernel_bundle, fn: Any,
                 args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Check that a bundle has the kernel for the group's devices, and add its constants."""
    for channel in h.channels():
        where = device._of(channel.device)
        if not bundle.has_kernel(fn, where):
            raise UnsupportedError(errc.kernel_not_supported, f"kernel '{label(fn)}' is not in "
                                   f"the bundle this command group uses for {where!r}; leave "
                                   "use_kernel_bundle out, or get a bundle with it")
    constants = bundle.constants_of(fn)
    return Arguments.with_constants(args, constants) if constants else args


def _size(view: BoundView) -> int:
    size = 1
    for extent in view.shape:
        size *= extent
    return size


def split(rest: tuple[Any, ...]) -> tuple[Any, tuple[reduction, ...], Any, tuple[Any, ...]]:
    """Sort what follows an index space: offset, reductions, kernel, arguments."""
    if rest and type(rest[0]) is FunctionType:
        return None, (), rest[0], rest[1:]
    k, offset = 0, None
    if rest and isinstance(rest[0], geo.id):
        offset, k = rest[0], 1
        deprecation.warn("offsets of launches are deprecated in SYCL 2020; add the offset to the "
                         "ids in the kernel")
    given = None
    if k < len(rest) and isinstance(rest[k], properties):
        given, k = rest[k], k + 1
    start = k
    while k < len(rest) and isinstance(rest[k], reduction):
        k += 1
    if k == len(rest):
        _check_given(given)
        return offset, rest[start:], None, ()
    kernel = rest[k] if given is None else with_properties(rest[k], given)
    return offset, rest[start:k], kernel, rest[k + 1:]


def apply_properties(rest: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a kernel and its arguments; properties before it become part of it."""
    if not rest or not isinstance(rest[0], properties):
        return rest
    if len(rest) == 1:
        _check_given(rest[0])
    return (with_properties(rest[1], rest[0]), *rest[2:])


def _check_given(given: properties | None) -> None:
    if given is not None:
        raise UsageError(errc.invalid, f"{given!r}: the kernel must follow; a decorated function "
                         "gets its properties from @kernel(properties=...)")


def run(group_function: Callable[[handler], Any], h: handler) -> Task:
    """Run a command group function and submit what it asks for; nothing if it raises."""
    try:
        made = group_function(h)
    except TypeError as err:
        h.abandon()
        trace = err.__traceback__
        if trace is not None and trace.tb_next is None:  # the call itself failed
            raise UsageError(errc.invalid, "submit: a command group function takes one argument, "
                             f"the handler: {err}") from err
        raise
    except BaseException:
        h.abandon()
        raise
    if made is not None and isinstance(made, CoroutineType | GeneratorType):
        made.close()
        h.abandon()
        raise UsageError(errc.invalid, "submit: the command group function is a generator or "
                         "async: calling it runs nothing; give a plain function")
    return h.finish()


def check_group(fn: Any) -> None:
    """Refuse anything but a command group function."""
    if type(fn) is FunctionType:
        return
    if not callable(fn):
        raise UsageError(errc.invalid, "submit: expected a command group function, which takes the "
                         f"handler and submits one command with it, got {type(fn).__name__}; "
                         "kernels are submitted by parallel_for and single_task")
    if isinstance(fn, kernel):
        raise UsageError(errc.invalid, f"submit: '{label(fn)}' is a kernel; submit takes a command "
                         "group function, which gets the handler: queue.parallel_for(range, "
                         f"{label(fn)}, *arguments) runs the kernel")


def check_callable(fn: Any) -> None:
    """Refuse anything but a function before the front end sees it."""
    if not callable(fn):
        raise UsageError(errc.kernel_argument, f"expected a function to run, got "
                         f"{type(fn).__name__}; " + (
                             "launch native kernels in a command group: h.set_args(...), then "
                             "h.parallel_for(range, kernel)" if isinstance(fn, native_kernel) else
                             "the kernel comes after the range and the reductions"))
