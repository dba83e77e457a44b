"""Video processing beside PyAV's swscale, and codecs there and back.

``python -m bench.vpl [--device D] [--rounds N] [--quick]``: interleaved; of each the least wall and
processor time of all rounds; then each codec's PSNR.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import av
import numpy as np

import unisycl as sycl
from unisycl.oneapi import vpl

CODECS = ("mjpeg", "h264", "hevc", "av1", "vp9")


def picture(queue: sycl.queue, name: str, width: int, height: int, step: int = 0,
            **more: Any) -> vpl.surface:
    """Return a picture of waves and fine grain that moves."""
    made = vpl.surface(queue, name, width, height, **more)
    y, x = np.mgrid[0:height, 0:width]
    grain = np.random.default_rng(step).normal(0, 2, (height, width))
    planes = made.array()
    planes[0][:] = 110 + 50 * np.sin((x + 4 * step) / 60) + 35 * np.cos(y / 40) + grain
    for plane in planes[1:]:
        plane[:] = 128 + 40 * np.sin(np.arange(plane.shape[1]) / 70)
    return made


def least(runs: Sequence[Callable[[], Any]], rounds: int) -> list[list[float]]:
    """Return the least wall and processor time of each, in milliseconds."""
    best = [[float("inf")] * 2 for _ in runs]
    for run in runs:
        run()
    for _ in range(rounds):
        for times, run in zip(best, runs, strict=True):
            wall, spent = time.perf_counter(), time.process_time()
            run()
            times[0] = min(times[0], (time.perf_counter() - wall) * 1e3)
            times[1] = min(times[1], (time.process_time() - spent) * 1e3)
    return best


def _ours(source: vpl.surface, out: vpl.surface) -> None:
    vpl.process(source, out).wait()


def processing(queue: sycl.queue, rounds: int) -> None:
    """Print NV12 of 1080p to colours; the last size is in no ratio of small numbers."""
    source = picture(queue, "nv12", 1920, 1080)
    frame = vpl.to_frame(source)
    for width, height in ((1280, 720), (1920, 1080), (640, 360), (854, 480)):
        for name, other in (("rgb", "rgb24"), ("rgb4", "bgra")):
            out = vpl.surface(queue, name, width, height)
            (wall, spent), (peer, peer_spent) = least([
                partial(_ours, source, out), partial(frame.reformat, width, height, other)], rounds)
            print(f"nv12 1920 x 1080 to {name:4} {width} x {height}: ours {wall:.2f} ms (processor "
                  f"{spent:.2f}), swscale {peer:.2f} ({peer_spent:.2f}): {peer / wall:.2f} times "
                  f"as fast, {peer_spent / spent:.2f} in processor time", flush=True)


def codecs(queue: sycl.queue, count: int) -> None:
    """Print each codec's PSNR and frames a second, of 640 x 360 at 4 Mbit/s."""
    session = vpl.loader(queue).create_session()
    for codec in CODECS:
        encoder = session.create_encoder(codec, 640, 360)
        pictures = [picture(queue, "i420", 640, 360, k, full_range=encoder.full_range)
                    for k in range(count)]
        begun = time.perf_counter()
        packets = [p for s in pictures for p in encoder.encode(s)] + encoder.flush()
        between = time.perf_counter()
        decoder = session.create_decoder(codec)
        found = [s for p in packets for s in decoder.decode(p)] + decoder.flush()
        ended = time.perf_counter()
        error = np.mean([((a.array()[0].astype(float) - b.array()[0]) ** 2).mean()
                         for a, b in zip(found, pictures, strict=True)])
        print(f"{codec:6} PSNR of luma {10 * np.log10(255 ** 2 / error):.1f} dB, "
              f"{sum(map(len, packets)) / count / 1000:.1f} kB a picture, encodes "
              f"{count / (between - begun):.0f} and decodes {count / (ended - between):.0f} "
              "pictures a second", flush=True)


def main(given: Sequence[str] | None = None) -> None:
    """Run all."""
    parser = argparse.ArgumentParser(prog="python -m bench.vpl")
    parser.add_argument("--device")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args(given)
    queue = sycl.queue(options.device) if options.device else sycl.queue()
    print("on", queue.get_device().get_info(sycl.info.device.name), "with PyAV", av.__version__)
    processing(queue, 1 if options.quick else options.rounds)
    codecs(queue, 3 if options.quick else 50)


if __name__ == "__main__":
    main()
