"""Atomic operations in OpenCL C: C11's where the device has them, else those of OpenCL 1.2.

Floating addition uses ``cl_ext_float_atomics`` where reported, otherwise compare-and-swap; integers
of 8 and 16 bits are changed by compare-and-swap of the 32 bits they lie in. Non-goals: which orders
a device offers (``info``). Invariant: each returns the old value.
"""

from __future__ import annotations

import re

from unisycl.backends.cfamily.dialect import AtomicOp, Helper
from unisycl.backends.opencl.discovery.traits import Traits
from unisycl.base.dataclass import replace
from unisycl.base.dtypes import DType
from unisycl.base.enums import address_space, memory_order, memory_scope

_SPACE = {address_space.global_space: "__global", address_space.local_space: "__local"}
_SCOPE = {memory_scope.work_item: "memory_scope_work_item",
          memory_scope.sub_group: "memory_scope_sub_group",
          memory_scope.work_group: "memory_scope_work_group",
          memory_scope.device: "memory_scope_device",
          memory_scope.system: "memory_scope_all_svm_devices"}
_WIDE = (memory_scope.device, memory_scope.system)
_FETCH = frozenset(("add", "sub", "and", "or", "xor", "min", "max"))
_NEXT = {"add": "old + x", "sub": "old - x", "min": "x < old ? x : old", "max": "old < x ? x : old"}
_NAME = re.compile(r"atomic_([a-z_]+)_(global|local)_([a-z]+|acq_rel|seq_cst)_"
                   r"(work_item|sub_group|work_group|device|system)_([fi])(\d+)")
_FENCES = "mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)"


def modern(traits: Traits) -> bool:
    """Say whether the device has C11 atomics of more than relaxed order."""
    if traits.c_version < (2, 0):
        return False
    return traits.feature("atomic_order_acq_rel") and traits.feature("atomic_scope_device")


def scope_name(scope: memory_scope, *, sub_groups: bool) -> str:
    """Return the OpenCL name of a scope; without sub-groups theirs is the work-group's."""
    if scope is memory_scope.sub_group and not sub_groups:
        scope = memory_scope.work_group
    if scope is memory_scope.work_item:
        scope = memory_scope.work_group
    return _SCOPE[scope]


class Atomics:
    """The spellings of atomics on one device."""

    def __init__(self, traits: Traits) -> None:
        self.modern = modern(traits)
        self.sub_groups = traits.feature("subgroups") and bool(traits.sub_group_sizes)
        self.adds = frozenset(
            (bits, space) for bits in (32, 64) for space in ("global", "local")
            if f"__opencl_c_ext_fp{bits}_{space}_atomic_add" in traits.features)

    def template(self, op: AtomicOp) -> str:
        """Return the template of an operation: {p} is a pointer, {0} and {1} the operands."""
        operands = {"load": "", "compare_exchange": ", {0}, {1}"}.get(op.op, ", {0}")
        if op.space is address_space.local_space and op.scope in _WIDE:
            op = replace(op, scope=memory_scope.work_group)  # nobody else reaches it
        if self.modern and self._direct(op):
            return self._c11(op)
        kind = f"{'f' if op.dtype.is_float else 'i'}{op.dtype.bits}"
        words = ("atomic", op.op, op.space.value, op.order.name, op.scope.name, kind)
        return f"{{helper:{'_'.join(words)}}}({{p}}{operands})"

    def _direct(self, op: AtomicOp) -> bool:
        """Say whether a call of the C11 function does."""
        if op.dtype.bits < 32:
            return False
        if op.op in ("load", "store", "exchange"):
            return True
        if op.dtype.is_float:
            place = "global" if op.space is address_space.global_space else "local"
            return op.op in ("add", "sub") and (op.dtype.bits, place) in self.adds
        return op.op in _FETCH

    def _c11(self, op: AtomicOp) -> str:
        space = _SPACE[op.space]
        kind = "atomic_" + _name(op.dtype)
        tail = f"memory_order_{op.order.name}, {scope_name(op.scope, sub_groups=self.sub_groups)}"
        pointer = f"(volatile {space} {kind} *)({{p}})"
        if op.op == "load":
            return f"atomic_load_explicit({pointer}, {tail})"
        if op.op == "store":
            return f"atomic_store_explicit({pointer}, {{0}}, {tail})"
        word = "exchange" if op.op == "exchange" else f"fetch_{op.op}"
        return f"atomic_{word}_explicit({pointer}, {{0}}, {tail})"

    def helper(self, name: str) -> Helper | None:
        """Return the function behind a template's name; None if it is none of these."""
        found = _NAME.fullmatch(name)
        if found is None:
            return None
        op, space, order, scope, kind, bits = found.groups()
        if int(bits) < 32:
            where = scope_name(memory_scope[scope], sub_groups=self.sub_groups)
            return _part(op, f"__{space}", memory_order[order], where if self.modern else "")
        if self.modern:
            return self._swap(op, f"__{space}", memory_order[order], memory_scope[scope])
        word = "atom_" if bits == "64" else "atomic_"
        return _legacy(op, f"__{space}", memory_order[order], word, whole=kind == "i")

    # ---- C11 compare-and-swap
    def _swap(self, op: str, space: str, order: memory_order, scope: memory_scope) -> Helper:
        """Return a compare-exchange, or an operation made of it."""
        where = scope_name(scope, sub_groups=self.sub_groups)
        tail = f"memory_order_{order.name}, memory_order_{_failure(order)}, {where}"
        cell = f"(volatile {space} atomic_{{U}} *)p"
        if op == "compare_exchange":
            return Helper(f"""{{T}} {{name}}({space} {{T}} *p, {{T}} expected, {{T}} desired)
{{{{
    {{U}} old = as_{{U}}(expected);
    atomic_compare_exchange_strong_explicit({cell}, &old, as_{{U}}(desired), {tail});
    return as_{{T}}(old);
}}}}""")
        return Helper(f"""{{T}} {{name}}({space} {{T}} *p, {{T}} x)
{{{{
    {{U}} bits = atomic_load_explicit({cell}, memory_order_relaxed, {where});
    while (true) {{{{
        const {{T}} old = as_{{T}}(bits);
        const {{T}} next = {_NEXT[op]};
        if (atomic_compare_exchange_strong_explicit({cell}, &bits, as_{{U}}(next), {tail}))
            return old;
    }}}}
}}}}""")


def _failure(order: memory_order) -> str:
    """Return the order of a comparison that fails: nothing is stored then."""
    return {"acq_rel": "acquire", "release": "relaxed"}.get(order.name, order.name)


def _part(op: str, space: str, order: memory_order, where: str) -> Helper:
    """Return an operation on a part of 32 bits; ``where`` is the scope, '' for OpenCL 1.2."""
    params = {"load": "", "compare_exchange": ", {T} expected, {T} desired"}.get(op, ", {T} x")
    new = _NEXT.get(op) or {"exchange": "x", "store": "x", "compare_exchange": "desired",
                            "and": "old & x", "or": "old | x", "xor": "old ^ x"}.get(op, "old")
    done = {"load": "true", "compare_exchange": "old != expected"}.get(op, "false")
    if where:
        fail, word = _failure(order), "atomic_uint"
        before = after = ""
        first = f"atomic_load_explicit(cell, memory_order_{fail}, {where})"
        swap = ("const bool swapped = atomic_compare_exchange_strong_explicit(cell, &bits, next, "
                f"memory_order_{order.name}, memory_order_{fail}, {where});")
    else:
        word = "uint"
        before, after = _around(order)
        first = "atomic_or(cell, 0u)"
        swap = ("const uint seen = atomic_cmpxchg(cell, bits, next);\n"
                "        const bool swapped = seen == bits;\n        bits = seen;")
    return Helper(f"""{{T}} {{name}}({space} {{T}} *p{params})
{{{{
{before}    const uint at = (uint)((size_t)p & 3);
    volatile {space} {word} *cell = (volatile {space} {word} *)((volatile {space} uchar *)p - at);
    const uint shift = at * 8, mask = ({{U}})-1;
    uint bits = {first};
    {{T}} old;
    while (true) {{{{
        old = ({{T}})({{U}})(bits >> shift);
        if ({done}) break;
        const uint part = ({{U}})({{T}})({new});
        const uint next = (bits & ~(mask << shift)) | (part << shift);
        {swap}
        if (swapped) break;
    }}}}
{after}    return old;
}}}}""")


def _around(order: memory_order) -> tuple[str, str]:
    """Return the fences before and behind an operation of OpenCL 1.2 that an order asks for."""
    before = f"    {_FENCES};\n" if order.name in ("release", "acq_rel", "seq_cst") else ""
    return before, f"    {_FENCES};\n" if order.name in ("acquire", "acq_rel", "seq_cst") else ""


def _legacy(op: str, space: str, order: memory_order, word: str, *, whole: bool) -> Helper:
    """Return an operation of OpenCL 1.2 between the fences its order asks for."""
    before, after = _around(order)
    params = {"load": "", "compare_exchange": ", {T} expected, {T} desired"}.get(op, ", {T} x")
    lines = _whole_lines(op, space, word) if whole and op in _FETCH else _bit_lines(op, space, word)
    return Helper(f"{{T}} {{name}}(volatile {space} {{T}} *p{params})\n{{{{\n{before}{lines}"
                  f"{after}    return old;\n}}}}")


def _whole_lines(op: str, space: str, word: str) -> str:
    """Return the lines of an operation that OpenCL 1.2 has on integers."""
    return f"    const {{T}} old = {word}{op}(p, x);\n"


def _bit_lines(op: str, space: str, word: str) -> str:
    """Return the lines of an operation on the bits of any type."""
    cell = f"(volatile {space} {{U}} *)p"
    if op == "load":
        return f"    const {{T}} old = as_{{T}}({word}or({cell}, ({{U}})0));\n"
    if op in ("store", "exchange"):
        return f"    const {{T}} old = as_{{T}}({word}xchg({cell}, as_{{U}}(x)));\n"
    if op == "compare_exchange":
        return (f"    const {{T}} old = as_{{T}}({word}cmpxchg({cell}, as_{{U}}(expected), "
                "as_{U}(desired)));\n")
    return (f"    {{U}} seen = {word}or({cell}, ({{U}})0), bits;\n    {{T}} old;\n    do {{{{\n"
            f"        bits = seen;\n        old = as_{{T}}(bits);\n"
            f"        const {{T}} next = {_NEXT[op]};\n"
            f"        seen = {word}cmpxchg({cell}, bits, as_{{U}}(next));\n"
            "    }} while (seen != bits);\n")


def _name(dtype: DType) -> str:
    return {"int32": "int", "uint32": "uint", "int64": "long", "uint64": "ulong",
            "float32": "float", "float64": "double"}[dtype.name]
