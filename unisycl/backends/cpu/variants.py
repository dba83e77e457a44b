"""The variants of a kernel's code: what each is for, how many, and those that a package brings.

Non-goals: making them (``executable``, ``shipping``). Invariants: what ``Carried.closest`` returns
is there, and right for every launch that it is asked for; a process makes at most ``MOST`` variants
of a kernel that brings none.
"""

from __future__ import annotations

import threading
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
MOST = 4
"""So many variants of a kernel a process makes: the last one is right for every launch."""
SYMBOL = "unisycl_kernel"
"""What a kernel's code is called; the names of what lies beside it begin so."""


class Key(NamedTuple):
    """What of a geometry the code depends on.

    ``edge``: the last dimension may end within a vector; ``small``: all ids are below ``SMALL``;
    ``stream``: the output is larger than the caches; ``lines``: it is large enough, and rows long
    enough, for vectors that begin where its lines do; ``most``: the lanes that a row has use for,
    0 if that is all of them; ``units``: dimensions of one item behind the one that lanes go along;
    ``flat``: so many of the last dimensions are tried as one, 0 if none are.
    """

    edge: bool
    small: bool
    stream: bool
    most: int = 0
    units: int = 0
    lines: bool = False
    flat: int = 0


ANY = Key(edge=True, small=False, stream=False)
"""The variant of a range that is right for every launch."""


def _general(key: Key) -> tuple[Key, ...]:
    """Return the variants that are right for the launches of a key, the closest first."""
    general = key._replace(edge=True, stream=False, lines=False, flat=0)
    return (key, key._replace(stream=False, lines=False, flat=0), general,
            general._replace(most=0), general._replace(most=0, units=0), ANY)


@dataclass(frozen=True, slots=True)
class Parts:
    """What code generation decides besides the code.

    ``steps``: the vector operations of a sub-group (``pool.direct``). ``heavy``: it has loops;
    ``counted``: all of which run over a range. ``other``: the lanes of a form that may be faster
    and gives the same bits; 0 if there is none. ``crossed``: vectors are best followed by those of
    the next row (``passes.simd.columns``).
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
    crossed: bool = False


@dataclass(frozen=True, slots=True)
class Carried:
    """What a package brings of one kernel for one level of processors.

    ``facts``: as ``making.find_facts`` found them.
    """

    facts: tuple[int, ...]
    variants: dict[Key, tuple[bytes, Parts]]

    def closest(self, key: Key) -> Key:
        """Return the variant for a launch, or a more general one."""
        return next((one for one in _general(key) if one in self.variants),
                    key._replace(small=False))

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


class Versions:
    """The variants of one kernel that this process makes. Any thread may ask.

    The first three are what launches ask for. Then launches take the closest of what there is, and
    the fourth is made where nothing is right for one: it is right for all. The other form of a
    trial counts, and is not made where it would take the last place.

    ``sums``: the kernel has reductions, whose order of additions depends on the lanes. A launch's
    result must not depend on launches before it, so each number of lanes may have its own fourth.
    """

    __slots__ = ("_lock", "_sums", "_taken")

    def __init__(self, *, sums: bool = False) -> None:
        self._lock = threading.Lock()
        self._sums = sums
        self._taken: dict[Key, Key] = {}

    def picked(self, key: Key, *, note: bool = True) -> Key:
        """Return the variant for launches of a key of a range; ``note``: it will be made."""
        found = self._taken.get(key)
        if found is not None:
            return found
        with self._lock:
            found = self._taken.get(key)
            if found is None:
                made = set(self._taken.values())
                right = _general(key)[:3 if self._sums else None]
                found = key if self._free(made) else next(
                    (one for one in right if one in made), right[-1])
                if note:
                    self._taken[key] = found
            return found

    def try_another(self, key: Key) -> bool:
        """Say whether there is a place for another form, and take it."""
        with self._lock:
            made = set(self._taken.values())
            if key not in made and not self._free(made):
                return False
            self._taken[key] = key
            return True

    @staticmethod
    def _free(made: set[Key]) -> bool:
        """Say whether any variant may be made; the last one only if another is right for all."""
        return len(made) < MOST - (ANY not in made)


versions = Findings(lambda kernel: Versions(sums=bool(kernel.reducers)))
"""What this process makes of each kernel."""
