"""Public: more about matrices of sub-groups (sycl_ext_intel_matrix): elements with their places.

Also ``layout.ext_intel_packed``. Non-goals: loads and stores with bounds. Invariant: all devices
have it.
"""

from unisycl.lang.library.joint_matrices import apply_with_coordinates as joint_matrix_apply

__all__ = ["joint_matrix_apply"]
