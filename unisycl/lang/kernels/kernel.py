"""``kernel``: a reusable kernel function (SYCL 2020 §4.12; attributes §5.8.1).

Non-goals: compiling. Invariant: the decorated function stays callable as ordinary Python.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any, NoReturn, TypeVar, overload

from unisycl.base import checked_mode
from unisycl.base.annotations import annotations_of, copy_annotations, signature_of
from unisycl.base.enums import aspect
from unisycl.base.errors import UsageError, errc
from unisycl.base.forward_progress import Levels
from unisycl.base.tracebacks import ends_at_call
from unisycl.lang.kernels import forms, pickling
from unisycl.lang.kernels.chosen_arguments import by_position, partial_kernel
from unisycl.lang.kernels.kernel_properties import (
    Attributes,
    Traits,
    attributes_of,
    free_function,
    joined,
    sizes_of,
)
from unisycl.process import executed_texts

F = TypeVar("F", bound=Callable[..., Any])


def _part(name: str) -> property:
    """Return the property of a kernel that is a part of its function."""
    def read(self: kernel) -> Any:
        return getattr(self.function, name)

    def write(self: kernel, value: Any) -> None:
        setattr(self.function, name, value)
    return property(read, write, doc=f"``{name}`` of the function.")


class kernel:
    """Mark a function as a kernel, optionally with attributes (SYCL 2020 §5.8.1).

    Args:
        function: the function; left out when attributes are given.
        reqd_work_group_size: the only work-group size it may be launched with, as a tuple.
        work_group_size_hint: the work-group size it is written for.
        reqd_sub_group_size: the sub-group size it needs.
        fast_math: compute float32 exponentials, logarithms and sines as ``native`` does; nothing
            else is relaxed.
        vec_type_hint: the type it is written for; deprecated in SYCL 2020 and without effect.
        device_has: the aspects it may use, as ``device_has`` says for any function.
        properties: attributes as values, such as ``work_group_progress(...)``,
            ``build_options("-O3")`` or ``nd_range_kernel(1)``; a callable object may return them
            from a method ``get(self, tag: properties_tag)`` instead.
        debug: the checks at run time, in the words of ``UNISYCL_DEBUG``
            (``"bounds,races"``), besides what its queue and that variable ask for; True for the
            usual, False for nothing at all.

    Example:
        >>> @kernel(reqd_work_group_size=(64,))
        ... def scale(it, data, factor):
        ...     data[it.get_global_id(0)] *= factor
    """

    __slots__ = ("__dict__", "__unisycl_debug__", "__weakref__", "fast_math", "free", "function",
                 "plain", "progress", "reqd_sub_group_size",
                 "reqd_work_group_size", "traits", "work_group_size_hint")

    @overload
    def __new__(cls, function: Callable[..., Any], /) -> kernel: ...
    @overload
    def __new__(  # type: ignore[misc]  # a decorator, as functools.partial of the class
            cls, function: None = None, /, *, reqd_work_group_size: Any = (),
            work_group_size_hint: Any = (), reqd_sub_group_size: int = 0, vec_type_hint: Any = None,
            device_has: Any = None,
            debug: bool | str | None = None, properties: Any = (),
            fast_math: bool = False) -> Callable[[Callable[..., Any]], kernel]: ...
    @ends_at_call
    def __new__(cls, function: Callable[..., Any] | None = None, /, *,
                reqd_work_group_size: Any = (), work_group_size_hint: Any = (),
                reqd_sub_group_size: int = 0, vec_type_hint: Any = None,
                device_has: Any = None, debug: bool | str | None = None, properties: Any = (),
                fast_math: bool = False) -> Any:
        """Return the kernel, or a decorator that makes it with these attributes."""
        if function is None:
            if not (reqd_work_group_size or work_group_size_hint or reqd_sub_group_size
                    or vec_type_hint or device_has is not None or debug is not None
                    or properties != () or fast_math):
                raise UsageError(errc.invalid, "kernel(): a kernel is made of a function; write "
                                 "@kernel above it, or @kernel(attribute=...)")
            given = attributes_of(properties)
            has = (device_has,) if isinstance(device_has, aspect) else device_has
            named = Attributes(sizes_of("reqd_work_group_size", reqd_work_group_size),
                               sizes_of("work_group_size_hint", work_group_size_hint),
                               reqd_sub_group_size, has)
            words = None if debug is None else checked_mode.given("debug", debug)
            return functools.partial(ends_at_call(cls._make), both=_merged("kernel", named, given),
                                     debug=words, fast=fast_math)
        return cls._make(function)

    @classmethod
    def _make(cls, function: Callable[..., Any], both: Attributes = Attributes(),  # noqa: B008
              debug: checked_mode.Words | None = None, fast: bool = False) -> kernel:
        if not callable(function):
            raise UsageError(errc.invalid, f"kernel: expected a function, got "
                             f"{type(function).__name__}")
        if both.has is not None:
            function = device_has(*both.has)(function)
        made = cls._made(function, both, debug, fast=fast)
        if callable(getattr(function, "__func__", function)) and not isinstance(function, type):
            forms.register(made)
        return made

    @classmethod
    def _made(cls, function: Callable[..., Any], both: Attributes,
              debug: checked_mode.Words | None, *, fast: bool) -> kernel:
        made = object.__new__(cls)
        made.function = function
        made.reqd_work_group_size = both.required
        made.work_group_size_hint = both.hint
        made.reqd_sub_group_size = both.sub_group
        made.__unisycl_debug__ = debug
        made.traits = both.traits
        made.fast_math = bool(fast) or "-ffast-math" in dict(both.traits).get("options", ())
        made.progress = both.progress
        made.free = both.free
        asks = any((both.required, both.sub_group, both.traits, both.progress, both.free,
                    made.fast_math, debug is not None,
                    hasattr(function, "__unisycl_device_has__")))
        made.plain = function if isinstance(function, FunctionType) and not asks else None
        functools.update_wrapper(made, function)
        return made

    function: Callable[..., Any]
    reqd_work_group_size: tuple[int, ...]
    work_group_size_hint: tuple[int, ...]
    reqd_sub_group_size: int
    __unisycl_debug__: checked_mode.Words | None
    fast_math: bool
    progress: Levels | tuple[()]
    free: tuple[()] | tuple[str, int]
    traits: Traits
    plain: Any
    """The function, where launching it is the same as no attribute was given; else None."""

    @property
    def __unisycl_function__(self) -> Callable[..., Any]:
        """The Python function itself."""
        return self.function

    @property
    def _label(self) -> str:
        return str(getattr(self.function, "__name__", type(self.function).__name__))

    # What tools that reload modules replace in a function, they replace in a kernel's.
    __code__ = _part("__code__")
    __closure__ = _part("__closure__")
    __defaults__ = _part("__defaults__")
    __kwdefaults__ = _part("__kwdefaults__")

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Call the function as ordinary Python."""
        try:
            return self.function(*arguments, **named)
        except TypeError as error:
            trace = error.__traceback__
            if trace is not None and trace.tb_next is None:  # the call itself failed
                error.add_note(f"'{self._label}' is a kernel: queue.parallel_for(range, "
                               f"{self._label}, *arguments) runs it; called as a function it is "
                               "plain Python, for one item, and takes the index first")
            raise

    @ends_at_call
    def __getitem__(self, shape: Any) -> NoReturn:
        """Refuse what other systems write for a launch."""
        sizes = shape if isinstance(shape, tuple) else (shape,)
        raise UsageError(errc.invalid, f"kernel '{self._label}': a launch is written "
                         f"queue.parallel_for(range, {self._label}, *arguments), or with an "
                         "nd_range(work-items in all, work-items of a group); it was given "
                         f"[{', '.join(map(repr, sizes))}], as other systems have it: of blocks "
                         "and threads make nd_range(blocks * threads, threads)")

    @ends_at_call
    def launch(self, queue: Any, space: Any, *arguments: Any, depends_on: Any = (),
               **named: Any) -> Any:
        """Return ``queue.parallel_for(space, self, *arguments)``: the event of the launch.

        Arguments may be given by the names of the kernel's parameters.
        """
        return queue.parallel_for(space, self, *by_position(self, arguments, named),
                                  depends_on=depends_on)

    @ends_at_call
    def partial(self, **named: Any) -> partial_kernel:
        """Return the kernel with some arguments chosen, to be launched with the others."""
        return partial_kernel(self, named)

    @ends_at_call
    def declare(self, space: Any, *rest: Any) -> kernel:
        """Say how the kernel will be launched, so that bundles compile it ahead of that.

        Args:
            space: the index space as for ``parallel_for``; None for ``single_task``. Its kind and
                dimensions matter, for an nd_range also the local range.
            rest: what would follow it: reductions and arguments whose types are the real ones;
                sizes do not matter. The examples are kept.

        Returns:
            The kernel, so that declarations can be chained.
        """
        forms.declare(self, space, rest)
        return self

    @ends_at_call
    def bind(self, queue: Any, space: Any, *arguments: Any, **named: Any) -> Any:
        """Return ``queue.bind(space, self, *arguments)``: a launch to be submitted many times."""
        return queue.bind(space, self, *by_position(self, arguments, named))

    @ends_at_call
    def report(self, queue: Any, space: Any, *arguments: Any) -> str:
        """Return ``queue.ext_unisycl_report(space, self, *arguments)``: what is compiled, how."""
        found: str = queue.ext_unisycl_report(space, self, *arguments)
        return found

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else self.function.__get__(instance, owner)

    def __reduce__(self) -> Any:
        """Pickle by reference, as functions are.

        Where a pickler is at work that takes functions along (cloudpickle, dill), a kernel that
        cannot be imported goes along, too, with its text.
        """
        if pickling.by_value(self):
            parts = tuple(getattr(self, name) for name in _CARRIED)
            return _restored, (self.function, parts, pickling.texts_of(self.function))
        return getattr(self.function, "__qualname__", "")

    def __repr__(self) -> str:
        try:
            names = ", ".join(signature_of(self.function).parameters)
        except (TypeError, ValueError):  # a callable that does not say
            names = "..."
        sizes = f", work-groups of {' x '.join(map(str, self.reqd_work_group_size))}" if (
            self.reqd_work_group_size) else ""
        return f"<kernel {self._label}({names}){sizes}>"


_CARRIED = ("reqd_work_group_size", "work_group_size_hint", "reqd_sub_group_size",
            "__unisycl_debug__", "traits", "fast_math", "progress", "free")


def _restored(function: Callable[..., Any], parts: tuple[Any, ...],
              texts: tuple[tuple[str, str], ...]) -> kernel:
    """Return the kernel that was pickled with its function and the texts that it stands in."""
    for name, text in texts:
        for known in {name, pickling.file_of(function) or name}:
            executed_texts.remember(known, text)
    made = object.__new__(kernel)
    made.function = function
    for name, value in zip(_CARRIED, parts, strict=True):
        setattr(made, name, value)
    functools.update_wrapper(made, function)
    forms.register(made)
    return made


class properties_tag:
    """Marks the method ``get`` of a kernel object as the one that returns its properties."""

    __slots__ = ()


def nd_range_kernel(dimensions: int) -> _Free:
    """Return the property of free functions for nd_ranges; also their decorator."""
    return _Free(("nd_range", dimensions))


def single_task_kernel() -> _Free:
    """Return the property of free functions that run once; also their decorator."""
    return _Free(("single", 1))


class _Free(free_function):
    """The property as a decorator."""

    __slots__ = ()

    def __call__(self, function: Callable[..., Any]) -> kernel:
        """Return the function as a kernel with this property."""
        return kernel._make(function, attributes_of(self))


def with_properties(function: Any, given: Any) -> kernel:
    """Return a kernel with further properties, for one launch; the function stays as it is."""
    asked = attributes_of(given)
    known, debug, fast = Attributes(), None, False
    inner = function
    if isinstance(function, kernel):
        known = Attributes(function.reqd_work_group_size, function.work_group_size_hint,
                           function.reqd_sub_group_size, None, function.progress,
                           function.free, function.traits)
        inner, debug, fast = function.function, function.__unisycl_debug__, function.fast_math
    if asked.has is not None:
        inner = device_has(*asked.has)(_twin(inner))
    return kernel._made(inner, _merged(getattr(function, "__name__", "the kernel"), known, asked),
                      debug, fast=fast)


def with_traits(function: Any, traits: Traits) -> Any:
    """Return a kernel with the options of a bundle; the same where there are none."""
    if not traits:
        return function
    own = function if isinstance(function, kernel) else kernel._made(function, Attributes(), None,
                                                                     fast=False)
    both = Attributes(own.reqd_work_group_size, own.work_group_size_hint, own.reqd_sub_group_size,
                      None, own.progress, own.free,
                      joined(getattr(function, "__name__", "kernel"), own.traits, traits))
    return kernel._made(own.function, both, own.__unisycl_debug__, fast=own.fast_math)


def _merged(what: str, one: Attributes, other: Attributes) -> Attributes:
    """Return what both ask for; ``errc.invalid`` where they contradict each other."""
    for name, mine, theirs in zip(Attributes._fields[:-1], one, other, strict=False):
        if mine and theirs and mine != theirs:
            raise UsageError(errc.invalid, f"{what}: {name} is given twice, as {mine} and as "
                             f"{theirs}; say it once")
    has = other.has if one.has is None else one.has
    return Attributes(one.required or other.required, one.hint or other.hint,
                      one.sub_group or other.sub_group, has, one.progress or other.progress,
                      one.free or other.free, joined(what, one.traits, other.traits))


def _twin(function: Any) -> Any:
    """Return a function of the same code, cells and attributes, to be marked by itself."""
    if isinstance(function, MethodType):
        return MethodType(_twin(function.__func__), function.__self__)
    if not isinstance(function, FunctionType):
        return MethodType(_twin(type(function).__call__), function)
    made = FunctionType(function.__code__, function.__globals__, function.__name__,
                        function.__defaults__, function.__closure__)
    made.__kwdefaults__ = function.__kwdefaults__
    copy_annotations(function, made)
    made.__qualname__ = function.__qualname__
    made.__dict__.update(function.__dict__)
    return made


def required_progress(function: Any) -> Levels | tuple[()]:
    """Return what a kernel, or a callable object, requires of its threads; () if nothing."""
    own = getattr(function, "progress", None)
    if own is not None and isinstance(function, kernel):
        return own  # type: ignore[no-any-return]
    return class_attributes(type(function)).progress


_classes: weakref.WeakKeyDictionary[type, Attributes] = weakref.WeakKeyDictionary()


def class_attributes(kind: type) -> Attributes:
    """Return what ``get(properties_tag)`` of a class gives; it may use no instance."""
    found = _classes.get(kind)
    if found is None:
        found = _classes[kind] = _asked(kind)
    return found


def _asked(kind: type) -> Attributes:
    method = vars(kind).get("get")
    notes = list(annotations_of(method).values())
    if not any(n is properties_tag or str(n).endswith("properties_tag") for n in notes):
        return Attributes()
    found = attributes_of(method(None, properties_tag()))  # type: ignore[misc]
    if found.has is not None:
        device_has(*found.has)(kind.__call__)
    return found


@ends_at_call
def device_has(*aspects: aspect) -> Callable[[F], F]:
    """Mark a function: it uses these optional features of devices and no others (§5.8.1, §5.8.2).

    Launching a kernel that is marked so, or calls a function that is, on a device that lacks one
    raises ``errc.kernel_not_supported``; using fp16, fp64 or atomic64 without listing it is a
    diagnostic (K070).
    """
    given: tuple[object, ...] = aspects
    for one in given:
        if not isinstance(one, aspect):
            raise UsageError(errc.invalid, f"device_has: expected aspects, got {one!r}")
    names = frozenset(a.name for a in aspects)

    @ends_at_call
    def mark(function: F) -> F:
        bare: Any = getattr(function, "__unisycl_function__", function)
        known = getattr(bare, "__unisycl_device_has__", names)
        if known != names:
            raise UsageError(errc.invalid, f"device_has: '{getattr(bare, '__name__', bare)}' is "
                             f"marked twice, with {', '.join(sorted(known)) or 'nothing'} and with "
                             f"{', '.join(sorted(names)) or 'nothing'}; mark it once")
        bare.__unisycl_device_has__ = names
        return function
    return mark
