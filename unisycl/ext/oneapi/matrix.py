"""Public: matrices that a sub-group holds together and multiplies (sycl_ext_oneapi_matrix).

Hardware does it where the device has it for a combination, and our own functions everywhere else.
Non-goals: matrices in memory. Invariant: the same kernel runs on every device.
"""

from unisycl.base.matrices import combination, layout, matrix_type, tf32, use
from unisycl.lang.library.joint_matrices import (
    joint_matrix_apply,
    joint_matrix_copy,
    joint_matrix_fill,
    joint_matrix_load,
    joint_matrix_mad,
    joint_matrix_prefetch,
    joint_matrix_store,
    round_to_tf32,
)
from unisycl.lang.memory.joint_matrix import joint_matrix


class precision:
    """Types of elements that are stored as another type (``tf32`` as float32)."""

    tf32 = tf32


__all__ = [
    "combination", "joint_matrix", "joint_matrix_apply", "joint_matrix_copy", "joint_matrix_fill",
    "joint_matrix_load", "joint_matrix_mad", "joint_matrix_prefetch", "joint_matrix_store",
    "layout", "matrix_type", "precision", "round_to_tf32", "use",
]
