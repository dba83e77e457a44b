"""What a launch fixes before its kernel is compiled.

Non-goals: arguments and their types. Invariant: two kernels of one shape differ in their code only.
"""

from __future__ import annotations

from unisycl.base.dataclass import dataclass
from unisycl.base.forward_progress import Levels


@dataclass(frozen=True, slots=True)
class KernelShape:
    """The index space of a launch, and what was asked for with it."""

    kind: str
    ndim: int
    local: tuple[int, ...] = ()
    sub_group: int = 0
    required: tuple[int, ...] = ()
    checks: frozenset[str] = frozenset()
    fast_math: bool = False
    progress: Levels | tuple[()] = ()
    free: bool = False
    traits: tuple[tuple[str, tuple[str | int, ...]], ...] = ()
