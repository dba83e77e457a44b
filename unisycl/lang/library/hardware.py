"""Attributes, loop controls and memory hints of kernels written for hardware descriptions.

What SYCL for FPGAs says about pipelines and on-chip memory: the limits among the attributes are
kept everywhere, loops are unrolled where a compiler is told to, and the rest is accepted without
effect on what a kernel computes; ``report`` lists it. Non-goals: making hardware. Invariant: taking
any of it away changes no result.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from unisycl.base.dataclass import dataclass
from unisycl.base.errors import UsageError, errc
from unisycl.base.tracebacks import ends_at_call
from unisycl.lang.kernels.kernel_properties import Trait, sizes_of

__kernel_language__ = True
T = TypeVar("T")


class _Count(Trait):
    """An attribute that is one whole number."""

    __slots__ = ()
    least = 1

    @ends_at_call
    def __init__(self, count: int) -> None:
        name = type(self).__name__
        if type(count) is not int or count < self.least:
            raise UsageError(errc.invalid, f"{name}: expected a whole number from {self.least} on, "
                             f"got {count!r}")
        super().__init__((count,))


class max_work_group_size(Trait):
    """The largest work-group the kernel is launched with, in each dimension or in all.

    A launch with a larger one raises ``errc.nd_range``.
    """

    __slots__ = ()
    name = "max_work_group_size"

    @ends_at_call
    def __init__(self, *sizes: int) -> None:
        super().__init__(sizes_of("max_work_group_size", sizes))


class max_global_work_dim(_Count):
    """The most dimensions that the kernel is launched over; 0: ``single_task`` only."""

    __slots__ = ()
    name = "max_global_work_dim"
    least = 0


class no_global_work_offset(Trait):
    """The kernel is never launched with an offset; one raises ``errc.nd_range``."""

    __slots__ = ()
    name = "no_global_work_offset"

    def __init__(self) -> None:
        super().__init__((1,))


class num_simd_work_items(_Count):
    """How many work-items to work on at once: a hint.

    Where a work-group size is required it has to be a multiple of it in the last dimension.
    """

    __slots__ = ()
    name = "num_simd_work_items"


class min_work_groups_per_cu(_Count):
    """How many work-groups a compute unit is to hold at once: the compiler spares registers so.

    A hint, for NVIDIA's cards (``__launch_bounds__``), of kernels whose work-group size is known.
    """

    __slots__ = ()
    name = "min_work_groups_per_cu"


class scheduler_target_fmax_mhz(_Count):
    """The clock to build a pipeline for: a hint."""

    __slots__ = ()
    name = "scheduler_target_fmax_mhz"


# ---- loops
def _control(name: str, iterable: T, count: int, least: int) -> T:
    if type(count) is not int or count < least:
        raise UsageError(errc.invalid, f"{name}: expected a whole number from {least} on, got "
                         f"{count!r}")
    return iterable


def unroll(iterable: Iterable[T], count: int = 0) -> Iterable[T]:
    """Repeat the body of a loop ``count`` times, or as often as it runs (0)."""
    return _control("unroll", iterable, count, 0)


def initiation_interval(iterable: Iterable[T], cycles: int) -> Iterable[T]:
    """Ask for a pipeline that starts an iteration every so many cycles."""
    return _control("initiation_interval", iterable, cycles, 1)


def ivdep(iterable: Iterable[T], *what: Any) -> Iterable[T]:
    """Say that iterations do not depend on each other, in some memory or up to a distance."""
    for one in what:
        if isinstance(one, int):
            _control("ivdep", iterable, one, 1)
    return iterable


def loop_coalesce(iterable: Iterable[T], levels: int = 0) -> Iterable[T]:
    """Make one loop of this one and those in it."""
    return _control("loop_coalesce", iterable, levels, 0)


def max_concurrency(iterable: Iterable[T], count: int) -> Iterable[T]:
    """Limit how many iterations are under way at the same time; 0: no limit."""
    return _control("max_concurrency", iterable, count, 0)


def max_interleaving(iterable: Iterable[T], count: int) -> Iterable[T]:
    """Limit how many runs of an inner loop share its pipeline; 0: no limit."""
    return _control("max_interleaving", iterable, count, 0)


def speculated_iterations(iterable: Iterable[T], count: int) -> Iterable[T]:
    """Let so many iterations begin before it is known whether they are needed."""
    return _control("speculated_iterations", iterable, count, 0)


def disable_loop_pipelining(iterable: Iterable[T]) -> Iterable[T]:
    """Run iterations one after another."""
    return iterable


CONTROLS = (unroll, initiation_interval, ivdep, loop_coalesce, max_concurrency, max_interleaving,
            speculated_iterations, disable_loop_pipelining)
LEAST = {"initiation_interval": 1, "ivdep": 1}
"""The smallest number that a control takes; 0 for others."""


# ---- memory
def fpga_reg(value: T) -> T:
    """Return the value; in hardware it passes a register here."""
    return value


def fpga_mem(memory: T, *attributes: str) -> T:
    """Return a private array or local memory that is to lie in on-chip memory of some kind.

    Args:
        memory: what ``private_array`` gives, or a local accessor.
        attributes: words such as ``"MLAB"``, ``"numbanks(4)"``, ``"bankwidth(8)"``,
            ``"singlepump"``; ``report`` lists them.
    """
    return memory


@dataclass(frozen=True, slots=True)
class lsu:
    """How to load and store: ``lsu(prefetch=True).load(p)``; a hint.

    Args:
        burst_coalesce: whether neighbouring accesses are joined while running.
        prefetch: whether memory is read ahead; cache: bytes of a cache, 0 for none.
        statically_coalesce: whether neighbouring accesses are joined while compiling.
    """

    burst_coalesce: bool = False
    prefetch: bool = False
    cache: int = 0
    statically_coalesce: bool = True

    def load(self, pointer: Any) -> Any:
        """Return the first element of memory, or the one a pointer points to."""
        return pointer[0]

    def store(self, pointer: Any, value: Any) -> None:
        """Store a value where a pointer, or memory, begins."""
        pointer[0] = value
