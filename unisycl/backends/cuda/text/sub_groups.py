"""Functions of sub-groups in CUDA C++: a sub-group is a warp, and says who of it takes part.

Non-goals: functions of work-groups, and reductions and scans that hardware lacks: they are made of
shuffles (``backends.cfamily.collectives``). Invariant: all that are named take part.
"""

from __future__ import annotations

from unisycl.backends.cuda.text.target import WARP
from unisycl.base.dtypes import DType
from unisycl.base.enums import memory_scope

_MOVES = {
    "broadcast": "__shfl_sync({members}, VALUE, (int)({1}))",
    "select": "__shfl_sync({members}, VALUE, (int)({1}))",
    "shift_left": "__shfl_down_sync({members}, VALUE, (unsigned int)({1}))",
    "shift_right": "__shfl_up_sync({members}, VALUE, (unsigned int)({1}))",
    "permute_xor": "__shfl_xor_sync({members}, VALUE, (int)({1}))",
}
_VOTES = {"any": "__any_sync({members}, {0}) != 0", "all": "__all_sync({members}, {0}) != 0",
          "none": "__any_sync({members}, {0}) == 0",
          "ballot": "(unsigned long long)__ballot_sync({members}, {0})"}
_GROUP_VOTES = {"any": "__syncthreads_or({0}) != 0", "all": "__syncthreads_and({0}) != 0",
                "none": "__syncthreads_or({0}) == 0"}
_REDUCES = {"plus": "add", "minimum": "min", "maximum": "max", "bit_and": "and", "bit_or": "or",
            "bit_xor": "xor"}


def members(count: int, parted: bool) -> str:
    """Return who of a sub-group of a work-group of ``count`` items takes part.

    All of them, unless parts come by themselves (``parted``): then whoever is there.
    """
    if parted:
        return "__activemask()"
    rest = count % WARP
    if not rest:
        return "0xffffffffu"
    if count < WARP:
        return f"{hex((1 << count) - 1)}u"
    return f"{{helper:members_{count}}}()"


def helper_text(count: int) -> str:
    """Return a function that names the items of a sub-group where the last one is smaller."""
    least = hex((1 << count % WARP) - 1)
    return f"""{{T}} {{name}}()
{{{{
    const {{T}} linear = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    return linear < {count - count % WARP}u ? 0xffffffffu : {least}u;
}}}}"""


def collective(scope: memory_scope, op: str, combine: str, dtype: DType) -> str | None:
    """Return the template of a group function; None where it has to be made of others."""
    if scope is memory_scope.work_group:
        return _GROUP_VOTES.get(op)
    if op in _VOTES:
        return _VOTES[op]
    if op in _MOVES:
        return _moved(_MOVES[op], dtype)
    if op == "match":
        word = "unsigned long long" if dtype.bits == 64 else "unsigned int"
        return f"(unsigned long long)__match_any_sync({{members}}, ({word})({{0}}))"
    if op == "reduce" and dtype.is_integer and dtype.bits == 32 and combine in _REDUCES:
        word, kind = _REDUCES[combine], "unsigned int"
        if word in ("min", "max") and dtype.kind == "i":
            kind = "int"
        return f"({{T}})__reduce_{word}_sync({{members}}, ({kind})({{0}}))"
    return None


def _moved(template: str, dtype: DType) -> str:
    """Return a shuffle of a value of a type; what is smaller than 32 bits goes as an int."""
    if dtype.kind == "f" and dtype.bits == 16:
        bits = template.replace("VALUE", "(int)({0}).bits")
        return f"__builtin_bit_cast({{T}}, (unsigned short){bits})"
    if dtype.bits >= 32:
        return template.replace("VALUE", "{0}")
    inner = template.replace("VALUE", "(int)({0})")
    return f"{inner} != 0" if dtype.kind == "b" else f"({{T}}){inner}"
