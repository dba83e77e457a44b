"""Public: tiles of matrices that are copied to local memory while a kernel computes.

Non-goals: matrices of sub-groups (``ext.oneapi.experimental.matrix``). Invariant: all devices have
these functions; some copy beside the work-items.
"""

from unisycl.lang.library.group_products import (
    await_stages,
    finish_stage,
    group_product,
    load_stage,
    multiply_along,
    multiply_stage,
    store_product,
)
from unisycl.lang.library.tiles import await_tiles, copy_tile, end_batch

__all__ = ["await_stages", "await_tiles", "copy_tile", "end_batch", "finish_stage",
           "group_product", "load_stage", "multiply_along", "multiply_stage", "store_product"]
