"""Other libraries' objects: arrays that lie on a device, of types a backend names; native objects.

Non-goals: arrays in the host's memory. Invariant: the library that a type comes from is not loaded
to find out; its objects are known by the name of their type, or by an attribute of it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


def is_masked(array: object) -> bool:
    """Say whether an array has a mask: no program has one that has not loaded ``numpy.ma``."""
    masked = sys.modules.get("numpy.ma")
    return masked is not None and isinstance(array, masked.MaskedArray)


class Description(NamedTuple):
    """What such an array is: the type of an element, its dimensions, and why kernels refuse it.

    ``layout`` is that of ``ir.types.View``.
    """

    dtype: np.dtype[Any]
    ndim: int
    problem: str = ""
    writable: bool = True
    layout: str = ""


Describe = Callable[[Any], Description | None]
_named: dict[tuple[str, str], Describe] = {}
_protocols: dict[str, Describe] = {}
_known: dict[type, Describe | None] = {}


def register(module: str, name: str, describe: Describe) -> None:
    """Have objects of a type, given by its name, and of its subclasses described so."""
    _named[module, name] = describe
    _known.clear()


def register_protocol(name: str, describe: Describe) -> None:
    """Have objects whose class has an attribute described so; None says that one is no array."""
    _protocols[name] = describe
    _known.clear()


def description(thing: Any) -> Description | None:
    """Return what an array of another library is; None if it is none."""
    kind = type(thing)
    try:
        describe = _known[kind]
    except KeyError:
        names = [(base.__module__, base.__qualname__) for base in kind.__mro__]
        describe = next((_named[n] for n in names if n in _named), None) or next(
            (found for name, found in _protocols.items() if hasattr(kind, name)), None)
        _known[kind] = describe
    return None if describe is None else describe(thing)


def is_native(thing: Any) -> bool:
    """Say whether an object stands for one of a native interface, as PyOpenCL's do."""
    return hasattr(type(thing), "from_int_ptr")


def native_help(thing: Any) -> str:
    """Say how native memory gets to where a buffer or an array is wanted; else nothing."""
    if description(thing) is not None:
        return ("; kernels and set_args take it, and elsewhere a buffer of its memory serves: "
                "make_buffer(backend, array.data, context, dtype=array.dtype, shape=array.shape)")
    return ("; make_buffer makes a buffer of native memory, and make_unsampled_image an image of a "
            "native one" if is_native(thing) else "")
