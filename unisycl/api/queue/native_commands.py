"""Commands that other libraries give to the device, and how a host task runs.

Those are sycl_ext_codeplay_enqueue_native_command, these SYCL 2020 §4.10.1. Non-goals: waiting for
the device. Invariants: what is given comes behind everything that the command group depends on, and
the event of the group ends behind it. On the processor, which has no queue to give to, the function
does the work itself, in the submitting thread if nothing is in its way; on devices with memory of
their own that take no such commands it is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from unisycl.api.interop.native_objects import interop_handle
from unisycl.api.queue.rectangles import RectangleCommands, RectangleShortcuts
from unisycl.base.annotations import signature_of
from unisycl.base.errors import UnsupportedError, UsageError, errc
from unisycl.runtime.graph import ordering
from unisycl.runtime.graph.channel import Channel
from unisycl.runtime.graph.command_group import HostUser
from unisycl.runtime.graph.native_calls import begin_native, takes_native, works_here
from unisycl.runtime.threads.per_process import process


class NativeCommands(RectangleCommands):
    """The command of a ``handler`` that another library gives."""

    __slots__ = ()

    def ext_codeplay_enqueue_native_command(self, function: Callable[[Any], None]) -> None:
        """Have a function give the device commands of another library.

        The queue that ``get_native_queue`` of its ``interop_handle`` returns is for these commands
        alone; nobody waits in the function. Accessors of the group are asked for by
        ``get_native_mem``.

        Args:
            function: called with an ``interop_handle`` when the command begins, on any thread; an
                exception becomes an asynchronous error.
        """
        what = "ext_codeplay_enqueue_native_command"
        self.check_free(what)
        if not callable(function):
            raise UsageError(errc.invalid, f"{what}: expected a function, got "
                             f"{type(function).__name__}")
        channel, users = self.channel, self.users()
        driver = channel.driver
        if not takes_native(driver):
            raise UnsupportedError(errc.feature_not_supported, f"{what}: '{channel.device.name}' "
                                   "takes no commands of other libraries; use a host_task")
        label = f"native command '{getattr(function, '__name__', type(function).__name__)}'"
        self.set_command(label, begin_native(driver, label, lambda queue: function(
            interop_handle(channel, users, queue))), native=driver.takes_commands)


class NativeShortcuts(RectangleShortcuts):
    """What a ``queue`` does for other libraries without a command group."""

    __slots__ = ()
    channel: Channel

    def ext_unisycl_call_now(self, function: Callable[..., Any], *arguments: Any) -> bool:
        """Call a function over the host's memory here and now, as a command that has ended.

        Returns False, having done nothing, where a command of the queue is in its way, where
        somebody looks at commands (graphs, profiling, checks), and where a device has a queue or
        memory of its own: then submit it.
        """
        channel = self.channel
        last = channel._last
        if (last is not None and not last.succeeded()) or type(channel) is not Channel or (
                channel.recorder is not None) or channel.profiling or ordering.state.on or (
                channel.generation != process.generation) or not (
                works_here(channel.driver)):
            return False
        function(*arguments)
        return True


def run_host_task(fn: Callable[..., Any], users: list[HostUser], channel: Channel) -> None:
    """Run a host task while its accessors are open."""
    for user in users:
        user.open()
    try:
        if _takes_handle(fn):
            fn(interop_handle(channel, users))
        else:
            fn()
    finally:
        for user in users:
            user.shut()


def _takes_handle(fn: Callable[..., Any]) -> bool:
    """Say whether a host task has a parameter for the interop_handle."""
    if type(fn) is FunctionType:
        return fn.__code__.co_argcount > len(fn.__defaults__ or ())
    try:
        known = signature_of(fn).parameters.values()
    except (TypeError, ValueError):  # a builtin that does not say
        return False
    return any(p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
               for p in known)
