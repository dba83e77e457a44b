"""Kernels that an earlier process made of the same text, on disk: no front end is needed for them.

An entry is named by the code and the text of the kernel's function, the shape of the launch, and
what kinds of arguments it has; it holds typed kernels with their guards. One is used if every other
function of the user's in it has the same code and text as then, and if every guard says yes, as it
is asked for each launch. Non-goals: machine code (the backends); kernels that something was
warned of, so that it is said in every process; kernels that depend on objects which another process
cannot have, such as classes of the program. Invariant: a kernel that comes back is the one that
compiling the function anew would make.
"""

from __future__ import annotations

import functools
import io
import pickle
import platform
import re
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from unisycl.base import settings
from unisycl.base.architecture import Target
from unisycl.base.dtypes import DType
from unisycl.base.enums import backend
from unisycl.base.spans import SourceFile
from unisycl.frontend import captures, guard_function, guards
from unisycl.frontend.kernel_shape import KernelShape
from unisycl.frontend.paths import Path as Way
from unisycl.frontend.specialized import Specialization
from unisycl.ir import digest, pickles
from unisycl.ir.builtins.row import Builtin
from unisycl.ir.types import View
from unisycl.passes import looking
from unisycl.process import disk_cache, source_origins, source_state

_FORMAT = "1"
_ROOMS = ("base", "frontend", "ir", "lang", "passes", "process")
_MOST = 4
_OURS = tuple(str(Path(__file__).parents[1] / room) + "/" for room in _ROOMS)
_LASTING = (*sys.stdlib_module_names, "numpy", "unisycl", "ml_dtypes")
_PARTS = ("unisycl.ir.", "unisycl.base.", "unisycl.frontend.", "numpy", "builtins", "enum")
_BROKEN = (pickle.PickleError, ArithmeticError, AttributeError, EOFError, ImportError, LookupError,
           RecursionError, TypeError, ValueError)
_NUMBERS = ("co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_flags", "co_firstlineno")
_BYTES = ("co_code", "co_linetable", "co_exceptiontable")
_NAMES = ("co_name", "co_filename", "co_names", "co_varnames", "co_freevars", "co_cellvars")


class _Fleeting(pickle.PicklingError):
    """Something that another process cannot have."""


# ---------------------------------------------------------------------- names of functions
def _words(code: CodeType) -> Iterator[str | bytes]:
    """Yield all that makes one code object another one than the next."""
    yield from (str(getattr(code, name)) for name in _NUMBERS)
    yield from (getattr(code, name) for name in _BYTES)
    yield from (repr(getattr(code, name)) for name in _NAMES)
    for value in code.co_consts:
        yield from _constant(value)


def _constant(value: Any) -> Iterator[str | bytes]:
    if isinstance(value, CodeType):
        yield from _words(value)
    elif isinstance(value, tuple):
        yield f"({len(value)}"
        for part in value:
            yield from _constant(part)
    elif isinstance(value, frozenset):
        yield f"{{{sorted(map(repr, value))}"
    else:  # of a float repr tells all bits, but for those of NaN, which no text has
        yield f"{type(value).__name__} {value!r}"


def _text(function: FunctionType) -> str:
    """Return the text that a function stands in, as it is now; '' if there is none."""
    return next(source_origins.candidates(function.__code__, function.__globals__), "")


@functools.lru_cache(maxsize=8)
def _lines(text: str) -> tuple[str, ...]:
    """Return the lines of a text as ``frontend.source`` cuts it; many functions share one."""
    return tuple(re.split(r"\r\n|\r|\n", text))


_last_names: list[tuple[CodeType, str, str]] = []


def _name(function: FunctionType) -> str:
    """Return what tells a function from all others: its code, and the text from its first line on.

    The text matters beyond the code: Python leaves annotations of local variables out of that.
    """
    code = function.__code__
    text = _text(function)
    if not text:
        raise _Fleeting(code.co_name)
    for known, same, name in _last_names:
        if known is code and same is text:
            return name
    last = max((line for _, line, *_ in _positions(code) if line), default=code.co_firstlineno)
    name = disk_cache.key_of(*_words(code), *_lines(text)[code.co_firstlineno - 1:last])
    _last_names[:] = [(code, text, name), *_last_names[:_MOST - 1]]
    return name


def _positions(code: CodeType) -> Iterator[tuple[int | None, ...]]:
    yield from code.co_positions()
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from _positions(value)


def _nested(code: CodeType) -> Iterator[CodeType]:
    """Yield a code object and all that it makes functions of."""
    yield code
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from _nested(value)


def _plain(thing: Any) -> FunctionType:
    """Return the Python function of a function or a method."""
    found = thing.__func__ if isinstance(thing, MethodType) else thing
    if not isinstance(found, FunctionType):
        raise _Fleeting(repr(type(thing)))
    return found


def key_of(function: Any, alike: tuple[Any, ...], shape: KernelShape,
           arguments: tuple[Any, ...]) -> str | None:
    """Return the name of the entry of a launch; None where nothing is remembered.

    ``alike`` is what ``specialize`` knows kernels of one function by.
    """
    state = source_state.of(*_ROOMS)
    if type(function) is not FunctionType or not state or shape.checks or looking.is_seen() or (
            settings.DEBUG.get() not in ("", "0") or disk_cache.directory() is None):
        return None
    try:
        return disk_cache.key_of(
            "lowered", _FORMAT, state, *_versions(), _name(function), repr(alike[1:]), repr(shape),
            *(_kind(x) for x in arguments))
    except _BROKEN:
        return None


@functools.cache
def _versions() -> tuple[str, ...]:
    return (sys.version, platform.machine(), np.__version__, str(sys.flags.optimize))


def _kind(obj: Any) -> str:
    """Return what an argument is, roughly: entries of other kinds have other names."""
    kind = type(obj)
    text = f"{kind.__module__}.{kind.__qualname__}"
    if kind is np.ndarray:
        return f"{text} {obj.dtype.str} {obj.ndim} {obj.flags.c_contiguous} {obj.flags.writeable}"
    return f"{text} {getattr(obj, 'dtype', '')} {getattr(obj, 'ndim', '')}"


# ---------------------------------------------------------------------- writing
_numbered = threading.local()
"""The code objects and texts that numbers stand for while a kernel is read."""
_passed: set[type] = set()
"""Classes whose instances another process can have, and makes as Python does."""
_BY_NAME = (type, FunctionType, BuiltinFunctionType, np.ufunc)
_ASKED = (*_BY_NAME, Builtin, DType, View)  # each instance of which is looked at


class _Pickler(pickles.Pickler):
    """Writes code objects and texts by number, and refuses what another process cannot have."""

    def __init__(self, out: io.BytesIO, codes: list[CodeType], files: list[SourceFile]) -> None:
        super().__init__(out, 5)
        self._codes, self._files = codes, files

    def reducer_override(self, obj: Any) -> Any:
        """Return how an object is made again."""
        kind = type(obj)
        if kind in _passed:
            return NotImplemented
        if isinstance(obj, CodeType):
            if obj not in self._codes:
                raise _Fleeting(obj.co_name)
            return _by_number, ("code", self._codes.index(obj))
        if isinstance(obj, SourceFile):
            return _by_number, ("file", _number(obj, self._files))
        if isinstance(obj, ModuleType):
            return _module, (obj.__name__,)
        named = isinstance(obj, _BY_NAME)
        where = getattr(obj if named else kind, "__module__", None) or "builtins"
        if isinstance(obj, np.ufunc):
            where = "numpy"
        if where.partition(".")[0] not in _LASTING:
            raise _Fleeting(f"{where}: {obj!r}")
        if not named and not where.startswith(_PARTS) and not isinstance(
                kind.__dict__.get("__reduce__"), FunctionType):
            raise _Fleeting(f"{where}: {obj!r}")
        if not isinstance(obj, _ASKED):
            _passed.add(kind)
        return super().reducer_override(obj)


def _by_number(table: str, number: int) -> Any:
    """Return the code object or the text that a number stands for, while one is read."""
    return _numbered.tables[table][number]


def _number(file: SourceFile, files: list[SourceFile]) -> int:
    for k, known in enumerate(files):
        if known == file and known.lines == file.lines:
            return k
    raise _Fleeting(file.name)


def _module(name: str) -> ModuleType:
    return sys.modules[name]


def note(key: str, spec: Specialization, function: FunctionType,
         arguments: tuple[Any, ...]) -> None:
    """Keep a kernel for later processes, if they could use it."""
    if spec.warned or spec.children or spec.shape is None:
        return
    try:
        raw = _written(spec, function, arguments)
    except _BROKEN:
        return
    kept = [x for x in _entry(key) if x != raw]
    disk_cache.save(key, pickle.dumps([raw, *kept][:_MOST]))


def _written(spec: Specialization, function: FunctionType, arguments: tuple[Any, ...]) -> bytes:
    ways = _ways(spec, function, arguments)
    functions = [_plain(captures.fetch(way, function, arguments)) for way in ways]
    codes = [x.__code__ for x in functions]
    inside = {code for one in codes for code in _nested(one)}
    files = []
    for use in spec.uses:
        files.append(use.source.file)
        if use.code not in inside and not use.code.co_filename.startswith(_OURS):
            raise _Fleeting(use.code.co_name)
    for one in functions:  # what was lowered is what is there now, and will be compared
        if not any(file.lines == _lines(_text(one)) for file in files):
            raise _Fleeting(one.__name__)
    out = io.BytesIO()
    files = list({file.name: file for file in files}.values())
    _Pickler(out, codes, files).dump((
        spec.kernel, spec.guards, spec.handled, spec.required, spec.asked, spec.shape,
        digest.of(spec.kernel)))
    return pickle.dumps(([(way, _name(one)) for way, one in zip(ways, functions, strict=True)],
                         [file.name for file in files], out.getvalue()))


def _ways(spec: Specialization, function: FunctionType, arguments: tuple[Any, ...]) -> list[Way]:
    """Return ways to the functions in a kernel, its own first."""
    found: dict[CodeType, Way] = {function.__code__: ()}
    for way, test in spec.guards:
        if isinstance(test, guards.Coded) and all(
                step not in ("constant", "object", "reduction") for step, _ in way):
            found.setdefault(test.code, way)
    return list(found.values())


# ---------------------------------------------------------------------- reading
def _loaded(raw: bytes, codes: list[CodeType], files: list[SourceFile]) -> Any:
    """Read what ``_Pickler`` wrote."""
    _numbered.tables = {"code": codes, "file": files}
    try:
        return pickle.loads(raw)
    finally:
        del _numbered.tables


def _entry(key: str) -> list[bytes]:
    kept = disk_cache.load(key)
    try:
        found: list[bytes] = [] if kept is None else pickle.loads(kept)
    except _BROKEN:
        return []
    return found


def find(key: str, function: FunctionType, arguments: tuple[Any, ...],
         reductions: tuple[Any, ...], target: Target | None) -> Specialization | None:
    """Return the kernel that an earlier process made for such a launch; None if none did."""
    for raw in _entry(key):
        try:
            found = _read(raw, function, arguments)
        except _BROKEN:
            continue
        if found is not None and found.match(function, arguments, reductions) is not None and (
                found.suits(target)):
            return found
    return None


def _read(raw: bytes, function: FunctionType, arguments: tuple[Any, ...]) -> Specialization | None:
    ways, names, body = pickle.loads(raw)
    functions = []
    for way, name in ways:
        one = _plain(captures.fetch(way, function, arguments))
        if _name(one) != name:
            return None
        functions.append(one)
    files = [_file(name, functions) for name in names]
    codes = [x.__code__ for x in functions]
    kernel, asked, handled, required, answers, shape, known = _loaded(body, codes, files)
    digest.note(kernel, known)
    match = guard_function.matcher(function.__code__, asked, (p.path for p in kernel.params))
    return Specialization(kernel, (), match, handled, required, (*answers, (backend.host, False)),
                          (), asked, shape)


def _file(name: str, functions: list[FunctionType]) -> SourceFile:
    """Return a text by its name: one of the user's, or one of ours, whose lines nobody asks for."""
    for one in functions:
        if one.__code__.co_filename == name:
            return SourceFile(name, _lines(_text(one)))
    return SourceFile(name, ())
