"""A kernel for the types and constants of one launch, and what another launch is asked about it.

Non-goals: making one (``compiling``), finding it again (``specialize``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unisycl.base.architecture import Target, fits
from unisycl.base.dataclass import dataclass
from unisycl.frontend.guard_function import Match
from unisycl.frontend.kernel_shape import KernelShape
from unisycl.frontend.paths import Path, Question
from unisycl.ir import nodes as n
from unisycl.ir.function_uses import ChildUse, FunctionUse
from unisycl.lang.kernels.specialization import kernel_handler

if TYPE_CHECKING:
    from unisycl.frontend.values.kind import Form


@dataclass(frozen=True, eq=False, slots=True)
class Specialization:
    """One kernel for one set of captured types and constants.

    ``warned``: something about it was said when it was compiled. ``result``: the form of what a
    lambda that was compiled in this process makes.
    """

    kernel: n.Kernel
    uses: tuple[FunctionUse, ...]
    match: Match
    handled: bool = False
    required: tuple[int, ...] = ()
    asked: tuple[tuple[Any, bool], ...] = ()
    children: tuple[ChildUse, ...] = ()
    guards: tuple[tuple[Path, Question], ...] = ()
    shape: KernelShape | None = None
    warned: bool = False
    result: Form | None = None

    def suits(self, target: Target | None) -> bool:
        """Say whether a device gives the answers that the kernel was compiled with."""
        return all(fits(target, what) is answer for what, answer in self.asked)

    def passed(self, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return what the user's function is called with after its index and reducers."""
        return (*arguments, kernel_handler._make(arguments)) if self.handled else arguments


def name_of(function: Any) -> str:
    """Return the name a user knows a kernel by."""
    name = getattr(function, "__name__", None) or type(function).__name__
    return "lambda" if name == "<lambda>" else str(name)
