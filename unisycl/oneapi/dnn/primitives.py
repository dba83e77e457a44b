"""Primitives and their descriptors: what all kinds share.

A descriptor of a primitive finds who computes it, and asks for layouts; it is remembered. A
primitive is executed in a stream, as one call of a queue: memory and events in, an event out.
Non-goals: the kinds (``kinds``), computing. Invariant: everything is checked before anything runs.
"""

from __future__ import annotations

import functools
import threading
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

import unisycl as sycl
from unisycl.base.tracebacks import ends_at_call
from unisycl.oneapi.dnn import checks, descriptors, executions, memories, names
from unisycl.oneapi.dnn.attributes import primitive_attr
from unisycl.oneapi.dnn.descriptors import desc, format_kind
from unisycl.oneapi.dnn.engines import engine, stream
from unisycl.oneapi.dnn.memories import memory
from unisycl.oneapi.dnn.names import arg, error
from unisycl.oneapi.dnn.operations import Op, operation, read
from unisycl.oneapi.dnn.table import ROWS, Row
from unisycl.oneapi.frame import providers
from unisycl.oneapi.frame.operands import Memory
from unisycl.oneapi.frame.results import events_of

LIBRARY = "dnn"
_REPEATS = 16
_BY_LAYERS = tuple(f"{d}{n}_" for d in ("", "diff_") for n in (
    "src_layer", "src_iter", "weights_layer", "weights_iter", "weights_peephole",
    "weights_projection", "dst_layer", "dst_iter"))
"""How descriptors of recurrent networks begin."""
_TENSORS = ("src", "dst", "weights", "bias", "diff_", "data", "stat")
_GETTERS = {"algorithm": ("alg",), "prop_kind": ("prop",), "dilations": ("dilates",),
            "group_size": ("group",), "epsilon": ("epsilon", "eps")}
"""Fields by the names that C++ has for them, where these differ."""


class Implementation(Protocol):
    """What a provider makes of an operation."""

    info: str
    """What it calls itself."""
    found: dict[str, desc]
    """The tensors of an execution by the names of their fields, none of them open."""
    ins: tuple[str, ...]
    outs: tuple[str, ...]
    scratchpad: desc
    """Memory for intermediate results that a program gives; nothing if it gives none."""

    def submit(self, queue: sycl.queue, given: dict[int, Memory],
               after: list[sycl.event]) -> sycl.event:
        """Compute, with memory by the numbers of arguments."""


class _Remembered:
    """Implementations that were made before, the latest last."""

    def __init__(self) -> None:
        self.capacity = 1024
        self._lock = threading.Lock()
        self._known: OrderedDict[Any, Any] = OrderedDict()

    def get(self, key: Any) -> Any:
        """Return what is known, or None."""
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
            return self._known.get(key)

    def put(self, key: Any, made: Any) -> None:
        """Remember, and forget what was not asked for longest."""
        with self._lock:
            self._known[key] = made
            while len(self._known) > self.capacity:
                self._known.popitem(last=False)

    def resize(self, capacity: int) -> None:
        """Remember at most so many."""
        with self._lock:
            self.capacity = capacity
            while len(self._known) > capacity:
                self._known.popitem(last=False)


_CACHE = _Remembered()


def get_primitive_cache_capacity() -> int:
    """Return how many primitives are remembered at most."""
    return _CACHE.capacity


def set_primitive_cache_capacity(capacity: int) -> None:
    """Remember at most so many primitives; 0 for none."""
    if not hasattr(capacity, "__index__") or int(capacity) < 0:
        raise error(f"set_primitive_cache_capacity: a whole number from 0 on, got {capacity!r}")
    _CACHE.resize(capacity)


def _made(op: Op, skip: int = 0) -> Any:
    """Return who computes an operation, of those who can the one behind ``skip`` others."""
    key = op.key(), providers.chosen(LIBRARY), skip
    known = _CACHE.get(key)
    if known is not None:
        return known
    reasons = []
    left = skip
    for who in providers.ranked(LIBRARY, op.where.device):
        try:
            made = who.served.create(op, who.place)
        except error as problem:
            if problem.status is not names.status.unimplemented:
                raise
            reasons.append(f"{who.name}: {problem.what()}")
            continue
        if left == 0:
            _CACHE.put(key, made)
            return made
        left -= 1
    if skip:
        raise error(f"{op.name}: nobody else computes it", names.status.last_impl_reached)
    raise names.unimplemented(f"{op.name}: nobody computes it as asked on {op.where!r}; "
                              + "; ".join(reasons))


class primitive_desc_base:
    """The descriptor of a primitive: who computes it, and how tensors lie."""

    row: ClassVar[Row]

    @ends_at_call
    def __init__(self, *args: Any, **named: Any) -> None:
        op = _read(self.row, list(args), named)
        checks.check(op)
        self._op, self._skip = op, 0
        self.implementation: Any = _made(op)

    def next_impl(self) -> bool:
        """Go on to the next one who computes it; False if there is none."""
        try:
            self.implementation = _made(self._op, self._skip + 1)
        except error as problem:
            if problem.status is not names.status.last_impl_reached:
                raise
            return False
        self._skip += 1
        return True

    def get_engine(self) -> engine:
        """Return the engine."""
        return self._op.where

    def get_primitive_attr(self) -> primitive_attr:
        """Return the attributes, as a copy."""
        return self._op.attr.copied()

    def impl_info_str(self) -> str:
        """Return what who computes it calls itself."""
        return str(self.implementation.info)

    def query(self, name: str) -> Any:
        """Return a field of the operation, as ``"strides"``, ``"alg"``."""
        if name not in self._op.row.names:
            raise error(f"{self._op.name}: it has no '{name}'; it has "
                        + ", ".join(self._op.row.names))
        return self._op[name]

    def __getattr__(self, name: str) -> Any:
        """Return what C++ has a function for: ``src_layer_desc()``, ``get_strides()``."""
        if name.endswith("_desc") and name.startswith(_BY_LAYERS):
            return functools.partial(self._asked, name.removesuffix("_desc"))
        known = name.removeprefix("get_")
        for field in _GETTERS.get(known, (known,)) if known != name else ():
            if field in self.row.names and not field.startswith(_TENSORS):
                return functools.partial(self.query, field)
        raise AttributeError(f"{type(self).__module__}.{type(self).__qualname__} of {self.row.name}"
                             f" has no '{name}'")

    def _asked(self, *fields: str) -> desc:
        for name in fields:
            if name in self.implementation.found:
                found: desc = self.implementation.found[name]
                return found
        return desc()

    def src_desc(self, index: int = 0) -> desc:
        """Return the descriptor of a source."""
        known = (("src", "src0", "src_layer", "data"), ("src1", "src_iter"), ("src_iter_c",))
        return self._asked(f"srcs{index}", *(known[index] if index < len(known) else ()))

    def weights_desc(self, index: int = 0) -> desc:
        """Return the descriptor of weights."""
        return self._asked(*(("weights", "weights_layer"), ("weights_iter", "bias"),
                             ("weights_peephole",), ("weights_projection",))[index])

    def bias_desc(self) -> desc:
        """Return the descriptor of the bias."""
        return self._asked("bias")

    def dst_desc(self, index: int = 0) -> desc:
        """Return the descriptor of a result."""
        return self._asked(*(("dst", "dst_layer"), ("dst_iter",), ("dst_iter_c",))[index])

    def diff_src_desc(self, index: int = 0) -> desc:
        """Return the descriptor of a source's gradient."""
        return self._asked(*(("diff_src", "diff_src_layer"), ("diff_src_iter",),
                             ("diff_src_iter_c",))[index])

    def diff_weights_desc(self, index: int = 0) -> desc:
        """Return the descriptor of weights' gradient."""
        return self._asked(*(("diff_weights", "diff_weights_layer"), ("diff_weights_iter",),
                             ("diff_weights_peephole",), ("diff_weights_projection",))[index])

    def diff_bias_desc(self) -> desc:
        """Return the descriptor of the bias's gradient."""
        return self._asked("diff_bias")

    def diff_dst_desc(self, index: int = 0) -> desc:
        """Return the descriptor of a result's gradient."""
        return self._asked(*(("diff_dst", "diff_dst_layer"), ("diff_dst_iter",),
                             ("diff_dst_iter_c",))[index])

    def mean_desc(self) -> desc:
        """Return the descriptor of means."""
        return self._asked("mean")

    def variance_desc(self) -> desc:
        """Return the descriptor of variances."""
        return self._asked("variance")

    def workspace_desc(self) -> desc:
        """Return the descriptor of what forward hands to backward."""
        return self._asked("workspace")

    def scratchpad_desc(self) -> desc:
        """Return the descriptor of memory for intermediate results, of scratchpad_mode.user."""
        found: desc = self.implementation.scratchpad
        return found

    def exec_arg_desc(self, number: int) -> desc:
        """Return the descriptor of an argument of an execution."""
        return next((d for n, d in self.implementation.found.items()
                     if executions.number_of(self._op, n) == int(number)), desc())

    def __repr__(self) -> str:
        return f"<{self.row.name}.primitive_desc by {self.impl_info_str()}>"


def _read(row: Row, args: list[Any], named: dict[str, Any]) -> Op:
    """Return the operation that arguments ask for, in the order of 3.0 or of before."""
    found: dict[str, Any] = {}
    rest = []
    for x in args:
        kind = ("attr" if isinstance(x, primitive_attr) else "engine" if isinstance(x, engine)
                else "hint" if isinstance(x, primitive_desc_base) else
                "desc" if isinstance(x, operation) else "flag" if isinstance(x, bool) else "")
        if not kind:
            rest.append(x)
        elif kind != "flag" and kind in found and x != found[kind]:
            raise error(f"{row.name}: two arguments are {type(x).__name__}")
        else:
            found[kind] = x
    for name in ("attr", "engine", "hint"):
        if name in named:
            found[name] = named.pop(name)
    named.pop("allow_empty", None)
    if row.name == "reorder" and rest and isinstance(rest[0], memory):
        found.setdefault("engine", rest[0].get_engine())
        rest = [x.get_desc() if isinstance(x, memory) else x for x in rest]
    if not isinstance(found.get("engine"), engine):
        raise error(f"{row.name}: an engine is needed, as engine(engine.kind.cpu, 0)")
    if "desc" in found:
        if found["desc"].row is not row or rest:
            raise error(f"{row.name}: the descriptor is of {found['desc'].row.name}")
        values = found["desc"].values
    else:
        values = read(row, rest, named)
    hint = found.get("hint")
    if hint is not None and row.forward and hint.row.name != row.forward:
        raise error(f"{row.name}: the hint is a primitive_desc of {hint.row.name}; {row.forward} "
                    "is needed")
    attr = found.get("attr") or primitive_attr()
    return Op(row, values, attr.copied(), found["engine"], hint)


class primitive:
    """A primitive, ready to be executed (``dnnl::primitive``)."""

    row: ClassVar[Row]

    @ends_at_call
    def __init__(self, *args: Any, **named: Any) -> None:
        if len(args) == 1 and isinstance(args[0], primitive_desc_base) and not named:
            pd = args[0]
            if pd.row is not self.row:
                raise error(f"{self.row.name}: the primitive_desc is of {pd.row.name}")
        else:
            made: Any = type("primitive_desc", (primitive_desc_base,), {"row": self.row})
            pd = made(*args, **named)
        self._pd = pd
        self._op: Op = pd._op
        self._does = pd.implementation
        self._wanted = executions.wanted_of(self._op, self._does)
        self._repeats: dict[Any, tuple[list[tuple[memory, Any]], dict[int, Memory]]] = {}

    def get_primitive_desc(self) -> primitive_desc_base:
        """Return the descriptor that it was made of."""
        return self._pd

    @ends_at_call
    def execute(self, where: Any, *args: Any, depends_on: Any = ()) -> sycl.event:
        """Compute: ``execute(stream, {arg.SRC: src, arg.DST: dst})``; returns the event.

        Args:
            where: a stream, or a queue.
            args: tensors by the numbers of arguments: ``memory``, or arrays, buffers and USM memory
                that lie as the primitive asks for.
            depends_on: events to wait for.
        """
        given, depends_on = self._given(args, depends_on)
        return self._execute(where, given, events_of(depends_on))

    def _given(self, args: tuple[Any, ...], depends_on: Any) -> tuple[Mapping[int, Any], Any]:
        if len(args) == 2 and not isinstance(args[0], memory):
            return args[0], args[1]
        if len(args) != 1 or not isinstance(args[0], Mapping):
            raise error(f"{self.row.name}: execute takes (stream, {{arg.SRC: ..., arg.DST: ...}}, "
                        "depends_on=())")
        return args[0], depends_on

    def _execute(self, where: Any, given: Mapping[int, Any],
                 after: list[sycl.event]) -> sycl.event:
        queue = where.queue if isinstance(where, stream) else where
        if not isinstance(queue, sycl.queue):
            raise error(f"{self.row.name}: execute takes a stream or a queue first, got "
                        f"{type(where).__name__}")
        if queue.get_device() != self._op.where.device:
            raise error(f"{self.row.name}: the stream is of another device than {self._op.where!r}")
        known = self._again(given)
        if known is not None:
            again: sycl.event = self._does.submit(queue, known, after)
            return again
        taken = self._taken(given)
        found: dict[int, Memory] = {}
        turned: list[tuple[memory, memory]] = []
        for number, (wanted, writes) in self._wanted.items():
            x = taken[number]
            if isinstance(x, memory) and x.get_desc() != wanted:
                x, after = self._turned(where, number, x, turned, after)
            found[number] = self._operand(number, wanted, x, writes)
        self._check_apart(found)
        if not turned:
            self._note(given, found)
        last: sycl.event = self._does.submit(queue, found, after)
        if turned:
            from_memory = [_reorder(a, b).execute(where, {arg.FROM: a, arg.TO: b}, depends_on=last)
                           for a, b in turned]
            last = queue.ext_oneapi_submit_barrier(from_memory)
        return last

    def _again(self, given: Mapping[int, Any]) -> dict[int, Memory] | None:
        """Return the memory of a call that came before, with the very same tensors."""
        known = self._repeats.get(tuple((n, id(x)) for n, x in given.items()))
        if known is None:
            return None
        for x, held in known[0]:
            base: Any = held
            freed = isinstance(held, sycl.usm_pointer) and base.block.freed
            if x.get_data_handle() is not held or freed:
                return None
        return known[1]

    def _note(self, given: Mapping[int, Any], found: dict[int, Memory]) -> None:
        """Note a call of tensors, which may come again."""
        if all(isinstance(x, memory) for x in given.values()):
            if len(self._repeats) >= _REPEATS:
                self._repeats.clear()
            self._repeats[tuple((n, id(x)) for n, x in given.items())] = (
                [(x, x.get_data_handle()) for x in given.values()], found)

    def _taken(self, given: Mapping[int, Any]) -> dict[int, Any]:
        """Return what was given by number; refuse what is missing or nobody asks for."""
        taken = {int(k): v for k, v in given.items() if v is not None}
        missing = [n for n in self._wanted if n not in taken]
        if missing:
            raise error(f"{self.row.name}: execute needs {', '.join(map(names.name_of, missing))}")
        strange = [n for n in taken if n not in self._wanted and n != arg.SCRATCHPAD]
        if strange:
            raise error(f"{self.row.name}: execute takes no {names.name_of(strange[0])}; it takes "
                        + ", ".join(map(names.name_of, self._wanted)))
        return taken

    def _operand(self, number: int, wanted: desc, x: Any, writes: bool) -> Memory:
        what = names.name_of(number)
        if isinstance(x, memory):
            x = x.get_data_handle()
        elif hasattr(x, "shape") and wanted.get_format_kind() is format_kind.opaque:
            raise error(f"{self.row.name}: {what} has a layout of the library's own; give "
                        "memory(primitive_desc's descriptor, engine), and reorder to it")
        else:
            self._check_shape(what, wanted, x)
        return memories.operand(self.row.name, what, wanted, x, writes=writes)

    def _check_shape(self, what: str, wanted: desc, x: Any) -> None:
        """Refuse memory whose own shape says that it lies otherwise."""
        if not isinstance(x, sycl.buffer) and not hasattr(x, "shape"):
            raise error(f"{self.row.name}: {what} must be a memory, an array, a buffer or USM "
                        f"memory, got {type(x).__name__}")
        shape = tuple(x.get_range()) if isinstance(x, sycl.buffer) else tuple(x.shape)
        flat = len(shape) == 1 and len(wanted.dims) != 1
        if flat and wanted.layout().is_plain():
            return
        if shape != wanted.dims or descriptors.of_array(x).layout() != wanted.layout():
            mine = "" if flat else f" {descriptors.of_array(x)!r}"
            if not flat and shape == wanted.dims and descriptors.of_array(x) == wanted:
                return
            raise error(f"{self.row.name}: {what} has shape {shape}{mine} where {wanted!r} is "
                        "needed; give memory(array, engine) reordered to the descriptor of the "
                        "primitive_desc")

    def _check_apart(self, found: dict[int, Memory]) -> None:
        number = executions.number_of
        allowed = {(number(self._op, o), number(self._op, i))
                   for o, i in self.row.pairs.items()}
        items = list(found.items())
        for n, mine in items:
            if not self._wanted[n][1]:
                continue
            for m, other in items:
                if m == n or (m < n and self._wanted[m][1]):
                    continue
                if memories.meet(mine, other) and not (
                        (n, m) in allowed and memories.same(mine, other)):
                    raise error(f"{self.row.name}: {names.name_of(n)} and {names.name_of(m)} "
                                "overlap, and one of them is written")

    def _turned(self, where: Any, number: int, x: memory,
                turned: list[tuple[memory, memory]],
                after: list[sycl.event]) -> tuple[memory, list[sycl.event]]:
        """Return memory as the primitive asks for it, of one whose layout was left open."""
        mine = x.get_desc()
        wanted, writes = self._wanted[number]
        if not x.free or mine.dims != wanted.dims:
            raise error(f"{self.row.name}: {names.name_of(number)} is {mine!r} where {wanted!r} "
                        "is needed; reorder it to the descriptor of the primitive_desc")
        inside = memory(wanted, self._op.where)
        if writes:
            turned.append((inside, x))
        if not writes or any(o.kind == "sum" for o in self._op.attr.ops):
            done = _reorder(x, inside).execute(where, {arg.FROM: x, arg.TO: inside},
                                               depends_on=after)
            after = [*after, done]
        return inside, after

    def __repr__(self) -> str:
        return f"<{self.row.name} by {self._pd.impl_info_str()}>"


class reorder(primitive):
    """Copies a tensor to another layout or type: ``reorder(a, b).execute(stream, a, b)``."""

    row = ROWS["reorder"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of a reorder: (engine, src, engine, dst, attr), or of two memories."""

        row = ROWS["reorder"]

    def _given(self, args: tuple[Any, ...], depends_on: Any) -> tuple[Mapping[int, Any], Any]:
        if len(args) == 2 and not isinstance(args[0], Mapping):
            return {arg.FROM: args[0], arg.TO: args[1]}, depends_on
        return super()._given(args, depends_on)


def _reorder(a: memory, b: memory) -> primitive:
    return reorder(a, b)
