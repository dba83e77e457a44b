"""Nanoseconds an element of the CPU's mathematical functions, beside the vector library's.

``python -m bench.functions NAME ... [--type T] [--lanes N] [--widest BITS] [--asm]``: each function
over an array that fits the innermost cache, best of many runs.
"""

from __future__ import annotations

import argparse
import ctypes
import functools
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from unisycl.backends.cpu.compile import jit
from unisycl.backends.cpu.compile.target import machine
from unisycl.backends.cpu.emit import lowerings
from unisycl.backends.cpu.emit.lanes import VECTOR, Lanes, Val
from unisycl.backends.cpu.emit.text import Function, Module, llvm_type, vectors
from unisycl.backends.cpu.maths.avx512 import in_parts
from unisycl.base.dtypes import DTYPES, DType
from unisycl.ir.builtins import BUILTINS

LETTERS = {512: "e", 256: "d", 128: "b"}  # of the vector sizes, in the library's names
COUNT = 2048
REPEATS = 200
RANGES = {"exp": (-20, 20), "exp2": (-20, 20), "exp10": (-9, 9), "log": (0.01, 100),
          "log2": (0.01, 100), "log10": (0.01, 100), "pow": (0.1, 9), "rsqrt": (0.01, 100)}


def loop(name: str, dtype: DType, lanes: int, widest: int, *, library: bool) -> Module:
    """Return the module of a function that applies a builtin to arrays, again and again."""
    row = BUILTINS[name]
    found = machine()
    module = Module(found.triple, found.layout)
    f = Function(module, "loop", ", ".join(f"ptr %p{k}" for k in range(row.arity)) +
                 ", ptr noalias %out, i64 %n", vectors(widest))
    at = f.alloca("i64")
    f.store("i64", "0", at)
    head, body, done = f.label("head"), f.label("body"), f.label("done")
    f.jump(head)
    f.start(head)
    i = f.load("i64", at)
    f.branch(f.op(f"icmp ult i64 {i}, %n"), body, done)
    f.start(body)
    place = f.op(f"and i64 {i}, {COUNT - 1}")
    kinds = [DTYPES["int32"] if x == "k" else dtype for x in row.operands]
    values = [Val(VECTOR, kind, f.load(llvm_type(kind, lanes),
                                       f.gep(llvm_type(kind), f"%p{k}", place), 2))
              for k, kind in enumerate(kinds)]
    out = DTYPES["int32"] if row.results == "k" else dtype
    result = from_library(f, name, values, lanes, widest) if library \
        else lowerings.call_builtin(Lanes(f, lanes), row, values, out, widest)
    f.store(llvm_type(result.dtype, lanes), result.ref,
            f.gep(llvm_type(result.dtype), "%out", place), 2)
    f.store("i64", f.op(f"add i64 {i}, {lanes}"), at)
    f.jump(head)
    f.start(done)
    f.finish()
    return module


@functools.cache
def vector_library() -> ctypes.CDLL | None:
    """Return glibc's vector mathematics library, for compiled code to find; None if missing."""
    try:
        return ctypes.CDLL("libmvec.so.1", mode=ctypes.RTLD_GLOBAL)
    except OSError:
        return None


def symbol(name: str, bits: int, arity: int, widest: int) -> str:
    """Return the library's name for a function; '' if it has none."""
    found = f"_ZGV{LETTERS[widest]}N{widest // bits}{'v' * arity}_{name}{'f' * (bits == 32)}"
    return found if hasattr(vector_library(), found) else ""


def from_library(f: Function, name: str, values: list[Val], lanes: int, widest: int) -> Val:
    """Write calls of the library's function for each vector."""
    dtype = values[0].dtype
    width = widest // dtype.bits
    called = symbol(name, dtype.bits, len(values), widest)
    part = llvm_type(dtype, width)
    f.module.declare(called, f"{part} @({', '.join([part] * len(values))}) memory(none) nounwind")
    template = f"call {part} @{called}(" + ", ".join(
        f"{part} {{{k}}}" for k in range(len(values))) + ")"
    return in_parts(Lanes(f, lanes), dtype, width, template, *values)


def compiled(module: Module, arity: int) -> Callable[..., None]:
    """Return a module's loop as a Python function of arrays."""
    loaded = jit.load(module.text(), ("loop",))
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (arity + 1), ctypes.c_int64)(
        loaded.addresses["loop"])

    def run(*arrays: Any) -> None:
        call(*(a.ctypes.data for a in arrays), COUNT * REPEATS)
    run.keep = loaded  # type: ignore[attr-defined]
    return run


def operands(name: str, dtype: str) -> list[Any]:
    """Return arrays to apply a function to."""
    low, high = RANGES.get(name, (-3, 3))
    random = np.random.default_rng(1)
    return [random.uniform(low, high, COUNT).astype("int32" if x == "k" else dtype)
            for x in BUILTINS[name].operands]


def nanoseconds(run: Callable[..., None], arrays: list[Any], out: Any) -> float:
    """Return the best time an element."""
    best = 1e9
    for _ in range(60):
        start = time.perf_counter()
        run(*arrays, out)
        best = min(best, time.perf_counter() - start)
    return best / REPEATS / COUNT * 1e9


def main() -> None:
    """Print a line for each function."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--type", default="float32")
    parser.add_argument("--widest", type=int, default=machine().vector_bits)
    parser.add_argument("--lanes", type=int, default=0)
    parser.add_argument("--asm", action="store_true")
    options = parser.parse_args()
    dtype = DTYPES[options.type]
    lanes = options.lanes or 2 * options.widest // dtype.bits
    for name in options.names:
        own = loop(name, dtype, lanes, options.widest, library=False)
        if options.asm:
            print(jit.to_assembly(own.text()))
            continue
        arrays = operands(name, options.type)
        out = np.zeros(COUNT, options.type)
        times = [nanoseconds(compiled(own, len(arrays)), arrays, out)]
        if symbol(name, dtype.bits, len(arrays), options.widest):
            other = loop(name, dtype, lanes, options.widest, library=True)
            times.append(nanoseconds(compiled(other, len(arrays)), arrays, out))
        beside = f"   libmvec {times[1]:7.3f} ns" if times[1:] else ""
        print(f"{name:8} {times[0]:7.3f} ns{beside}", flush=True)


if __name__ == "__main__":
    main()
