"""Executable graphs in files: saved by names, loaded with what has these names then.

A file holds numbers and names only, and says nothing that is run or imported: the program gives
kernels and memory to ``save_graph`` and ``load_graph``. Non-goals: host tasks, graphs inside
graphs, buffers; compiled code, which the cache on disk keeps. Invariant: a graph that is loaded
equals the one that was saved, or nothing is made.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from unisycl.api.graphs.command_graph import command_graph, executable_graph
from unisycl.api.memory.accessor import local_accessor
from unisycl.api.memory.usm import usm_pointer
from unisycl.api.queue.handler import handler
from unisycl.api.queue.queue import queue
from unisycl.base import geometry as geo
from unisycl.base.errors import UsageError, errc
from unisycl.base.tracebacks import ends_at_call
from unisycl.runtime.recorded.command_graph import Node, plan_of

_FORMAT, _VERSION = "unisycl graph", 1
_COMMANDS = ("copy", "memcpy", "fill", "memset")
Names = Mapping[str, Any]


@ends_at_call
def save_graph(graph: executable_graph, path: str | Path, names: Names) -> None:
    """Write an executable graph to a file.

    Args:
        graph: its nodes are kernels, copies and fills of USM memory and arrays, and empty ones.
        path: the file, which is replaced.
        names: the kernels and the memory that the graph uses, each by a name of the program's
            choice. What a kernel captures is the kernel's own affair.

    ``errc.invalid`` for other nodes, and for kernels and memory that have no name.
    """
    plan = plan_of(graph)
    nodes = [_Saved(node, names).entry() for node in plan]
    memories = {name: _described(thing) for name, thing in names.items() if not callable(thing)}
    text = json.dumps({"format": _FORMAT, "version": _VERSION, "memories": memories, "nodes": [
        {**node, "after": list(before)} for node, before in zip(
            nodes, plan.edges(), strict=True)]}, indent=1)
    try:
        Path(path).write_text(text + "\n", encoding="utf-8")
    except OSError as err:
        raise UsageError(errc.invalid, f"save_graph: {err}") from err


@ends_at_call
def load_graph(path: str | Path, where: queue, names: Names, *given: Any) -> executable_graph:
    """Return the executable graph of a file.

    Args:
        path: the file.
        where: a queue: the graph is made for its device and context.
        names: kernels and memory by the names that they were saved with; memory of the same type
            and shape.
        given: properties, as for ``command_graph.finalize``.

    ``errc.invalid`` for a file that holds no graph, and for names that are missing or do not fit.
    """
    if not isinstance(where, queue):
        raise UsageError(errc.invalid, "load_graph: expected a queue after the path, got "
                         f"{type(where).__name__}")
    held = _held(path)
    try:
        commands = [(_command(entry, names), _after(k, entry))
                    for k, entry in enumerate(held["nodes"])]
        for name, known in held["memories"].items():
            _check_memory(name, known, names)
    except (KeyError, TypeError, AttributeError, IndexError) as err:
        raise UsageError(errc.invalid, f"load_graph: '{path}' is damaged: {err!r}") from err
    made = command_graph(where)
    nodes: list[Any] = []
    for command, after in commands:
        before = [nodes[k] for k in after]
        nodes.append(made.add(depends_on=before) if command is None else made.add(
            command, depends_on=before))
    return made.finalize(*given)


class _Saved:
    """One node on its way to a file."""

    def __init__(self, node: Node, names: Names) -> None:
        self.node, self.names = node, names
        self.local: dict[int, int] = {}

    def entry(self) -> dict[str, Any]:
        """Return what the file has for it."""
        node = self.node
        if node.launch is not None:
            return self._kernel(node.launch)
        if node.begin is None:
            return {"kind": "empty"}
        recipe: Any = node.recipe
        if recipe is None:
            raise self._refused(f"{node.label} cannot be saved; kernels, copies and fills can")
        return {"kind": recipe[0], "arguments": [self._value(v) for v in recipe[1]]}

    def _kernel(self, made: Any) -> dict[str, Any]:
        if node_uses_buffers(self.node):
            raise self._refused(f"{self.node.label} uses buffers; give it USM memory")
        if made.reduction_objects:
            raise self._refused(f"{self.node.label} has reductions; add up by atomic_ref")
        space = made.geometry
        if space.whole is not None:
            raise self._refused(f"{self.node.label} runs over a non_uniform_nd_range")
        arguments: Any = made.arguments
        if getattr(arguments, "constants", None) or any(
                getattr(a, "constants", None) for a in arguments):
            raise self._refused(f"{self.node.label} has specialization constants")
        return {"kind": "kernel", "name": self._name(made.function), "space": space.kind,
                "global": list(space.global_), "local": list(space.local),
                "offset": list(space.offset), "arguments": [self._value(a) for a in arguments]}

    def _name(self, thing: Any) -> str:
        for name, known in self.names.items():
            if known is thing:
                return name
        raise self._refused(f"{self.node.label} uses {thing!r}, which has no name among those "
                            f"given: {', '.join(self.names) or 'none'}")

    def _value(self, value: Any) -> Any:
        if value is None or type(value) in (bool, int, float, str):
            return value
        if isinstance(value, usm_pointer):
            return self._place(value)
        if isinstance(value, np.ndarray):
            return {"memory": self._name(value), "from": 0}
        if isinstance(value, local_accessor):
            which = self.local.setdefault(id(value), len(self.local))
            return {"local": value.dtype.str, "shape": list(value.shape), "which": which}
        if isinstance(value, np.generic) and value.dtype.kind in "biuf":
            return {"number": value.item(), "dtype": value.dtype.name}
        if type(value) is tuple:
            return {"tuple": [self._value(v) for v in value]}
        raise self._refused(f"{self.node.label} has the argument {value!r}, which is neither a "
                            "number nor memory with a name")

    def _place(self, pointer: usm_pointer) -> dict[str, Any]:
        """Return an allocation with a name and how many elements behind its start it is."""
        for name, known in self.names.items():
            if not isinstance(known, usm_pointer) or known.block is not pointer.block:
                continue
            skip, rest = divmod(pointer.offset - known.offset, known.dtype.itemsize)
            if skip < 0 or rest or known.dtype != pointer.dtype:
                continue
            same = known if skip == 0 and known.shape == pointer.shape else known.pointer_to(skip)
            if same.shape == pointer.shape:
                return {"memory": name, "from": 0 if same is known else skip}
        return {"memory": self._name(pointer), "from": 0}

    def _refused(self, why: str) -> UsageError:
        return UsageError(errc.invalid, f"save_graph: {why}")


def node_uses_buffers(node: Node) -> bool:
    """Say whether a node's order comes from buffers, too."""
    return bool(node.accesses)


def _described(memory: Any) -> dict[str, Any]:
    if not isinstance(memory, usm_pointer | np.ndarray):
        raise UsageError(errc.invalid, "graphs are saved and loaded with kernels, USM memory and "
                         f"arrays by name, got {memory!r}")
    return {"dtype": memory.dtype.name, "shape": list(memory.shape)}


def _held(path: str | Path) -> dict[str, Any]:
    """Return what a file holds, as far as it can be a graph."""
    try:
        held = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as err:
        raise UsageError(errc.invalid, f"load_graph: '{path}' cannot be read: {err}") from err
    if not isinstance(held, dict) or (held.get("format"), held.get("version")) != (
            _FORMAT, _VERSION):
        raise UsageError(errc.invalid, f"load_graph: '{path}' holds no graph of this version; save "
                         "it with save_graph")
    return held


def _after(place: int, entry: dict[str, Any]) -> list[int]:
    """Return which nodes one runs after; they come before it in the file."""
    found = [operator.index(k) for k in entry["after"]]
    if not all(0 <= k < place for k in found):
        raise UsageError(errc.invalid, f"load_graph: node {place} runs after one that is not "
                         "before it")
    return found


def _check_memory(name: str, known: dict[str, Any], names: Names) -> None:
    found = _named(name, names)
    if callable(found) or _described(found) != known:
        raise UsageError(errc.invalid, f"load_graph: '{name}' was memory of {known['dtype']}, "
                         f"shape {tuple(known['shape'])}; {found!r} is something else")


def _named(name: str, names: Names) -> Any:
    if name not in names:
        raise UsageError(errc.invalid, f"load_graph: the graph uses '{name}', which has no value "
                         f"among those given: {', '.join(names) or 'none'}")
    return names[name]


def _command(entry: dict[str, Any], names: Names) -> Callable[[handler], Any] | None:
    """Return the command group function of a node; None for one that does nothing."""
    kind = entry["kind"]
    if kind == "empty":
        return None
    local: dict[Any, Any] = {}
    arguments = [_read(v, names, local) for v in entry["arguments"]]
    if kind in _COMMANDS:
        return lambda h: getattr(h, kind)(*arguments)
    if kind != "kernel":
        raise UsageError(errc.invalid, f"load_graph: there is no command '{kind}'")
    kernel, extent, local = _named(entry["name"], names), entry["global"], entry["local"]
    if entry["space"] == "single":
        return lambda h: h.single_task(kernel, *arguments)
    if entry["space"] == "work_group":
        return lambda h: h.parallel_for_work_group(
            geo.range(*extent), *((geo.range(*local),) if local else ()), kernel, *arguments)
    if entry["space"] == "nd_range":
        space = geo.nd_range(extent, local, geo.id(*entry["offset"])) if any(
            entry["offset"]) else geo.nd_range(extent, local)
        return lambda h: h.parallel_for(space, kernel, *arguments)
    offset: Sequence[Any] = (geo.id(*entry["offset"]),) if any(entry["offset"]) else ()
    return lambda h: h.parallel_for(geo.range(*extent), *offset, kernel, *arguments)


def _read(value: Any, names: Names, local: dict[Any, Any]) -> Any:
    """Return an argument; ``local``: memory of groups that the node has so far, by number."""
    if not isinstance(value, dict):
        return value
    if "memory" in value:
        found = _named(value["memory"], names)
        return found.pointer_to(value["from"]) if value["from"] else found
    if "local" in value:
        made = local_accessor(np.dtype(value["local"]), tuple(value["shape"]))
        return local.setdefault(value["which"], made) if "which" in value else made
    if "tuple" in value:
        return tuple(_read(v, names, local) for v in value["tuple"])
    return np.dtype(value["dtype"]).type(value["number"])
