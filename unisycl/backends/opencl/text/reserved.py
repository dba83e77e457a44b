"""Names that a program in OpenCL C must not give to things of its own.

OpenCL C's own functions, types and macros of every version and extension, and what Clang
predefines. Non-goals: keywords that every C has (``backends.cfamily.names``); C's library: kernels
called ``memcpy``, ``malloc`` or ``sinf`` work on PoCL 3.0 and Intel 2026.2. Invariant: a name is
reserved whatever the device.
"""

from __future__ import annotations

import re
from functools import cache

_TYPES = "u?char|u?short|u?int|u?long|float|double|half|bool|quad|size_t|(?:u?int)?ptr(?:diff)?_t"
_WIDTH = "(?:2|3|4|8|16)?"
_OPERATORS = "add|mul|min|max|and|or|xor|logical_and|logical_or|logical_xor"

# Functions and types that come in families.
_FAMILIES = (
    rf"(?:{_TYPES}){_WIDTH}",
    r"(?:float|double)(?:2|3|4|8|16)?x(?:2|3|4|8|16)",
    rf"as_(?:{_TYPES}|intel_bfloat){_WIDTH}",
    rf"convert_(?:{_TYPES}|intel_bfloat){_WIDTH}(?:_sat)?(?:_rt[ezpn])?",
    rf"v(?:load|store)a?(?:_half)?{_WIDTH}(?:_rt[ezpn])?",
    r"(?:read|write)_image(?:f|h|i|ui)",
    r"image[123]d_(?:array_|buffer_)?(?:msaa_)?(?:depth_)?(?:ro_|wo_|rw_)?t",
    r"image[12]d_array(?:_msaa)?(?:_depth)?_t",
    r"(?:sampler|event|clk_event|queue|ndrange|reserve_id|pipe|block)_t",
    r"get_image_(?:width|height|depth|dim|array_size|channel_data_type|channel_order)",
    r"get_image_num_(?:samples|mip_levels)",
    r"get_(?:global|local|group)_id",
    r"get_(?:global|local|enqueued_local)_size",
    r"get_(?:work_dim|num_groups|global_offset|fence|default_queue)",
    r"get_(?:global|local)_linear_id",
    r"get_(?:enqueued_)?num_sub_groups",
    r"get_(?:max_)?sub_group_size",
    r"get_sub_group_(?:id|local_id|(?:eq|ge|gt|le|lt)_mask)",
    r"get_kernel_[a-z_]*[a-z]",
    r"get_pipe_(?:num|max)_packets",
    r"(?:sub|work)_group_(?:all|any|elect|barrier|named_barrier|broadcast(?:_first)?)",
    rf"(?:sub|work)_group_(?:reduce|scan_(?:ex|in)clusive)_(?:{_OPERATORS})",
    r"sub_group_(?:rotate|clustered_rotate|shuffle(?:_up|_down|_xor)?|inverse_ballot|ballot)",
    r"sub_group_(?:ballot|non_uniform|clustered_reduce)_\w*[^\W_]",
    r"(?:(?:sub|work)_group_)?(?:reserve|commit)_(?:read|write)_pipe",
    r"(?:read|write)_pipe|is_valid_reserve_id",
    r"(?:read|write)_channel(?:_nb)?_(?:intel|altera)",
    r"async_work_group_(?:strided_)?copy(?:_\dD\dD)?|async_copy_fence",
    r"atomic_(?:add|sub|xchg|inc|dec|cmpxchg|min|max|and|or|xor|init|work_item_fence)",
    r"atomic_(?:load|store|exchange|compare_exchange_(?:strong|weak))(?:_explicit)?",
    r"atomic_fetch_(?:add|sub|min|max|and|or|xor)(?:_explicit)?",
    r"atomic_flag_(?:clear|test_and_set)(?:_explicit)?",
    r"atomic_(?:flag|int|uint|long|ulong|float|double|half|u?intptr_t|size_t|ptrdiff_t)",
    r"atom_(?:add|sub|xchg|inc|dec|cmpxchg|min|max|and|or|xor)",
    r"memory_(?:order|scope)(?:_\w*[^\W_])?|to_(?:global|local|private)",
    r"dot(?:_acc_sat)?(?:_4x8packed_\w*[^\W_])?",
    r"bitfield_(?:insert|extract_(?:un)?signed)|bit_reverse",
    r"clock_read_(?:hilo_)?(?:device|work_group|sub_group)",
    r"(?:native|half)_(?:cos|divide|exp2?|exp10|log2?|log10|powr|recip|rsqrt|sin|sqrt|tan)",
    r"enqueue_(?:kernel|marker)|ndrange_[123]D",
    r"(?:create|retain|release|set)_(?:user_)?event(?:_status)?",
    r"capture_event_profiling_info|is_valid_event",
    r"(?:cl|intel|amd|arm|qcom|nv|pocl|ocl|clk)_\w*[^\W_]",
    r"(?:CLK|CL|M|FLT|DBL|HALF|FP|ATOMIC)_\w*[^\W_]",
    r"[SU]?(?:CHAR|HRT|SHRT|INT|LONG)_(?:MIN|MAX|BIT)",
    r"kernel_\w*_t",
    r"_[A-Z_]\w*",
)
_PATTERN = re.compile("|".join(f"(?:{family})" for family in _FAMILIES))

_WORDS = frozenset((
    "kernel", "global", "local", "constant", "private", "generic", "pipe", "read_only",
    "write_only", "read_write", "channel", "unroll", "complex", "imaginary", "half", "quad",
    "bool", "event", "block", "uniform", "signed", "vec_step", "vec_type_hint",
    "work_group_size_hint", "reqd_work_group_size", "packed", "aligned", "endian", "nosvm",
    "abs", "abs_diff", "acos", "acosh", "acospi", "add_sat", "all", "any", "asin", "asinh",
    "asinpi", "atan", "atan2", "atan2pi", "atanh", "atanpi", "barrier", "bitselect", "cbrt",
    "ceil", "clamp", "clz", "copysign", "cos", "cosh", "cospi", "cross", "ctz", "degrees",
    "distance", "erf", "erfc", "exp", "exp10", "exp2", "expm1", "fabs", "fast_distance",
    "fast_length", "fast_normalize", "fdim", "floor", "fma", "fmax", "fmin", "fmod", "fract",
    "frexp", "hadd", "hypot", "ilogb", "isequal", "isfinite", "isgreater", "isgreaterequal",
    "isinf", "isless", "islessequal", "islessgreater", "isnan", "isnormal", "isnotequal",
    "isordered", "isunordered", "ldexp", "length", "lgamma", "lgamma_r", "log", "log10",
    "log1p", "log2", "logb", "mad", "mad24", "mad_hi", "mad_sat", "max", "maxmag", "mem_fence",
    "min", "minmag", "mix", "modf", "mul24", "mul_hi", "nan", "nextafter", "normalize",
    "popcount", "pow", "pown", "powr", "prefetch", "printf", "radians", "read_mem_fence",
    "remainder", "remquo", "rhadd", "rint", "rootn", "rotate", "round", "rsqrt", "select",
    "shuffle", "shuffle2", "sign", "signbit", "sin", "sincos", "sinh", "sinpi", "smoothstep",
    "sqrt", "step", "sub_sat", "tan", "tanh", "tanpi", "tgamma", "trunc", "upsample",
    "wait_group_events", "write_mem_fence", "CHAR_BIT", "HUGE_VAL", "HUGE_VALF", "INFINITY",
    "MAXFLOAT", "MAX_WORK_DIM", "NAN", "NULL", "kernel_exec", "linux", "unix", "i386",
    "ext_vector_type", "defined",
))


@cache
def is_reserved(name: str) -> bool:
    """Say whether nothing in a program may be called so."""
    return name in _WORDS or _PATTERN.fullmatch(name) is not None
