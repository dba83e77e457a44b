"""Types of the kernel IR.

Non-goals: Python objects (the front end maps those here) and target spellings. Invariant: a value
in the IR is a ``Scalar``; ``Struct`` and ``View`` only ever stand behind a place in memory.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from unisycl.base import dtypes
from unisycl.base.dataclass import dataclass, field
from unisycl.base.dtypes import DType
from unisycl.base.enums import access_mode, address_space
from unisycl.base.image_formats import PixelFormat, image_sampler


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number or truth value. ``weak``: it came from Python literals and scalars only (NEP 50)."""

    dtype: DType
    weak: bool = False

    @property
    def size(self) -> int:
        """Bytes a value takes in memory."""
        return self.dtype.size

    def __str__(self) -> str:
        if self.weak:
            return {"b": "bool", "i": "Python int", "f": "Python float",
                    "c": "Python complex"}[self.dtype.kind]
        return self.dtype.name


@dataclass(frozen=True, slots=True)
class Field:
    """A member of a struct: ``shape`` is () or the extents of an array member; offset in bytes."""

    name: str
    type: Scalar | Struct
    offset: int
    shape: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Struct:
    """A structured NumPy dtype with its layout: offsets and size in bytes, padding included.

    Layouts of other names are equal: arrays of ``numpy.void`` and ``numpy.record`` are alike.
    ``owner`` is the class of such a dtype's scalars where that is not NumPy's own: a ``vec``, say.
    """

    name: str = field(compare=False)
    fields: tuple[Field, ...]
    size: int
    owner: type | None = None

    def field(self, name: str) -> Field | None:
        """Return the member of that name."""
        return next((f for f in self.fields if f.name == name), None)

    def __str__(self) -> str:
        if self.owner is not None:
            return self.owner.__name__
        return f"struct {{{', '.join(f'{f.name}: {f.type}' for f in self.fields)}}}"


@dataclass(frozen=True, slots=True)
class StreamType(Scalar):
    """A stream of text (SYCL 2020 §4.16): to code, a number that tells it from others."""

    def __str__(self) -> str:
        return "stream"


@dataclass(frozen=True, slots=True, kw_only=True)
class PointerType(Scalar):
    """A pointer kept in memory: to code, the 64-bit address of an element; 0 points nowhere.

    ``owner`` is the class of such values in arrays, the same object for all pointers to a type.
    """

    owner: Any

    @property
    def elem(self) -> Scalar | Struct:
        """The type of what it points to, looked up late: a type may hold pointers to itself."""
        kind = element_type(self.owner.element())
        assert kind is not None
        return kind

    def __str__(self) -> str:
        return f"a pointer to {self.owner.target_name()}"


@dataclass(frozen=True, slots=True)
class View:
    """Memory a kernel indexes: an accessor, local memory, USM, a NumPy array, a private array.

    Elements lie row-major; the last dimension is contiguous, pitches of the others are run-time
    values. A view of zero dimensions is one element.

    ``layout`` tells arrays that are parts of others: in "rows" only elements of a row follow one
    another, and no order is known of rows; in "spread" the pitch of the last dimension is a
    run-time value, too. Pitches of both may be negative or 0.
    """

    elem: Scalar | Struct
    ndim: int
    space: address_space = address_space.global_space
    mode: access_mode = access_mode.read_write
    layout: str = ""

    @property
    def spread(self) -> bool:
        """Say whether elements of the last dimension do not follow one another."""
        return self.layout == "spread"

    def __str__(self) -> str:
        how = {"": "", "rows": ", row by row", "spread": ", strided"}[self.layout]
        return f"{self.ndim}-d {self.space.value} memory of {self.elem}{how}"


@dataclass(frozen=True, slots=True)
class LentView(View):
    """Memory of another library's array, whose own commands a launch has to follow."""

    def __str__(self) -> str:
        return f"{self.ndim}-d lent memory of {self.elem}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageView(View):
    """Pixels a kernel reads or writes as colours: an image accessor (SYCL 2020 §4.7.6.13).

    The dimensions are those of the memory, so x is the last one; an element is one pixel. Images
    are touched by ``ImageRead`` and ``ImageWrite`` only.

    Args:
        form: how a pixel is stored; color: the type of the four components kernels see.
        sampler: how it is sampled; None for an image read and written at whole pixels.
        wide: offsets in bytes do not fit in 31 bits.
        layered: the first dimension counts the images of an array (SYCL 1.2 Table 3.26).
    """

    form: PixelFormat
    color: Scalar
    sampler: image_sampler | None = None
    wide: bool = False
    layered: bool = False

    def __str__(self) -> str:
        kind = "image array" if self.layered else "image"
        return f"{self.ndim - self.layered}-d {kind} of {self.form}"


def image_view(form: PixelFormat, ndim: int, mode: access_mode, color: DType,
               sampler: image_sampler | None = None, *, wide: bool = False,
               layered: bool = False) -> ImageView:
    """Return the type of an image accessor of ``ndim`` dimensions, those of layers included."""
    return ImageView(Struct("pixel", (), form.size), ndim, mode=mode, form=form,
                     color=Scalar(color), sampler=sampler, wide=wide, layered=layered)


BOOL = Scalar(dtypes.BOOL)
WEAK_BOOL = Scalar(dtypes.BOOL, weak=True)
WEAK_INT = Scalar(dtypes.INT64, weak=True)
WEAK_FLOAT = Scalar(dtypes.FLOAT64, weak=True)
WEAK_COMPLEX = Scalar(dtypes.COMPLEX128, weak=True)
INT64 = Scalar(dtypes.INT64)


def struct_type(dtype: np.dtype[np.generic]) -> Struct | None:
    """Return the struct of a structured dtype; None if a member has no kernel type."""
    fields = []
    for name in dtype.names or ():
        base, offset = dtype.fields[name][:2]  # type: ignore[index]
        shape: tuple[int, ...] = ()
        if base.subdtype is not None:
            base, shape = base.subdtype
        kind = element_type(base)
        if kind is None:
            return None
        fields.append(Field(name, kind, offset, shape))
    owner = None if dtype.type in (np.void, np.record) else dtype.type
    return Struct(str(dtype), tuple(fields), dtype.itemsize, owner)


def global_view(dtype: np.dtype[np.generic], ndim: int, mode: access_mode) -> View | None:
    """Return the type of a view of global memory, the same object each time; None: no type."""
    owners = () if dtype.names is None else dtypes.owners(dtype)
    return _global_view(dtype, owners, ndim, mode)


@functools.lru_cache(maxsize=256)
def _global_view(dtype: np.dtype[np.generic], _: tuple[type, ...], ndim: int,
                 mode: access_mode) -> View | None:
    elem = element_type(dtype)
    return None if elem is None else View(elem, ndim, address_space.global_space, mode)


def element_type(dtype: np.dtype[np.generic]) -> Scalar | Struct | None:
    """Return the IR type of one element of a NumPy array; None where kernels have none.

    Byte orders other than the machine's have none: they are never swapped silently.
    """
    if dtype.names:
        pointer = getattr(dtype.type, "__kernel_pointer__", None)
        return struct_type(dtype) if pointer is None else PointerType(
            dtypes.UINT64, owner=pointer())
    row = dtypes.find_dtype(dtype)
    return None if row is None or not dtype.isnative else Scalar(row)


def numbers(kind: Scalar | Struct, offset: int = 0) -> Iterator[tuple[Scalar, int]]:
    """Yield every number of an element and where it lies in it."""
    if isinstance(kind, Scalar):
        yield kind, offset
        return
    for f in kind.fields:
        for k in range(math.prod(f.shape)):
            yield from numbers(f.type, offset + f.offset + k * f.type.size)
