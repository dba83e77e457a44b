"""The kinds of primitives, each a class with the class of its descriptor.

Non-goals: what they have in common (``primitives``), computing. Invariant: a kind is its row of the
table.
"""

from __future__ import annotations

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
