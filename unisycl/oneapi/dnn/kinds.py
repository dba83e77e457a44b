"""The kinds of primitives, each a class with the class of its descriptor.

Non-goals: what they have in common (``primitives``), computing. Invariant: a kind is its row of the
table.
"""

from __future__ import annotations

from typing import Any

from unisycl.oneapi.dnn.names import algorithm
from unisycl.oneapi.dnn.operations import operation
from unisycl.oneapi.dnn.primitives import primitive, primitive_desc_base
from unisycl.oneapi.dnn.table import ROWS


class matmul(primitive):
    """Products of matrices, batch by batch: (engine, src, weights, bias, dst, attr)."""

    row = ROWS["matmul"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of the primitive."""

        row = ROWS["matmul"]

    class desc(operation):
        """The operation without an engine, as before 3.0."""

        row = ROWS["matmul"]


class eltwise_forward(primitive):
    """A function of each element: (engine, prop_kind, algorithm, src, dst, alpha, beta, attr)."""

    row = ROWS["eltwise_forward"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of the primitive."""

        row = ROWS["eltwise_forward"]

    class desc(operation):
        """The operation without an engine, as before 3.0."""

        row = ROWS["eltwise_forward"]


class eltwise_backward(primitive):
    """The gradient through a function of elements."""

    row = ROWS["eltwise_backward"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of the primitive."""

        row = ROWS["eltwise_backward"]

    class desc(operation):
        """The operation without an engine, as before 3.0."""

        row = ROWS["eltwise_backward"]


class convolution_forward(primitive):
    """Convolution.

    (engine, prop_kind, algorithm, src, weights, bias, dst, strides, dilates, padding_l, padding_r,
    attr); bias and dilates may be left out.
    """

    row = ROWS["convolution_forward"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of the primitive."""

        row = ROWS["convolution_forward"]

    class desc(operation):
        """The operation without an engine, as before 3.0."""

        row = ROWS["convolution_forward"]


class convolution_backward_data(primitive):
    """The gradient of a convolution's source."""

    row = ROWS["convolution_backward_data"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of the primitive."""

        row = ROWS["convolution_backward_data"]

    class desc(operation):
        """The operation without an engine, as before 3.0."""

        row = ROWS["convolution_backward_data"]


class convolution_backward_weights(primitive):
    """The gradients of a convolution's weights and bias."""

    row = ROWS["convolution_backward_weights"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of the primitive."""

        row = ROWS["convolution_backward_weights"]

    class desc(operation):
        """The operation without an engine, as before 3.0."""

        row = ROWS["convolution_backward_weights"]


class deconvolution_forward(primitive):
    """Transposed convolution, with a convolution's arguments."""

    row = ROWS["deconvolution_forward"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of the primitive."""

        row = ROWS["deconvolution_forward"]

    class desc(operation):
        """The operation without an engine, as before 3.0."""

        row = ROWS["deconvolution_forward"]


class deconvolution_backward_data(primitive):
    """The gradient of a transposed convolution's source."""

    row = ROWS["deconvolution_backward_data"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of the primitive."""

        row = ROWS["deconvolution_backward_data"]

    class desc(operation):
        """The operation without an engine, as before 3.0."""

        row = ROWS["deconvolution_backward_data"]


class deconvolution_backward_weights(primitive):
    """The gradients of a transposed convolution's weights and bias."""

    row = ROWS["deconvolution_backward_weights"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of the primitive."""

        row = ROWS["deconvolution_backward_weights"]

    class desc(operation):
        """The operation without an engine, as before 3.0."""

        row = ROWS["deconvolution_backward_weights"]


class inner_product_forward(primitive):
    """A batch times all weights: (engine, prop_kind, src, weights, bias, dst, attr)."""

    row = ROWS["inner_product_forward"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of the primitive."""

        row = ROWS["inner_product_forward"]

    class desc(operation):
        """The operation without an engine, as before 3.0."""

        row = ROWS["inner_product_forward"]


class inner_product_backward_data(primitive):
    """The gradient of an inner product's source."""

    row = ROWS["inner_product_backward_data"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of the primitive."""

        row = ROWS["inner_product_backward_data"]

    class desc(operation):
        """The operation without an engine, as before 3.0."""

        row = ROWS["inner_product_backward_data"]


class inner_product_backward_weights(primitive):
    """The gradients of an inner product's weights and bias."""

    row = ROWS["inner_product_backward_weights"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of the primitive."""

        row = ROWS["inner_product_backward_weights"]

    class desc(operation):
        """The operation without an engine, as before 3.0."""

        row = ROWS["inner_product_backward_weights"]


class pooling_forward(primitive):
    """Windows' largest elements or means.

    (engine, prop_kind, algorithm, src, dst, strides, kernel, dilation, padding_l, padding_r, attr).
    """

    row = ROWS["pooling_forward"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of the primitive."""

        row = ROWS["pooling_forward"]

    class desc(operation):
        """The operation without an engine, as before 3.0."""

        row = ROWS["pooling_forward"]


class pooling_backward(primitive):
    """The gradient of a pooling's source."""

    row = ROWS["pooling_backward"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of the primitive."""

        row = ROWS["pooling_backward"]

    class desc(operation):
        """The operation without an engine, as before 3.0."""

        row = ROWS["pooling_backward"]


class resampling_forward(primitive):
    """Another size in space: (engine, prop_kind, algorithm, factors, src, dst, attr)."""

    row = ROWS["resampling_forward"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of the primitive."""

        row = ROWS["resampling_forward"]

    class desc(operation):
        """The operation without an engine, as before 3.0."""

        row = ROWS["resampling_forward"]


class resampling_backward(primitive):
    """The gradient of a resampling's source."""

    row = ROWS["resampling_backward"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of the primitive."""

        row = ROWS["resampling_backward"]

    class desc(operation):
        """The operation without an engine, as before 3.0."""

        row = ROWS["resampling_backward"]


class batch_normalization_forward(primitive):
    """Channels normalised over batch and space: (engine, prop_kind, src, dst, epsilon, flags)."""

    row = ROWS["batch_normalization_forward"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of the primitive."""

        row = ROWS["batch_normalization_forward"]

    class desc(operation):
        """The operation without an engine, as before 3.0."""

        row = ROWS["batch_normalization_forward"]


class batch_normalization_backward(primitive):
    """The gradients of a batch normalisation."""

    row = ROWS["batch_normalization_backward"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of the primitive."""

        row = ROWS["batch_normalization_backward"]

    class desc(operation):
        """The operation without an engine, as before 3.0."""

        row = ROWS["batch_normalization_backward"]


class layer_normalization_forward(primitive):
    """The last dimension normalised: (engine, prop_kind, src, dst, stat, epsilon, flags)."""

    row = ROWS["layer_normalization_forward"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of the primitive."""

        row = ROWS["layer_normalization_forward"]

    class desc(operation):
        """The operation without an engine, as before 3.0."""

        row = ROWS["layer_normalization_forward"]


class layer_normalization_backward(primitive):
    """The gradients of a layer normalisation."""

    row = ROWS["layer_normalization_backward"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of the primitive."""

        row = ROWS["layer_normalization_backward"]

    class desc(operation):
        """The operation without an engine, as before 3.0."""

        row = ROWS["layer_normalization_backward"]


class group_normalization_forward(primitive):
    """Groups of channels normalised: (engine, prop_kind, src, dst, groups, epsilon, flags)."""

    row = ROWS["group_normalization_forward"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of the primitive."""

        row = ROWS["group_normalization_forward"]

    class desc(operation):
        """The operation without an engine, as before 3.0."""

        row = ROWS["group_normalization_forward"]


class group_normalization_backward(primitive):
    """The gradients of a group normalisation."""

    row = ROWS["group_normalization_backward"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of the primitive."""

        row = ROWS["group_normalization_backward"]

    class desc(operation):
        """The operation without an engine, as before 3.0."""

        row = ROWS["group_normalization_backward"]


class lrn_forward(primitive):
    """Local response normalisation.

    (engine, prop_kind, algorithm, src, dst, local_size, alpha, beta, k, attr).
    """

    row = ROWS["lrn_forward"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of the primitive."""

        row = ROWS["lrn_forward"]

    class desc(operation):
        """The operation without an engine, as before 3.0."""

        row = ROWS["lrn_forward"]


class lrn_backward(primitive):
    """The gradient of a local response normalisation."""

    row = ROWS["lrn_backward"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of the primitive."""

        row = ROWS["lrn_backward"]

    class desc(operation):
        """The operation without an engine, as before 3.0."""

        row = ROWS["lrn_backward"]


class softmax_forward(primitive):
    """Softmax along an axis: (engine, prop_kind, algorithm, src, dst, axis, attr)."""

    row = ROWS["softmax_forward"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of the primitive."""

        row = ROWS["softmax_forward"]

    class desc(operation):
        """The operation without an engine, as before 3.0."""

        row = ROWS["softmax_forward"]


class softmax_backward(primitive):
    """The gradient of a softmax."""

    row = ROWS["softmax_backward"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of the primitive."""

        row = ROWS["softmax_backward"]

    class desc(operation):
        """The operation without an engine, as before 3.0."""

        row = ROWS["softmax_backward"]


class logsoftmax_forward(softmax_forward):
    """The logarithm of softmax, as before 3.0; since then ``algorithm.softmax_log``."""

    class desc(softmax_forward.desc):
        """The operation without an engine: (prop_kind, src, axis)."""

        def __init__(self, *args: Any, **named: Any) -> None:
            super().__init__(*args, alg=algorithm.softmax_log, **named)


class logsoftmax_backward(softmax_backward):
    """The gradient of the logarithm of softmax, as before 3.0."""

    class desc(softmax_backward.desc):
        """The operation without an engine: (diff_src, dst, axis)."""

        def __init__(self, *args: Any, **named: Any) -> None:
            super().__init__(*args, alg=algorithm.softmax_log, **named)


class binary(primitive):
    """Two tensors combined: (engine, algorithm, src0, src1, dst, attr)."""

    row = ROWS["binary"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of the primitive."""

        row = ROWS["binary"]

    class desc(operation):
        """The operation without an engine, as before 3.0."""

        row = ROWS["binary"]


class concat(primitive):
    """Tensors behind one another: (engine, dst, axis, srcs, attr)."""

    row = ROWS["concat"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of the primitive."""

        row = ROWS["concat"]

    class desc(operation):
        """The operation without an engine, as before 3.0."""

        row = ROWS["concat"]


class sum(primitive):
    """A sum of multiples of tensors: (engine, dst, scales, srcs, attr)."""

    row = ROWS["sum"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of the primitive."""

        row = ROWS["sum"]

    class desc(operation):
        """The operation without an engine, as before 3.0."""

        row = ROWS["sum"]


class reduction(primitive):
    """Dimensions reduced to one element: (engine, algorithm, src, dst, p, eps, attr)."""

    row = ROWS["reduction"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of the primitive."""

        row = ROWS["reduction"]

    class desc(operation):
        """The operation without an engine, as before 3.0."""

        row = ROWS["reduction"]


class shuffle_forward(primitive):
    """An axis transposed, seen as groups: (engine, prop_kind, src, dst, axis, group, attr)."""

    row = ROWS["shuffle_forward"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of the primitive."""

        row = ROWS["shuffle_forward"]

    class desc(operation):
        """The operation without an engine, as before 3.0."""

        row = ROWS["shuffle_forward"]


class shuffle_backward(primitive):
    """The gradient of a shuffle's source."""

    row = ROWS["shuffle_backward"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of the primitive."""

        row = ROWS["shuffle_backward"]

    class desc(operation):
        """The operation without an engine, as before 3.0."""

        row = ROWS["shuffle_backward"]


class prelu_forward(primitive):
    """What is negative multiplied by weights: (engine, prop_kind, src, weights, dst, attr)."""

    row = ROWS["prelu_forward"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of the primitive."""

        row = ROWS["prelu_forward"]

    class desc(operation):
        """The operation without an engine, as before 3.0."""

        row = ROWS["prelu_forward"]


class prelu_backward(primitive):
    """The gradients of a PReLU's source and weights."""

    row = ROWS["prelu_backward"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of the primitive."""

        row = ROWS["prelu_backward"]

    class desc(operation):
        """The operation without an engine, as before 3.0."""

        row = ROWS["prelu_backward"]
