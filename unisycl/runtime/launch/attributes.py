"""What a kernel's attributes forbid of a launch: sizes, dimensions, offsets.

Non-goals: options of the compiler, which backends read. Invariant: hints without a limit forbid
nothing.
"""

from __future__ import annotations

from unisycl.backends.base import Geometry
from unisycl.base.errors import UsageError, errc
from unisycl.ir.nodes import Kernel


def check_launch(kernel: Kernel, geometry: Geometry, required: tuple[int, ...]) -> None:
    """Refuse a launch that an attribute of its kernel rules out (``errc.nd_range``)."""
    asked = dict(kernel.traits)
    space = geometry.launched
    most = asked.get("max_work_group_size", ())
    for d, (size, limit) in enumerate(zip(reversed(space.local), reversed(most), strict=False)):
        if size > int(limit):
            raise _refused(kernel, f"has max_work_group_size{most} and was launched with "
                           f"work-groups of {space.local}", f"dimension {len(space.local) - 1 - d}")
    dims = 0 if space.kind == "single" else len(space.global_)
    limit = int(asked.get("max_global_work_dim", (3,))[0])
    if dims > limit:
        what = "single_task only" if limit == 0 else f"at most {limit} dimension(s)"
        raise _refused(kernel, f"has max_global_work_dim({limit}), so it is for {what}",
                       f"the launch has {dims}")
    if "no_global_work_offset" in asked and any(space.offset):
        raise _refused(kernel, "has no_global_work_offset", f"the launch has {space.offset}")
    together = int(asked.get("num_simd_work_items", (1,))[0])
    if required and required[-1] % together:
        raise UsageError(errc.invalid, f"kernel '{kernel.name}': num_simd_work_items({together}) "
                         f"does not divide the last dimension of the required size {required}")


def _refused(kernel: Kernel, what: str, found: str) -> UsageError:
    return UsageError(errc.nd_range, f"kernel '{kernel.name}' {what}: {found}")
