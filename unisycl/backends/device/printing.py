"""What a kernel recorded while it ran, given to the host's report when it has ended.

Non-goals: order between work-items, and what is done with a record (``backends.reports``).
Invariant: what did not fit is said, never dropped silently.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from unisycl.backends.cfamily.printing import HEADER
from unisycl.backends.reports import Report, Site
from unisycl.base.errors import DeviceError, errc

WORDS = 1 << 22
"""16 MiB of address space; the system gives memory to what is written only."""


def new_buffer(words: int = WORDS) -> np.ndarray[Any, np.dtype[np.uint32]]:
    """Return an empty buffer: words used, words there are, then the records."""
    buffer = np.zeros(words + HEADER, np.uint32)
    buffer[1] = words
    return buffer


def clear(buffer: np.ndarray[Any, np.dtype[np.uint32]]) -> None:
    """Make a buffer that was used, or is all 0, an empty one."""
    words = buffer.size - HEADER
    buffer[:HEADER + min(int(buffer[0]), words)] = 0
    buffer[1] = words


def take(buffer: np.ndarray[Any, np.dtype[np.uint32]], kernel: str, sites: tuple[Site, ...],
         ) -> BaseException | None:
    """Print the texts of a buffer; return the error of a kernel in which a check failed."""
    used, words, failed = (int(x) for x in buffer[:HEADER])
    records, at = buffer[HEADER:], 0
    report = Report(kernel, sites)
    while at < min(used, words) and records[at]:
        number = int(records[at]) - 1
        end = at + 1 + 2 * cells_of(sites[number])
        report.take(number, records[at + 1:end].view(np.uint64).tolist())
        at = end
    if used > words:
        sys.stderr.write(f"unisycl: kernel '{kernel}' printed more than fits: {used * 4} bytes "
                         f"into {words * 4}; the rest is lost\n")
    if report.failed:
        return report.error()
    if failed:
        return DeviceError(errc.kernel, f"kernel '{kernel}' failed: a check did not hold; what it "
                           "reports did not fit behind what the kernel printed")
    return None


def cells_of(site: Site) -> int:
    """Return how many values a record of a site has."""
    head = {"stream": 2, "end": 2, "check": sum(site.ids)}.get(site.kind, 0)
    return head + len(site.types)
