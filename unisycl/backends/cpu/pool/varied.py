"""Tiny launches of one code whose arguments differ in numbers alone, over whatever index spaces.

Their argument blocks are one text with places for the numbers and structs. Invariant: what is made
here is what ``CpuDriver.ready`` makes of the same arguments.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any

from unisycl.backends.base import Geometry, Launch, Varied
from unisycl.backends.cpu.executable import CpuExecutable
from unisycl.backends.cpu.pool import crash
from unisycl.backends.cpu.pool.crash import here as crash_here


def form(launch: Launch, numbers: tuple[int, ...]) -> Varied | None:
    """Return what makes of other numbers what runs the launch with them; None: nothing can."""
    executable: CpuExecutable = launch.executable  # type: ignore[assignment]
    packer, plan = executable.packer, executable.plan
    places = packer.places(numbers, launch.values)
    if places is None or launch.reductions:
        return None
    heads = len(plan(launch.geometry).head)
    head = struct.Struct(f"={heads}q").pack
    block, end = packer.pack(plan(launch.geometry).head, launch.values), 8 * heads
    parts, encoders = [b""], []
    for place, size, encode in places:
        parts += [block[end:place], b""]
        encoders.append(encode)
        end = place + size
    parts.append(block[end:])
    named = tuple(zip(range(2, len(parts), 2), numbers, encoders, strict=True))
    words, direct, here = launch.words or crash.words(executable, launch), executable.direct, \
        crash_here
    sized, small = bool(executable.sizes), executable.small

    def make(geometry: Geometry, values: Sequence[Any],
             raw: Sequence[Any]) -> Callable[[], object] | None:
        filled, cut = parts.copy(), plan(geometry)
        try:
            for at, k, encode in named:
                filled[at] = encode(raw[k])
        except (struct.error, OverflowError):
            return None  # which says on the long way what does not fit
        if sized:
            asked = list(values)
            for k in numbers:
                asked[k] = raw[k]
            if not small(cut, asked):
                return None
        elif not cut.small:
            return None
        filled[0] = head(*cut.head)
        block = b"".join(filled)

        def run() -> None:
            here[1] = words
            direct(block)
            here[1] = 0

        return run

    return make
