"""Objects that end by ``close``, with a ``with`` block, or when no reference is left.

Non-goals: what the end means (``runtime.memory``). Invariant: ``close`` may be called twice.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self

from unisycl.base.tracebacks import ends_at_call
from unisycl.runtime.memory.host_access import Holding


@ends_at_call
class Closing:
    """An object that a ``with`` block closes at its end."""

    __slots__ = ()

    def close(self) -> None:
        """End the object."""
        raise NotImplementedError

    def _check_open(self) -> None:
        """Refuse an object that is closed."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        self._check_open()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()


@ends_at_call
class HostTurn(Closing):
    """An accessor on the host; later commands that conflict wait until it is closed."""

    __slots__ = ()
    _holding: Holding | None
    _seen: Any
    """What the accessor shows; None when it is closed."""

    def close(self) -> None:
        """Let later commands go on; the accessor cannot be used any more."""
        self._seen = None
        if self._holding is not None:
            self._holding.release()

    def is_open(self) -> bool:
        """Say whether the elements, or pixels, can still be used."""
        return self._seen is not None

    def __del__(self) -> None:
        holding = getattr(self, "_holding", None)
        if holding is not None:
            holding.abandon()
