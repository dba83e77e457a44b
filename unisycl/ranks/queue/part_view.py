"""What kernels on the host device see of a distributed buffer: the part that is declared of it.

Non-goals: other devices (``passes.checks.declared``). Invariant: what lies outside the part is
neither read nor written.
"""

from __future__ import annotations

from typing import Any

from unisycl.base.errors import UsageError, errc
from unisycl.lang.memory.views import HostView


class PartView(HostView):
    """A view whose indices have to lie in the part that a range mapper gives this rank."""

    _declared: Any
    __slots__ = ("_declared",)

    @classmethod
    def of(cls, box: Any, *args: Any) -> PartView:
        """Return the view of a launch that has declared this part (internal)."""
        made = cls(*args)
        made._declared = box
        return made

    def __getitem__(self, index: Any) -> Any:
        self._declared_only(index)
        return super().__getitem__(index)

    def __setitem__(self, index: Any, value: Any) -> None:
        self._declared_only(index)
        super().__setitem__(index, value)

    def _declared_only(self, index: Any) -> None:
        box = getattr(self, "_declared", None)
        if box is None or isinstance(index, slice):
            return
        for dim, (at, low, high) in enumerate(zip(self._locate(index), *box, strict=False)):
            if not low <= at < high:
                which = f" in dimension {dim}" if len(box.low) > 1 else ""
                raise UsageError(errc.accessor, f"index {at}{which} of '{self._name}' is outside "
                                 f"the part {box} that its range mapper gives this rank; give it a "
                                 "mapper that covers what the kernel uses")
