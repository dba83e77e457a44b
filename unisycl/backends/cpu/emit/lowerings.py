"""Builtins on the CPU: an intrinsic of LLVM, a few instructions, or vector mathematics of our own.

Non-goals: typing (the row has it). Invariants: nothing is called outside the code, so that vectors
stay in registers; mathematics is loaded with the first kernel that has any.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable

from unisycl.backends.cpu.emit.lanes import Lanes, Val
from unisycl.backends.cpu.emit.sequences import EXPAND
from unisycl.base.dtypes import FLOAT64, DType
from unisycl.ir.builtins import Builtin


def call_builtin(lanes: Lanes, row: Builtin, args: list[Val], result: DType, widest: int) -> Val:
    """Emit a call of a builtin; ``widest`` is the machine's vector in bits."""
    kind, _, name = row.llvm.partition(":")
    if kind == "cmp":
        return lanes.compare(name, *args)
    if kind == "sat":
        sign = "s" if args[0].dtype.kind == "i" else "u"
        return lanes.call(f"llvm.{sign}{name}.sat", result, *args)
    if kind == "expand":
        return EXPAND[name](lanes, *args) if name in EXPAND \
            else _mathematics()(lanes, name, args, result, widest)
    if kind == "llvm.fma" and result.bits == 16:
        wide = [lanes.cast(a, FLOAT64) for a in args]
        return lanes.cast(lanes.call(kind, FLOAT64, *wide), result)
    extra = "i1 false" if kind in ("llvm.ctlz", "llvm.cttz") else ""
    return lanes.call(kind, result, *args, extra=extra)


@functools.cache
def _mathematics() -> Callable[[Lanes, str, list[Val], DType, int], Val]:
    emission = importlib.import_module("unisycl.backends.cpu.maths.emission")
    found: Callable[[Lanes, str, list[Val], DType, int], Val] = emission.emit
    return found
