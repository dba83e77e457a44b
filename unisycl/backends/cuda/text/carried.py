"""Code of kernels that a package brings for some architectures: found by the text it was made of.

Non-goals: making it (``backends.cuda.shipping``). Invariant: what is found was made of this text,
with these options, for this architecture or an older one of the same major compute capability.
"""

from __future__ import annotations

from unisycl.backends.cfamily.kernel import Source
from unisycl.backends.cuda.text.target import Target
from unisycl.ir import carried, pickles
from unisycl.ir.findings import Findings
from unisycl.ir.nodes import Kernel
from unisycl.process import disk_cache

PREFIX = "cuda:"


def key(source: Source, kernel: Kernel, name: str) -> str:
    """Return what the code of a text is kept by."""
    said = repr(sorted(dict(kernel.traits).items()))
    return disk_cache.key_of("cuda-shipped-1", source.text, said, name)


def _tables(kernel: Kernel) -> dict[str, dict[str, bytes]]:
    return {target.removeprefix(PREFIX): pickles.loaded(raw)
            for target in carried.targets(kernel) if target.startswith(PREFIX)
            and (raw := carried.blob(kernel, target)) is not None}


_known = Findings(_tables)


def find(source: Source, kernel: Kernel, target: Target) -> bytes | None:
    """Return the code of a text for a device; None if no package brings it."""
    if not carried.targets(kernel):
        return None
    tables = _known.of(kernel)
    numbers = sorted((int(name.removeprefix("sm_")) for name in tables), reverse=True)
    for number in numbers:
        if number // 10 == target.arch[0] and number <= target.number:
            name = f"sm_{number}"
            found = tables[name].get(key(source, kernel, name))
            if found is not None and (number == target.number or not _exact(source)):
                return found
    return None


def _exact(source: Source) -> bool:
    """Say whether a text uses what only its own architecture has."""
    return "wgmma." in source.text
