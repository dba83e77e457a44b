"""Decoders and encoders, by the codecs of PyAV's FFmpeg; surfaces in and out.

Non-goals: files with several streams. Invariants: a decoded frame's planes are used in place where
the device reaches the host's memory; a stream that is corrupt raises, and nothing is made up.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import av
import numpy as np

import unisycl as sycl
from unisycl.oneapi.vpl.errors import bitstream_error, invalid_argument, unsupported
from unisycl.oneapi.vpl.formats import FORMATS
from unisycl.oneapi.vpl.surfaces import surface

_BY_FFMPEG = {f.ffmpeg: f for f in FORMATS.values()} | {"yuvj420p": FORMATS["i420"]}
_SPACES = {"bt709": 1, "bt601": 5}
_LIMITED, _FULL = 1, 2
CODECS: dict[str, tuple[tuple[str, ...], tuple[str, ...], dict[str, str]]] = {
    "mjpeg": (("mjpeg",), ("mjpeg",), {}),
    "h264": (("h264",), ("libx264", "h264"), {"preset": "veryfast", "tune": "zerolatency"}),
    "hevc": (("hevc",), ("libx265", "hevc"), {"preset": "veryfast",
                                              "x265-params": "log-level=none:hash=1"}),
    "av1": (("libdav1d", "av1"), ("libsvtav1", "av1"), {"preset": "10"}),
    "vp9": (("vp9",), ("libvpx-vp9", "vp9"), {"deadline": "realtime", "cpu-used": "8"}),
}
"""Of each codec: who decodes it, who encodes it, and how, in FFmpeg's words."""
_LEAST = {"av1": 64}
"""The least width and height where they are not 16: SVT-AV1 keeps no bit rate below."""


def codec_of(codec: str, mode: str) -> str:
    """Return FFmpeg's name for a codec; refuse what is not there."""
    if codec not in CODECS:
        raise unsupported(f"there is no codec '{codec}'; there are {', '.join(CODECS)}")
    for name in CODECS[codec][0 if mode == "r" else 1]:
        try:
            av.codec.Codec(name, "r" if mode == "r" else "w")
        except ValueError:
            continue
        return name
    raise unsupported(f"this FFmpeg has nothing that {'decodes' if mode == 'r' else 'encodes'} "
                      f"{codec}; install another build of PyAV (pip install 'unisycl[av]')")


class decoder:
    """Makes surfaces of a stream; made by ``session.create_decoder``.

    Args:
        queue: whose kernels work on them.
        codec: mjpeg, h264, hevc, av1 or vp9.
        hardware: the kind of FFmpeg's device that decodes; "" for the processor.
    """

    def __init__(self, queue: sycl.queue, codec: str, hardware: str = "") -> None:
        self.queue, self.codec = queue, codec
        more: dict[str, Any] = {}
        if hardware:
            more["hwaccel"] = av.codec.hwaccel.HWAccel(hardware, allow_software_fallback=False)
        try:
            name = CODECS[codec][0][-1] if hardware else codec_of(codec, "r")
            self._context: Any = av.CodecContext.create(name, "r", **more)
            if hardware and not self._context.is_hwaccel:
                raise NotImplementedError(f"FFmpeg's {name} does not use it")
        except (av.error.FFmpegError, NotImplementedError, RuntimeError, OSError) as error:
            raise unsupported(f"decoder: {hardware} cannot decode {codec} here ({error}); leave it "
                              "to the processor") from None
        self._context.options = {"err_detect": "crccheck+bitstream+buffer+explode"}
        self._context.thread_count = 1
        self._given = self._found = 0
        self._hardware = hardware

    def decode(self, data: Any, *, whole: bool = False) -> list[surface]:
        """Return the surfaces that come of more of the stream.

        Args:
            data: bytes: one packet, as an encoder gives it, or with ``whole`` a stretch of a
                stream of mjpeg, h264 or hevc, cut anywhere.
            whole: whether packets are to be found in it.
        """
        try:
            given = bytes(memoryview(data))
        except TypeError:
            raise invalid_argument("decode: expected bytes, got "
                                   f"{type(data).__name__}") from None
        if not given:
            raise invalid_argument("decode: there are no bytes; call flush() at the end")
        self._given += 1
        return self._taken(self._context.parse(given) if whole else [av.Packet(given)])

    def flush(self) -> list[surface]:
        """Return the surfaces that are left at the end of the stream."""
        packets = [*self._context.parse(b""), None] if self._given else []
        found = self._taken([p for p in packets if p is None or p.size])
        if self._given and not self._found:
            raise bitstream_error(f"decode: no picture came of the stream; is it {self.codec}?")
        return found

    def _otherwise(self) -> str:
        """Return what else may be wrong with a first picture: what hardware says cannot be told."""
        if not self._hardware or self._found:
            return ""
        return (f"; or {self._hardware} does not decode streams of this kind: try a session of "
                "the software implementation")

    def _taken(self, packets: list[Any]) -> list[surface]:
        found: list[surface] = []
        try:
            for packet in packets:
                for frame in self._context.decode(packet):
                    if frame.is_corrupt:
                        raise bitstream_error(f"decode: picture {self._found} of the {self.codec} "
                                              "stream is corrupt; drop it up to the next key "
                                              "frame, or get the stream again")
                    found.append(from_frame(self.queue, frame))
                    self._found += 1
        except av.error.EOFError:
            pass
        except av.error.FFmpegError as error:
            raise bitstream_error(f"decode: the {self.codec} stream is corrupt behind "
                                  f"{self._found} pictures, or not {self.codec} "
                                  f"({error.strerror})" + self._otherwise()) from None
        return found


class encoder:
    """Makes a stream of surfaces; made by ``session.create_encoder``.

    Args:
        codec: mjpeg, h264, hevc, av1 or vp9.
        width, height: of all surfaces.
        rate: frames a second; bit_rate: bits a second.
        options: more options, in FFmpeg's words, as {"crf": "20"}.
        matrix: how Y, U and V of all surfaces are meant, which the stream tells.
    """

    def __init__(self, codec: str, width: int, height: int, *, rate: Any = 25,
                 bit_rate: int = 4_000_000, options: dict[str, str] | None = None,
                 matrix: str = "bt601") -> None:
        least = _LEAST.get(codec, 16)
        if not all(hasattr(n, "__index__") and n >= least and n % 2 == 0 for n in (width, height)):
            raise invalid_argument(f"encoder: width and height must be even and at least {least}"
                                   f"{f' for {codec}' if codec in _LEAST else ''}, got {width!r} "
                                   f"x {height!r}")
        speed = _speed(rate)
        if not hasattr(bit_rate, "__index__") or bit_rate < 1:
            raise invalid_argument("encoder: bit_rate must be a whole number of bits a second, got "
                                   f"{bit_rate!r}")
        more = _options(options)
        if matrix not in (["bt601"] if codec == "mjpeg" else [*_SPACES]):
            raise invalid_argument(f"encoder: {codec} takes matrix="
                                   f"{'bt601' if codec == 'mjpeg' else 'bt601 or bt709'}, got "
                                   f"{matrix!r}")
        name = codec_of(codec, "w")
        self.matrix = matrix
        self.codec, self.width, self.height = codec, width, height
        os.environ.setdefault("SVT_LOG", "1")  # else that library tells its settings on stderr
        context: Any = av.CodecContext.create(name, "w")
        context.width, context.height = width, height
        context.pix_fmt = "yuvj420p" if codec == "mjpeg" else "yuv420p"
        context.framerate, context.time_base = speed, 1 / speed
        context.bit_rate = int(bit_rate)
        context.options = CODECS[codec][2] | more
        if matrix == "bt709":
            context.colorspace = _SPACES[matrix]
        self._context, self._count, self._ended = context, 0, False
        self.full_range = codec == "mjpeg"
        try:
            context.open()
        except (av.error.FFmpegError, ValueError) as error:
            raise self._refused("encoder", error) from None
        if context.options:  # FFmpeg leaves what it does not know
            raise invalid_argument(f"encoder: {name} has no option "
                                   f"{', '.join(map(repr, sorted(context.options)))}; 'ffmpeg -h "
                                   f"encoder={name}' lists its options")

    def encode(self, picture: surface) -> list[bytes]:
        """Return the packets that come of one more surface, in i420 or nv12."""
        if self._ended:
            raise invalid_argument("encode: the stream was flushed; make another encoder")
        if not isinstance(picture, surface):
            raise invalid_argument(f"encode: expected a surface, got {type(picture).__name__}")
        if (picture.width, picture.height) != (self.width, self.height):
            raise invalid_argument(f"encode: {picture!r} is not {self.width} x {self.height}; "
                                   "process it to that size")
        if picture.format.name not in ("i420", "nv12"):
            raise invalid_argument(f"encode: {picture!r} must be i420 or nv12; process it first")
        if picture.full_range != self.full_range:
            raise invalid_argument(f"encode: {self.codec} takes full_range={self.full_range}; "
                                   "process it by rgb into a surface that is so")
        if picture.matrix != self.matrix:
            raise invalid_argument(f"encode: the stream tells matrix={self.matrix!r}, the surface "
                                   f"has {picture.matrix!r}; make the encoder with "
                                   f"matrix={picture.matrix!r}, or process it by rgb")
        frame = to_frame(picture)
        if picture.format.name == "nv12":
            frame = frame.reformat(format=self._context.pix_fmt)
        frame.pts, self._count = self._count, self._count + 1
        frame.time_base = self._context.time_base
        return self._packets(frame)

    def flush(self) -> list[bytes]:
        """Return the packets that are left at the end."""
        self._ended = True
        return self._packets(None) if self._count else []

    def _packets(self, frame: Any) -> list[bytes]:
        try:
            return [bytes(p) for p in self._context.encode(frame)]
        except (av.error.FFmpegError, ValueError) as error:
            raise self._refused("encode", error) from None

    def _refused(self, where: str, error: Exception) -> invalid_argument:
        return invalid_argument(f"{where}: {self.codec} refuses {self.width} x {self.height} with "
                                f"these options ({error})")


def _options(given: Any) -> dict[str, str]:
    """Return options; refuse what FFmpeg cannot read."""
    if given is None:
        return {}
    if not isinstance(given, dict) or not all(
            isinstance(x, str) for pair in given.items() for x in pair):
        raise invalid_argument("encoder: options are FFmpeg's, a dictionary of texts as "
                               f"{{'crf': '20'}}, got {given!r}")
    return given


def _speed(rate: Any) -> Fraction:
    """Return how many frames a second there are; refuse none, and what is no number."""
    try:
        found = Fraction(rate)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        found = Fraction(0)
    if found <= 0:
        raise invalid_argument(f"encoder: rate must be frames a second, above 0, got {rate!r}")
    return found


def from_frame(queue: Any, frame: Any) -> surface:
    """Return a frame of PyAV's as a surface, in place where the device reaches host memory.

    Formats that surfaces do not have become i420.
    """
    if not isinstance(queue, sycl.queue) or not isinstance(frame, av.VideoFrame):
        raise invalid_argument("from_frame: expected a queue and a frame of PyAV's, got "
                               f"{type(queue).__name__} and {type(frame).__name__}")
    if frame.format.name not in _BY_FFMPEG:
        frame = frame.reformat(format="yuv420p")
    found = _BY_FFMPEG[frame.format.name]
    planes = []
    for plane, (rows, _) in zip(frame.planes, found.planes(frame.width, frame.height),
                                strict=True):
        held: Any = plane
        cells = np.frombuffer(held, found.dtype)
        cells.flags.writeable = False  # the decoder may need the picture for those to come
        pitch = plane.line_size // found.dtype.itemsize
        planes.append(cells[:rows * pitch].reshape(rows, pitch))
    device = queue.get_device()
    if device.has(sycl.aspect.usm_system_allocations):
        made = surface._over(queue, found, (frame.width, frame.height), planes)
        made._kept = frame
    else:
        made = surface(queue, found.name, frame.width, frame.height)
        for target, pitch, lines in zip(made.planes, made.pitches, planes, strict=True):
            target.reshape(-1, pitch)[:] = lines[:, :pitch]
    made.full_range = frame.format.name == "yuvj420p" or int(frame.color_range) == _FULL
    made.matrix = "bt709" if int(frame.colorspace) == _SPACES["bt709"] else "bt601"
    made.timestamp = frame.pts or 0
    return made


def to_frame(picture: Any) -> Any:
    """Return a surface as a frame of PyAV's; wait first for what was submitted."""
    if not isinstance(picture, surface):
        raise invalid_argument(f"to_frame: expected a surface, got {type(picture).__name__}")
    name = picture.format.ffmpeg
    if name == "yuv420p" and picture.full_range:
        name = "yuvj420p"
    frame: Any = av.VideoFrame(picture.width, picture.height, name)
    if not picture.format.colours:  # else FFmpeg takes Y, U and V as it is used to
        frame.color_range = _FULL if picture.full_range else _LIMITED
        frame.colorspace = _SPACES[picture.matrix]
    shapes = picture.format.planes(picture.width, picture.height)
    for plane, source, pitch, (rows, columns) in zip(
            frame.planes, picture.planes, picture.pitches, shapes, strict=True):
        held: Any = plane
        into = np.frombuffer(held, picture.format.dtype)
        line = plane.line_size // picture.format.dtype.itemsize
        into[:rows * line].reshape(rows, line)[:, :columns] = np.asarray(source)[
            :rows * pitch].reshape(rows, pitch)[:, :columns]
    return frame


def read(queue: sycl.queue, path: Any) -> Iterator[surface]:
    """Yield the surfaces of a file's first video stream, or of a file object's."""
    try:
        with av.open(path) as container:
            if not container.streams.video:
                raise bitstream_error(f"read: {path} has no video stream")
            for frame in container.decode(video=0):
                yield from_frame(queue, frame)
    except av.error.FFmpegError as error:
        raise bitstream_error(f"read: {path} cannot be read as video ({error.strerror}); "
                              "is it whole?") from None
