"""Which functions in kernels algorithms are.

Non-goals: the functions (``kernels.elements``). Invariant: data alone.
"""

from __future__ import annotations

from typing import Any

from unisycl.oneapi.dnn.kernels import elements as e
from unisycl.oneapi.dnn.names import algorithm as a

FORWARD: dict[Any, Any] = {
    a.eltwise_relu: e.relu, a.eltwise_tanh: e.tanh, a.eltwise_elu: e.elu,
    a.eltwise_square: e.square, a.eltwise_abs: e.magnitude, a.eltwise_sqrt: e.sqrt,
    a.eltwise_linear: e.linear, a.eltwise_soft_relu: e.soft_relu,
    a.eltwise_hardsigmoid: e.hardsigmoid, a.eltwise_logistic: e.logistic, a.eltwise_exp: e.exp,
    a.eltwise_gelu_tanh: e.gelu_tanh, a.eltwise_swish: e.swish, a.eltwise_log: e.log,
    a.eltwise_clip: e.clip, a.eltwise_clip_v2: e.clip, a.eltwise_pow: e.power,
    a.eltwise_gelu_erf: e.gelu_erf, a.eltwise_round: e.rounded, a.eltwise_mish: e.mish,
    a.eltwise_hardswish: e.hardswish,
    a.eltwise_relu_use_dst_for_bwd: e.relu, a.eltwise_tanh_use_dst_for_bwd: e.tanh,
    a.eltwise_elu_use_dst_for_bwd: e.elu, a.eltwise_sqrt_use_dst_for_bwd: e.sqrt,
    a.eltwise_logistic_use_dst_for_bwd: e.logistic, a.eltwise_exp_use_dst_for_bwd: e.exp,
    a.eltwise_clip_v2_use_dst_for_bwd: e.clip,
    a.binary_add: e.add, a.binary_mul: e.mul, a.binary_max: e.larger, a.binary_min: e.smaller,
    a.binary_div: e.div, a.binary_sub: e.sub, a.binary_ge: e.ge, a.binary_gt: e.gt,
    a.binary_le: e.le, a.binary_lt: e.lt, a.binary_eq: e.eq, a.binary_ne: e.ne}
"""Functions of elements, and of two."""

SLOPES: dict[Any, Any] = {
    a.eltwise_relu: e.relu_slope, a.eltwise_tanh: e.tanh_slope, a.eltwise_elu: e.elu_slope,
    a.eltwise_square: e.square_slope, a.eltwise_abs: e.magnitude_slope,
    a.eltwise_sqrt: e.sqrt_slope, a.eltwise_linear: e.linear_slope,
    a.eltwise_soft_relu: e.soft_relu_slope, a.eltwise_hardsigmoid: e.hardsigmoid_slope,
    a.eltwise_logistic: e.logistic_slope, a.eltwise_exp: e.exp,
    a.eltwise_gelu_tanh: e.gelu_tanh_slope, a.eltwise_swish: e.swish_slope,
    a.eltwise_log: e.log_slope, a.eltwise_clip: e.clip_slope, a.eltwise_clip_v2: e.clip_v2_slope,
    a.eltwise_pow: e.power_slope, a.eltwise_gelu_erf: e.gelu_erf_slope,
    a.eltwise_mish: e.mish_slope, a.eltwise_hardswish: e.hardswish_slope,
    a.eltwise_relu_use_dst_for_bwd: e.relu_slope,
    a.eltwise_tanh_use_dst_for_bwd: e.tanh_slope_of_result,
    a.eltwise_elu_use_dst_for_bwd: e.elu_slope_of_result,
    a.eltwise_sqrt_use_dst_for_bwd: e.sqrt_slope_of_result,
    a.eltwise_logistic_use_dst_for_bwd: e.logistic_slope_of_result,
    a.eltwise_exp_use_dst_for_bwd: e.same, a.eltwise_clip_v2_use_dst_for_bwd: e.clip_v2_slope}
"""Their slopes, at x or at the result."""
