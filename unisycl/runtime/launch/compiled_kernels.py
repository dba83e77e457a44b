"""A record of what was compiled: ``python -m unisycl show``.

Non-goals: keeping anything while nobody looks. Invariant: a record copies nothing; it holds the
kernel and asks its driver for text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from unisycl.backends.base import Driver, Geometry
from unisycl.base.dataclass import dataclass
from unisycl.base.errors import UnsupportedError
from unisycl.base.later import Later
from unisycl.ir.nodes import Kernel
from unisycl.passes import looking

if TYPE_CHECKING:
    from unisycl.ir import text
    from unisycl.passes import pipeline
else:
    text, pipeline = Later("unisycl.ir.text"), Later("unisycl.passes.pipeline")


@dataclass(frozen=True, eq=False, slots=True)
class Compiled:
    """One kernel as one device compiled it."""

    kernel: Kernel
    driver: Driver
    geometry: Geometry

    @property
    def name(self) -> str:
        """The kernel's name."""
        return self.kernel.name

    def ir_text(self) -> str:
        """Return the typed IR."""
        return text.kernel_text(self.kernel)

    def source_text(self) -> str:
        """Return the C text a vendor's compiler gets; ``UnsupportedError`` where there is none."""
        return self.driver.text(self.kernel, self.geometry, "source")

    def llvm_text(self) -> str:
        """Return the optimised LLVM IR; ``UnsupportedError`` where the device has none."""
        return self.driver.text(self.kernel, self.geometry, "llvm")

    def asm_text(self) -> str:
        """Return the machine code; ``UnsupportedError`` where the device has none."""
        return self.driver.text(self.kernel, self.geometry, "asm")

    def explain_text(self) -> str:
        """Return what became of it, for people; ``UnsupportedError`` where nobody says."""
        return self.driver.text(self.kernel, self.geometry, "explain")

    def passed(self, front: Sequence[looking.Seen]) -> dict[str, str]:
        """Return the IR behind each pass by its name, in order, those of the device included.

        ``front`` is what was seen of all kernels while they were launched.
        """
        every = len(pipeline.EVERY)
        ends = [k for k, x in enumerate(front, 1) if x.kernel is self.kernel
                and x.name == pipeline.EVERY[-1].name]
        found = list(front[ends[-1] - every:ends[-1]]) if ends else []
        with looking.seen() as own:
            for stage in ("source", "llvm"):
                with suppress(UnsupportedError):
                    self.driver.text(self.kernel, self.geometry, stage)
        return {x.name: text.kernel_text(x.kernel) for x in (*found, *own)}


watchers: list[list[Compiled]] = []


@contextmanager
def kernels() -> Iterator[list[Compiled]]:
    """Collect every kernel that is launched inside the block, each once for each device."""
    found: list[Compiled] = []
    watchers.append(found)
    try:
        yield found
    finally:
        watchers.remove(found)


def note(kernel: Kernel, driver: Driver, geometry: Geometry) -> None:
    """Note that a kernel is launched."""
    for found in watchers:
        if not any(c.kernel is kernel and c.driver is driver for c in found):
            found.append(Compiled(kernel, driver, geometry))
