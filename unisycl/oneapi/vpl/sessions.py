"""Loaders and sessions: which implementations there are, and one of them (oneVPL's dispatcher).

Non-goals: codecs and kernels. Invariant: an implementation is listed only if it can be used here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import av

import unisycl as sycl
from unisycl.oneapi.vpl.coding import CODECS, codec_of, decoder, encoder
from unisycl.oneapi.vpl.errors import invalid_argument, unsupported

FILTERS = ("crop", "scale", "colour_conversion", "deinterlace", "composition", "denoise")
_ROOT = "mfxImplDescription."
PROPERTIES = {
    f"{_ROOT}Impl": "impl",
    f"{_ROOT}AccelerationMode": "acceleration",
    f"{_ROOT}mfxDecoderDescription.decoder.CodecID": "decoders",
    f"{_ROOT}mfxEncoderDescription.encoder.CodecID": "encoders",
    f"{_ROOT}mfxVPPDescription.filter.FilterFourCC": "filters",
}
"""What implementations are filtered by, in oneVPL's words."""


@dataclass(frozen=True)
class implementation:
    """What can decode, encode and process.

    Args:
        impl: "software" or "hardware"; acceleration: FFmpeg's kind of device, "" for none.
        decoders, encoders: codecs; filters: steps of video processing.
    """

    impl: str
    name: str
    acceleration: str = ""
    decoders: tuple[str, ...] = ()
    encoders: tuple[str, ...] = ()
    filters: tuple[str, ...] = FILTERS


def _available(codec: str, mode: str) -> bool:
    try:
        codec_of(codec, mode)
    except unsupported:
        return False
    return True


def _implementations(queue: sycl.queue) -> list[implementation]:
    software = implementation(
        "software", f"FFmpeg of PyAV {av.__version__}", "",
        tuple(c for c in CODECS if _available(c, "r")),
        tuple(c for c in CODECS if _available(c, "w")))
    found = [software]
    for kind in av.codec.hwaccel.hwdevices_available():
        decoders = tuple(c for c in software.decoders if _decodes(queue, c, kind))
        if decoders:
            found.append(implementation("hardware", f"FFmpeg's {kind}", kind, decoders))
    return found


def _decodes(queue: sycl.queue, codec: str, kind: str) -> bool:
    try:
        decoder(queue, codec, kind)
    except unsupported:
        return False
    return True


@dataclass
class config:
    """Filters of one loader: all that are set must hold."""

    wanted: dict[str, Any] = field(default_factory=dict)

    def set_filter_property(self, name: str, value: Any) -> config:
        """Ask for a property, as ("mfxImplDescription.Impl", "software")."""
        if name not in PROPERTIES:
            raise invalid_argument(f"set_filter_property: there is no property '{name}'; there are "
                                   + ", ".join(PROPERTIES))
        self.wanted[name] = value
        return self


class loader:
    """Lists implementations, and makes sessions.

    Args:
        queue: where video is processed; a default one if left out.
    """

    def __init__(self, queue: sycl.queue | None = None) -> None:
        if queue is not None and not isinstance(queue, sycl.queue):
            raise invalid_argument(f"loader: expected a queue, got {type(queue).__name__}")
        self.queue = queue or sycl.queue()
        self._configs: list[config] = []
        self._known: list[implementation] | None = None

    def create_config(self) -> config:
        """Return more filters."""
        self._configs.append(config())
        return self._configs[-1]

    def enum_implementations(self) -> list[implementation]:
        """Return the implementations that all filters let through."""
        if self._known is None:
            self._known = _implementations(self.queue)
        wanted = [(PROPERTIES[n], v) for c in self._configs for n, v in c.wanted.items()]
        return [i for i in self._known if all(_fits(getattr(i, n), v) for n, v in wanted)]

    def create_session(self, index: int = 0) -> session:
        """Return a session with one of these implementations."""
        found = self.enum_implementations()
        if not found:
            wanted = {n: v for c in self._configs for n, v in c.wanted.items()}
            raise unsupported(f"create_session: no implementation has {wanted}; there are "
                              + "; ".join(f"{i.name}: decodes {', '.join(i.decoders)}, encodes "
                                          f"{', '.join(i.encoders)}" for i in self._known or []))
        if not hasattr(index, "__index__") or not 0 <= index < len(found):
            raise invalid_argument(f"create_session: there are {len(found)} implementations, "
                                   f"numbered from 0; got {index!r}")
        return session(self.queue, found[index])


def _fits(has: Any, wanted: Any) -> bool:
    return wanted in has if isinstance(has, tuple) else has == wanted


class session:
    """One implementation on one queue; made by ``loader.create_session``."""

    def __init__(self, queue: sycl.queue, chosen: implementation) -> None:
        self.queue, self.implementation = queue, chosen

    def create_decoder(self, codec: str) -> decoder:
        """Return a decoder."""
        self._check("decodes", codec, self.implementation.decoders)
        return decoder(self.queue, codec, self.implementation.acceleration)

    def create_encoder(self, codec: str, width: int, height: int, **more: Any) -> encoder:
        """Return an encoder; see ``encoder`` for what more there is."""
        self._check("encodes", codec, self.implementation.encoders)
        return encoder(codec, width, height, **more)

    def _check(self, does: str, codec: str, known: tuple[str, ...]) -> None:
        if codec not in known:
            raise unsupported(f"{self.implementation.name} {does} no {codec}; it {does} "
                              f"{', '.join(known) or 'nothing'}")
