"""Kernels that enqueue kernels: the launch of a whole tree (OpenCL 3.0 §3.2.3).

``plan`` compiles what a kernel may enqueue, all before it is launched, so that whatever can be
refused is refused at submission. A driver that starts children itself is given the tree
(``Driver.tree``); for others ``runtime.launch.child_kernels`` starts them when their parent has
ended. Non-goals: records (``lang.kernels.device_queue``), the order of children
(``child_kernels``). Invariant: what the children use is bound with the parent, in its command
group.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from unisycl.backends.base import HOST, BoundView, Geometry, Launch
from unisycl.base.dataclass import dataclass
from unisycl.base.errors import UsageError, errc
from unisycl.frontend import specialize
from unisycl.ir.enqueue_records import NUMBERS, Commands
from unisycl.ir.function_uses import ChildUse
from unisycl.ir.nodes import Param
from unisycl.ir.types import Scalar
from unisycl.runtime.graph.channel import Channel
from unisycl.runtime.graph.command_group import Group
from unisycl.runtime.launch import program
from unisycl.runtime.memory import staging

_MOST_KINDS = 256
_LARGE = (1 << 16) + 1


@dataclass(slots=True)
class Kin:
    """One kernel of a tree, for one set of argument types and memory.

    ``values`` are its launch's, None where they come with each command: ``numbers`` says which
    word of a record is which value, ``given`` which is which argument, ``memory`` where the memory
    of its own commands goes.
    ``children`` are the places in the tree of what it enqueues, in the order of its ``uses``.
    """

    name: str
    function: Any
    arguments: tuple[Any, ...]
    kind: str
    ndim: int
    local: tuple[int, ...]
    launch: Launch
    numbers: tuple[tuple[int, int, Any], ...]
    given: tuple[tuple[int, int, Scalar], ...]
    memory: tuple[tuple[int, Commands], ...]
    uses: tuple[tuple[ChildUse, Any, tuple[Any, ...]], ...] = ()
    children: tuple[int, ...] = ()

    @property
    def enqueues(self) -> bool:
        """Whether it has commands of its own."""
        return bool(self.memory)


@dataclass(slots=True)
class Tree:
    """All kernels that a launch may lead to; the launch itself is the first."""

    kin: list[Kin]
    staged: tuple[Any, ...] = ()


def plan(channel: Channel, group: Group | None, spec: Any, made: Launch) -> Tree:
    """Return the tree of a launch; its values are bound, and arrays of all of them staged."""
    root = Kin(made.executable.kernel.name, made.function, made.arguments, made.geometry.kind,
               len(made.geometry.global_), made.geometry.local, made, (), (),
               _memory(made.executable.kernel.params, made.raw))
    tree = Tree([root])
    known: dict[Any, int] = {}
    todo = [(root, spec, made.arguments)]
    while todo:
        parent, found, arguments = todo.pop()
        parent.uses = specialize.children(found, parent.function, arguments)
        places = []
        for use, function, given in parent.uses:
            key = (_identity(function), use.kind, use.ndim, use.local, use.checked,
                   tuple(type(x) if isinstance(a, Scalar) else id(x)
                         for a, x in zip(use.arguments, given, strict=True)))
            place = known.get(key)
            if place is None:
                place = known[key] = len(tree.kin)
                if place >= _MOST_KINDS:
                    raise UsageError(errc.invalid, f"kernel '{root.name}' leads to more than "
                                     f"{_MOST_KINDS} different kernels; does the local range or "
                                     "an argument change with each generation?")
                kin, its = _kin(channel, group, use, function, given)
                tree.kin.append(kin)
                todo.append((kin, its, given))
            places.append(place)
        parent.children = tuple(places)
    if channel.driver.memory != HOST:
        _stage(channel, tree)
    return tree


def _identity(function: Any) -> Any:
    """Return what tells callables apart: two objects for one method of one object are equal."""
    owner = getattr(function, "__self__", None)
    return id(function) if owner is None else (id(owner), id(function.__func__))


def _kin(channel: Channel, group: Group | None, use: ChildUse, function: Any,
         given: tuple[Any, ...]) -> tuple[Kin, Any]:
    """Compile a child, and bind what does not come with each command."""
    geometry = sample(use)
    spec, loaded, raw = program.prepare(channel.device, function, geometry, given, (),
                                        channel.checks)
    kernel = loaded.kernel
    if kernel.progress or kernel.waits:
        raise UsageError(errc.kernel_argument, f"kernel '{kernel.name}' asks for progress or may "
                         "wait for another kernel; such kernels are launched by the host only")
    order: dict[int, int] = {}
    for k, a in enumerate(use.arguments):
        if isinstance(a, Scalar):
            order[k] = NUMBERS + len(order)
    values: list[Any] = []
    numbers = []
    for param, thing, convert in zip(kernel.params, raw, loaded.converters, strict=True):
        step, key = param.path[0] if len(param.path) == 1 else ("", None)
        if step == "arg" and key in order:
            assert isinstance(param.type, Scalar)
            numbers.append((param.index, order[key], param.type.dtype.numpy))
            values.append(None)
        else:
            values.append(convert(thing, group, channel))
    if loaded.local_params or loaded.local_bytes:
        program.check_local_memory(channel.device.info, loaded, values)
    launch = Launch(loaded.executable, geometry, tuple(values), raw, function,
                    spec.passed(given) if spec.handled else given, spec.uses)
    return Kin(kernel.name, function, given, use.kind, use.ndim, use.local, launch,
               tuple(numbers), tuple((k, order[k], a) for k, a in enumerate(use.arguments)
                                     if isinstance(a, Scalar)),
               _memory(kernel.params, raw)), spec


def sample(use: ChildUse) -> Geometry:
    """Return an index space whose code serves all others, however small."""
    if use.kind == "single":
        return Geometry("single", (1,), (), (0,))
    extent = use.local or (*(1,) * (use.ndim - 1), _LARGE)
    return Geometry(use.kind, extent, use.local, (0,) * use.ndim)


def _memory(params: Sequence[Param], raw: Sequence[Any]) -> tuple[tuple[int, Commands], ...]:
    return tuple((p.index, r) for p, r in zip(params, raw, strict=True) if isinstance(r, Commands))


def _stage(channel: Channel, tree: Tree) -> None:
    """Give all launches of a tree the same copies of arrays that the device cannot use."""
    every: list[Any] = [v for kin in tree.kin for v in kin.launch.values]
    root = tree.kin[0].launch
    whole = Launch(_Nameless(), root.geometry, tuple(every), reductions=root.reductions)
    staging.settle(whole, channel.driver)
    if not whole.staged:
        return
    tree.staged = whole.staged
    root.reductions = whole.reductions
    at = 0
    for kin in tree.kin:
        count = len(kin.launch.values)
        kin.launch.values = whole.values[at:at + count]
        at += count


class _Nameless:
    """An executable of no kernel in particular: all it is given counts as written to."""

    kernel: Any = None


def memory_of(channel: Channel, what: Commands) -> BoundView:
    """Return memory for the commands of one launch; only its counters are zero."""
    own = channel.driver.allocate(what.dtype.itemsize * what.count)
    memory = np.empty(what.count, what.dtype) if own is None else own.view(what.dtype)
    return BoundView(memory, 0, (what.count,), (1,))
