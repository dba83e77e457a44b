"""The kinds of recurrent networks, each a class with the class of its descriptor.

Non-goals: what they have in common (``primitives``), computing. Invariant: a kind is its row of the
table.
"""

from __future__ import annotations

from unisycl.oneapi.dnn.operations import operation
from unisycl.oneapi.dnn.primitives import primitive, primitive_desc_base
from unisycl.oneapi.dnn.table import ROWS


class vanilla_rnn_forward(primitive):
    """Plain recurrent cells: (engine, prop_kind, ...) in the order of oneDNN's C++ class."""

    row = ROWS["vanilla_rnn_forward"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of the primitive."""

        row = ROWS["vanilla_rnn_forward"]

    class desc(operation):
        """The operation without an engine, as before 3.0."""

        row = ROWS["vanilla_rnn_forward"]


class vanilla_rnn_backward(primitive):
    """The gradients of plain recurrent cells."""

    row = ROWS["vanilla_rnn_backward"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of the primitive."""

        row = ROWS["vanilla_rnn_backward"]

    class desc(operation):
        """The operation without an engine, as before 3.0."""

        row = ROWS["vanilla_rnn_backward"]


class lstm_forward(primitive):
    """LSTM cells: (engine, prop_kind, ...) in the order of oneDNN's C++ class."""

    row = ROWS["lstm_forward"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of the primitive."""

        row = ROWS["lstm_forward"]

    class desc(operation):
        """The operation without an engine, as before 3.0."""

        row = ROWS["lstm_forward"]


class lstm_backward(primitive):
    """The gradients of LSTM cells."""

    row = ROWS["lstm_backward"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of the primitive."""

        row = ROWS["lstm_backward"]

    class desc(operation):
        """The operation without an engine, as before 3.0."""

        row = ROWS["lstm_backward"]


class gru_forward(primitive):
    """GRU cells: (engine, prop_kind, ...) in the order of oneDNN's C++ class."""

    row = ROWS["gru_forward"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of the primitive."""

        row = ROWS["gru_forward"]

    class desc(operation):
        """The operation without an engine, as before 3.0."""

        row = ROWS["gru_forward"]


class gru_backward(primitive):
    """The gradients of GRU cells."""

    row = ROWS["gru_backward"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of the primitive."""

        row = ROWS["gru_backward"]

    class desc(operation):
        """The operation without an engine, as before 3.0."""

        row = ROWS["gru_backward"]


class lbr_gru_forward(primitive):
    """GRU cells whose reset gate comes behind the product; arguments as of ``gru_forward``."""

    row = ROWS["lbr_gru_forward"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of the primitive."""

        row = ROWS["lbr_gru_forward"]

    class desc(operation):
        """The operation without an engine, as before 3.0."""

        row = ROWS["lbr_gru_forward"]


class lbr_gru_backward(primitive):
    """The gradients of GRU cells whose reset gate comes behind the product."""

    row = ROWS["lbr_gru_backward"]

    class primitive_desc(primitive_desc_base):
        """The descriptor of the primitive."""

        row = ROWS["lbr_gru_backward"]

    class desc(operation):
        """The operation without an engine, as before 3.0."""

        row = ROWS["lbr_gru_backward"]
