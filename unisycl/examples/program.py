"""What the example programs share: the command line, the device, the times, the picture.

Non-goals: kernels; those are in the examples. Invariant: a mistake of the user ends a program with
one line and exit code 2.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import numpy as np
import numpy.typing as npt

import unisycl as sycl

Picture = npt.NDArray[np.uint8]
_T = TypeVar("_T")
PATIENCE = 2000.0  # milliseconds after which a chain is not run again to be timed warm


def fail(message: str) -> NoReturn:
    """End the program: one line on standard error, exit code 2."""
    sys.stderr.write(" ".join(message.split()) + "\n")
    raise SystemExit(2)


def make_queue(name: str) -> sycl.queue:
    """Return a profiling queue on the device of a name: ``default``, ``cpu``, ``opencl:1``."""
    try:
        return _queue_on(name)
    except sycl.exception as error:
        fail(error.what())


def _queue_on(name: str) -> sycl.queue:
    profiling = sycl.property.queue.enable_profiling()
    if name == "default":
        return sycl.queue(sycl.default_selector_v, profiling)
    found = [d for p in sycl.platform.get_platforms() for d in p.get_devices()]
    chosen = [d for d in found if name in (d.state.name, d.get_backend().name)]
    if not chosen:
        names = ", ".join(["default", *(d.state.name for d in found)])
        fail(f"no device is named '{name}'; choose one of: {names}")
    return sycl.queue(chosen[0], profiling)


class Timeline:
    """Names the command groups of a program and reads their times from event profiling."""

    def __init__(self, queue: sycl.queue) -> None:
        self.queue = queue
        self.events: list[tuple[str, sycl.event]] = []

    def submit(self, group: Callable[[sycl.handler], Any]) -> None:
        """Submit a command group under its function's name; usable as a decorator."""
        if self.queue.get_device().has(sycl.aspect.host_debuggable):
            print(f"  {group.__name__} ...", file=sys.stderr, flush=True)
        self.events.append((group.__name__, self.queue.submit(group)))

    def milliseconds(self) -> list[tuple[str, float]]:
        """Return what each command group took on the device; waits for it."""
        start, end = (sycl.info.event_profiling.command_start,
                      sycl.info.event_profiling.command_end)
        return [(name, (event.get_profiling_info(end) - event.get_profiling_info(start)) / 1e6)
                for name, event in self.events]


def timed(work: Callable[[], _T]) -> tuple[_T, float]:
    """Return what a function returns, and the milliseconds it took."""
    begin = time.perf_counter()
    result = work()
    return result, (time.perf_counter() - begin) * 1e3


def twice(work: Callable[[], _T]) -> tuple[_T, list[float]]:
    """Run a function and, unless that was slow, once more warm; return its result and the times."""
    result, first = timed(work)
    if first > PATIENCE:
        return result, [first]
    result, again = timed(work)
    return result, [first, again]


def print_times(line: Timeline, times: list[float], reference: float, rival: str) -> None:
    """Print the device, each command group's time, and the whole against the reference."""
    device = line.queue.get_device()
    name = device.get_info(sycl.info.device.name)
    print(f"device: {name} [{device.get_backend().name}]")
    spent_in: dict[str, list[float]] = {}
    for group, spent in line.milliseconds():
        spent_in.setdefault(group, []).append(spent)
    for group, each in spent_in.items():
        label = group if len(each) == 1 else f"{group} x {len(each)}"
        print(f"  {label:32}{sum(each):10.3f} ms")
    labels = ("all, compiling included", "all, a second time")
    for label, spent in zip(labels, times, strict=False):
        print(f"  {label:32}{spent:10.3f} ms")
    print(f"  {rival + ', the same chain':32}{reference:10.3f} ms")


def print_difference(ours: Picture, theirs: Picture, rival: str) -> None:
    """Print how far two pictures are apart."""
    gap = np.abs(ours.astype(np.int16) - theirs.astype(np.int16))
    print(f"greatest difference from {rival}, in grey levels: {gap.max()}")


def optional(module: str, load: Callable[[], _T]) -> _T:
    """Return what ``load`` imports, or end the program saying how to install it."""
    try:
        return load()
    except ImportError as error:
        fail(f"this example needs {module}: pip install 'unisycl[examples]' ({error})")


def sample(name: str) -> Path:
    """Return the path of a file of matplotlib's sample data."""
    def load() -> Any:
        from matplotlib import cbook  # noqa: PLC0415 - optional

        return cbook

    return Path(optional("matplotlib", load).get_sample_data(name, asfileobj=False))


def _pillow() -> Any:
    def load() -> Any:
        from PIL import Image  # noqa: PLC0415 - optional

        return Image

    return optional("Pillow", load)


def read_picture(path: Path) -> Picture:
    """Return a picture as height x width x 3 bytes."""
    image = _pillow()
    try:
        with image.open(path) as opened:
            return np.ascontiguousarray(opened.convert("RGB"))
    except (OSError, ValueError, SyntaxError, image.DecompressionBombError) as error:
        fail(f"cannot read a picture from {path}: {error}")


def write_picture(path: Path, grey: Picture) -> None:
    """Write a grey picture; the name's ending chooses the format."""
    try:
        _pillow().fromarray(grey).save(path)
    except (OSError, ValueError) as error:
        fail(f"cannot write the picture {path}: {error}")
    print(f"written: {path}")
