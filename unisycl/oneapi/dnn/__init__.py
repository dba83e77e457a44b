"""Public: oneDNN on a queue: engines, streams, memory, and primitives of neural networks.

Non-goals: computing (providers). Invariant: an execution is a call of its queue.
"""

from typing import Any

from unisycl.oneapi.dnn import sycl_interop
from unisycl.oneapi.dnn.attributes import post_ops, primitive_attr
from unisycl.oneapi.dnn.engines import engine, stream
from unisycl.oneapi.dnn.kinds import (
    batch_normalization_backward,
    batch_normalization_forward,
    binary,
    concat,
    convolution_backward_data,
    convolution_backward_weights,
    convolution_forward,
    deconvolution_backward_data,
    deconvolution_backward_weights,
    deconvolution_forward,
    eltwise_backward,
    eltwise_forward,
    group_normalization_backward,
    group_normalization_forward,
    inner_product_backward_data,
    inner_product_backward_weights,
    inner_product_forward,
    layer_normalization_backward,
    layer_normalization_forward,
    logsoftmax_backward,
    logsoftmax_forward,
    lrn_backward,
    lrn_forward,
    matmul,
    pooling_backward,
    pooling_forward,
    prelu_backward,
    prelu_forward,
    reduction,
    resampling_backward,
    resampling_forward,
    shuffle_backward,
    shuffle_forward,
    softmax_backward,
    softmax_forward,
)
from unisycl.oneapi.dnn.kinds import sum as sum
from unisycl.oneapi.dnn.memories import memory
from unisycl.oneapi.dnn.names import (
    accumulation_mode,
    algorithm,
    arg,
    error,
    fpmath_mode,
    normalization_flags,
    post_op_arg,
    prop_kind,
    rnn_direction,
    rnn_flags,
    scratchpad_mode,
    status,
)
from unisycl.oneapi.dnn.networks import (
    gru_backward,
    gru_forward,
    lbr_gru_backward,
    lbr_gru_forward,
    lstm_backward,
    lstm_forward,
    vanilla_rnn_backward,
    vanilla_rnn_forward,
)
from unisycl.oneapi.dnn.primitives import (
    get_primitive_cache_capacity,
    primitive,
    reorder,
    set_primitive_cache_capacity,
)
from unisycl.oneapi.frame.providers import available as _available
from unisycl.oneapi.frame.providers import provider
from unisycl.oneapi.frame.providers import provider_of as _provider_of
from unisycl.oneapi.frame.providers import using as _using

__all__ = [
    "accumulation_mode", "algorithm", "arg", "available", "batch_normalization_backward",
    "batch_normalization_forward", "binary", "concat", "convolution_backward_data",
    "convolution_backward_weights", "convolution_forward", "deconvolution_backward_data",
    "deconvolution_backward_weights", "deconvolution_forward", "eltwise_backward",
    "eltwise_forward", "engine", "error", "fpmath_mode", "get_primitive_cache_capacity",
    "group_normalization_backward", "group_normalization_forward", "gru_backward",
    "gru_forward", "inner_product_backward_data", "inner_product_backward_weights",
    "inner_product_forward", "layer_normalization_backward", "layer_normalization_forward",
    "lbr_gru_backward", "lbr_gru_forward", "logsoftmax_backward",
    "logsoftmax_forward", "lrn_backward", "lrn_forward", "lstm_backward", "lstm_forward",
    "matmul", "memory", "normalization_flags", "pooling_backward",
    "pooling_forward", "post_ops", "prelu_backward", "prelu_forward", "primitive",
    "primitive_attr", "prop_kind", "provider", "provider_of", "reduction", "reorder",
    "resampling_backward", "resampling_forward", "rnn_direction", "rnn_flags",
    "scratchpad_mode", "set_primitive_cache_capacity", "shuffle_backward", "shuffle_forward",
    "softmax_backward", "softmax_forward", "status", "stream", "sum", "sycl_interop", "using",
    "vanilla_rnn_backward", "vanilla_rnn_forward"]

for _name, _value in arg.__members__.items():
    globals()[f"DNNL_ARG_{_name}"] = int(_value)
DNNL_ARG_ATTR_MULTIPLE_POST_OP = post_op_arg


def provider_of(where: Any, routine: str = "", dtype: Any = "float32") -> provider:
    """Return who computes a primitive first of all on an engine, a queue or a device.

    What that provider does not compute as asked, the next one does: a ``primitive_desc`` says by
    ``impl_info_str`` who it is.

    Args:
        where: the engine, queue or device.
        routine: as ``"matmul"``; left out, ``"convolution_forward"``.
        dtype: the type of its elements.
    """
    return _provider_of(where.device if isinstance(where, engine) else where, "dnn", routine,
                        dtype)


def available() -> list[str]:
    """Return the names of the providers that can be had here."""
    return _available("dnn")


def using(name: str) -> Any:
    """Have one provider compute inside a ``with`` statement, and no other."""
    return _using("dnn", name)
