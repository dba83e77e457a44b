"""``print`` in kernels on the CPU: each active lane hands its values to a callback into Python.

Non-goals: speed. Invariant: one call prints one whole line; the callback takes the GIL itself, so a
launch must be waited for without holding it (the pool does).
"""

from __future__ import annotations

import ctypes
import itertools
import sys
from typing import Any

import numpy as np

from unisycl.backends.cpu.emitter import Emitter
from unisycl.backends.cpu.lanes import Val
from unisycl.backends.cpu.text import llvm_type
from unisycl.base.dtypes import DType
from unisycl.ir import nodes as n
from unisycl.ir.types import Scalar

Site = tuple[str | Scalar, ...]

_tokens = itertools.count(1)
_sites: dict[int, list[Site]] = {}


def emit(e: Emitter, stmt: n.Print) -> None:
    """Emit a print statement: the active lanes one after another."""
    f = e.f
    site = tuple(p if isinstance(p, str) else p.type for p in stmt.pieces)
    values = [e.emit(e, p) for p in stmt.pieces if not isinstance(p, str)]
    e.prints.append(site)
    cells = f.alloca(f"[{max(1, len(values))} x i64]", 8)
    spilled = [_spill(e, v) for v in values]
    at = f.alloca("i64")
    f.store("i64", "0", at)
    head, body, act, step, done = (f.label(s) for s in ("print", "lane", "say", "next", "said"))
    f.jump(head)
    f.start(head)
    lane = f.load("i64", at)
    f.branch(f.op(f"icmp ult i64 {lane}, {e.lanes.lanes}"), body, done)
    f.start(body)
    on = "true"
    if e.mask is not None:
        short = f.op(f"trunc i64 {lane} to {e.mask_bits}") if e.lanes.lanes < 64 else lane
        bit = f.op(f"lshr {e.mask_bits} {e.bits(e.mask)}, {short}")
        on = f.op(f"trunc {e.mask_bits} {bit} to i1") if e.mask_bits != "i1" else bit
    f.branch(on, act, step)
    f.start(act)
    for k, where in enumerate(spilled):
        f.store("i64", f.load("i64", f.gep("i64", where, lane)), f.gep("i64", cells, str(k)))
    say, token = e.slot(e.layout.printing, "ptr"), e.slot(e.layout.printing + 1)
    f.do(f"call void {say}(i64 {token}, i64 {len(e.prints) - 1}, ptr {cells})")
    f.jump(step)
    f.start(step)
    f.store("i64", f.op(f"add i64 {lane}, 1"), at)
    f.jump(head)
    f.start(done)


def _spill(e: Emitter, value: Val) -> str:
    """Write the bits of all lanes to memory, 64 for each."""
    f, w = e.f, e.lanes.lanes
    dtype = value.dtype
    vector = e.lanes.vector(value)
    whole = f"<{w} x i{dtype.bits}>"
    if dtype.is_float:
        vector = f.op(f"bitcast {llvm_type(dtype, w)} {vector} to {whole}")
    if dtype.bits < 64:
        vector = f.op(f"zext {whole} {vector} to <{w} x i64>")
    where = f.alloca(f"<{w} x i64>")
    f.store(f"<{w} x i64>", vector, where)
    return where


def register(sites: list[Any]) -> int:
    """Return the token of a kernel's print statements; 0 if it has none."""
    if not sites:
        return 0
    token = next(_tokens)
    _sites[token] = list(sites)
    return token


def _say(token: int, site: int, cells: Any) -> None:
    """Print one line of one work-item."""
    parts, k = [], 0
    for piece in _sites[token][site]:
        if isinstance(piece, str):
            parts.append(piece)
        else:
            parts.append(_shown(int(cells[k]), piece))
            k += 1
    sys.stdout.write("".join(parts) + "\n")


def _shown(bits: int, type: Scalar) -> str:
    dtype: DType = type.dtype
    if dtype.kind == "b":
        return str(bool(bits))
    raw = bits.to_bytes(8, "little")[: dtype.size]
    value = np.frombuffer(raw, dtype.numpy)[0]
    return str(value.item() if type.weak else value)


_SAY = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64, ctypes.POINTER(ctypes.c_uint64))(_say)


def callback() -> int:
    """Return the address kernels call to print."""
    return ctypes.cast(_SAY, ctypes.c_void_p).value or 0
