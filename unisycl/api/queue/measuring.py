"""``benchmark``, ``profile`` and ``autotune``: how long commands take, and which size is best.

Not part of SYCL. Non-goals: judging (a figure says what it was measured on, no more). Invariants:
the launch that compiles is never counted; whatever is measured really runs, so a kernel that adds
to memory adds once for each launch.
"""

from __future__ import annotations

import hashlib
import html
import json
import marshal
import time
from collections.abc import Iterable
from dataclasses import dataclass
from types import FunctionType, TracebackType
from typing import Any, Self

from unisycl.api.devices.info import info
from unisycl.api.queue.queue import queue
from unisycl.api.queue.recording import recording
from unisycl.base import geometry as geo
from unisycl.base.errors import UsageError, errc
from unisycl.base.tracebacks import ends_at_call
from unisycl.observe import roofline
from unisycl.observe.roofline import Drawn
from unisycl.process import disk_cache

_SIZES = (32, 64, 128, 256, 512, 1024)
_known: dict[str, int] = {}


@dataclass(frozen=True, slots=True)
class measurement:
    """How long launches of a kernel took, in seconds, and what each moved and computed."""

    name: str
    device: str
    seconds: tuple[float, ...]
    nbytes: float = 0
    flops: float = 0

    @property
    def best(self) -> float:
        """The shortest time of a launch, in seconds."""
        return min(self.seconds)

    @property
    def median(self) -> float:
        """The middle one of the times, in seconds."""
        return sorted(self.seconds)[len(self.seconds) // 2]

    @property
    def bandwidth(self) -> float:
        """Bytes a second at the best time; 0 if nobody said how many bytes a launch moves."""
        return self.nbytes / self.best

    @property
    def rate(self) -> float:
        """Floating-point operations a second at the best time; 0 if nobody said how many."""
        return self.flops / self.best

    def roofline(self, bandwidth: float, rate: float) -> Drawn:
        """Return a picture of where the kernel stands under its device's roof.

        Args:
            bandwidth: the most bytes a second that memory gives (a copy of a large array, measured
                by ``benchmark`` with ``nbytes``, says so).
            rate: the most operations a second that the device does.
        """
        if not (self.nbytes and self.flops):
            raise UsageError(errc.invalid, "roofline: give benchmark nbytes= and flops=, the bytes "
                             "that a launch moves and the operations that it does")
        if not (bandwidth > 0 and rate > 0):
            raise UsageError(errc.invalid, "roofline: bandwidth and rate are what the device does "
                             f"at most, both above 0, not {bandwidth} and {rate}")
        return roofline.drawn(self.name, self.flops / self.nbytes, self.rate, bandwidth, rate)

    def __str__(self) -> str:
        parts = [f"{self.name}: {self.best * 1e3:.4g} ms (best of {len(self.seconds)})"]
        parts += [f"{self.bandwidth / 1e9:.4g} GB/s"] if self.nbytes else []
        parts += [f"{self.rate / 1e9:.4g} GFLOP/s"] if self.flops else []
        return ", ".join(parts)

    def _repr_html_(self) -> str:
        """Return the times as bars, for a notebook."""
        longest = max(self.seconds)
        bars = "".join(f'<rect x="{8 * k}" y="{60 - 60 * s / longest:.1f}" width="6" '
                       f'height="{60 * s / longest:.1f}"><title>{s * 1e3:.4g} ms</title></rect>'
                       for k, s in enumerate(self.seconds))
        return (f"<p>{html.escape(str(self))} on {html.escape(self.device)}</p>"
                f'<svg role="img" aria-label="times of {len(self.seconds)} launches" '
                f'width="{8 * len(self.seconds)}" height="60" fill="#4a7db8">{bars}</svg>')


@ends_at_call
def benchmark(on: queue, space: Any, kernel: Any, *arguments: Any, rounds: int = 20,
              nbytes: float = 0, flops: float = 0) -> measurement:
    """Launch a kernel again and again and return how long each launch took.

    Args:
        on: the queue; it is waited for before and after each launch.
        space: the index space, then the kernel and its arguments, as for ``parallel_for``.
        rounds: how many launches are measured, after one that compiles and is not.
        nbytes: how many bytes a launch moves, and ``flops`` how many operations it does: the result
            then has a bandwidth and a rate.

    The times are the host's, from the call to the end of the wait: of short kernels a good part is
    the launch itself.
    """
    if rounds < 1:
        raise UsageError(errc.invalid, f"benchmark: {rounds} rounds; give 1 or more")
    on.parallel_for(space, kernel, *arguments).wait()
    on.wait()
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        on.parallel_for(space, kernel, *arguments).wait()
        times.append(time.perf_counter() - begin)
    return measurement(getattr(kernel, "__name__", type(kernel).__name__),
                       on.get_device().get_info(info.device.name), tuple(times), nbytes, flops)


@ends_at_call
class profile:
    """Measures every command that is submitted inside its ``with`` block; printed, it is a table.

    Args:
        queues: what to wait for at the end of the block; commands of other queues are in the table
            with the times known then.

    Example::

        with unisycl.ext.unisycl.profile(q) as seen:
            simulate(q)
        print(seen)
    """

    __slots__ = ("_queues", "_seen")

    def __init__(self, *queues: queue) -> None:
        self._queues = queues
        self._seen = recording()

    def __enter__(self) -> Self:
        self._seen.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        try:
            if error is None:
                for one in self._queues:
                    one.wait()
        finally:
            self._seen.__exit__(kind, error, trace)

    def rows(self) -> list[tuple[str, str, int, float]]:
        """Return for each command its name, its device, how often it ran, and seconds in all."""
        found: dict[tuple[str, str], tuple[int, float]] = {}
        for label, device, seconds in self._seen.times():
            count, total = found.get((label, device), (0, 0.0))
            found[label, device] = count + 1, total + seconds
        return sorted(((*key, *value) for key, value in found.items()), key=lambda row: -row[3])

    def _cells(self) -> Iterable[tuple[str, ...]]:
        yield "command", "device", "times", "total ms", "each ms", "share"
        rows = self.rows()
        whole = sum(row[3] for row in rows) or 1.0
        for label, device, count, total in rows:
            yield (label, device, str(count), f"{total * 1e3:.3f}",
                   f"{total / count * 1e3:.3f}", f"{100 * total / whole:.0f} %")

    def __str__(self) -> str:
        cells = [*self._cells()]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        return "\n".join("  ".join(
            text.ljust(width) if k < 2 else text.rjust(width)
            for k, (text, width) in enumerate(zip(row, widths, strict=True))).rstrip()
            for row in cells)

    def _repr_html_(self) -> str:
        """Return the table, for a notebook."""
        head, *rest = self._cells()

        def line(tag: str, row: Iterable[str]) -> str:
            return f"<tr>{''.join(f'<{tag}>{html.escape(x)}</{tag}>' for x in row)}</tr>"
        return f"<table>{line('th', head)}{''.join(line('td', row) for row in rest)}</table>"


@ends_at_call
def autotune(on: queue, size: int, kernel: Any, *arguments: Any,
             local_sizes: Iterable[int] = _SIZES, rounds: int = 3) -> int:
    """Return the work-group size by which a kernel of an ``nd_range`` was fastest.

    Args:
        on: the queue.
        size: how many work-items there are in all; sizes that do not divide it are left out.
        kernel: the kernel; arguments: what it is launched with. It runs for each size.
        local_sizes: what is tried.
        rounds: how often each is measured; the best time counts.

    The result is kept, in the process and beside the compiled kernels on disk, for the same
    function, device, number of items, types of arguments and sizes.
    """
    most = on.get_device().get_info(info.device.max_work_group_size)
    fitting = [n for n in local_sizes if 0 < n <= most and size % n == 0]
    if not fitting:
        raise UsageError(errc.invalid, f"autotune: none of the sizes divides {size} and is at most "
                         f"{most}; give local_sizes")
    key = _key(on, size, kernel, arguments, fitting)
    if key not in _known:
        kept = disk_cache.load(key)
        _known[key] = json.loads(kept) if kept else min(
            fitting, key=lambda n: benchmark(on, geo.nd_range(size, n), kernel, *arguments,
                                             rounds=rounds).best)
        if not kept:
            disk_cache.save(key, json.dumps(_known[key]).encode())
    return _known[key]


def _key(on: queue, size: int, kernel: Any, arguments: tuple[Any, ...],
         sizes: list[int]) -> str:
    """Return what a result is kept under."""
    function = getattr(kernel, "function", kernel)
    code = marshal.dumps(function.__code__) if isinstance(function, FunctionType) else repr(
        type(kernel)).encode()
    place = on.get_device()
    types = [str(getattr(a, "dtype", type(a))) for a in arguments]
    return disk_cache.key_of("autotune", hashlib.sha256(code).hexdigest(), str(size), str(sizes),
                             str(types), place.get_info(info.device.name),
                             place.get_info(info.device.driver_version))
