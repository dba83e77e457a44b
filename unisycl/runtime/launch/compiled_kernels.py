"""What was compiled, for whoever wants to look: ``python -m unisycl show``.

Non-goals: keeping anything while nobody looks. Invariant: a record copies nothing; it holds the
kernel and asks its driver for text.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from unisycl.backends.base import Driver, Geometry
from unisycl.base.dataclass import dataclass
from unisycl.ir.nodes import Kernel
from unisycl.ir.text import kernel_text


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
        return kernel_text(self.kernel)

    def source_text(self) -> str:
        """Return the C text a vendor's compiler gets; ``UnsupportedError`` where there is none."""
        return self.driver.text(self.kernel, self.geometry, "source")

    def llvm_text(self) -> str:
        """Return the optimised LLVM IR; ``UnsupportedError`` where the device has none."""
        return self.driver.text(self.kernel, self.geometry, "llvm")

    def asm_text(self) -> str:
        """Return the machine code; ``UnsupportedError`` where the device has none."""
        return self.driver.text(self.kernel, self.geometry, "asm")


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
    """Tell whoever looks that a kernel is launched."""
    for found in watchers:
        if not any(c.kernel is kernel and c.driver is driver for c in found):
            found.append(Compiled(kernel, driver, geometry))
