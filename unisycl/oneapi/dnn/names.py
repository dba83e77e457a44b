"""Names that oneDNN's parts share: kinds, algorithms, flags, arguments of executions, the error.

Non-goals: what they mean to a primitive. Invariant: numbers are those of oneDNN's C interface.
"""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

import unisycl as sycl


class status(enum.IntEnum):
    """What became of a call (``dnnl::status``)."""

    success = 0
    out_of_memory = 1
    invalid_arguments = 2
    unimplemented = 3
    last_impl_reached = 4
    runtime_error = 5
    not_required = 6


_CODES = {status.invalid_arguments: sycl.errc.invalid, status.out_of_memory:
          sycl.errc.memory_allocation, status.runtime_error: sycl.errc.runtime}


class error(sycl.UsageError):
    """A call that oneDNN refuses (``dnnl::error``).

    Args:
        text: what is wrong, and how to mend it.
        why: its status.
    """

    def __init__(self, text: str, why: status = status.invalid_arguments) -> None:
        super().__init__(_CODES.get(why, sycl.errc.feature_not_supported), text)
        self.status = why


def unimplemented(text: str) -> error:
    """Return the error of what nobody serves."""
    return error(text, status.unimplemented)


class data_type(enum.IntEnum):
    """The type of a tensor's elements."""

    undef = 0
    f16 = 1
    bf16 = 2
    f32 = 3
    s32 = 4
    s8 = 5
    u8 = 6
    f64 = 7


TYPES: dict[data_type, np.dtype[Any]] = {
    data_type.f16: np.dtype(np.float16), data_type.f32: np.dtype(np.float32),
    data_type.s32: np.dtype(np.int32), data_type.s8: np.dtype(np.int8),
    data_type.u8: np.dtype(np.uint8), data_type.f64: np.dtype(np.float64)}
INTEGERS = (data_type.s32, data_type.s8, data_type.u8)


def numpy_type(kind: data_type) -> np.dtype[Any]:
    """Return NumPy's name of a type; that of bfloat16 is asked for when it is needed."""
    if kind is data_type.bf16 and kind not in TYPES:
        TYPES[kind] = np.dtype(sycl.ext.oneapi.bfloat16)
    return TYPES[kind]


def type_of(dtype: Any) -> data_type:
    """Return oneDNN's name of a type of NumPy's; ``undef`` of what it does not have."""
    found = np.dtype(dtype)
    numpy_type(data_type.bf16)
    return next((k for k, v in TYPES.items() if v == found), data_type.undef)


class prop_kind(enum.IntEnum):
    """What a primitive is computed for."""

    undef = 0
    forward_training = 64
    forward_inference = 96
    forward = forward_training
    forward_scoring = forward_inference
    backward = 128
    backward_data = 160
    backward_weights = 192
    backward_bias = 193


class algorithm(enum.IntEnum):
    """How, or what, a primitive computes."""

    undef = 0
    convolution_direct = 0x1
    convolution_winograd = 0x2
    convolution_auto = 0x3
    deconvolution_direct = 0xa
    deconvolution_winograd = 0xb
    eltwise_relu = 0x20
    eltwise_tanh = 0x21
    eltwise_elu = 0x22
    eltwise_square = 0x23
    eltwise_abs = 0x24
    eltwise_sqrt = 0x25
    eltwise_linear = 0x26
    eltwise_soft_relu = 0x27
    eltwise_hardsigmoid = 0x28
    eltwise_logistic = 0x29
    eltwise_exp = 0x2a
    eltwise_gelu_tanh = 0x2b
    eltwise_gelu = eltwise_gelu_tanh
    eltwise_swish = 0x2c
    eltwise_log = 0x2d
    eltwise_clip = 0x2e
    eltwise_clip_v2 = 0x2f
    eltwise_pow = 0x30
    eltwise_gelu_erf = 0x31
    eltwise_round = 0x32
    eltwise_mish = 0x33
    eltwise_hardswish = 0x34
    eltwise_relu_use_dst_for_bwd = 0x100
    eltwise_tanh_use_dst_for_bwd = 0x101
    eltwise_elu_use_dst_for_bwd = 0x102
    eltwise_sqrt_use_dst_for_bwd = 0x103
    eltwise_logistic_use_dst_for_bwd = 0x104
    eltwise_exp_use_dst_for_bwd = 0x105
    eltwise_clip_v2_use_dst_for_bwd = 0x106
    pooling_max = 0x1ff
    pooling_avg_include_padding = 0x2ff
    pooling_avg_exclude_padding = 0x3ff
    pooling_avg = pooling_avg_exclude_padding
    lrn_across_channels = 0xaff
    lrn_within_channel = 0xbff
    vanilla_rnn = 0x1fff
    vanilla_lstm = 0x2fff
    vanilla_gru = 0x3fff
    lbr_gru = 0x4fff
    binary_add = 0x1fff0
    binary_mul = 0x1fff1
    binary_max = 0x1fff2
    binary_min = 0x1fff3
    binary_div = 0x1fff4
    binary_sub = 0x1fff5
    binary_ge = 0x1fff6
    binary_gt = 0x1fff7
    binary_le = 0x1fff8
    binary_lt = 0x1fff9
    binary_eq = 0x1fffa
    binary_ne = 0x1fffb
    resampling_nearest = 0x2fff0
    resampling_linear = 0x2fff1
    reduction_max = 0x2fff2
    reduction_min = 0x2fff3
    reduction_sum = 0x2fff4
    reduction_mul = 0x2fff5
    reduction_mean = 0x2fff6
    reduction_norm_lp_max = 0x2fff7
    reduction_norm_lp_sum = 0x2fff8
    reduction_norm_lp_power_p_max = 0x2fff9
    reduction_norm_lp_power_p_sum = 0x2fffa
    softmax_accurate = 0x30000
    softmax_log = 0x30001


class normalization_flags(enum.IntFlag):
    """What a normalisation takes besides."""

    none = 0
    use_global_stats = 1
    use_scale = 2
    use_shift = 4
    fuse_norm_relu = 8
    fuse_norm_add_relu = 16


class rnn_flags(enum.IntFlag):
    """How a recurrent network treats gradients of weights."""

    undef = 0
    diff_weights_overwrite = 1


class rnn_direction(enum.IntEnum):
    """Which way a recurrent network goes."""

    undef = 0
    unidirectional_left2right = 1
    unidirectional = unidirectional_left2right
    unidirectional_right2left = 2
    bidirectional_concat = 3
    bidirectional_sum = 4


class scratchpad_mode(enum.IntEnum):
    """Who gives memory for intermediate results."""

    library = 0
    user = 1


class fpmath_mode(enum.IntEnum):
    """In which precision products of float32 may be computed."""

    strict = 0
    bf16 = 1
    f16 = 2
    any = 3
    tf32 = 4


class accumulation_mode(enum.IntEnum):
    """Where sums of products may be kept: ``relaxed`` and ``any`` allow shorter sums."""

    strict = 0
    relaxed = 1
    any = 2
    s32 = 3
    f32 = 4
    f16 = 5


class arg(enum.IntEnum):
    """The arguments of an execution; ``DNNL_ARG_SRC`` in C++ is ``arg.SRC`` here."""

    SRC = 1
    SRC_0 = 1
    FROM = 1
    SRC_LAYER = 1
    SRC_1 = 2
    SRC_ITER = 2
    SRC_2 = 3
    SRC_ITER_C = 3
    DST = 17
    DST_0 = 17
    TO = 17
    DST_LAYER = 17
    DST_ITER = 18
    DST_ITER_C = 19
    WEIGHTS = 33
    WEIGHTS_LAYER = 33
    WEIGHTS_ITER = 34
    WEIGHTS_PEEPHOLE = 35
    WEIGHTS_PROJECTION = 36
    BIAS = 41
    MEAN = 49
    VARIANCE = 50
    SCALE = 51
    SHIFT = 52
    WORKSPACE = 64
    SCRATCHPAD = 80
    DIFF_SRC = 129
    DIFF_SRC_LAYER = 129
    DIFF_SRC_ITER = 130
    DIFF_SRC_ITER_C = 131
    DIFF_DST = 145
    DIFF_DST_LAYER = 145
    DIFF_DST_ITER = 146
    DIFF_DST_ITER_C = 147
    DIFF_WEIGHTS = 161
    DIFF_WEIGHTS_LAYER = 161
    DIFF_WEIGHTS_ITER = 162
    DIFF_WEIGHTS_PEEPHOLE = 163
    DIFF_WEIGHTS_PROJECTION = 164
    DIFF_BIAS = 169
    DIFF_SCALE = 255
    DIFF_SHIFT = 256
    MULTIPLE_SRC = 1024
    ATTR_SCALES = 4096
    ATTR_ZERO_POINTS = 8192
    ATTR_MULTIPLE_POST_OP_BASE = 32768

    @staticmethod
    def ATTR_MULTIPLE_POST_OP(index: int) -> int:
        """Return the number that the arguments of a post-op are added to, by its place."""
        return post_op_arg(index)


FIRST_SCALE, FIRST_ZERO, FIRST_POST_OP = 4096, 8192, 32768


def post_op_arg(index: int) -> int:
    """Return the number under which the memory of a post-op is given (besides its argument)."""
    return FIRST_POST_OP * (index + 1)


_ARGS: dict[str, int] = {a.lower(): int(v) for a, v in arg.__members__.items()}
_ARGS |= {"src0": 1, "src1": 2, "diff_src1": 130}


def number_of(name: str) -> int:
    """Return the argument of an execution that a descriptor's field is for."""
    return _ARGS[name]


def name_of(number: int) -> str:
    """Return what an argument of an execution is called in messages."""
    for base, what in ((FIRST_POST_OP, "post-op"), (FIRST_ZERO, "zero points of"),
                       (FIRST_SCALE, "scales of")):
        if number >= base:
            rest = number % base
            inner = name_of(rest) if rest else ""
            return f"{what} {number // base - 1 if base == FIRST_POST_OP else ''} {inner}".strip()
    if number >= arg.MULTIPLE_SRC:
        return f"source {number - arg.MULTIPLE_SRC}"
    found = next((a for a, v in arg.__members__.items() if v == number), str(number))
    return f"arg.{found}"
