"""A film decoded, filtered on a queue and encoded again: oneVPL.

``python -m unisycl.examples.video [FILM] [-o OUT] [--codec C] [--frames N] [--device D]``

Without a film, one of waves and noise is made and encoded first. Each picture is evened out, laid
under a small copy of itself, and encoded; the last line tells frames a second. ``OUT`` takes the
stream as it is (``.h264``, ``.mjpeg``), which players open. Needs ``pip install 'unisycl[av]'``.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

import unisycl as sycl
from unisycl.examples.program import fail, make_queue
from unisycl.oneapi import vpl

_BAR = 30


def made_film(queue: sycl.queue, count: int) -> Iterator[vpl.surface]:
    """Yield decoded pictures of a film that is made here: waves that move, with noise."""
    session = vpl.loader(queue).create_session()
    encoder, decoder = session.create_encoder("h264", 640, 360), session.create_decoder("h264")
    y, x = np.mgrid[0:360, 0:640]
    rng = np.random.default_rng(1)
    for k in range(count):
        picture = vpl.surface(queue, "i420", 640, 360)
        luma, u, v = picture.array()
        luma[:] = 110 + 50 * np.sin((x + 5 * k) / 50) * np.cos(y / 35) + rng.normal(0, 6, x.shape)
        u[:] = 128 + 50 * np.sin(x[::2, ::2] / 90)
        v[:] = 128 + 50 * np.cos((y[::2, ::2] + 2 * k) / 60)
        for packet in encoder.encode(picture):
            yield from decoder.decode(packet)
    for packet in encoder.flush():
        yield from decoder.decode(packet)
    yield from decoder.flush()


class Filters:
    """The steps between decoding and encoding, and the memory they need."""

    def __init__(self, queue: sycl.queue, first: vpl.surface, *, full_range: bool) -> None:
        width, height = first.width // 2 * 2, first.height // 2 * 2
        self.size = width, height
        self.colours, self.clean = (vpl.surface(queue, "rgb4", width, height) for _ in range(2))
        self.small = vpl.surface(queue, "rgb4", max(width // 4, 1), max(height // 4, 1))
        self.out = vpl.surface(queue, "i420", width, height, full_range=full_range)

    def apply(self, picture: vpl.surface) -> vpl.surface:
        """Return the filtered picture; each step waits for the one before it, on the device."""
        whole = (0, 0, *self.size)
        done = vpl.process(picture, self.colours, crop=whole)
        done = vpl.denoise(self.colours, self.clean, strength=12, depends_on=done)
        done = vpl.process(self.clean, self.small, depends_on=done)
        done = vpl.compose(self.small, self.clean, left=8, top=8, alpha=0.9, depends_on=done)
        vpl.process(self.clean, self.out, depends_on=done).wait()
        return self.out


def run(queue: sycl.queue, film: Iterable[vpl.surface], codec: str, total: int) -> list[bytes]:
    """Filter and encode a film, with a bar where standard error is a terminal."""
    packets: list[bytes] = []
    filters = encoder = None
    begun, count = time.perf_counter(), 0
    for count, picture in enumerate(film, 1):
        if filters is None or encoder is None:
            size = picture.width // 2 * 2, picture.height // 2 * 2
            encoder = vpl.loader(queue).create_session().create_encoder(codec, *size)
            filters = Filters(queue, picture, full_range=encoder.full_range)
        packets += encoder.encode(filters.apply(picture))
        if sys.stderr.isatty():
            done = min(count * _BAR // total, _BAR)
            sys.stderr.write(f"\r[{'#' * done}{'.' * (_BAR - done)}] {count}")
    packets += encoder.flush() if encoder else []
    spent = time.perf_counter() - begun
    if sys.stderr.isatty():
        sys.stderr.write("\n")
    name = queue.get_device().get_info(sycl.info.device.name)
    print(f"{count} pictures decoded, filtered on {name} and encoded as {codec}, "
          f"{sum(map(len, packets)) / 1000:.0f} kB")
    print(f"{count / spent:.1f} frames a second")
    return packets


def main(given: Sequence[str] | None = None) -> int:
    """Run the program."""
    parser = argparse.ArgumentParser(prog="python -m unisycl.examples.video")
    parser.add_argument("film", nargs="?", type=Path)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--codec", default="h264")
    parser.add_argument("--frames", type=int, default=60)
    parser.add_argument("--device", default="default")
    options = parser.parse_args(given)
    queue = make_queue(options.device)
    if options.film is not None and not options.film.is_file():
        fail(f"there is no file {options.film}")
    try:
        film = (vpl.read(queue, str(options.film)) if options.film
                else made_film(queue, options.frames))
        packets = run(queue, itertools.islice(film, options.frames), options.codec,
                      options.frames)
    except sycl.exception as error:
        fail(error.what())
    if options.output:
        options.output.write_bytes(b"".join(packets))
    return 0


if __name__ == "__main__":
    sys.exit(main())
