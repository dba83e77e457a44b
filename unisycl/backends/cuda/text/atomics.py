"""Atomic operations in PTX, with their own orders and scopes, one helper function each.

Sequentially consistent ones begin with a fence of that order, as the memory model of PTX is used
for that of C++. Integers of 8 and 16 bits are changed by compare-and-swap of the 32 bits they lie
in; so are floats where PTX has no operation. Non-goals: which orders a device offers. Invariant:
each returns the old value; memory of a work-group has no scope beyond it.
"""

from __future__ import annotations

import re

from unisycl.backends.cfamily.dialect import AtomicOp, Helper
from unisycl.base.enums import address_space, memory_order, memory_scope

_SCOPE = {memory_scope.device: "gpu", memory_scope.system: "sys"}
_SPACE = {"global": ".global", "local": ".shared"}
_NAME = re.compile(r"atomic_([a-z_]+)_(global|local|generic)_([a-z]+|acq_rel|seq_cst)_"
                   r"(cta|gpu|sys)_([fiu])(\d+)")
NEXT = {"add": "old + x", "sub": "old - x", "min": "x < old ? x : old", "max": "old < x ? x : old",
         "and": "old & x", "or": "old | x", "xor": "old ^ x", "exchange": "x", "store": "x",
         "compare_exchange": "desired", "load": "old"}
_LETTER = {"f32": "f", "f64": "d", "32": "r", "64": "l"}
_LOADS = {"relaxed": "relaxed", "release": "relaxed", "acquire": "acquire", "acq_rel": "acquire",
          "seq_cst": "acquire"}
_STORES = {"relaxed": "relaxed", "acquire": "relaxed", "release": "release", "acq_rel": "release",
           "seq_cst": "relaxed"}


def scope_name(scope: memory_scope) -> str:
    """Return PTX's name of a scope; it has none narrower than a work-group."""
    return _SCOPE.get(scope, "cta")


def fence(order: memory_order, scope: memory_scope) -> str:
    """Return the statement of a fence."""
    if order is memory_order.relaxed:
        return ""
    kind = "sc" if order is memory_order.seq_cst else "acq_rel"
    return f'asm volatile("fence.{kind}.{scope_name(scope)};" ::: "memory");'


def template(op: AtomicOp) -> str:
    """Return the template of an operation: {p} is a pointer, {0} and {1} the operands."""
    operands = {"load": "", "compare_exchange": ", {0}, {1}"}.get(op.op, ", {0}")
    local = op.space is address_space.local_space
    space = {address_space.local_space: "local",
             address_space.global_space: "global"}.get(op.space, "generic")
    scope = "cta" if local else scope_name(op.scope)
    kind = f"{op.dtype.kind}{op.dtype.bits}"
    words = ("atomic", op.op, space, op.order.name, scope, kind)
    return f"{{helper:{'_'.join(words)}}}({{p}}{operands})"


def helper(name: str) -> Helper | None:
    """Return the function behind a template's name; None if it is none of these."""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    op, space, order, scope, kind, bits = found.groups()
    one = _Operation(op, space, order, scope, kind, int(bits))
    if one.bits < 32:
        return one.part()
    if one.in_ptx():
        return one.direct()
    return one.loop()


class _Operation:
    """One operation on a type in a memory."""

    def __init__(self, op: str, space: str, order: str, scope: str, kind: str, bits: int) -> None:
        self.op = op
        self.space = space
        self.order = order
        self.scope = scope
        self.kind = kind
        self.bits = bits

    def in_ptx(self) -> bool:
        """Say whether PTX has the operation."""
        return self.kind != "f" or self.op not in ("min", "max")

    # ---- pieces
    def params(self) -> str:
        """Return the operands as parameters."""
        return {"load": "", "compare_exchange": ", {T} expected, {T} desired"}.get(
            self.op, ", {T} x")

    def address(self, pointer: str = "p") -> str:
        """Return the operand of an address, in the memory that it lies in."""
        if self.space == "local":
            return f'"r"((unsigned int)__cvta_generic_to_shared({pointer}))'
        if self.space == "global":
            return f'"l"(__cvta_generic_to_global({pointer}))'
        return f'"l"({pointer})'

    def before(self) -> str:
        """Return the fence in front of an operation that is sequentially consistent."""
        if self.order != "seq_cst":
            return ""
        return f'    asm volatile("fence.sc.{self.scope};" ::: "memory");\n'

    def words(self, stem: str, order: str, type: str) -> str:
        """Return an instruction's name; ``stem`` is atom.add, ld or st."""
        first, _, op = stem.partition(".")
        space = _SPACE.get(self.space, "")
        return f"{first}.{order}.{self.scope}{space}{f'.{op}' if op else ''}.{type}"

    def changing(self) -> str:
        """Return the order of an operation that reads and writes."""
        return "acq_rel" if self.order == "seq_cst" else self.order

    # ---- functions
    def direct(self) -> Helper:
        """Return an operation that PTX has."""
        bits = self.bits
        letter = _LETTER[f"{bits}"]
        plain = self.kind == "f" and self.op in ("add", "sub")
        value = "{T}" if plain else "{U}"
        if plain:
            letter = _LETTER[f"f{bits}"]
        head = f"{{T}} {{name}}({{T}} *p{self.params()})\n{{{{\n{self.before()}"
        back = "old" if plain else "__builtin_bit_cast({T}, old)"
        if self.op == "load":
            name = self.words("ld", _LOADS[self.order], f"b{bits}")
            return Helper(f"""{head}    {value} old;
    asm volatile("{name} %0, [%1];" : "={letter}"(old) : {self.address()} : "memory");
    return {back};
}}}}""")
        if self.op == "store":
            name = self.words("st", _STORES[self.order], f"b{bits}")
            return Helper(f"""void{head.removeprefix("{T}")}    asm volatile("{name} [%0], %1;"
        :: {self.address()}, "{letter}"(__builtin_bit_cast({{U}}, x)) : "memory");
}}}}""")
        stem, type, operands = self.instruction()
        given = ", ".join(f'"{letter}"({x})' for x in operands)
        places = ", ".join(f"%{k + 2}" for k in range(len(operands)))
        name = self.words(stem, self.changing(), type)
        return Helper(f"""{head}    {value} old;
    asm volatile("{name} %0, [%1], {places};" : "={letter}"(old)
        : {self.address()}, {given} : "memory");
    return {back};
}}}}""")

    def instruction(self) -> tuple[str, str, list[str]]:
        """Return the stem, the type and the operands of an instruction on 32 or 64 bits."""
        bits, whole = self.bits, "__builtin_bit_cast({U}, x)"
        if self.op == "compare_exchange":
            return "atom.cas", f"b{bits}", [
                f"__builtin_bit_cast({{U}}, {x})" for x in ("expected", "desired")]
        if self.op == "exchange":
            return "atom.exch", f"b{bits}", [whole]
        if self.op in ("and", "or", "xor"):
            return f"atom.{self.op}", f"b{bits}", [whole]
        if self.op in ("min", "max"):
            return f"atom.{self.op}", f"{'s' if self.kind == 'i' else 'u'}{bits}", [whole]
        if self.kind == "f":
            return "atom.add", f"f{bits}", ["-x" if self.op == "sub" else "x"]
        return "atom.add", f"u{bits}", [f"0 - {whole}" if self.op == "sub" else whole]

    def loop(self) -> Helper:
        """Return an operation made of compare-and-swap."""
        letter, bits = _LETTER[f"{self.bits}"], self.bits
        first = self.words("ld", "relaxed", f"b{bits}")
        swap = self.words("atom.cas", self.changing(), f"b{bits}")
        return Helper(f"""{{T}} {{name}}({{T}} *p{self.params()})
{{{{
{self.before()}    {{U}} seen, bits;
    asm volatile("{first} %0, [%1];" : "={letter}"(seen) : {self.address()} : "memory");
    while (true) {{{{
        bits = seen;
        const {{T}} old = __builtin_bit_cast({{T}}, bits);
        const {{T}} next = {NEXT[self.op]};
        asm volatile("{swap} %0, [%1], %2, %3;" : "={letter}"(seen)
            : {self.address()}, "{letter}"(bits), "{letter}"(__builtin_bit_cast({{U}}, next))
            : "memory");
        if (seen == bits) return old;
    }}}}
}}}}""")

    def part(self) -> Helper:
        """Return an operation on a part of 32 bits."""
        done = {"load": "true", "compare_exchange": "old != expected"}.get(self.op, "false")
        first = self.words("ld", _LOADS[self.order], "b32")
        swap = self.words("atom.cas", self.changing(), "b32")
        return Helper(f"""{{T}} {{name}}({{T}} *p{self.params()})
{{{{
{self.before()}    const unsigned int at = (unsigned int)((unsigned long long)p & 3);
    unsigned int *const cell = (unsigned int *)((unsigned char *)p - at);
    const unsigned int shift = at * 8, mask = ({{U}})-1;
    unsigned int seen;
    asm volatile("{first} %0, [%1];" : "=r"(seen) : {self.address("cell")} : "memory");
    while (true) {{{{
        const unsigned int bits = seen;
        const {{T}} old = __builtin_bit_cast({{T}}, ({{U}})(bits >> shift));
        if ({done}) return old;
        const {{T}} next = ({{T}})({NEXT[self.op]});
        const unsigned int part = __builtin_bit_cast({{U}}, next);
        asm volatile("{swap} %0, [%1], %2, %3;" : "=r"(seen)
            : {self.address("cell")}, "r"(bits), "r"((bits & ~(mask << shift)) | (part << shift))
            : "memory");
        if (seen == bits) return old;
    }}}}
}}}}""")
