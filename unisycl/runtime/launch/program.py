"""From a function and its arguments to a loaded kernel and its argument converters, cached.

The only module that knows the front end. Non-goals: launching. Invariant: everything that can be
refused for a kernel on a device is refused here, before anything enters the graph.
"""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from types import CodeType, FunctionType
from typing import Any, Protocol, TypeAlias

from unisycl.backends.base import DeviceInfo, Executable, Geometry
from unisycl.base import checked_mode, requested_checks
from unisycl.base.dataclass import dataclass
from unisycl.base.enums import address_space, aspect
from unisycl.base.errors import BuildError, KernelError, UnsupportedError, UsageError, errc
from unisycl.base.foreign_objects import is_native
from unisycl.frontend import specialize
from unisycl.frontend.specialized import Specialization
from unisycl.ir import visit
from unisycl.ir.nodes import Atomic, Kernel, Param
from unisycl.ir.stored_parameters import used
from unisycl.ir.types import View
from unisycl.process import float_mode, log
from unisycl.process.recursion import apart, inside
from unisycl.runtime.devices.devices import ContextState, DeviceState
from unisycl.runtime.graph import watching
from unisycl.runtime.graph.command_group import Capturable
from unisycl.runtime.launch import (
    args,
    attributes,
    compiled_kernels,
    nd_range_parts,
    pipe_ends,
    progress,
)
from unisycl.runtime.launch.repeats import Kin, Place, Repeat, Repeats, results

_LIMIT = 4096
_MOST_ARGUMENTS = 1 << 20


class Line(Protocol):
    """What is asked of the queue of a launch."""

    checks: checked_mode.Words
    context: ContextState
    device: DeviceState
    quick: bool
    warm: dict[Any, Any] | None


@dataclass(frozen=True, slots=True)
class Program:
    """A kernel loaded on a device; ``local_params`` says where local accessors are passed.

    ``special``: a launch of it needs more than its values.
    """

    kernel: Kernel
    executable: Executable
    converters: tuple[args.Converter, ...]
    local_params: tuple[tuple[int, int], ...]
    local_bytes: int
    special: bool


_programs: OrderedDict[Hashable, Program] = OrderedDict()
_Warm: TypeAlias = tuple[Specialization, Program, Repeats, Any, Geometry]
_Table: TypeAlias = dict[tuple[int, int, int], tuple[_Warm, ...]]
_warm: dict[tuple[int, checked_mode.Words], _Table] = {}
"""For the number of a device and what is checked there: what was found by the ids of objects that
it keeps alive, so that they stay theirs."""
_kin: OrderedDict[tuple[int, int], tuple[Kin, Kernel]] = OrderedDict()
"""What launches of a kernel on a device have left behind, over whatever index spaces."""
_roaming: dict[int, Any] = {}
"""The functions whose index spaces vary from launch to launch, by the ids of their code."""
_ALIKE = 7
_lock = threading.RLock()  # a finaliser may call forget while its thread is in here


class Mark:
    """Stands for the code of kernels that are no functions, together with what they ask for."""

    __slots__ = ("asked", "code")

    def __init__(self, code: CodeType, asked: specialize.Asked) -> None:
        self.code, self.asked = code, asked


_marks: dict[tuple[int, specialize.Asked], Mark] = {}


def known_by(function: Any) -> tuple[Any, Any]:
    """Return by what a kernel is known, whatever it captures, and what is asked for its captures.

    The first is the same object each time: a function's code. None: a launch must ask for more.
    """
    if type(function) is FunctionType:
        return function.__code__, function
    try:
        root, code, asked = specialize.parts_of(function)
        found = _marks.get((id(code), asked))
    except (UsageError, AttributeError, TypeError, ValueError):
        return None, function  # which the long way refuses
    if asked.progress:
        return None, function
    if found is None:
        if len(_marks) >= _LIMIT:
            _marks.clear()
        found = _marks[id(code), asked] = Mark(code, asked)
    return found, root


def warm(channel: Line, known_as: Any, function: Any, geometry: Geometry,
         arguments: tuple[Any, ...],
         reductions: tuple[Any, ...] = ()) -> tuple[_Warm | None, tuple[Any, ...]]:
    """Return what a launch like it has left behind and its raw arguments.

    None and nothing if there was none. ``known_as``, ``function``: what ``known_by`` returned.
    """
    table = channel.warm
    if table is None or requested_checks.asked():
        table = _table(channel)
    count = _count(arguments, reductions) if reductions else len(arguments)
    for known in table.get((id(known_as), id(geometry), count), ()):
        raw = known[0].match(function, arguments, reductions)
        if raw is not None:
            return known, raw
    return None, ()


def _count(arguments: tuple[Any, ...], reductions: tuple[Any, ...]) -> int:
    """Return what tells numbers of arguments behind some reductions apart from all others."""
    return -1 - len(arguments) - _MOST_ARGUMENTS * len(reductions)


def _table(channel: Line) -> _Table:
    """Return what launches on a queue have left behind."""
    if requested_checks.asked():
        return _warm.setdefault((channel.device.number, requested_checks.now(channel.checks)), {})
    found = channel.warm
    if found is None:
        found = channel.warm = _warm.setdefault((channel.device.number, channel.checks), {})
    return found


def repeat(channel: Line, known_as: Any, function: Any, geometry: Geometry,
           arguments: tuple[Any, ...], reductions: tuple[Any, ...] = (),
           ) -> tuple[Repeat | None, _Warm | None, tuple[Any, ...]]:
    """Return a launch with the very same arguments that may serve again, and what ``warm`` does.

    Asked for every launch of a queue's shortcut, so all of it is here.
    """
    table = channel.warm
    if table is None or requested_checks.asked():
        table = _table(channel)
    count = _count(arguments, reductions) if reductions else len(arguments)
    for known in table.get((id(known_as), id(geometry), count), ()):
        raw = known[0].match(function, arguments, reductions)
        if raw is None:
            continue
        if reductions:
            raw += results(reductions)
        repeats = known[2]
        if repeats.missed and channel.quick and repeats.numbers_vary:
            return None, known, raw
        for one in repeats.kept:
            for ref, given in zip(one.refs, raw):  # noqa: B905 - its check takes as long as this
                if ref() is not given and not (type(ref) is Place and ref.holds(given)):
                    break
            else:
                if not one.owner or one.owner == id(channel.context):
                    repeats.found()
                    return one, known, raw
        return None, known, raw
    return None, None, ()


def roams(known_as: Any) -> None:
    """Note that a kernel's index spaces vary, so that launches over new ones take the short way."""
    if len(_roaming) >= _LIMIT:
        _roaming.clear()
    _roaming[id(known_as)] = known_as


def over_others(channel: Line, known_as: Any, function: Any, geometry: Geometry,
                arguments: tuple[Any, ...]) -> tuple[_Warm | None, tuple[Any, ...]]:
    """Return what ``warm`` does for an index space that is new, where they vary for this kernel."""
    if id(known_as) not in _roaming:
        return None, ()
    raw = prepare(channel.device, function, geometry, arguments, (), channel.checks)[2]
    known, again = warm(channel, *known_by(function), geometry, arguments)
    return known, again or raw


def prepare(device: DeviceState, function: Any, geometry: Geometry, arguments: tuple[Any, ...],
            reductions: tuple[Any, ...], checks: checked_mode.Words = checked_mode.NONE,
            ) -> tuple[Any, Program, tuple[Any, ...]]:
    """Return a launch's specialization, loaded program and raw arguments; cheap when warm.

    ``checks``: what its queue asks to be checked while it runs.
    """
    code, root = (None, None) if compiled_kernels.watchers else known_by(function)
    if code is not None:
        table = _warm.setdefault((device.number, requested_checks.now(checks)), {})
        key = (id(code), id(geometry),
               _count(arguments, reductions) if reductions else len(arguments))
        for known in table.get(key, ()):
            raw = known[0].match(root, arguments, reductions)
            if raw is not None:
                return known[0], known[1], raw
        found = _find(device, function, geometry, arguments, reductions, checks)
        if len(table) >= _LIMIT:
            table.clear()
        repeats = Repeats(_kin_of(device, found[0].kernel))
        table[key] = ((*found[:2], repeats, code, geometry), *table.get(key, ())[:_ALIKE])
        return found
    return _find(device, function, geometry, arguments, reductions, checks)


def _kin_of(device: DeviceState, kernel: Kernel) -> Kin:
    """Return what launches of a kernel share, whatever their index spaces."""
    key = id(kernel), device.number
    found = _kin.get(key)
    if found is None:
        while len(_kin) >= _LIMIT:
            _kin.popitem(last=False)
        found = _kin[key] = Kin(), kernel
    return found[0]


def find(device: DeviceState, function: Any, geometry: Geometry,
         arguments: tuple[Any, ...], checks: checked_mode.Words = checked_mode.NONE,
         ) -> tuple[Specialization, Program, tuple[Any, ...]]:
    """Return what ``prepare`` does for a geometry that is not kept: it is not remembered."""
    return _find(device, function, geometry, arguments, (), checks)


def _find(device: DeviceState, function: Any, geometry: Geometry, arguments: tuple[Any, ...],
          reductions: tuple[Any, ...], checks: checked_mode.Words,
          ) -> tuple[Specialization, Program, tuple[Any, ...]]:
    try:
        return _compiled(device, function, geometry, arguments, reductions, checks)
    except RecursionError:
        if inside():
            raise
    # No lock is held here: the other thread may take them.
    return apart(lambda: _compiled(device, function, geometry, arguments, reductions, checks))


def _compiled(device: DeviceState, function: Any, geometry: Geometry, arguments: tuple[Any, ...],
              reductions: tuple[Any, ...], checks: checked_mode.Words,
              ) -> tuple[Specialization, Program, tuple[Any, ...]]:
    try:
        spec, raw = specialize.find(function, geometry.kind, len(geometry.global_), arguments,
                                    reductions, geometry.local, device.info, checks)
    except KernelError:
        refuse_arguments(function, arguments)
        raise
    kernel: Kernel = spec.kernel if geometry.whole is None else nd_range_parts.placed(
        spec.kernel, alone=geometry.alone)
    key = (id(kernel), device.number, device.driver.geometry_key(kernel, geometry))
    program = _programs.get(key)
    if program is None:
        refuse_arguments(function, arguments)
        check_required(device.info, kernel.name, geometry, spec.required)
        _tell(function, arguments, raw, device)
        program = _load(key, device, kernel, geometry)
    if kernel.traits:
        attributes.check_launch(kernel, geometry, spec.required)
    if kernel.progress:
        progress.check_launch(device.info, kernel, geometry)
    if compiled_kernels.watchers:
        compiled_kernels.note(kernel, device.driver, geometry)
    return spec, program, raw


def forget(devices: Sequence[int]) -> None:
    """Drop what was compiled for devices, given by number, that will not be used again.

    What goes may be the last to hold another device, whose finaliser comes here, too.
    """
    with _lock:  # it may be called again in here, at any allocation: so by lists of the keys
        old = [k for k in list(_programs) if isinstance(k, tuple) and k[1] in devices]
        dropped: list[Any] = [_programs.pop(k, None) for k in old]
        for of in [key for key in list(_warm) if key[0] in devices]:
            table = _warm.pop(of, {})
            dropped += table.values()
            table.clear()
        for of_kernel in [key for key in list(_kin) if key[1] in devices]:
            dropped.append(_kin.pop(of_kernel, None))


def _tell(function: Any, arguments: tuple[Any, ...], raw: tuple[Any, ...],
          device: DeviceState) -> None:
    """Tell what a kernel captured which kernel that is; it may refuse."""
    captured = [x for x in raw if isinstance(x, Capturable)]
    if captured:
        inner = getattr(function, "__unisycl_function__", function)
        module = getattr(inner, "__module__", None) or type(inner).__module__
        constants: frozenset[Any] = getattr(arguments, "likeness", frozenset)()
        for x in captured:
            x.used_by(module, constants, device)


def _load(key: Hashable, device: DeviceState, kernel: Kernel, geometry: Geometry) -> Program:
    check_kernel(device.info, kernel, geometry)
    with _lock:
        program = _programs.get(key)
        if program is not None:
            return program
        local, size = _local_params(kernel), args.local_bytes(kernel)
        try:
            with log.timed("compile", log.INFO, "kernel '%s' for '%s' compiled or taken from disk",
                           kernel.name, device.info.name), float_mode.usual():
                begun = time.monotonic_ns()
                made = device.driver.compile(kernel, geometry)
                watching.compiled(kernel.name, begun, time.monotonic_ns())
        except RecursionError:
            if not inside():
                raise
            raise BuildError(errc.build, f"kernel '{kernel.name}' nests too deeply to be compiled; "
                             "turn long chains of elif, tuples or operators into loops") from None
        program = Program(kernel, made, args.converters(kernel), local, size,
                          bool(kernel.enqueues or "races" in kernel.checks
                               or pipe_ends.joins(device.info, kernel)))
        _programs[key] = program
        while len(_programs) > _LIMIT:
            _programs.popitem(last=False)
        return program


def _local_params(kernel: Kernel) -> tuple[tuple[int, int], ...]:
    return tuple((p.index, args.element_bytes(p.type.elem)) for p in kernel.params
                 if isinstance(p.type, View) and p.type.space is address_space.local_space)


def check_kernel(info: DeviceInfo, kernel: Kernel, geometry: Geometry) -> None:
    """Refuse a kernel that the device cannot run, naming what is asked and what there is."""
    if aspect.custom in info.aspects:
        raise UnsupportedError(errc.kernel_not_supported, f"the device '{info.name}' compiles no "
                               f"kernels, such as '{kernel.name}': as a custom device it has those "
                               "built into it only; info.device.built_in_kernel_ids names them for "
                               "get_kernel_bundle")
    progress.check_kernel(info, kernel)
    missing = [a for a in sorted(kernel.aspects) if aspect(a) not in info.aspects]
    if missing:
        raise UnsupportedError(errc.kernel_not_supported, f"kernel '{kernel.name}' needs "
                               f"{', '.join('aspect.' + a for a in missing)}, which the device "
                               f"'{info.name}' does not have")
    if kernel.sub_group and kernel.sub_group not in info.sub_group_sizes:
        raise UnsupportedError(errc.kernel_not_supported, f"kernel '{kernel.name}' requires "
                               f"sub-groups of {kernel.sub_group}; the device '{info.name}' has "
                               f"{', '.join(map(str, info.sub_group_sizes))}")
    _check_atomics(info, kernel)
    pipe_ends.check(info, kernel)
    if kernel.enqueues and not info.device_queue_size:
        raise UnsupportedError(errc.kernel_not_supported, f"kernel '{kernel.name}' enqueues "
                               f"kernels, and the device '{info.name}' has no queue for them; "
                               "submit them from the host")
    size = args.parameter_bytes(kernel)
    if size > info.max_parameter_size:
        raise UsageError(errc.kernel_argument, f"kernel '{kernel.name}' takes {size} bytes of "
                         f"parameters; the device '{info.name}' takes {info.max_parameter_size}; "
                         "pass an accessor or USM memory instead")
    if geometry.local:
        check_local(info, kernel.name, geometry.launched.local)
    else:
        _refuse_local_accessors(kernel, geometry.kind)


def check_required(info: DeviceInfo, name: str, geometry: Geometry,
                   required: tuple[int, ...]) -> None:
    """Refuse what a required work-group size forbids (SYCL 2020 §5.8.1)."""
    if not required or geometry.kind == "single":
        return
    limits = info.max_work_item_sizes[-len(required):]
    if math.prod(required) > info.max_work_group_size or any(
            asked > most for asked, most in zip(required, limits, strict=True)):
        raise UnsupportedError(errc.kernel_not_supported, f"kernel '{name}' requires work-groups "
                               f"of {required}; the device '{info.name}' has at most "
                               f"{info.max_work_group_size} work-items in one")
    local = geometry.launched.local
    if required != local:
        raise UsageError(errc.nd_range, f"kernel '{name}' requires work-groups of {required}; it "
                         f"was launched with {local or 'no local range'}")


def _check_atomics(info: DeviceInfo, kernel: Kernel) -> None:
    """Refuse memory orders and scopes that the device lacks (SYCL 2020 §4.6.4.2)."""
    for stmt in visit.statements(kernel.body):
        if not isinstance(stmt, Atomic):
            continue
        for what, asked, known in (("order", stmt.order, info.atomic_orders),
                                   ("scope", stmt.scope, info.atomic_scopes)):
            if asked not in known:
                where = f" at {stmt.span.place()}" if stmt.span else ""
                raise UnsupportedError(
                    errc.kernel_not_supported, f"kernel '{kernel.name}' uses atomics of memory "
                    f"{what} {asked.name}{where}; the device '{info.name}' has "
                    f"{', '.join(k.name for k in known)}")


def check_local(info: DeviceInfo, name: str, local: Sequence[int]) -> None:
    """Refuse a work-group larger than the device takes (SYCL 2020 §4.9.4.2)."""
    limits = info.max_work_item_sizes[-len(local):]
    for d, (asked, most) in enumerate(zip(local, limits, strict=True)):
        if asked > most:
            raise UsageError(errc.nd_range, f"kernel '{name}': local size {asked} in dimension {d} "
                             f"exceeds the device's {most}; use a smaller local range")
    if math.prod(local) > info.max_work_group_size:
        raise UsageError(errc.nd_range, f"kernel '{name}': a work-group of {math.prod(local)} "
                         f"work-items ({' x '.join(map(str, local))}) exceeds the device's maximum "
                         f"of {info.max_work_group_size}; use a smaller local range")


def _refuse_local_accessors(kernel: Kernel, kind: str) -> None:
    """SYCL 2020 §4.7.6.11: only kernels with work-groups have local memory.

    One that hands it to kernels it enqueues, and does not use it, needs none.
    """
    handed = frozenset(range(len(kernel.params))) - used(kernel) if kernel.enqueues else ()
    for param in kernel.params:
        if param.index in handed:
            continue
        if kind in ("single", "range") and isinstance(param.type, View) and (
                param.type.space is address_space.local_space):
            what = "single_task" if kind == "single" else "parallel_for over a range"
            raise UsageError(errc.kernel_argument, f"kernel '{kernel.name}' uses the "
                             f"local_accessor {_name(param)} in {what}, which has no "
                             "work-groups; launch it over an nd_range")


def _name(param: Param) -> str:
    return f"'{param.name}'"


def check_local_memory(info: DeviceInfo, program: Program, values: Sequence[Any]) -> None:
    """Refuse more local memory than a work-group has."""
    total = program.local_bytes
    for index, size in program.local_params:
        total += size * math.prod(values[index].shape)
    if total > info.local_mem_size:
        raise UnsupportedError(errc.memory_allocation, f"kernel '{program.kernel.name}' asks for "
                               f"{total} bytes of local memory per work-group; the device "
                               f"'{info.name}' has {info.local_mem_size}; use smaller tiles")


def refuse_arguments(function: Any, arguments: tuple[Any, ...]) -> None:
    """Refuse host objects among a kernel's arguments and captures, naming the culprit."""
    code = getattr(function, "__code__", None)
    names = code.co_varnames[:code.co_argcount] if code is not None else ()
    first = len(names) - len(arguments)
    for k, value in enumerate(arguments):
        place = first + k
        name = f"'{names[place]}'" if 0 <= place < len(names) else str(k)
        _refuse(function, f"argument {name}", value)
    if code is not None:
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            try:
                value = cell.cell_contents
            except ValueError:  # the variable is not bound yet; the front end says so
                continue
            _refuse(function, f"captured variable '{name}'", value)


def _refuse(function: Any, what: str, value: Any) -> None:
    advice = getattr(type(value), "__kernel_refusal__", None)
    if advice is not None:
        raise UsageError(errc.kernel_argument, f"kernel '{label(function)}': {what} is a "
                         f"{type(value).__name__}, which lives on the host; {advice}")
    if is_native(value):
        raise UsageError(errc.kernel_argument, f"kernel '{label(function)}': {what} is a native "
                         f"{type(value).__name__}; of native memory make a buffer with "
                         "make_buffer, and use an accessor of that")


def label(function: Any) -> str:
    """Return the name a user knows a kernel by."""
    return getattr(function, "__name__", None) or type(function).__name__
