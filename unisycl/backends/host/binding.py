"""Prepare the user's function for one launch: captured memory becomes checked views.

The function's code stays as it is, unless it has convergent calls (``rewrite``); only what its
cells, globals, defaults, arguments and attributes hold is replaced. Non-goals: running work-items.
Invariants: no object of the user's changes; captured scalars have the value of the submission.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import functools
import math
from collections.abc import Callable, Generator
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FunctionType,
    MethodType,
    ModuleType,
)
from typing import Any

import numpy as np

from unisycl.backends.base import BoundView, Launch, LocalSize
from unisycl.backends.host import constants, record_classes, rewrite
from unisycl.backends.host.arithmetic import Arithmetic
from unisycl.backends.host.called_objects import CalledObjects, held
from unisycl.backends.host.collectives import ALL, BARRIER, COLLECTIVES, Collective
from unisycl.backends.host.races import Watch
from unisycl.backends.host.rewrite import Position, Site, position
from unisycl.base import checked_mode
from unisycl.base.enums import access_mode, address_space
from unisycl.ir.function_uses import FunctionUse
from unisycl.ir.types import ImageView, Scalar, StreamType, View
from unisycl.lang.index.nd_item import group, sub_group
from unisycl.lang.index.root_group import root_group
from unisycl.lang.kernels.stream import HostStream
from unisycl.lang.memory import heap as _heap  # noqa: F401 - memory gives its pointers
from unisycl.lang.memory import pointer as _pointer  # noqa: F401 - views give its pointers
from unisycl.lang.memory.atomic import AtomicView
from unisycl.lang.memory.device_global import GlobalView
from unisycl.lang.memory.image import HostImage, pixel_words
from unisycl.lang.memory.views import (
    HostView,
    from_end,
    in_place,
    is_pointer,
    place,
    poison,
    scratch,
)
from unisycl.lang.numbers import unchecked_math
from unisycl.process.standard_output import Lines

Meeting = Generator[Any, Any, Any]
Cache = dict[Any, Any]
_PLACES = {rewrite.PLACE: place, rewrite.END: from_end}
_LIBRARIES = frozenset(("numpy", "operator", "builtins", "unisycl"))
"""Packages whose functions run as they are."""


def bound_array(view: BoundView) -> np.ndarray[Any, Any]:
    """Return the elements a BoundView denotes as an array, without a copy."""
    return view.array()


def unwrap(function: Any) -> Any:
    """Return the Python function behind a ``kernel`` object, or the object itself."""
    inner = getattr(function, "__unisycl_function__", None)
    return function if inner is None else inner


def plain_function(function: Any) -> FunctionType | None:
    """Return the Python function that runs when an object is called; None if there is none."""
    function = unwrap(function)
    if isinstance(function, MethodType):
        function = function.__func__
    if isinstance(function, FunctionType):
        return function
    call = getattr(type(function), "__call__", None)
    return call if isinstance(call, FunctionType) else None


class Binder:
    """Everything a launch's functions see. Owned by one launch, used by its thread only.

    ``at`` tells streams the work-item at hand; ``watch`` is told of accesses to memory.
    """

    def __init__(self, launch: Launch, cache: Cache, watch: Watch | None = None) -> None:
        self._cache = cache
        self._uses: dict[CodeType, FunctionUse] = {use.code: use for use in launch.uses}
        self._memory: dict[int, Any] = {}
        self._lines = Lines()
        self._checked = "assert" in launch.executable.kernel.checks
        asked = frozenset(launch.executable.kernel.checks).intersection(checked_mode.NUMBERS)
        self._numbers = Arithmetic(asked).names() if asked else {}
        self._elements = {rewrite.ELEMENT: watch.element} if watch is not None else {}
        many = constants.pays(launch.geometry, cache) and not asked
        self._constants = constants.Constants(cache if many else None, _bound_names, _resolve)
        self.streams: list[HostStream] = []
        self.at: Any = None
        self._scalars: dict[tuple[Any, ...], Any] = {}
        self._plain: dict[int, Any] = {}
        self._kept: list[Any] = []
        self._meeting: dict[int, FunctionType] = {}
        self._shadows: dict[int, tuple[Any, Any]] = {}
        self._called = CalledObjects(self._uses, self._rebuilt, self._shadow)
        self._spaces: dict[int, record_classes.Names] = {}
        self._local: list[np.ndarray[Any, Any]] = []
        self.watch = watch
        self.known: Any = ()
        self._root = plain_function(launch.function)
        self.records = self._record_classes(launch)
        self._bind_parameters(launch)
        self.arguments = tuple(self.substitute(a) for a in launch.arguments)
        self.function = self.substitute(launch.function)
        meeting = self._generator(self.function)
        self.convergent = meeting is not None
        self.asks = any(use.asks for use in launch.uses)
        self.files = {use.code.co_filename for use in launch.uses}
        if self._root is not None:
            self.files.add(self._root.__code__.co_filename)
        if meeting is not None:
            self.function = meeting

    # ---- values
    def _record_classes(self, launch: Launch) -> dict[Any, Any]:
        """Return the classes of records whose methods the kernel calls, as the launch has them."""
        found = {}
        for owner in record_classes.owners(launch.executable.kernel):
            made = record_classes.shadow(owner, self._uses)
            if made is not owner:
                made._struct = self._class(owner._struct)
                found[owner] = made
        for made in found.values():
            record_classes.fill(made, self._uses, self._rebuilt)
        return found

    def _bind_parameters(self, launch: Launch) -> None:
        for param, value, raw in zip(launch.executable.kernel.params, launch.values, launch.raw,
                                     strict=False):
            if isinstance(param.type, StreamType):
                stream = HostStream(raw, self._lines, lambda: self.at)
                self._memory[id(raw)] = stream
                self.streams.append(stream)
                continue
            if getattr(raw, "__kernel_variable__", False) and len(param.path) > 1:
                for owner in record_classes.along(param.path, self._root):
                    self._spaces[id(owner)] = record_classes.Names(owner, self.substitute)
            if getattr(raw, "__kernel_allocations__", False):
                self.known = bound_array(value)
            mode = param.type.mode if isinstance(param.type, View) else access_mode.read_write
            given = getattr(value, "host_view", None) or getattr(raw, "__host_view__", HostView)
            kind: Any = AtomicView if mode is access_mode.atomic else given
            if self.watch is not None:
                kind = {HostView: self.watch.view, GlobalView: self.watch.variable}.get(kind, kind)
            if isinstance(param.type, ImageView):
                self._memory[id(raw)] = _host_image(value, param.type, param.name, raw)
            elif isinstance(value, BoundView):
                data = bound_array(value)
                self._memory[id(raw)] = kind(data, param.name, mode, raw, self.records)
            elif isinstance(value, LocalSize):
                data = scratch(_element(param.type, raw), (math.prod(value.shape),))
                self._local.append(data)
                self._memory[id(raw)] = kind(data.reshape(value.shape), param.name, mode, raw,
                                             self.records, address_space.local_space)
            else:
                if isinstance(raw, np.void):
                    self._memory[id(raw)] = value = _passed(value, raw)
                if len(param.path) == 1:
                    self._scalars[param.path[0]] = value if isinstance(raw, np.void) else raw

    def views(self) -> list[HostView]:
        """Return the memory that the kernel was given."""
        return [v for v in self._memory.values() if isinstance(v, HostView)]

    def new_group(self) -> None:
        """Make local memory that of a fresh work-group: its content means nothing."""
        for data in self._local:
            poison(data)
        if self.watch is not None:
            self.watch.new_group()

    def substitute(self, value: Any) -> Any:
        """Return what the launch sees in place of an object of the user's."""
        view = self._memory.get(id(value), value)
        if view is not value:
            return view
        if isinstance(value, ModuleType):
            return self._module(value)
        if isinstance(value, BuiltinFunctionType):
            return value if self._checked else unchecked_math.FUNCTIONS.get(value, value)
        inner = self._spaces.get(id(value)) or unwrap(value)
        if isinstance(inner, record_classes.Names):
            return inner
        if isinstance(inner, FunctionType):
            known = inner.__code__ in self._uses or inner is self._root
            return self._rebuilt(inner) if known else value
        if isinstance(inner, MethodType):
            function, owner = self.substitute(inner.__func__), self._shadow(inner.__self__)
            if function is inner.__func__ and owner is inner.__self__:
                return value
            return MethodType(function, owner)
        if type(inner) is tuple or (isinstance(inner, tuple) and hasattr(inner, "_fields")):
            new = tuple(self.substitute(v) for v in inner)
            if not any(a is not b for a, b in zip(new, inner, strict=True)):
                return value
            return new if type(inner) is tuple else type(inner)(*new)
        if isinstance(inner, functools.partial):
            return functools.partial(
                self.substitute(inner.func), *map(self.substitute, inner.args),
                **{k: self.substitute(v) for k, v in inner.keywords.items()})
        if isinstance(inner, type) and dataclasses.is_dataclass(inner):
            return self._class(inner)
        if dataclasses.is_dataclass(inner):
            return self._shadow(inner)
        call = plain_function(inner)
        if call is not None and (call.__code__ in self._uses or call is self._root):
            return MethodType(self._rebuilt(call), self._shadow(inner)) if call is self._root \
                else self._called.of(inner, call)
        return value

    def _module(self, module: ModuleType) -> Any:
        """Return a module whose functions are those of the launch; itself where none is."""
        known = self._spaces.get(id(module))
        if known is not None:
            return known
        if module in unchecked_math.MODULES:
            return module if self._checked else unchecked_math.MODULES[module]
        if module.__name__.partition(".")[0] in _LIBRARIES or not any(
                isinstance(v, FunctionType) and v.__code__ in self._uses
                for v in vars(module).values()):
            return module
        made = self._spaces[id(module)] = record_classes.Names(module, self.substitute)
        return made

    def _class(self, cls: Any) -> Any:
        """Return a dataclass with methods as the launch has them."""
        known = self._shadows.get(id(cls))
        if known is None:
            made = record_classes.shadow(cls, self._uses, self._class)
            known = self._shadows[id(cls)] = cls, made
            if made is not cls:
                record_classes.fill(made, self._uses, self._rebuilt, cls)
        return known[1]

    def _shadow(self, owner: Any) -> Any:
        """Return a copy of an object whose attributes are replaced; itself if none is."""
        known = self._shadows.get(id(owner))
        if known is not None:
            return known[1]
        values = held(owner)
        changed = {k: new for k, v in values.items() if (new := self.substitute(v)) is not v}
        shadow = owner
        if changed and not isinstance(owner, type | ModuleType):
            shadow = object.__new__(type(owner))
            for name, value in {**values, **changed}.items():
                object.__setattr__(shadow, name, value)
        self._shadows[id(owner)] = (owner, shadow)
        return shadow

    # ---- functions
    def _rebuilt(self, function: FunctionType) -> FunctionType:
        """Return the function over this launch's cells and globals, with its own code."""
        made: FunctionType | None = self._plain.get(id(function))
        if made is None:
            self._plain[id(function)] = again = self._recursion(function)
            use = self._uses.get(function.__code__)
            changed = use is not None and (use.places or self._numbers or self.watch
                                           or self._constants.of(function, use))
            made = self._in_place(function, use) if use is not None and changed \
                else self._assemble(function, function.__code__, {})
            self._plain[id(function)] = made
            self._plain[id(made)] = self._plain[id(again)] = made
            self._kept.append(again)
            if use is not None and use.convergent:
                self._meeting[id(function)] = self._meeting[id(made)] = self._meeting[
                    id(again)] = self._converge(function, use)
        return made

    def _recursion(self, function: FunctionType) -> Callable[..., Any]:
        """Return what a function calls itself by: itself as the launch has it."""
        def again(*arguments: Any, **named: Any) -> Any:
            return self._plain[id(function)](*arguments, **named)
        again.__unisycl_function__ = function  # type: ignore[attr-defined]  # as a child kernel
        return again

    def _assemble(self, function: FunctionType, code: CodeType,
                  extra: dict[str, Any]) -> FunctionType:
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        closure = tuple(
            CellType(extra[name]) if name in extra else self._cell(function, name, cells.get(name))
            for name in code.co_freevars)
        defaults = self.substitute(function.__defaults__) if function.__defaults__ else None
        made = FunctionType(code, self._globals(function), function.__name__, defaults, closure)
        made.__kwdefaults__ = {k: self.substitute(v)
                               for k, v in (function.__kwdefaults__ or {}).items()}
        made.__qualname__ = function.__qualname__
        return made

    def _cell(self, function: FunctionType, name: str, cell: CellType | None) -> CellType:
        if cell is None:  # its own name, which what is around a rewritten function binds, too
            return CellType(self.substitute(function.__globals__.get(name)))
        if function is self._root and ("free", name) in self._scalars:
            return CellType(self._scalars["free", name])
        try:
            return CellType(self.substitute(cell.cell_contents))
        except ValueError:  # an empty cell: the name is not bound yet
            return cell

    def _globals(self, function: FunctionType) -> dict[str, Any]:
        space = function.__globals__
        changed = {}
        for name in _names(function.__code__):
            if name in space:
                old = space[name]
                new = self.substitute(old)
                if function is self._root:
                    new = self._scalars.get(("global", name), new)
                if new is not old:
                    changed[name] = new
        return {**space, **changed} if changed else space

    def _generator(self, function: Any) -> Any:
        """Return the generator form of a callable; None if it reaches no group function."""
        function = unwrap(function)
        inner = plain_function(function)
        if inner is not None and inner.__code__ in self._uses:
            self._rebuilt(inner)  # a method, met first when it is called
        made = self._meeting.get(id(inner))
        if made is None or isinstance(function, FunctionType):
            return made
        owner = function.__self__ if isinstance(function, MethodType) else function
        return MethodType(made, self._shadow(owner))

    def _in_place(self, function: FunctionType, use: FunctionUse) -> FunctionType:
        """Return a function that assigns to elements of vecs in memory, not to copies of them.

        Its arithmetic is looked at where the kernel asks for that.
        """
        numbers = self._constants.of(function, use)
        key = (function.__code__, id(use.source.node), use.places, bool(self._numbers),
               bool(self._elements), tuple(numbers))
        rewritten = self._cache.get(key)
        if rewritten is None:
            rewritten = self._cache[key] = rewrite.rewrite(
                use.source.node, function.__code__, (), (), _owner(function), use.places,
                numbers=bool(self._numbers), elements=bool(self._elements), constants=numbers)
        return self._assemble(function, rewritten.code, {
            **_PLACES, **self._numbers, **self._elements, **constants.cells(numbers)})

    def _converge(self, function: FunctionType, use: FunctionUse) -> FunctionType:
        node, convergent = use.source.node, use.convergent
        calls = _calls(self._cache, node, convergent)
        direct = {where: COLLECTIVES[target] for where, callee in calls
                  if isinstance(target := _resolve(function, callee), FunctionType)
                  and target in COLLECTIVES}
        numbers = self._constants.of(function, use)
        key = (function.__code__, id(node), convergent, frozenset(direct), use.places,
               use.tangles, bool(self._numbers), bool(self._elements), tuple(numbers))
        rewritten = self._cache.get(key)
        if rewritten is None:
            rewritten = self._cache[key] = rewrite.rewrite(
                node, function.__code__, convergent, direct.keys(), _owner(function), use.places,
                turns=use.tangles, numbers=bool(self._numbers), elements=bool(self._elements),
                constants=numbers)
        return self._assemble(function, rewritten.code, {
            **_PLACES, **self._numbers, **self._elements, **constants.cells(numbers)} | {
            site.name: _asker(site, direct[site.position]) if site.direct
            else functools.partial(self._enter, site) for site in rewritten.sites})

    def _enter(self, site: Site, callee: Any, /, *arguments: Any, **named: Any) -> Meeting:
        """Begin a convergent call whose target is known only now."""
        while isinstance(callee, functools.partial):
            arguments, named = (*callee.args, *arguments), {**callee.keywords, **named}
            callee = callee.func
        function = callee.__func__ if isinstance(callee, MethodType) else callee
        collective = COLLECTIVES.get(function) if isinstance(function, FunctionType) else None
        if collective is not None:
            owner = (callee.__self__,) if isinstance(callee, MethodType) else ()
            return _ask(_asker(site, collective)(*owner, *arguments, **named))
        meeting = self._generator(callee)
        result = (callee if meeting is None else meeting)(*arguments, **named)
        return result if isinstance(result, Generator) else _value(result)


def _calls(cache: Cache, node: ast.AST,
           convergent: frozenset[Position]) -> list[tuple[Position, Any]]:
    """Return the convergent calls whose callee is a name from outside the function."""
    key = (id(node), convergent)
    found: list[tuple[Position, Any]] | None = cache.get(key)
    if found is None:
        bound = _bound_names(node)
        found = cache[key] = [
            (position(call), call.func) for call in ast.walk(node)
            if isinstance(call, ast.Call) and position(call) in convergent
            and not any(isinstance(n, ast.Name) and n.id in bound for n in ast.walk(call.func))]
    return found


def _passed(value: Any, raw: Any) -> Any:
    """Return what the kernel sees of a record's value, as in memory; of a pointer, what is read."""
    if is_pointer(raw.dtype):
        return raw.__kernel_read__()
    plain = type(value) in (np.void, np.record)
    return value.view(in_place(value.dtype)) if plain else value


def _host_image(view: BoundView, kind: ImageView, name: str, raw: Any) -> HostImage:
    words = pixel_words(view.memory, view.offset, view.shape, view.pitches, kind.form)
    return HostImage(words, kind, name, raw)


def _element(kind: Any, raw: Any) -> np.dtype[Any]:
    """Return the NumPy dtype of a view's elements."""
    elem = getattr(kind, "elem", None)
    return elem.dtype.numpy if isinstance(elem, Scalar) else np.dtype(raw.dtype)


def _ask(request: Any) -> Meeting:
    return (yield request)


def _value(result: Any) -> Meeting:
    yield from ()
    return result


def _asker(site: Site, collective: Collective) -> Callable[..., Any]:
    """Return what makes the request a work-item yields: (site, collective, sub-group?, operand)."""
    prepare = collective.prepare
    if collective is BARRIER:
        # One object for all items, so that the scheduler compares identities.
        whole, part = (site, collective, False, None), (site, collective, True, None)

        def barrier(where: Any, fence_scope: Any = None) -> Any:
            kind = where.__class__
            if kind is root_group:
                return (site, ALL, False, None)
            return whole if kind is group else part if kind is sub_group \
                else (site, collective, *prepare(where))
        return barrier

    def ask(*arguments: Any, **named: Any) -> Any:
        return (site, collective, *prepare(*arguments, **named))
    return ask


def _bound_names(node: ast.AST) -> set[str]:
    """Return the names a function, or one inside it, binds itself."""
    names = {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}
    names |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name)
              and isinstance(n.ctx, ast.Store)}
    return names | {n.name for n in ast.walk(node) if isinstance(n, ast.FunctionDef)
                    and n is not node}


def _resolve(function: FunctionType, node: ast.expr) -> Any:
    """Return the object of a global or captured name, or of an attribute of a module."""
    if isinstance(node, ast.Attribute):
        owner = _resolve(function, node.value)
        return getattr(owner, node.attr, None) if isinstance(owner, ModuleType) else None
    if not isinstance(node, ast.Name):
        return None
    free = function.__code__.co_freevars
    if node.id in free:
        try:
            return (function.__closure__ or ())[free.index(node.id)].cell_contents
        except ValueError:
            return None
    return function.__globals__.get(node.id, getattr(builtins, node.id, None))


def _names(code: CodeType) -> set[str]:
    """Return every global name a code object or a function inside it may read."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= _names(constant)
    return names


def _owner(function: FunctionType) -> str:
    """Return the class a method was written in, "" for other functions."""
    parts = function.__qualname__.split(".")
    return parts[-2] if len(parts) > 1 and parts[-2] != "<locals>" else ""
