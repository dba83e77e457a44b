"""The variants of a kernel's code: what each is for, and those that a package brings.

Non-goals: making them (``executable``, ``shipping``). Invariant: what ``Carried.closest`` returns
is there, and right for every launch that it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from unisycl.backends.cpu.abi import Layout
from unisycl.backends.cpu.compile import jit
from unisycl.backends.cpu.compile.target import levels
from unisycl.backends.reports import Site
from unisycl.base.dataclass import dataclass
from unisycl.ir import carried, pickles
from unisycl.ir.findings import Findings
from unisycl.ir.nodes import Kernel

if TYPE_CHECKING:
    from unisycl.backends.cpu.checks import watching
    from unisycl.backends.cpu.pool import direct

PREFIX = "cpu:"
SMALL = 1 << 30
"""What no id of a small launch reaches: neighbours of ids, and twice an id, fit 32 bits, too."""
SYMBOL = "unisycl_kernel"
"""What a kernel's code is called; the names of what lies beside it begin so."""


class Key(NamedTuple):
    """What of a geometry the code depends on.

    ``edge``: the last dimension may end within a vector; ``small``: all ids are below ``SMALL``;
    ``stream``: the output is larger than the caches; ``lines``: it is large enough, and rows long
    enough, for vectors that begin where its lines do; ``most``: the lanes that a row has use for,
    0 if that is all of them; ``units``: dimensions of one item behind the one that lanes go along.
    """

    edge: bool
    small: bool
    stream: bool
    most: int = 0
    units: int = 0
    lines: bool = False


ANY = Key(edge=True, small=False, stream=False)
"""The variant of a range that is right for every launch."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What code generation decides besides the code.

    ``steps``: the vector operations of a sub-group (``pool.direct``). ``heavy``: it has loops;
    ``counted``: all of which run over a range. ``other``: the lanes of a form that may be faster
    and gives the same bits; 0 if there is none.
    """

    lanes: int
    level: int
    layout: Layout
    sites: tuple[Site, ...]
    watch: watching.Plan | None = None
    steps: direct.Steps = 0
    heavy: bool = False
    counted: bool = False
    other: int = 0


@dataclass(frozen=True, slots=True)
class Carried:
    """What a package brings of one kernel for one level of processors.

    ``facts``: its lanes, the element size of its output stream, and of one that has lines.
    """

    facts: tuple[int, ...]
    variants: dict[Key, tuple[bytes, Parts]]

    def closest(self, key: Key) -> Key:
        """Return the variant for a launch, or a more general one."""
        general = key._replace(edge=True, stream=False, lines=False)
        for one in (key, key._replace(stream=False, lines=False), general, general._replace(most=0),
                    general._replace(most=0, units=0), ANY):
            if one in self.variants:
                return one
        return key._replace(small=False)

    def load(self, key: Key, names: tuple[str, ...]) -> tuple[jit.Loaded, Parts]:
        """Return the code of a variant."""
        kept, parts = self.variants[key]
        return jit.placed(kept, names), parts


def _fitting(kernel: Kernel) -> Carried | None:
    for level in levels():
        raw = carried.blob(kernel, PREFIX + level)
        if raw is not None:
            found: Carried = pickles.loaded(raw)
            return found
    return None


_carried = Findings(_fitting)


def of(kernel: Kernel) -> Carried | None:
    """Return what a package brings of a kernel for this processor; None if nothing."""
    return _carried.of(kernel) if carried.targets(kernel) else None
