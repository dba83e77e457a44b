"""Whether a kernel gives the same bits in vectors and one item at a time.

Everything is rounded alike in both (backends fuse a product with the sum that it stands in, and no
other), but functions of mathematics, whose code differs. Non-goals: whether it is faster.
Invariant: where it holds, no launch can tell the forms apart.
"""

from __future__ import annotations

from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.builtins.row import EXACT, ROUNDED

_PLAIN = (n.Assign, n.Store, n.If, n.For, n.While, n.Break, n.Continue, n.Scope, n.Leave,
          n.LoadMany, n.StoreMany)
_INSTRUCTIONS = ("llvm.sqrt", "expand:min", "expand:max", "expand:npmin", "expand:npmax")
_ROUNDED = 32  # bits: shorter floats are computed in longer ones


def holds(body: n.Block) -> bool:
    """Say whether a body gives the same bits however many items run side by side."""
    if not all(isinstance(s, _PLAIN) for s in visit.statements(body)):
        return False
    for x in visit.all_expressions(body):
        if isinstance(x, n.Complex | n.Part) or (isinstance(x, n.Call) and not _is_exact(x)):
            return False
        if isinstance(x, n.Binary) and x.type.dtype.is_float and (
                x.type.dtype.bits < _ROUNDED or x.op in ("floordiv", "mod")):
            return False
    return True


def _is_exact(call: n.Call) -> bool:
    """Say whether a function's result is one number, which all code for it gives."""
    numbers = [x.type.dtype for x in (call, *call.args) if x.type.dtype.is_float]
    row = call.builtin
    return not numbers or (all(x.bits >= _ROUNDED for x in numbers) and (
        row.llvm in _INSTRUCTIONS or (
            row.bound in (EXACT, ROUNDED) and row.llvm.startswith("llvm."))))
