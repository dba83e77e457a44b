"""Which Python objects a kernel may capture, and what each becomes.

Data (accessors, USM, arrays, scalars, records) become parameters; functions, types, tuples,
strings, None and enums are compile-time constants. Non-goals: syntax. Invariant: ``signature`` of
an object changes whenever the code compiled for it could.
"""

from __future__ import annotations

import enum
import operator
from collections import OrderedDict
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from unisycl.base import dtypes, foreign_objects, geometry, strides
from unisycl.base.enums import access_mode
from unisycl.base.image_formats import image_sampler
from unisycl.frontend.paths import Path
from unisycl.ir.types import (
    WEAK_BOOL,
    WEAK_COMPLEX,
    WEAK_FLOAT,
    WEAK_INT,
    LentView,
    PointerType,
    Scalar,
    Struct,
    View,
    element_type,
)
from unisycl.lang.kernels.specialization import specialization_id
from unisycl.lang.numbers.function_objects import function_object
from unisycl.lang.numbers.math import builtin_function
from unisycl.lang.numbers.vec import vector_dtype

_MUTABLE = (list, dict, set, bytearray)
MAPPINGS = (dict, OrderedDict)
"""Dicts that do nothing but hold what is under a key."""


class Missing:
    """The value of a name that is not bound."""


MISSING = Missing()
GETTERS = (operator.itemgetter, operator.attrgetter)
PRINT = print
"""What the name means in kernels, also where a library has put a function of its own there."""


class Later:
    """Mixed into numbers that stand for one known only when the kernel runs: never constants."""

    __slots__ = ()


class LaterInt(Later, int):
    """An int that a parent kernel will give."""


class LaterFloat(Later, float):
    """A float that a parent kernel will give."""


def later(kind: Scalar) -> Any:
    """Return a number of a type that stands for one known only when the kernel runs."""
    if kind.weak and kind.dtype.kind in "if":
        return LaterInt(0) if kind.dtype.kind == "i" else LaterFloat(0)
    return kind.dtype.numpy.type(0)


def fetch(path: Path, function: Any, arguments: tuple[Any, ...]) -> Any:
    """Return the object a path leads to from the user's callable; ``MISSING`` if there is none."""
    obj: Any = function
    for step, key in path:
        obj = follow(obj, step, key, arguments)
        if obj is MISSING:
            return MISSING
    return obj


def follow(obj: Any, step: str, key: Any, arguments: tuple[Any, ...] = ()) -> Any:
    """Take one step of a path."""
    match step:
        case "arg":
            return arguments[key]
        case "free":
            code = obj.__code__
            try:
                return obj.__closure__[code.co_freevars.index(key)].cell_contents
            except (ValueError, IndexError, TypeError):
                return MISSING
        case "global":
            if key in obj.__globals__:
                return obj.__globals__[key]
            builtins = obj.__globals__.get("__builtins__", {})
            table = builtins if isinstance(builtins, dict) else vars(builtins)
            found = table.get(key, MISSING)
            return PRINT if key == "print" and found is not MISSING else found
        case "attr":
            return getattr(obj, key, MISSING)
        case "item":
            return obj.get(key, MISSING) if isinstance(obj, dict) else obj[key]
        case "keys":
            return tuple(obj) if isinstance(obj, dict | set | frozenset) else MISSING
        case "call":
            return getattr(type(obj), "__call__", MISSING)
        case "default":
            return (obj.__defaults__ or ())[key]
        case "kwdefault":
            return (obj.__kwdefaults__ or {})[key]
        case "object":
            return key
    raise AssertionError(step)


def unwrap(obj: Any) -> Any:
    """Return the Python function behind a ``@sycl.kernel`` object, or the object itself."""
    inner = getattr(obj, "__unisycl_function__", None)
    return obj if inner is None else inner


def data_type(obj: Any) -> Scalar | Struct | View | None:
    """Return the parameter type of a data object; None if it is not data."""
    own = getattr(type(obj), "__kernel_type__", None)
    if own is not None:
        return own(obj)  # type: ignore[no-any-return]
    if isinstance(obj, np.void):
        kind = element_type(obj.dtype)
        return kind if isinstance(kind, Struct | PointerType) else None
    if isinstance(obj, np.generic):
        row = dtypes.find_dtype(obj.dtype)
        return Scalar(row) if row else None
    if isinstance(obj, bool):
        return WEAK_BOOL
    if isinstance(obj, int):
        return None if isinstance(obj, enum.Enum) else WEAK_INT
    if isinstance(obj, float):
        return WEAK_FLOAT
    if isinstance(obj, complex):
        return WEAK_COMPLEX
    if isinstance(obj, np.ndarray):
        return array_type(obj)
    found = foreign_objects.description(obj)
    return None if found is None or found.problem else _lent_type(found)


def _lent_type(found: foreign_objects.Description) -> LentView | None:
    """Return the view of an array that another library has on a device."""
    elem = element_type(vector_dtype(found.dtype))
    mode = access_mode.read_write if found.writable else access_mode.read
    return None if elem is None else LentView(elem, found.ndim, mode=mode, layout=found.layout)


def is_reference(obj: Any) -> bool:
    """Say whether an object stands for what it holds, as a device_global does."""
    return getattr(type(obj), "__kernel_reference__", False)


def names_reference(function: Any, name: str) -> bool:
    """Say whether a name of a function's module is that of such an object."""
    return function is not None and is_reference(function.__globals__.get(name))


def array_type(array: np.ndarray[Any, Any]) -> View | None:
    """Return the view of a NumPy array used as a system allocation; None where it cannot be one."""
    elem = element_type(array.dtype)
    flags = array.flags
    if elem is None or not flags.aligned or array.ndim > 3 or foreign_objects.is_masked(array):
        return None
    mode = access_mode.read_write if flags.writeable else access_mode.read
    if flags.c_contiguous:
        return View(elem, array.ndim, mode=mode)
    steps = strides.pitches(array)
    if steps is None:
        return None
    if strides.shares_elements(array.shape, steps):
        mode = access_mode.read
    return View(elem, array.ndim, mode=mode, layout="rows" if steps[-1] == 1 else "spread")


_NUMBERS = frozenset((bool, int, float, complex))


def is_constant(obj: Any) -> bool:
    """Say whether an object is a compile-time constant."""
    return obj is None or obj is Ellipsis or isinstance(
        obj, str | bytes | tuple | enum.Enum | type | FunctionType | BuiltinFunctionType
        | MethodType | ModuleType | np.ufunc | np.dtype | geometry.range | geometry.id
        | builtin_function | function_object)


def signature(obj: Any, *, frozen: bool = False) -> Any:
    """Return what compiled code depends on; ``frozen`` numbers count by value, others by type."""
    if frozen and isinstance(obj, bool | int | float):
        return (type(obj), obj.hex() if isinstance(obj, float) else obj)
    if frozen and isinstance(obj, complex):
        return (type(obj), obj.real.hex(), obj.imag.hex())
    kind = data_type(obj)
    if kind is not None:
        return kind
    if isinstance(obj, image_sampler):
        return obj
    if frozen and not isinstance(obj, tuple | FunctionType):
        return obj if isinstance(obj, str | bytes) else Identity(obj)
    obj = unwrap(obj)
    if isinstance(obj, FunctionType):
        return obj.__code__
    if isinstance(obj, MethodType) and isinstance(obj.__func__, FunctionType):
        return (obj.__func__.__code__, type(obj.__self__))
    if isinstance(obj, tuple):
        return (type(obj), tuple(signature(x, frozen=counts_by_value(x)) for x in obj))
    if isinstance(obj, geometry.range | geometry.id):
        return (type(obj), len(obj))
    if isinstance(obj, str | bytes):
        return obj
    if isinstance(obj, specialization_id):
        return Identity(obj)
    if isinstance(obj, GETTERS):
        return obj.__reduce__()
    # What code depends on in any other object are its attributes, each noted by itself.
    return Identity(obj) if is_constant(obj) else type(obj)


def is_table(obj: Any) -> bool:
    """Say whether an object is a tuple of Python's numbers, or of such; nobody can change it."""
    return type(obj) is tuple and all(type(x) in _NUMBERS or is_table(x) for x in obj)


def counts_by_value(obj: Any) -> bool:
    """Say whether code depends on what an element of a tuple is, and not only on its type.

    What it depends on in other objects are their attributes, each noted by itself.
    """
    return isinstance(obj, bool | int | float | complex | specialization_id) or is_constant(obj)


class Identity:
    """Compares by the identity of an object and keeps it alive."""

    __slots__ = ("object",)

    def __init__(self, object: Any) -> None:
        self.object = object

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and other.object is self.object

    def __hash__(self) -> int:
        return hash(type(self.object))


def _as_numbers(array: Any) -> str:
    """Return what gives the numbers of an array whose elements are no numbers of kernels."""
    match array.dtype.kind:
        case "i" | "u" | "f" | "c" if not array.dtype.isnative:
            return "; pass a.astype(a.dtype.newbyteorder('='))"
        case "M" | "m":
            return "; pass a.view(np.int64), whose least number is NaT"
        case "U":
            return "; pass a.view(np.uint32).reshape(*a.shape, -1), rows of code points"
        case "S":
            return "; pass a.view(np.uint8).reshape(*a.shape, -1), rows of bytes"
        case "O" | "f" | "c":
            return "; pass a.astype(np.float64), or the type that its numbers have"
    return ""


def why_not(obj: Any) -> tuple[str, str]:
    """Return the kind of an object no kernel can take, and the way out."""
    kind = type(obj).__name__
    if isinstance(obj, np.ndarray):
        if element_type(obj.dtype) is None:
            return f"array of {obj.dtype}", ("kernels take arrays of bool, numbers and records "
                                             f"in the machine's byte order{_as_numbers(obj)}")
        if obj.ndim > 3:
            return f"{obj.ndim}-dimensional array", "reshape it to at most three dimensions"
        if foreign_objects.is_masked(obj):
            return "masked array", ("kernels know nothing of masks; pass array.filled(value), or "
                                    "array.data to use all elements")
        if not obj.flags.aligned:
            return "unaligned array", "pass a copy of it"
        return "array whose strides are no whole elements", "pass np.ascontiguousarray(...) of it"
    found = foreign_objects.description(obj)
    if found is not None:
        return f"{kind} of {found.dtype}", found.problem or (
            "kernels take arrays of bool, numbers, vectors and records")
    if isinstance(obj, np.generic):
        return kind, "kernels take bool, integers, floats of up to 64 bits and complex numbers"
    if isinstance(obj, _MUTABLE):
        return kind, "pass a tuple for constants, or an accessor, USM memory or an array for data"
    return kind, getattr(type(obj), "__capture_refusal__", "") or (
        "capture accessors, USM memory, arrays, numbers, tuples or functions")


def is_host_object(obj: Any) -> bool:
    """Say whether an object is one of the host API's that no kernel takes.

    Their classes have ``__capture_refusal__``: what to capture instead, "" where nothing will do.
    """
    return hasattr(type(obj), "__capture_refusal__")
