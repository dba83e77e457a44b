"""What one builtin is: a row with its signature, host meaning, lowering, spelling and error bound.

Non-goals: group functions, atomics and index queries, which are statements or queries of the IR.
Invariant: a row has no callback of its own beyond these fields; what needs one is a special form.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from unisycl.base.dataclass import dataclass

_RULES = {
    "f>f": "float", "f>b": "float_test", "f>k": "float_int", "i>i": "int", "j>j": "int",
    "n>n": "any", "s>s": "float"}


_OWN_SPACING = frozenset(("nextafter",))


@dataclass(frozen=True, slots=True)
class Bound:
    """How far a result may be from the exact one (catalogue D-20 to D-25).

    Args:
        fp16, fp32, fp64: units in the last place; 0 is bit by bit, 0.5 correctly rounded.
        absolute: an error that is allowed whatever the result.
        low, high: the operands, or magnitudes, the bound holds for.
    """

    fp16: float = 0
    fp32: float = 0
    fp64: float = 0
    absolute: float = 0
    low: float = 0
    high: float = float("inf")

    def ulp(self, bits: int) -> float:
        """Return the bound in units in the last place for a type of so many bits."""
        return {16: self.fp16, 32: self.fp32, 64: self.fp64}[bits]


EXACT = Bound()
ROUNDED = Bound(0.5, 0.5, 0.5)
UNSPECIFIED = Bound(*[float("inf")] * 3)


@dataclass(frozen=True, eq=False, slots=True)
class Builtin:
    """One pure function of scalars.

    Args:
        name: the specification's name, public as ``unisycl.<name>``; one with a dot is internal.
        signature: operands and results, one letter each, as in 'ff>f'. Operands of the letters
            f (floating; integers become float64 as NumPy's do), i (integer) or n (number) share one
            type, and so do results of these letters; s is float32; j a 32-bit integer; k int32;
            b bool; u an unsigned integer of the shared width, or any where nothing is shared; w an
            integer of twice the shared width; v the float of as many bits as the operand.
        host: the meaning, on NumPy scalars already of the operands' types; a tuple of several
            results.
        llvm: an LLVM intrinsic's stem ('llvm.sqrt'), 'expand:NAME' for a sequence in the emitter's
            table, 'cmp:PREDICATE', 'sat:WORD'; '' if the row has parts.
        parts: for several results, the names of the rows that compute one each.
        bound: the largest error.
        c: the OpenCL C spelling if it is not ``name``.
        section: the clause of SYCL 2020.
        numpy: names of NumPy functions that mean the same.
        math: names in Python's ``math`` that mean the same on Python floats.
        doc: one sentence for the reference page.
    """

    name: str
    signature: str
    host: Callable[..., Any]
    llvm: str
    parts: tuple[str, ...] = ()
    bound: Bound = EXACT
    c: str = ""
    section: str = "4.17.5"
    numpy: tuple[str, ...] = ()
    math: tuple[str, ...] = ()
    doc: str = ""

    @property
    def operands(self) -> str:
        """One letter an operand."""
        return self.signature.partition(">")[0]

    @property
    def results(self) -> str:
        """One letter a result."""
        return self.signature.partition(">")[2]

    @property
    def arity(self) -> int:
        """How many operands."""
        return len(self.operands)

    @property
    def rule(self) -> str:
        """How it is typed: 'float', 'int', 'any' (number), 'float_test', 'float_int' or 'mixed'.

        All but the last have operands of one type; a test gives bool, float_int an int32.
        """
        kinds = set(self.operands)
        return _RULES.get(f"{min(kinds)}>{self.results}", "mixed") if len(kinds) == 1 else "mixed"

    @property
    def widens(self) -> bool:
        """Whether it may be computed in a wider type than its operands' and rounded."""
        return self.name not in _OWN_SPACING and not set("uvw") & set(self.operands + self.results)

    def __repr__(self) -> str:
        return self.name
