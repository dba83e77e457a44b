"""The scalar types of kernels: one row each, and NumPy's promotion between them.

Non-goals: spelling types for a target (LLVM, C); they follow from ``kind`` and ``bits`` there.
Invariant: promotion is NumPy's own (NEP 50), asked of NumPy, never restated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from unisycl.base.errors import UsageError, errc


@dataclass(frozen=True, slots=True)
class DType:
    """One scalar type.

    ``kind`` is 'b' (bool), 'i', 'u', 'f' or 'c' (complex); ``aspect`` names what a device needs for
    it. ``made``: no target has it; it is made of types that all have (``passes.shared.scalars``).
    ``dlpack``: DLPack's code of its kind where NumPy has none.
    """

    name: str
    kind: str
    bits: int
    aspect: str = ""
    made: bool = False
    dlpack: int = 0

    @property
    def numpy(self) -> np.dtype[np.generic]:
        """The NumPy dtype of the same layout."""
        return np.dtype(self.name)

    @property
    def size(self) -> int:
        """Bytes an element takes in memory."""
        return max(1, self.bits // 8)

    @property
    def part(self) -> DType:
        """The type that the parts of a complex number, or a short float, are computed in."""
        return FLOAT64 if self.bits == 128 else FLOAT32

    @property
    def is_short(self) -> bool:
        """Whether it is a float that no target has: computed in ``part``, each result rounded."""
        return self.made and self.kind == "f"

    @property
    def wide(self) -> DType:
        """The type that functions of it are computed in: of a short float its part, else itself."""
        return self.part if self.is_short else self

    @property
    def word(self) -> DType:
        """The unsigned integer of as many bits."""
        return DTYPES[f"uint{8 * self.size}"]

    @property
    def atomic_word(self) -> DType | None:
        """The integer whose atomic operations serve; None where devices have its own."""
        return self.word if self.kind == "c" or (self.is_float and self.bits < 32) else None

    @property
    def is_atomic(self) -> bool:
        """Whether an atomic_ref may refer to such a number (SYCL 2020 §4.15.3)."""
        return self.kind != "b" and self.bits <= 64

    @property
    def is_float(self) -> bool:
        return self.kind == "f"

    @property
    def is_integer(self) -> bool:
        return self.kind in "iu"

    def __repr__(self) -> str:
        return self.name


BOOL = DType("bool", "b", 1)
INT8 = DType("int8", "i", 8)
INT16 = DType("int16", "i", 16)
INT32 = DType("int32", "i", 32)
INT64 = DType("int64", "i", 64)
UINT8 = DType("uint8", "u", 8)
UINT16 = DType("uint16", "u", 16)
UINT32 = DType("uint32", "u", 32)
UINT64 = DType("uint64", "u", 64)
FLOAT16 = DType("float16", "f", 16, "fp16")
FLOAT32 = DType("float32", "f", 32)
FLOAT64 = DType("float64", "f", 64, "fp64")
COMPLEX64 = DType("complex64", "c", 64, made=True)
COMPLEX128 = DType("complex128", "c", 128, "fp64", made=True)
BFLOAT16 = DType("bfloat16", "f", 16, made=True, dlpack=4)
FLOAT8_E4M3FN = DType("float8_e4m3fn", "f", 8, made=True, dlpack=10)
FLOAT8_E5M2 = DType("float8_e5m2", "f", 8, made=True, dlpack=12)

DTYPES: dict[str, DType] = {
    d.name: d
    for d in (BOOL, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64,
              FLOAT16, FLOAT32, FLOAT64)
}
"""The types that targets have."""
_BY_NUMPY = {d.numpy: d for d in (*DTYPES.values(), COMPLEX64, COMPLEX128)}
SHORT_FLOATS: dict[str, DType] = {
    d.name: d for d in (BFLOAT16, FLOAT8_E4M3FN, FLOAT8_E5M2)}
"""Types of the package ml_dtypes: who has one has imported that."""
SCALARS = (*_BY_NUMPY.values(), *SHORT_FLOATS.values())
_OF_A_PACKAGE = 2  # NumPy's ``dtype.isbuiltin``


def as_dtype(what: str, spec: npt.DTypeLike) -> np.dtype[np.generic]:
    """Return what names a type, as NumPy's dtype; ``errc.invalid`` if it names none.

    ``what`` is who asks, for the text of the error.
    """
    try:
        if spec is not None:
            return np.dtype(spec)
    except (TypeError, ValueError) as err:
        raise UsageError(errc.invalid, f"{what}: expected the type of an element, such as "
                         f"numpy.float32, got {spec!r}") from err
    raise UsageError(errc.invalid, f"{what}: expected the type of an element, got None")


def find_dtype(spec: npt.DTypeLike) -> DType | None:
    """Return the row for anything NumPy accepts as a dtype; None if kernels have no such scalar."""
    dtype = np.dtype(spec)
    return SHORT_FLOATS.get(dtype.name) if dtype.isbuiltin == _OF_A_PACKAGE else \
        _BY_NUMPY.get(dtype)


def owners(dtype: np.dtype[Any]) -> tuple[type, ...]:
    """Return the classes of a structured dtype's scalars and members; () for plain numbers.

    NumPy calls dtypes of equal members equal, whatever their classes: these tell them apart.
    """
    if dtype.subdtype is not None:
        return owners(dtype.subdtype[0])
    if dtype.names is None:
        return ()
    return (dtype.type, *(o for name in dtype.names for o in owners(dtype[name])))


def structured(dtype: np.dtype[Any]) -> list[np.dtype[Any]]:
    """Return the structured dtypes in a dtype, itself included: those whose members have names."""
    if dtype.subdtype is not None:
        return structured(dtype.subdtype[0])
    if dtype.names is None:
        return []
    return [dtype, *(one for name in dtype.names for one in structured(dtype[name]))]


def alike(left: np.dtype[Any], right: np.dtype[Any]) -> bool:
    """Return whether two dtypes are one to kernels: equal, and of the same classes."""
    return left is right or (left == right and (
        left.names is None or owners(left) == owners(right)))


def promote(left: DType, right: DType) -> DType | None:
    """Return NumPy's result type of two strong operands; None if kernels have no such scalar."""
    try:
        return find_dtype(np.promote_types(left.numpy, right.numpy))
    except TypeError:
        return None


def promote_weak(strong: DType, weak: type) -> DType | None:
    """Return NumPy's result type of an operand and a Python number of a class."""
    if strong.is_short and weak is not bool:
        return find_dtype(np.add.resolve_dtypes((strong.numpy, weak, None))[2])
    return find_dtype(np.result_type(strong.numpy, weak(0)))
