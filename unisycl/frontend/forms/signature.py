"""Types of a builtin's operands and results, from its signature and the operands it is given.

Non-goals: emitting the call. Invariant: equal to what ``lang.numbers.math`` computes on the host;
no result is wider than what some operand or the signature asks for.
"""

from __future__ import annotations

from unisycl.base import dtypes
from unisycl.frontend import coerce
from unisycl.ir.builtins import Builtin
from unisycl.ir.types import BOOL, WEAK_BOOL, WEAK_FLOAT, WEAK_INT, Scalar

_INT32 = Scalar(dtypes.INT32)
_FLOAT32 = Scalar(dtypes.FLOAT32)
_HELP = {"i": "it takes integers", "j": "it takes integers of 32 bits", "k": "it takes an integer",
         "s": "it takes float32", "u": "it takes an unsigned integer of 16, 32 or 64 bits"}


def resolve(row: Builtin, types: list[Scalar], family: str) -> tuple[list[Scalar],
                                                                     list[Scalar]] | None:
    """Return the types operands are converted to and those of the results; None if there are none.

    ``family`` is whose function it is: 'numpy', 'math' or 'unisycl'.
    """
    letters = row.operands
    if any(t.dtype.kind == "c" for t in types):
        return None
    shared_types = [t for letter, t in zip(letters, types, strict=True) if letter in "finjs"]
    letter = next((x for x in letters if x in "finjs"), "u")
    shared = _shared(letter, shared_types or types, family)
    if shared is None or (shared.dtype.is_short and not row.widens):
        return None
    operands = []
    for x, t in zip(letters, types, strict=True):
        own = shared if x in "finjs" else _other(x, t, shared, alone=not shared_types)
        if own is None:
            return None
        operands.append(own)
    results = [_result(x, shared, family) for x in row.results]
    return None if None in results else (operands, [r for r in results if r is not None])


def explain(row: Builtin, types: list[Scalar]) -> str:
    """Return what to do where ``resolve`` finds no types."""
    if any(t.dtype.kind == "c" for t in types):
        return "of complex numbers there are abs, conjugate, np.angle, np.exp, np.log and np.sqrt"
    return next((_HELP[x] for x in row.operands if x in _HELP), "")


def _shared(letter: str, types: list[Scalar], family: str) -> Scalar | None:
    """Return the one type operands share; None if they cannot."""
    if letter == "f":
        if family == "math":
            return WEAK_FLOAT
        found = coerce.floating(*types, narrow=family == "numpy")
        return Scalar(found.dtype) if found else None
    shared: Scalar | None = types[0]
    for t in types[1:]:
        shared = coerce.common(shared, t) if shared else None
    if shared is None:
        return None
    kind = shared.dtype.kind
    if letter == "s":
        return _FLOAT32 if shared.weak or (kind == "f" and shared.dtype.bits <= 32) else None
    if kind == "b" or (letter != "n" and kind == "f"):
        return None
    if letter == "j":
        return _INT32 if shared.weak or shared.dtype.bits < 32 else \
            shared if shared.dtype.bits == 32 else None
    return Scalar(shared.dtype) if family == "numpy" else shared


def _other(letter: str, given: Scalar, shared: Scalar, *, alone: bool) -> Scalar | None:
    """Return the type of an operand that does not share it."""
    kind = given.dtype.kind
    if letter == "b":
        return BOOL
    if kind == "f":
        return None
    if letter == "k":
        return _INT32
    bits = shared.dtype.bits
    unsigned = Scalar(dtypes.DTYPES[f"uint{bits}"], weak=alone and shared.weak)
    if alone:
        return unsigned if given.weak or (kind == "u" and bits > 8) else None
    return unsigned if given.weak or given.dtype.bits == bits else None


def _result(letter: str, shared: Scalar, family: str) -> Scalar | None:
    if letter in "finjs":
        return shared
    if letter == "b":
        return WEAK_BOOL if family == "math" else BOOL
    if letter == "k":
        return WEAK_INT if family == "math" else _INT32
    if letter == "v":
        return WEAK_FLOAT if shared.weak else Scalar(dtypes.DTYPES[f"float{shared.dtype.bits}"])
    wide = dtypes.DTYPES.get(f"{shared.dtype.name.rstrip('0123456789')}{2 * shared.dtype.bits}")
    return Scalar(wide) if wide and not shared.weak else None
