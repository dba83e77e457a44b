"""Functions that are written in a device's own language and called by kernels.

Non-goals: calling them (``nodes.Foreign``), reading their text (``lang.kernels.c_prototype``).
Invariant: the parameters are those of the text, in its order.
"""

from __future__ import annotations

import re

from unisycl.base.dataclass import dataclass
from unisycl.base.enums import address_space, backend
from unisycl.ir.types import Scalar, Struct

_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class ForeignParameter:
    """One parameter: a value, or with ``space`` a pointer.

    ``type`` is the value's, or that of what is pointed to, None for anything (``void *``);
    ``spelt`` is the whole type as the text has it. The generic space is that of pointers without.
    """

    name: str
    type: Scalar | Struct | None
    spelt: str
    space: address_space | None = None
    const: bool = False

    def __str__(self) -> str:
        return f"{self.spelt} {self.name}"


@dataclass(frozen=True, slots=True)
class ForeignFunction:
    """A function of a text; ``label`` is what messages call the text, ``result`` None for void.

    ``language`` and ``target`` say what the text is written in and whose devices compile it.
    """

    name: str
    source: str
    label: str
    language: str
    target: backend
    parameters: tuple[ForeignParameter, ...]
    result: Scalar | Struct | None = None

    def words(self) -> frozenset[str]:
        """Return every word of the text: names that nothing else in a program may have."""
        return frozenset(_WORD.findall(self.source))
