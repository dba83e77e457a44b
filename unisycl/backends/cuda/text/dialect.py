"""CUDA C++ for one target: the dialect's data.

A launch has no offset here, so ids begin at 0 or at an argument; local memory that it lays out is
one array, in which arguments say where each part begins. Non-goals: printing (``backends.cfamily``)
and images. Invariant: nothing here depends on the kernel.
"""

from __future__ import annotations

import re

from unisycl.backends.cfamily.dialect import Dialect, Head, Helper
from unisycl.backends.cuda.text import (
    atomics,
    builtins,
    half,
    matrices,
    products,
    reserved,
    sub_groups,
    textures,
    tiles,
)
from unisycl.backends.cuda.text.target import OF_RANGES, STATIC_LOCAL, WARP, Target
from unisycl.base.dtypes import DType
from unisycl.base.enums import address_space

_TYPES = {"bool": "bool", "int8": "signed char", "int16": "short", "int32": "int",
          "int64": "long long", "uint8": "unsigned char", "uint16": "unsigned short",
          "uint32": "unsigned int", "uint64": "unsigned long long", "float16": "float16",
          "float32": "float", "float64": "double"}
_SUFFIXES = {"int64": "ll", "uint32": "u", "uint64": "ull", "float32": "f"}
_VECTORS = {"int8": "char", "uint8": "uchar", "uint16": "ushort", "int64": "longlong",
            "uint32": "uint", "uint64": "ulonglong"}
_WIDE = {"int8": (2, 4), "uint8": (2, 4), "int16": (2, 4), "uint16": (2, 4), "int32": (2, 4),
         "uint32": (2, 4), "float32": (2, 4), "int64": (2,), "uint64": (2,), "float64": (2,)}
_POINTERS = dict.fromkeys(address_space, "")
_MEMORIES = {**_POINTERS, address_space.local_space: "__shared__ __align__(16)",
             address_space.private_space: "__align__(16)",
             address_space.constant_space: "static __device__ const"}
_QUERIES = {"global_id": "(long long)blockIdx.{axis} * blockDim.{axis} + threadIdx.{axis}",
            "local_id": "(int)threadIdx.{axis}", "group_id": "(int)blockIdx.{axis}",
            "global_range": "((long long)gridDim.{axis} * blockDim.{axis})",
            "global_size": "((long long)gridDim.{axis} * blockDim.{axis})",
            "local_size": "(int)blockDim.{axis}", "group_range": "(long long)gridDim.{axis}"}
_PREAMBLE = ("#define INFINITY __builtin_bit_cast(float, 0x7f800000u)",
             "#define NAN __builtin_bit_cast(float, 0x7fc00000u)")
_PUT_CELL = Helper("""void {name}({uint32} *cell, {T} bits)
{{
    cell[0] = ({uint32})bits;
    cell[1] = ({uint32})(bits >> 32);
}}""")
_MEMBERS = re.compile(r"members_(\d+)")


def make_dialect(target: Target) -> Dialect:
    """Return the dialect of a target."""
    return Dialect(
        types=_TYPES, suffixes=_SUFFIXES, preamble=_PREAMBLE,
        function="static __device__ __forceinline__ {text}", kernel=_head, spaces=_POINTERS,
        memories=_MEMORIES, queries=_QUERIES, group_barrier="__syncthreads();",
        local_barrier="__syncthreads();", sub_group_barrier="__syncwarp({members});",
        fence=atomics.fence, bitcast="__builtin_bit_cast({type}, {x})", builtin=builtins.spelling,
        computes=builtins.computes, helper=_helper, atomic=atomics.template,
        collective=sub_groups.collective, divide=_divide, reserved=reserved.is_reserved,
        hides_narrowing=True,
        sub_groups=True, warp=WARP, members=sub_groups.members, scoped_jumps=True,
        unroll="#pragma unroll", rolled="#pragma unroll 1", control=_control,
        packed="__attribute__((packed, aligned({align})))", device_fence="__threadfence();",
        print_atomic="atomicAdd({p}, {x})", counts="unsigned int *",
        definitions={"float16": half.DEFINITION},
        dynamic="extern __shared__ __align__(16) unsigned char {name}[];", distinct="__restrict__",
        most_local=STATIC_LOCAL,
        aligned="__builtin_assume_aligned({x}, {bytes})", wide=_WIDE,
        stores_vector="__stwb(({type} *){at}, {x});",
        asks_aligned="__cvta_generic_to_global({x}) % {bytes} == 0",
        infinities={"inf": "INFINITY", "nan": "NAN"},
        initialisers={"inf": "INFINITY", "nan": "NAN"}, vector="make_{type}({items})",
        vector_stems=_VECTORS, elements=("x", "y", "z", "w"))


def _head(of: Head) -> str:
    """Return the head of a kernel: for its work-groups, or for the largest a range is cut into."""
    items = 1
    for size in filter(None, of.local.split(", ")):
        items *= int(size)
    least = dict(of.traits).get("min_work_groups_per_cu", ())
    words = [items if of.local else OF_RANGES, *(least if of.local else ())]
    bounds = f"__launch_bounds__({', '.join(map(str, words))})"
    return f'extern "C" __global__ void {bounds}\n{of.name}({of.params})'.replace("(void)", "()")


def _helper(name: str) -> Helper | None:
    found = _MEMBERS.fullmatch(name)
    if found is not None:
        return Helper(sub_groups.helper_text(int(found[1])))
    if name == "put_cell":
        return _PUT_CELL
    return builtins.HELPERS.get(name) or matrices.helper(name) or tiles.helper(name) \
        or products.helper(name) or textures.helper(name) or atomics.helper(name)


def _divide(dtype: DType) -> str:
    """Division rounds as NumPy's, unless a kernel asks for other options."""
    return "{0} / {1}"


def _control(name: str, number: int) -> str:
    """Return a hint about a loop; those for other hardware say nothing here."""
    return ""
