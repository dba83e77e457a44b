"""The film of the project: made here or read, by oneVPL where PyAV is there; shrunk in tasks.

Non-goals: what is found in it. Invariant: pictures are small ones of i420 in rows of one array.
"""

from __future__ import annotations

import importlib
import importlib.util
import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import unisycl as sycl
from unisycl.examples.program import fail
from unisycl.oneapi import tbb

SIDE = 16
LUMA, PITCH = SIDE * SIDE, SIDE * SIDE * 3 // 2  # of a picture of i420: Y, then U and V
Bytes = npt.NDArray[np.uint8]


def wave(k: int, side: int) -> Bytes:
    """Return picture k of a film that is made here: waves of one of three directions, noisy."""
    angle = np.pi * (k % 3) / 3
    y, x = np.mgrid[0:side, 0:side] * (SIDE / side)
    way = 2 * np.pi * 0.25 * (x * np.cos(angle) + y * np.sin(angle))
    noise = np.random.default_rng(k).normal(0, 12, (side, side))
    found: Bytes = np.clip(128 + 70 * np.sin(way + k) + noise, 0, 255).astype(np.uint8)
    return found


def decoded(vpl: Any, queue: sycl.queue, numbers: Sequence[int]) -> Iterator[Any]:
    """Yield the pictures of the film that is made here, encoded and decoded."""
    session, side = vpl.loader(queue).create_session(), 4 * SIDE
    encoder = session.create_encoder("mjpeg", side, side)
    decoder = session.create_decoder("mjpeg")
    for k in numbers:
        picture = vpl.surface(queue, "i420", side, side, full_range=True)
        for plane, values in zip(picture.array(), (wave(k, side), 128, 128), strict=True):
            plane[:] = values
        for packet in encoder.encode(picture):
            yield from decoder.decode(packet)
    for packet in encoder.flush():
        yield from decoder.decode(packet)
    yield from decoder.flush()


def film(path: Path | None, queue: sycl.queue, numbers: Sequence[int]) -> Bytes:
    """Return some pictures of a film, small; tasks shrink those that are decoded meanwhile."""
    batch = np.full((len(numbers), PITCH), 128, np.uint8)
    if not numbers:
        return batch
    if importlib.util.find_spec("av") is None:
        if path:
            fail("to read a film, pip install 'unisycl[av]'")
        for k, row in zip(numbers, batch, strict=True):
            row[:LUMA] = wave(k, SIDE).reshape(-1)
        return batch
    vpl = importlib.import_module("unisycl.oneapi.vpl")
    source = decoded(vpl, queue, numbers) if path is None else (
        s for k, s in enumerate(vpl.read(queue, str(path))) if k in numbers)
    pictures, done = enumerate(itertools.islice(source, len(numbers))), []

    def next_one(control: tbb.flow_control) -> Any:
        found = next(pictures, None)
        return found if found is not None else control.stop()

    def shrink(found: tuple[int, Any]) -> None:
        k, picture = found
        small = vpl.surface(queue, "i420", SIDE, SIDE, memory=batch[k],
                            matrix=picture.matrix, full_range=picture.full_range)
        vpl.process(picture, small).wait()
        done.append(k)

    mode = tbb.filter_mode
    tbb.parallel_pipeline(4, tbb.make_filter(mode.serial_in_order, next_one),
                          tbb.make_filter(mode.parallel, shrink))
    return batch[:len(done)]
