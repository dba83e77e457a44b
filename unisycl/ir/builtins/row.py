"""What one builtin is: a row with its typing rule, host meaning, LLVM lowering and C spelling.

Non-goals: group functions, atomics and index queries, which are statements or queries of the IR.
Invariant: a row has no callback of its own beyond these fields; what needs one is a special form.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, eq=False, slots=True)
class Builtin:
    """One pure function of scalars.

    Args:
        name: the specification's name, public as ``unisycl.<name>``.
        arity: how many operands.
        rule: the typing rule by name: 'float' (operands promote to one floating type, integers to
            float64 as NumPy does, result the same), 'int' (one integer type), 'any' (one numeric
            type), 'float_test' (float operands, bool result), 'float_int' (float, then int32).
        host: the meaning, on NumPy scalars or arrays already of the rule's types.
        llvm: an LLVM intrinsic's stem ('llvm.sqrt'), 'libm:NAME' for the vector or scalar
            mathematics library, or 'expand:NAME' for a sequence in the emitter's table.
        c: the OpenCL C spelling if it is not ``name``.
        section: the clause of SYCL 2020.
        numpy: names of NumPy functions that mean the same.
        math: names in Python's ``math`` that mean the same on Python floats.
        doc: one sentence for the reference page.
    """

    name: str
    arity: int
    rule: str
    host: Callable[..., Any]
    llvm: str
    c: str = ""
    section: str = "4.17.5"
    numpy: tuple[str, ...] = ()
    math: tuple[str, ...] = ()
    doc: str = ""

    def __repr__(self) -> str:
        return self.name
