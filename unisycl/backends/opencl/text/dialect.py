"""OpenCL C for one device: the dialect's data, chosen by what the device reports.

Non-goals: printing (``backends.cfamily``). Invariant: nothing here depends on the kernel.
"""

from __future__ import annotations

from collections.abc import Callable

from unisycl.backends.cfamily.dialect import Dialect, Head, Helper
from unisycl.backends.opencl.discovery.traits import ROUNDED_DIVISION, Traits
from unisycl.backends.opencl.text import builtins, hardware, reserved
from unisycl.backends.opencl.text.atomics import Atomics, modern, scope_name
from unisycl.backends.opencl.text.quirks import Quirks
from unisycl.base.dtypes import DType
from unisycl.base.enums import address_space, memory_order, memory_scope

_TYPES = {"bool": "bool", "int8": "char", "int16": "short", "int32": "int", "int64": "long",
          "uint8": "uchar", "uint16": "ushort", "uint32": "uint", "uint64": "ulong",
          "float16": "half", "float32": "float", "float64": "double"}
_SUFFIXES = {"int64": "L", "uint32": "u", "uint64": "ul", "float32": "f"}
_SPACES = {address_space.global_space: "__global", address_space.local_space: "__local",
           address_space.private_space: "", address_space.constant_space: "__constant",
           address_space.generic_space: ""}
_QUERIES = {"global_id": "get_global_id({d})", "local_id": "get_local_id({d})",
            "group_id": "get_group_id({d})", "global_range": "get_global_size({d})",
            "global_size": "get_global_size({d})", "local_size": "get_local_size({d})",
            "group_range": "get_num_groups({d})", "offset": "get_global_offset({d})",
            "sub_group_id": "get_sub_group_id()",
            "sub_group_local_id": "get_sub_group_local_id()",
            "sub_group_local_range": "get_sub_group_size()",
            "sub_group_max_local_range": "get_max_sub_group_size()",
            "sub_group_group_range": "get_num_sub_groups()"}
_FAR = "(get_global_offset({d}) + get_group_id({d}) * get_local_size({d}) + get_local_id({d}))"
_BOTH = "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE"
_COMBINE = {"plus": "add", "minimum": "min", "maximum": "max"}
_SHUFFLE = {"shift_left": "sub_group_shuffle_down", "shift_right": "sub_group_shuffle_up",
            "permute_xor": "sub_group_shuffle_xor", "select": "sub_group_shuffle"}


def make_dialect(traits: Traits, quirks: Quirks, *, offsets: bool) -> Dialect:
    """Return the dialect of a device; ``offsets``: views lie inside memory objects."""
    atomics = Atomics(traits)
    sub_groups = has_sub_groups(traits)

    def helper(name: str) -> Helper | None:
        if quirks.contracts and name in builtins.UNFUSED:
            return builtins.UNFUSED[name]
        return builtins.HELPERS.get(name) or atomics.helper(name)

    return Dialect(
        types=_TYPES, suffixes=_SUFFIXES, preamble=_preamble(traits, quirks), function="{text}",
        kernel=_head(traits, quirks), spaces=_SPACES, memories=_SPACES, queries=_QUERIES,
        far_id=_FAR,
        group_barrier=f"barrier({_BOTH});",
        local_barrier="barrier(CLK_LOCAL_MEM_FENCE);",
        sub_group_barrier=f"sub_group_barrier({_BOTH});" if sub_groups else f"mem_fence({_BOTH});",
        fence=_fence(traits, sub_groups), bitcast="as_{type}({x})",
        builtin=builtins.careful(quirks.weak_functions),
        helper=helper, atomic=atomics.template, collective=_collective(traits, sub_groups, quirks),
        divide=_divide(traits, quirks), reserved=reserved.is_reserved, sub_groups=sub_groups,
        serial_groups=traits.kind == "cpu", lockstep=quirks.first_decides, offsets=offsets,
        closes_branches=quirks.open_branches, long_rows=quirks.first_twice,
        unroll="#pragma unroll", keeps_loops=quirks.shared_branches,
        rolled="__attribute__((opencl_unroll_hint(1)))",
        in_order="#pragma clang loop vectorize(disable)" if quirks.turns_together else "",
        not_unrolled="unroll(disable)",
        control=hardware.control if hardware.described(traits) else hardware.nothing,
        exact="#pragma OPENCL FP_CONTRACT OFF",
        packed="__attribute__((packed, aligned({align})))",
        given_align=8,  # PoCL 3.0 lays arguments out at multiples of 8
        device_fence=_device_fence(traits, quirks), print_atomic="atomic_add({p}, {x})",
        counts="volatile __global uint *",
        hides_negations=quirks.shared_negations, hides_turns=quirks.lost_turns,
        hides_departures=quirks.shared_departures,
        hides_inversions=quirks.lost_inversions, hides_narrowing=quirks.lost_signs,
        joins_private=quirks.chosen_arrays,
        keep_local="{{ __local void *volatile known = (__local void *){0}; }}"
        if quirks.forgets_local else "",
        read_anew="((volatile __local {type} *){0})" if quirks.stale_elements else "",
        halves=traits.has("cl_khr_fp16"), ends_low=traits.kind == "cpu",
        infinities={"inf": "INFINITY", "nan": "NAN"},  # calls, which are no initialisers
        initialisers={"inf": "1.0f / 0.0f", "nan": "0.0f / 0.0f"})


def has_sub_groups(traits: Traits) -> bool:
    """Say whether work-groups have sub-groups here that can shuffle."""
    return traits.feature("subgroups") and bool(traits.sub_group_sizes) and (
        traits.has("cl_khr_subgroup_shuffle") and traits.has("cl_khr_subgroup_shuffle_relative"))


def _preamble(traits: Traits, quirks: Quirks) -> tuple[str, ...]:
    wanted = [e for e in ("cl_khr_fp16", "cl_khr_int64_base_atomics",
                          "cl_khr_int64_extended_atomics") if traits.has(e)]
    if traits.has("cl_khr_fp64"):
        wanted.insert(0, "cl_khr_fp64")
    lines = [f"#pragma OPENCL EXTENSION {e} : enable" for e in wanted]
    if quirks.unnamed_scope:
        lines += ["#ifndef __opencl_c_atomic_scope_all_devices",
                  "#define memory_scope_all_svm_devices __OPENCL_MEMORY_SCOPE_ALL_SVM_DEVICES",
                  "#endif"]
    return tuple(lines)


def _head(traits: Traits, quirks: Quirks) -> Callable[[Head], str]:
    def head(of: Head) -> str:
        words = ["__kernel"]
        if quirks.shared_branches and not of.reduces:  # a product of a span is wrong with it
            words.append("__attribute__((cold))")
        if of.local:
            words.append(f"__attribute__((reqd_work_group_size({of.local})))")
        if of.sub_group:
            words.append(f"__attribute__((intel_reqd_sub_group_size({of.sub_group})))")
        elif of.atomics and quirks.masked_atomics:
            words.append("__attribute__((vec_type_hint(float4)))")
        if hardware.described(traits):
            words += hardware.attributes(of)
        return f"{' '.join(words)}\nvoid {of.name}({of.params})"
    return head


def _fence(traits: Traits, sub_groups: bool) -> Callable[[memory_order, memory_scope], str]:
    def fence(order: memory_order, scope: memory_scope) -> str:
        if order is memory_order.relaxed:
            return ""
        if not modern(traits):
            return f"mem_fence({_BOTH});"
        where = scope_name(scope, sub_groups=sub_groups)
        return f"atomic_work_item_fence({_BOTH}, memory_order_{order.name}, {where});"
    return fence


def _device_fence(traits: Traits, quirks: Quirks) -> str:
    """Return what orders memory between work-groups; '' where the device does not promise it."""
    if modern(traits):
        return ("atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, "
                "memory_scope_device);")
    return 'asm volatile("membar.gl;" : : : "memory");' if quirks.ptx_fences else ""


def _divide(traits: Traits, quirks: Quirks) -> Callable[[DType], str]:
    """Division rounds as NumPy's: where the device's does not, through doubles."""
    rounded = quirks.rounds_division or bool(
        traits.number_of("single_fp_config") & ROUNDED_DIVISION)

    def divide(dtype: DType) -> str:
        if dtype.bits == 32 and not rounded and traits.has("cl_khr_fp64"):
            return "(float)((double){0} / (double){1})"
        return "{0} / {1}"
    return divide


def _collective(traits: Traits, sub_groups: bool, quirks: Quirks) -> Callable[
        [memory_scope, str, str, DType], str | None]:
    """Group functions of the device's own, for the operators and types OpenCL C has them."""
    groups = traits.feature("work_group_collective_functions") and not quirks.emulate_collectives

    def collective(scope: memory_scope, op: str, combine: str, dtype: DType) -> str | None:
        if scope is memory_scope.sub_group:
            if op == "ballot" and traits.has("cl_khr_subgroup_ballot"):
                return "as_ulong(sub_group_ballot({0}).xy)"
            return _of_sub_group(op, combine, dtype) if sub_groups else None
        return _of_work_group(op, combine, dtype) if groups else None
    return collective


def _of_work_group(op: str, combine: str, dtype: DType) -> str | None:
    if op in ("any", "all"):
        return f"work_group_{op}({{0}}) != 0"
    if op == "none":
        return "work_group_any({0}) == 0"
    return _combined("work_group", op, combine, dtype)


def _of_sub_group(op: str, combine: str, dtype: DType) -> str | None:
    if op in ("any", "all"):
        return f"sub_group_{op}({{0}}) != 0"
    if op == "none":
        return "sub_group_any({0}) == 0"
    if op == "ballot":
        return "sub_group_reduce_add((ulong)({0}) << get_sub_group_local_id())"
    if op == "match":
        return None
    wide = _widened(dtype)
    if op == "broadcast":
        return _as_wide("sub_group_broadcast({0}, (uint)({1}))", wide, dtype)
    if op in _SHUFFLE:
        return _as_wide(f"{_SHUFFLE[op]}({{0}}, (uint)({{1}}))", wide, dtype)
    return _combined("sub_group", op, combine, dtype)


def _combined(prefix: str, op: str, combine: str, dtype: DType) -> str | None:
    """Return a reduction or scan with one of the three operators OpenCL C has."""
    word = _COMBINE.get(combine)
    if word is None or dtype.kind == "b" or op == "broadcast":
        return None
    if op == "exclusive_scan" and word != "add" and _widened(dtype):
        return None  # it begins with the identity of the wider type
    name = {"reduce": "reduce", "inclusive_scan": "scan_inclusive",
            "exclusive_scan": "scan_exclusive"}[op]
    return _as_wide(f"{prefix}_{name}_{word}({{0}})", _widened(dtype), dtype)


def _widened(dtype: DType) -> str:
    """Return the type that group functions take small integers and bools as; '' for its own."""
    if dtype.kind == "b" or (dtype.is_integer and dtype.bits < 32):
        return "uint" if dtype.kind == "u" else "int"
    return ""


def _as_wide(template: str, wide: str, dtype: DType) -> str:
    if not wide:
        return template
    inner = template.replace("{0}", f"({wide})({{0}})")
    return f"{inner} != 0" if dtype.kind == "b" else f"({_TYPES[dtype.name]}){inner}"
