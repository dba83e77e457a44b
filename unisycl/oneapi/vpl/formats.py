"""Formats of surfaces: which planes they have, and how the parts of a pixel lie in them.

Non-goals: memory. Invariant: the parts of a format are, in this order, Y U V, or R G B (A).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from unisycl.oneapi.vpl.errors import unsupported


@dataclass(frozen=True)
class Part:
    """One part of a pixel: its plane, its place among ``step`` elements, and its sampling."""

    plane: int
    first: int
    step: int
    halved: bool = False


@dataclass(frozen=True)
class Format:
    """A format: its name here and in FFmpeg, its parts, its bits and how far these are shifted."""

    name: str
    ffmpeg: str
    parts: tuple[Part, ...]
    bits: int = 8
    shift: int = 0
    colours: bool = False

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of an element."""
        return np.dtype(np.uint8 if self.bits == 8 else np.uint16)

    def planes(self, width: int, height: int) -> list[tuple[int, int]]:
        """Return how many rows each plane has, and how many elements in a row."""
        found: dict[int, tuple[int, int]] = {}
        for p in self.parts:
            rows, columns = ((height + 1) // 2, (width + 1) // 2) if p.halved else (height, width)
            found[p.plane] = rows, columns * p.step
        return [found[k] for k in sorted(found)]


_PLANAR = (Part(0, 0, 1), Part(1, 0, 1, halved=True), Part(2, 0, 1, halved=True))
_HALF = (Part(0, 0, 1), Part(1, 0, 2, halved=True), Part(1, 1, 2, halved=True))

FORMATS: dict[str, Format] = {f.name: f for f in (
    Format("nv12", "nv12", _HALF),
    Format("i420", "yuv420p", _PLANAR),
    Format("p010", "p010le", _HALF, 10, 6),
    Format("i010", "yuv420p10le", _PLANAR, 10),
    Format("rgb", "rgb24", tuple(Part(0, k, 3) for k in range(3)), colours=True),
    Format("rgb4", "bgra", tuple(Part(0, k, 4) for k in (2, 1, 0, 3)), colours=True),
)}


def format_of(name: Any) -> Format:
    """Return a format by its name."""
    if not isinstance(name, str) or name not in FORMATS:
        raise unsupported(f"there is no format '{name}'; there are {', '.join(FORMATS)}")
    return FORMATS[name]


MATRICES = {"bt601": (0.299, 0.114), "bt709": (0.2126, 0.0722)}


def to_colours(matrix: str, *, full: bool, bits: int) -> list[float]:
    """Return what makes red, green and blue (0 to 255) of Y, U and V: 9 factors and 3 shifts."""
    kr, kb = MATRICES[matrix]
    unit = 1 << (bits - 8)
    y, c = (1.0, 1.0) if full else (255 / 219, 255 / 224)
    if bits > 8 and full:
        y = c = 255 * unit / ((1 << bits) - 1)
    factors = [[y, 0, 2 * (1 - kr) * c],
               [y, -2 * kb * (1 - kb) / (1 - kr - kb) * c, -2 * kr * (1 - kr) / (1 - kr - kb) * c],
               [y, 2 * (1 - kb) * c, 0]]
    zero = [0 if full else 16 * unit, 128 * unit, 128 * unit]
    shifts = [-sum(f * z for f, z in zip(row, zero, strict=True)) / unit for row in factors]
    return [f / unit for row in factors for f in row] + shifts


def from_colours(matrix: str, *, full: bool, bits: int) -> list[float]:
    """Return what makes Y, U and V of red, green and blue: 9 factors and 3 shifts."""
    given = to_colours(matrix, full=full, bits=bits)
    factors = np.linalg.inv(np.array(given[:9]).reshape(3, 3))
    shifts = -factors @ np.array(given[9:])
    return [float(v) for v in (*factors.reshape(-1), *shifts)]
