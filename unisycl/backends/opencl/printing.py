"""``print`` in kernels: records in a buffer, shown by the host when the kernel has ended.

Non-goals: order between work-items. Invariant: one record is one whole line; what did not fit is
said, never dropped silently.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from unisycl.ir.types import Scalar

WORDS = 1 << 18
_UNUSED = 0xFFFFFFFF


def new_buffer(words: int = WORDS) -> np.ndarray[Any, np.dtype[np.uint32]]:
    """Return an empty buffer: words used, words there are, then the records."""
    buffer = np.full(words + 2, _UNUSED, np.uint32)
    buffer[0], buffer[1] = 0, words
    return buffer


def show(buffer: np.ndarray[Any, np.dtype[np.uint32]],
         sites: Sequence[tuple[Any, ...]]) -> None:
    """Print the records of a buffer."""
    used, words = int(buffer[0]), int(buffer[1])
    records, at, lines = buffer[2:], 0, []
    while at < min(used, words) and records[at] != _UNUSED:
        site = sites[int(records[at])]
        count = sum(not isinstance(p, str) for p in site)
        cells = records[at + 1:at + 1 + 2 * count].astype(np.uint64)
        values = iter((cells[0::2] | cells[1::2] << np.uint64(32)).tolist())
        parts = [p if isinstance(p, str) else shown(next(values), p) for p in site]
        lines.append("".join(parts) + "\n")
        at += 1 + 2 * count
    sys.stdout.write("".join(lines))
    if used > words:
        sys.stderr.write(f"unisycl: a kernel printed more than fits: {used * 4} bytes into "
                         f"{words * 4}; the lines after the first {len(lines)} are lost\n")


def shown(bits: int, kind: Scalar) -> str:
    """Return a value as Python prints it."""
    dtype = kind.dtype
    if dtype.kind == "b":
        return str(bool(bits & 1))
    raw = bits.to_bytes(8, "little")[: dtype.size]
    value = np.frombuffer(raw, dtype.numpy)[0]
    return str(value.item() if kind.weak else value)
