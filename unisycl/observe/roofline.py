"""A kernel under the roof of its device: operations a byte, and operations a second, as a picture.

Non-goals: measuring. Invariant: both axes are logarithmic and hold the roof's corner and the point.
"""

from __future__ import annotations

import html
import math
from dataclasses import dataclass
from pathlib import Path

_WIDTH, _HEIGHT, _LEFT, _TOP = 480, 260, 70, 20


@dataclass(frozen=True, slots=True)
class Drawn:
    """The picture: shown in a notebook, or saved as SVG; ``share`` is how much of the roof."""

    text: str
    share: float
    bound: str

    def save(self, path: str | Path) -> None:
        """Write the picture to a file, as SVG."""
        Path(path).write_text(self.text, encoding="utf-8")

    def _repr_svg_(self) -> str:
        """Return the picture, for a notebook."""
        return self.text

    def __str__(self) -> str:
        return f"{100 * self.share:.0f} % of the roof, which is the {self.bound}"


def drawn(name: str, intensity: float, rate: float, bandwidth: float, most: float) -> Drawn:
    """Return the picture of a kernel: its operations a byte and a second, and the roof's."""
    roof = min(most, bandwidth * intensity)
    bound = "memory" if bandwidth * intensity < most else "arithmetic"
    made = Drawn("", rate / roof, bound)
    return Drawn(_Picture(name, intensity, rate, bandwidth, most).text(str(made)), made.share,
                 bound)


class _Picture:
    """Coordinates and shapes."""

    def __init__(self, name: str, intensity: float, rate: float, bandwidth: float,
                 most: float) -> None:
        self.name, self.point, self.bandwidth, self.most = name, (intensity, rate), bandwidth, most
        self.corner = most / bandwidth
        xs, ys = (intensity, self.corner), (rate, most)
        self.x0, self.x1 = (math.floor(math.log10(min(xs)) - 0.5),
                            math.ceil(math.log10(max(xs)) + 0.5))
        self.y0, self.y1 = math.floor(math.log10(min(ys)) - 0.5), math.ceil(math.log10(max(ys)))

    def x(self, value: float) -> float:
        """Return where operations a byte stand."""
        return _LEFT + (math.log10(value) - self.x0) / (self.x1 - self.x0) * _WIDTH

    def y(self, value: float) -> float:
        """Return where operations a second stand."""
        low = max(value, 10.0 ** self.y0)
        return _TOP + (self.y1 - math.log10(low)) / (self.y1 - self.y0) * _HEIGHT

    def text(self, said: str) -> str:
        """Return the picture."""
        left, right = 10.0 ** self.x0, 10.0 ** self.x1
        begin = max(left, 10.0 ** self.y0 / self.bandwidth)
        roof = [(begin, self.bandwidth * begin), (self.corner, self.most), (right, self.most)]
        px, py = self.x(self.point[0]), self.y(self.point[1])
        line = " ".join(f"{self.x(a):.1f},{self.y(b):.1f}" for a, b in roof)
        name, said = html.escape(self.name), html.escape(said)
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{_WIDTH + _LEFT + 30}" '
                f'height="{_HEIGHT + 70}" font-family="sans-serif" font-size="12">')
        return "\n".join((
            head, f"<title>Roofline of {name}: {said}</title>", *self._grid(),
            f'<polyline fill="none" stroke="#333" stroke-width="2" points="{line}"/>',
            f'<circle cx="{px:.1f}" cy="{py:.1f}" r="5" fill="#c44"/>',
            _word(px + 8, py + 14, f"{name}: {said}"),
            _word(_LEFT, _TOP + _HEIGHT + 40, "operations a byte"),
            _word(4, _TOP - 6, "operations a second"), "</svg>"))

    def _grid(self) -> list[str]:
        lines = []
        for k in range(self.x0, self.x1 + 1):
            at = self.x(10.0 ** k)
            lines += [_line(at, at, _TOP, _TOP + _HEIGHT),
                      _word(at, _TOP + _HEIGHT + 18, f"{10.0 ** k:g}", "middle")]
        for k in range(self.y0, self.y1 + 1):
            at = self.y(10.0 ** k)
            lines += [_line(_LEFT, _LEFT + _WIDTH, at, at),
                      _word(_LEFT - 6, at + 4, f"{10.0 ** k:g}", "end")]
        return lines


def _line(x1: float, x2: float, y1: float, y2: float) -> str:
    return f'<line x1="{x1:.1f}" x2="{x2:.1f}" y1="{y1:.1f}" y2="{y2:.1f}" stroke="#ddd"/>'


def _word(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text}</text>'
