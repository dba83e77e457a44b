"""Properties and property lists (SYCL 2020 §4.5.4).

Non-goals: acting on a property; the class it is given to does. Invariant: a property is an instance
of one of the classes here; ``property.queue.in_order`` mirrors ``sycl::property::queue::in_order``.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any, ClassVar, TypeVar

from unisycl.base import checked_mode, settings
from unisycl.base.errors import UsageError, errc
from unisycl.base.tracebacks import ends_at_call

P = TypeVar("P", bound="Property")


class Property:
    """Base of all properties; two of one class with equal values are equal."""

    __slots__ = ("value",)
    applies_to: tuple[str, ...] = ()

    def __init__(self, value: Any = None) -> None:
        self.value = value

    def means(self) -> tuple[Property, ...]:
        """Return the properties it stands for: itself, or those that a value chooses."""
        return (self,)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.value == getattr(other, "value", None)

    def __hash__(self) -> int:
        return hash(type(self))

    def __repr__(self) -> str:
        inside = "" if self.value is None else repr(self.value)
        return f"{type(self).__qualname__}({inside})"


@ends_at_call
class property_list:
    """A list of properties, given to a constructor (SYCL 2020 §4.5.4.1)."""

    __slots__ = ("properties",)

    def __init__(self, *properties: Any) -> None:
        self.properties: tuple[Property, ...] = flatten(properties)

    def __repr__(self) -> str:
        return f"property_list({', '.join(map(repr, self.properties))})"


@ends_at_call
class _Mutex(Property):
    """A lock of the user's that the runtime holds while commands use some data.

    The lock is a ``threading.Lock`` or an object with ``acquire`` and ``release``, which
    threads of the runtime call; its holder sees current data.
    """

    def __init__(self, lock: Any) -> None:
        if not (hasattr(lock, "acquire") and hasattr(lock, "release")) or (
                isinstance(lock, type(threading.RLock()))):
            raise UsageError(errc.invalid, "use_mutex: expected a threading.Lock (an RLock "
                             f"belongs to one thread), got {type(lock).__name__}")
        super().__init__(lock)

    def get_mutex_ptr(self) -> Any:
        """Return the lock."""
        return self.value


class property:
    """The properties of SYCL 2020, by the class they belong to."""

    class queue:
        """Properties of queues (SYCL 2020 §4.6.5.5)."""

        class in_order(Property):
            """Each command runs after the one submitted before it."""

            applies_to = ("queue",)

        class enable_profiling(Property):
            """Events of the queue answer ``get_profiling_info``."""

            applies_to = ("queue",)

        class discard_events(Property):
            """Commands return no usable events (sycl_ext_oneapi_discard_queue_events)."""

            applies_to = ("queue",)

        class priority_normal(Property):
            """Commands are as urgent as others (sycl_ext_oneapi_queue_priority)."""

            applies_to = ("queue",)

        class priority_low(Property):
            """Commands are less urgent than others: a hint (sycl_ext_oneapi_queue_priority)."""

            applies_to = ("queue",)

        class priority_high(Property):
            """Commands are more urgent than others: a hint (sycl_ext_oneapi_queue_priority)."""

            applies_to = ("queue",)

        class debug(Property):
            """What kernels of the queue check while they run, besides what they ask for.

            The words of ``UNISYCL_DEBUG``: ``property.queue.debug("bounds,races")``; without any
            the usual ones. An extension of unisycl.
            """

            applies_to = ("queue",)

            def __init__(self, checks: Any = True) -> None:
                super().__init__(checked_mode.given("property.queue.debug", checks))

        class timeout(Property):
            """How many seconds a kernel of the queue may run: ``property.queue.timeout(5)``.

            One that runs longer is an error that names it, as with ``UNISYCL_TIMEOUT``. An
            extension of unisycl.
            """

            applies_to = ("queue",)

            def __init__(self, seconds: float) -> None:
                try:
                    given = settings.seconds(str(seconds))
                except ValueError as error:
                    raise UsageError(errc.invalid, f"property.queue.timeout: {error}, got "
                                     f"{str(seconds)!r}") from None
                super().__init__(given)

    class buffer:
        """Properties of buffers (SYCL 2020 §4.7.2.3)."""

        class use_host_ptr(Property):
            """Use the memory given and no other; unisycl does so on the host anyway."""

            applies_to = ("buffer",)

        class use_mutex(_Mutex):
            """The runtime holds a lock while commands use the data: ``use_mutex(lock)``."""

            applies_to = ("buffer",)

        class context_bound(Property):
            """The buffer is used in one context only: ``context_bound(ctx)``."""

            applies_to = ("buffer",)

            def get_context(self) -> Any:
                """Return the context."""
                return self.value

    class image:
        """Properties of images (SYCL 2020 §4.7.3.3)."""

        class use_host_ptr(Property):
            """Use the memory given and no other; refused where that is not possible."""

            applies_to = ("sampled_image", "unsampled_image")

        class use_mutex(_Mutex):
            """The runtime holds a lock while commands use the data: ``use_mutex(lock)``."""

            applies_to = ("sampled_image", "unsampled_image")

        class context_bound(Property):
            """The image is used in one context only: ``context_bound(ctx)``."""

            applies_to = ("sampled_image", "unsampled_image")

            def get_context(self) -> Any:
                """Return the context."""
                return self.value

    class usm:
        """Properties of USM allocations (sycl_ext_oneapi_usm_device_read_only)."""

        class device_read_only(Property):
            """Kernels only read the memory, the host writes it: a hint."""

            applies_to = ("USM allocation", "usm_allocator")

        class ext_unisycl_inter_process(Property):
            """Other processes may open the memory by a handle of ``ipc_memory.get``."""

            applies_to = ("USM allocation",)

    class reduction:
        """Properties of reductions (SYCL 2020 §4.9.2.2)."""

        class initialize_to_identity(Property):
            """The old value of the reduction variable takes no part."""

            applies_to = ("reduction",)

    class graph:
        """Properties of graphs and of ``finalize`` (sycl_ext_oneapi_graph)."""

        class updatable(Property):
            """An executable graph may be updated: ``finalize(property.graph.updatable())``."""

            applies_to = ("finalize",)

        class no_cycle_check(Property):
            """``make_edge`` does not look for cycles; making one is the program's fault."""

            applies_to = ("command_graph",)

        class assume_buffer_outlives_graph(Property):
            """Buffers outlive the graph; unisycl keeps their memory alive anyway."""

            applies_to = ("command_graph",)

        class enable_profiling(Property):
            """Events of graphs answer ``get_profiling_info``, as their queue says anyway."""

            applies_to = ("finalize",)

    class node:
        """Properties of ``command_graph.add`` (sycl_ext_oneapi_graph)."""

        class depends_on(Property):
            """The node runs after others: ``depends_on(a, b)``."""

            applies_to = ("command_graph.add",)

            def __init__(self, *nodes: Any) -> None:
                super().__init__(nodes)

        class depends_on_all_leaves(Property):
            """The node runs after all that nothing runs after yet."""

            applies_to = ("command_graph.add",)

    class no_init(Property):
        """The old contents need not be kept (SYCL 2020 §4.7.6.4)."""

        applies_to = ("accessor", "host_accessor", "unsampled_image_accessor",
                      "host_unsampled_image_accessor")


@ends_at_call
class buffer_location(Property):
    """Which of a card's memories an argument lies in (sycl_ext_intel_buffer_location); a hint."""

    applies_to = ("accessor",)

    def __init__(self, number: int) -> None:
        super().__init__(_memory_number("buffer_location", number))


@ends_at_call
class mem_channel(Property):
    """Which channel of a card's memory a buffer lies in (mem_channel of SYCL for FPGAs); a hint."""

    applies_to = ("buffer",)

    def __init__(self, number: int) -> None:
        super().__init__(_memory_number("mem_channel", number))


def _memory_number(name: str, number: int) -> int:
    if type(number) is not int or number < 0:
        raise UsageError(errc.invalid, f"{name}: expected a number from 0 on, got {number!r}")
    return number


no_init = property.no_init()
"""The tag to give to an accessor whose old contents do not matter (SYCL 2020 §4.7.6.4)."""


def flatten(values: Iterable[Any]) -> tuple[Property, ...]:
    """Return the properties in arguments: each a property, a class, a list, or a property_list."""
    out: list[Property] = []
    for value in values:
        if isinstance(value, Property):
            out.extend(value.means())
        elif isinstance(value, property_list):
            out.extend(value.properties)
        elif isinstance(value, list | tuple):
            out.extend(flatten(value))
        elif isinstance(value, type) and issubclass(value, Property):
            out.extend(value().means())
        else:
            raise UsageError(errc.invalid, f"expected a property, got {type(value).__name__}; "
                             "properties are made like property.queue.in_order()")
    return tuple(out)


def is_given(value: Any) -> bool:
    """Say whether an argument is a property, a class of one, or a list of properties."""
    return isinstance(value, Property | property_list | list | tuple) or is_property(value)


def check(properties: Iterable[Property], owner: str) -> tuple[Property, ...]:
    """Return the properties if each may be given to ``owner``; ``errc.invalid`` otherwise."""
    found = tuple(properties)
    for p in found:
        if owner not in p.applies_to:
            raise UsageError(errc.invalid, f"{p!r} is no property of {_article(owner)} {owner}; "
                             f"it belongs to {' and '.join(p.applies_to)}")
    return found


def between_processes(properties: Iterable[Property]) -> bool:
    """Say whether other processes may open an allocation with these properties."""
    return any(isinstance(p, property.usm.ext_unisycl_inter_process) for p in properties)


def urgency(properties: Iterable[Property]) -> int:
    """Return 1, 0 or -1 for the priority of a queue (sycl_ext_oneapi_queue_priority).

    ``errc.invalid`` for more than one.
    """
    kinds = property.queue
    known: dict[type[Property], int] = {
        kinds.priority_low: -1, kinds.priority_normal: 0, kinds.priority_high: 1}
    found = {type(p) for p in properties} & set(known)
    if len(found) > 1:
        raise UsageError(errc.invalid, "queue: more than one priority was given; give one")
    return known[found.pop()] if found else 0


def checks(properties: Iterable[Property]) -> checked_mode.Words:
    """Return what properties of a queue ask its kernels to check."""
    known = list(properties)
    asked = [p.value for p in known if isinstance(p, property.queue.debug)]
    watched = timeout(known) or settings.TIMEOUT.get()
    return checked_mode.union([*asked, checked_mode.ENDLESS] if watched else asked)


def timeout(properties: Iterable[Property]) -> float:
    """Return how many seconds properties of a queue give its kernels; 0: they say nothing."""
    return min((p.value for p in properties if isinstance(p, property.queue.timeout)),
               default=0.0)


def _article(noun: str) -> str:
    return "an" if noun[0] in "aeiou" else "a"


@ends_at_call
def is_property(kind: Any) -> bool:
    """Say whether a class is a property (SYCL 2020 §4.5.4)."""
    return isinstance(kind, type) and issubclass(kind, Property)


@ends_at_call
def is_property_of(kind: Any, owner: Any) -> bool:
    """Say whether a property may be given to a class (SYCL 2020 §4.5.4)."""
    known = getattr(owner, "_takes_properties_of", "")
    return is_property(kind) and known in kind.applies_to


class HasProperties:
    """``has_property`` and ``get_property`` of the classes that take a property list."""

    __slots__ = ()
    _properties: tuple[Property, ...]
    _takes_properties_of: ClassVar[str] = ""
    """What ``applies_to`` calls the class; a program's own class is what it derives from."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls.__module__.startswith("unisycl.api."):
            cls._takes_properties_of = cls.__name__

    def __reduce__(self) -> Any:
        raise UsageError(errc.invalid, f"a {type(self).__name__} cannot be pickled: it belongs to "
                         "this process; make another one in the process that needs it")

    def has_property(self, kind: type[Property]) -> bool:
        """Say whether a property of this class was given (SYCL 2020 §4.5.4)."""
        return bool(self._properties) and any(isinstance(p, kind) for p in self._properties)

    def get_property(self, kind: type[P]) -> P:
        """Return the property given; ``errc.invalid`` if there is none (SYCL 2020 §4.5.4)."""
        for p in self._properties:
            if isinstance(p, kind):
                return p
        raise UsageError(errc.invalid, f"this {type(self).__name__} was made without "
                         f"{getattr(kind, '__qualname__', kind)}; ask has_property first")
