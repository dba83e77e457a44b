"""From a Python callable and its arguments to one typed kernel, remembered while nothing changes.

Non-goals: targets. A kernel is lowered until the types of its variables settle; what it depended on
(captured types, constants, helper functions) is noted, and a later launch that matches gets the
same ``Specialization`` back.
"""

from __future__ import annotations

import functools
import threading
from types import FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple

from unisycl.base import checked_mode, foreign_objects, requested_checks
from unisycl.base.architecture import Target
from unisycl.base.enums import backend
from unisycl.base.errors import UsageError, errc
from unisycl.base.forward_progress import Levels
from unisycl.base.later import Later
from unisycl.frontend import captures, guard_function, remembered, shipped
from unisycl.frontend.kernel_shape import KernelShape
from unisycl.frontend.specialized import Specialization, name_of
from unisycl.ir.function_uses import ChildUse
from unisycl.ir.types import Scalar
from unisycl.lang.kernels.kernel import class_attributes, kernel, required_progress
from unisycl.lang.kernels.specialization import Arguments
from unisycl.process import float_mode

if TYPE_CHECKING:
    from unisycl.frontend import compiling
else:
    compiling = Later("unisycl.frontend.compiling")

_LIMIT = 64
_CODES = 4096
_lock = threading.RLock()
_known: dict[Any, list[Specialization]] = {}
_alike: dict[Any, list[Specialization]] = {}
_keep: dict[Any, Any] = {}


def specialize(function: Any, kind: str, ndim: int, arguments: tuple[Any, ...] = (),
               reductions: tuple[Any, ...] = (), local: tuple[int, ...] = (),
               target: Target | None = None,
               checks: checked_mode.Words = checked_mode.NONE) -> Specialization:
    """Return the kernel of a callable for these arguments, as ``find`` does."""
    return find(function, kind, ndim, arguments, reductions, local, target, checks)[0]


def find(function: Any, kind: str, ndim: int, arguments: tuple[Any, ...] = (),
         reductions: tuple[Any, ...] = (), local: tuple[int, ...] = (),
         target: Target | None = None, checks: checked_mode.Words = checked_mode.NONE,
         ) -> tuple[Specialization, tuple[Any, ...]]:
    """Return the kernel of a callable and the user's object behind each of its parameters.

    Args:
        function: what the user submitted: function, lambda, ``@sycl.kernel`` or callable object.
        kind: single, range, nd_range or work_group; ndim: dimensions of the index space.
        arguments: what follows the index and the reducers.
        reductions: the reduction objects of the launch.
        local: the work-group's size; kernels are specialised on it.
        target: the device, for kernels that ask which one it is.
        checks: what its queue asks to be checked while it runs.

    Raises ``KernelError`` with every diagnostic, or ``UsageError`` if it is no kernel at all.
    """
    asked = _NOTHING
    if type(function) is not FunctionType:
        function, _, asked = parts_of(function)
    sub_group, required, debug, fast, progress, has, free, traits = asked
    code = code_of(function)
    checks = requested_checks.of_kernel(debug, checks)
    # By identity first: hashing code is slow. The specialization keeps the code object alive.
    key = (id(code), kind, ndim, local, len(arguments), len(reductions), sub_group, required,
           checks, fast, progress, has, free, traits)
    for known in _known.get(key, ()):
        raw = known.match(function, arguments, reductions)
        if raw is not None and (not known.asked or known.suits(target)):
            return known, raw
    if free and free != (kind, ndim):
        raise UsageError(errc.invalid, f"kernel '{name_of(function)}' is a free function for "
                         f"{_launched(*free)} and cannot be launched as {_launched(kind, ndim)}")
    shape = KernelShape(kind, ndim, local, sub_group, required, checks, fast, progress,
                        bool(free), traits)
    with _lock:
        return _find_or_make((code, *key[1:]), key, function, shape, arguments, reductions, target)


class Asked(NamedTuple):
    """What a kernel asks for besides its code."""

    sub_group: int = 0
    required: tuple[int, ...] = ()
    debug: checked_mode.Words | None = None
    fast: bool = False
    progress: Levels | tuple[()] = ()
    has: Any = None
    free: tuple[()] | tuple[str, int] = ()
    traits: Any = ()


_NOTHING = Asked()


def asked_by(function: Any) -> Asked:
    """Return what a kernel asks for that is no function: a ``kernel``, or an object with a call.

    Of an object's own attributes only those of SYCL's names count: the others are its data.
    """
    debug, has = (getattr(function, name, None)
                  for name in ("__unisycl_debug__", "__unisycl_device_has__"))
    own = class_attributes(type(function))
    sub_group = int(getattr(function, "reqd_sub_group_size", 0) or own.sub_group)
    required = getattr(function, "reqd_work_group_size", own.required)
    if isinstance(function, kernel):
        return Asked(sub_group, required, debug, function.fast_math is True,
                     required_progress(function), has, function.free, function.traits)
    fast = bool(own.traits) and "-ffast-math" in dict(own.traits).get("options", ())
    return Asked(sub_group, required, debug, fast, own.progress, has, own.free, own.traits)


def parts_of(function: Any) -> tuple[Any, Any, Asked]:
    """Return what a kernel's captures are asked of, its code, and what else it asks for."""
    root = captures.unwrap(function)
    return root, code_of(root), asked_by(function)


def _launched(kind: str, ndim: int) -> str:
    return "single_task" if kind == "single" else f"a {kind} of {ndim} dimension(s)"


def _find_or_make(alike: tuple[Any, ...], key: tuple[Any, ...], function: Any, shape: KernelShape,
                  arguments: tuple[Any, ...], reductions: tuple[Any, ...],
                  target: Target | None) -> tuple[Specialization, tuple[Any, ...]]:
    """Return a specialization of equal code (made by another ``exec``, say), or compile one."""
    alike = (*alike, getattr(function, "__unisycl_device_has__", None))
    for made in _alike.get(alike, ()):
        raw = made.match(function, arguments, reductions)
        if raw is not None and made.suits(target):
            break
    else:
        with float_mode.usual():  # which constants are folded in
            made = _kept(function, alike, shape, arguments, reductions, target)
        raw = made.match(function, arguments, reductions)
        if raw is None:  # an attribute that is another object each time: compiled for each launch
            raw = guard_function.matcher(alike[0], (), (p.path for p in made.kernel.params))(
                function, arguments, reductions)
        assert raw is not None
        _alike[alike] = [made, *_alike.get(alike, ())][:_LIMIT]
        _shrink(_alike)
    # The list is replaced, never changed: other threads may be going through it.
    _known[key] = [made, *_known.get(key, ())][:_LIMIT]
    _keep[key] = alike[0]
    _shrink(_known)
    _shrink(_keep)
    return made, raw


def _kept(function: Any, alike: tuple[Any, ...], shape: KernelShape, arguments: tuple[Any, ...],
          reductions: tuple[Any, ...], target: Target | None) -> Specialization:
    """Return the kernel that a package or the cache on disk has, else compile one."""
    found = _shipped(function, shape, arguments, reductions, target)
    if found is not None:
        return found
    key = None if target is None or target.backend is backend.host else remembered.key_of(
        function, alike, shape, arguments)
    found = None if key is None else remembered.find(key, function, arguments, reductions, target)
    if found is None:
        found = compiling.compiled(function, alike[0], shape, arguments, reductions, target)
        if key is not None:
            remembered.note(key, found, function, arguments)
    return found


def _shipped(function: Any, shape: KernelShape, arguments: tuple[Any, ...],
             reductions: tuple[Any, ...], target: Target | None) -> Specialization | None:
    """Return the kernel that the function's package brings; the host device runs none."""
    if target is None or target.backend is backend.host or shape.checks:
        return None

    def made(found: shipped.Shipped, match: guard_function.Match) -> Specialization | None:
        one = Specialization(found.kernel, (), match, found.handled, found.required,
                             (*found.asked, (backend.host, False)))
        return one if one.suits(target) else None
    found: Specialization | None = shipped.find(function, shape, arguments, reductions, made)
    return found


def _shrink(table: dict[Any, Any]) -> None:
    while len(table) > _CODES:
        del table[next(iter(table))]


def code_of(function: Any) -> Any:
    """Return the code that a callable runs; ``UsageError`` if it is no kernel at all."""
    if isinstance(function, FunctionType):
        return function.__code__
    if hasattr(function, "__func__"):
        return function.__func__.__code__
    call_method = getattr(type(function), "__call__", None)
    if isinstance(call_method, FunctionType) and not isinstance(function, type):
        return call_method.__code__
    raise UsageError(errc.kernel_argument, f"a kernel must be a Python function, a lambda or an "
                     f"object with __call__, not {type(function).__name__}" + (
                         "; of a native kernel make_kernel makes one that can be launched"
                         if foreign_objects.is_native(function) else
                         "; of a partial function make one, lambda i: partial(i), or pass what it "
                         "holds to the launch, behind the kernel"
                         if isinstance(function, functools.partial) else ""))


def children(spec: Specialization, function: Any, arguments: tuple[Any, ...]
             ) -> tuple[tuple[ChildUse, Any, tuple[Any, ...]], ...]:
    """Return what a kernel may enqueue: its use, the callable, and its arguments.

    Of a number, which only the running parent knows, there is one of its type. Specialization
    constants are the parent's.
    """
    function = captures.unwrap(function)
    constants = getattr(arguments, "constants", None)
    found = []
    for use in spec.children:
        given: tuple[Any, ...] = tuple(
            captures.later(a) if isinstance(a, Scalar) else captures.fetch(a, function, arguments)
            for a in use.arguments)
        if constants is not None:
            given = Arguments.with_constants(given, constants)
        found.append((use, captures.fetch(use.path, function, arguments), given))
    return tuple(found)


def forget() -> None:
    """Drop every remembered specialization (tests use it)."""
    with _lock:
        _known.clear()
        _alike.clear()
        _keep.clear()

