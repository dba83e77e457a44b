"""A name for what a kernel says: equal kernels of different processes have the same digest.

Non-goals: kernels that hold objects this cannot spell; those have none. Invariant: two kernels of
one digest differ in nothing but where their text stands.
"""

from __future__ import annotations

import enum
import hashlib
from dataclasses import fields, is_dataclass
from typing import Any

from unisycl.base.dtypes import DType
from unisycl.base.spans import Span
from unisycl.ir import nodes as n
from unisycl.ir.builtins.row import Builtin
from unisycl.ir.findings import Findings

_PLAIN = (bool, int, float, complex, str)
_OPAQUE = (n.Print, n.Check, n.ImageRead, n.ImageWrite)  # not told by the kernel alone
_names: dict[type, tuple[str, ...]] = {}


class _Unknown(Exception):
    """The kernel holds an object that has no spelling."""


def of(kernel: n.Kernel) -> str | None:
    """Return the digest of a kernel; None if it has none."""
    return _known.of(kernel)


def note(kernel: n.Kernel, known: str | None) -> None:
    """Take the digest of a kernel that another process wrote along with it."""
    _known.note(kernel, known)


def _spelt(kernel: n.Kernel) -> str | None:
    speller = _Speller()
    try:
        speller.add(kernel)
    except _Unknown:
        return None
    return hashlib.sha256("\0".join(speller.words).encode()).hexdigest()


_known = Findings(_spelt)


class _Speller:
    """Writes a kernel as words; locals, parameters and arrays are numbered as they are met."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.numbers: dict[int, int] = {}

    def add(self, value: Any) -> None:
        """Spell a value."""
        kind = type(value)
        if value is None or kind in _PLAIN:
            self.words.append(f"{kind.__name__} {value!r}")
        elif kind is tuple:
            self.words.append(f"({len(value)}")
            for part in value:
                self.add(part)
        elif kind in (n.Local, n.Param, n.Array):
            self._entity(value)
        elif kind is Builtin or kind is DType or isinstance(value, enum.Enum):
            self.words.append(f"{kind.__name__} {value.name}")
        elif kind is Span:
            pass
        elif is_dataclass(value) and kind not in _OPAQUE:
            self.words.append(kind.__name__)
            for name in _fields(kind):
                self.add(getattr(value, name))
        elif kind is frozenset:
            self.words += sorted(map(repr, value))
        elif isinstance(value, type):
            self.words.append(f"{value.__module__}.{value.__qualname__}")
        else:
            raise _Unknown

    def _entity(self, value: Any) -> None:
        known = self.numbers.get(id(value))
        if known is None:
            known = self.numbers[id(value)] = len(self.numbers)
            self.words.append(type(value).__name__)
            for name in _fields(type(value)):
                if name not in ("name", "path"):
                    self.add(getattr(value, name))
        self.words.append(f"#{known}")


def _fields(kind: type) -> tuple[str, ...]:
    found = _names.get(kind)
    if found is None:
        found = _names[kind] = tuple(f.name for f in fields(kind) if f.name != "span")
    return found
