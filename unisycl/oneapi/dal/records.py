"""What descriptors, models and results have in common: fields, read and set as in C++.

Non-goals: what the fields mean. Invariant: ``get_x()`` is the field ``x``, ``set_x(v)`` sets it,
checks all fields, and returns the object.
"""

from __future__ import annotations

from typing import Any, ClassVar

from unisycl.oneapi.dal.errors import invalid_argument


class record:
    """Fields by name; ``get_NAME()`` and ``set_NAME(value)`` as C++ has them."""

    def check(self) -> None:
        """Refuse values of fields that have no meaning."""

    def __post_init__(self) -> None:
        self.check()

    def __getattr__(self, name: str) -> Any:
        fields = type(self).__dict__.get("__dataclass_fields__", {})
        if name[:4] == "get_" and name[4:] in fields:
            return lambda: getattr(self, name[4:])
        if name[:4] == "set_" and name[4:] in fields:
            return lambda value: self._set(name[4:], value)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def _set(self, name: str, value: Any) -> record:
        before = getattr(self, name)
        setattr(self, name, value)
        try:
            self.check()
        except invalid_argument:
            setattr(self, name, before)
            raise
        return self


class descriptor(record):
    """What an algorithm is told: ``algorithm`` is its name, as providers know it."""

    algorithm: ClassVar[str] = ""

    def whole(self, name: str, least: int = 0) -> None:
        """Refuse a field that is no whole number of at least ``least``."""
        value = getattr(self, name)
        if isinstance(value, bool) or not hasattr(value, "__index__") or value < least:
            self.refuse(f"{name} must be a whole number of at least {least}, got {value!r}")
        setattr(self, name, int(value))

    def number(self, name: str, least: float, *, open_end: bool = False) -> None:
        """Refuse a field that is no number of at least (above, if open) ``least``."""
        value = getattr(self, name)
        try:
            found = float(value)
        except (TypeError, ValueError):
            self.refuse(f"{name} must be a number, got {value!r}")
        if not (found > least if open_end else found >= least):
            self.refuse(f"{name} must be {'above' if open_end else 'at least'} {least}, got "
                        f"{value!r}")

    def choice(self, name: str, *known: str) -> None:
        """Refuse a field that is none of the texts."""
        if getattr(self, name) not in known:
            self.refuse(f"{name} must be one of {', '.join(known)}, got {getattr(self, name)!r}")

    def refuse(self, text: str) -> Any:
        """Raise the error of this descriptor."""
        raise invalid_argument(f"{self.algorithm}: {text}")
