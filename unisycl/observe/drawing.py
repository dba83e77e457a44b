"""Drawings of commands and what they wait for: as SVG, in Graphviz' language, as JSON.

Non-goals: where things go (``layered_layout``), what commands are. Invariants: a drawing is plain
data; its lines lead from a lower box to a higher one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from unisycl.base.dataclass import dataclass, field
from unisycl.observe.layered_layout import Item, Layout, Size, lay_out

__all__ = ["Box", "Drawing", "Line"]

_TITLE, _SMALL = 12.0, 10.0
_WIDE = 0.62  # of the font's size: a character of a fixed-width font
_PAD, _EDGE = 9.0, 12.0
_FONT = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"
COLOURS = {"kernel": ("#e8f0fe", "#3b6fd4"), "host": ("#fff3dc", "#c98a1b"),
           "copy": ("#e4f6ea", "#2f9152"), "wait": ("#f1f1f3", "#85858c"),
           "failed": ("#fde7e7", "#c93a3a")}
_STYLE = (f"<style>text{{font-family:{_FONT};fill:#1d1d22}}.d{{font-size:{_SMALL}px;fill:#55555e}}"
          f".t{{font-size:{_TITLE}px;font-weight:600}}"
          ".e{fill:none;stroke:#77777f;stroke-width:1.2}.o{stroke-dasharray:4 3}</style>")
_ARROW = ('<defs><marker id="unisycl-arrow" viewBox="0 0 8 8" refX="7" refY="4" '
          'markerWidth="7" markerHeight="7" orient="auto"><path d="M0,0.8L8,4L0,7.2z" '
          'fill="#77777f"/></marker></defs>')


@dataclass(frozen=True, slots=True)
class Box:
    """One command: its name, further lines, and a key of ``COLOURS``."""

    title: str
    details: tuple[str, ...] = ()
    kind: str = "kernel"


@dataclass(frozen=True, slots=True)
class Line:
    """One wait: box ``tail`` runs before box ``head``; ``data`` unless a program asked for it."""

    tail: int
    head: int
    causes: tuple[str, ...] = ()
    data: bool = True


@dataclass(slots=True)
class Drawing:
    """Boxes and the lines between them; ``note`` stands below."""

    boxes: list[Box] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    note: str = ""

    def to_svg(self) -> str:
        """Return it as a picture that stands alone."""
        layout = lay_out([_box_size(b) for b in self.boxes],
                         [(e.tail, e.head, _label_size(e)) for e in self.lines])
        width = max(layout.width, _text_width(self.note, _SMALL)) + 2 * _EDGE
        height = layout.height + 2 * _EDGE + (18.0 if self.note else 0.0)
        size = f"{width:.0f} {height:.0f}"
        out = [(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}"'
               f' viewBox="0 0 {size}">'), _STYLE, _ARROW,
               '<rect width="100%" height="100%" rx="6" fill="#ffffff"/>',
               f'<g transform="translate({_EDGE:g},{_EDGE:g})">']
        out += [_edge_svg(line, route) for line, route in zip(
            self.lines, layout.routes, strict=True)]
        out += [_label_svg(line, item) for line, item in zip(
            self.lines, layout.labels, strict=True) if item is not None]
        out += [_box_svg(box, item) for box, item in zip(self.boxes, layout.boxes, strict=True)]
        out += self._note_svg(layout)
        return "\n".join([*out, "</g>", "</svg>"]) + "\n"

    def _note_svg(self, layout: Layout) -> list[str]:
        if not self.note:
            return []
        return [f'<text class="d" x="0" y="{layout.height + 18:.1f}">{_xml(self.note)}</text>']

    def to_dot(self) -> str:
        """Return it in the language of Graphviz."""
        out = ["digraph commands {", '  node [shape=box, style="rounded,filled"];']
        for k, box in enumerate(self.boxes):
            fill, stroke = COLOURS[box.kind]
            text = "\\n".join(map(_quoted, (box.title, *box.details)))
            out.append(f'  n{k} [label="{text}", fillcolor="{fill}", color="{stroke}"];')
        for line in self.lines:
            text = "\\n".join(map(_quoted, line.causes))
            style = "" if line.data else ", style=dashed"
            out.append(f'  n{line.tail} -> n{line.head} [label="{text}"{style}];')
        return "\n".join([*out, "}"]) + "\n"

    def to_json(self) -> str:
        """Return it as JSON: ``commands`` and ``edges``, which count commands from 0."""
        return json.dumps({
            "commands": [{"name": b.title, "details": list(b.details), "kind": b.kind}
                         for b in self.boxes],
            "edges": [{"from": e.tail, "to": e.head, "causes": list(e.causes), "data": e.data}
                      for e in self.lines],
            "note": self.note}, indent=1, ensure_ascii=False) + "\n"


def _xml(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _text_width(text: str, size: float) -> float:
    return len(text) * size * _WIDE


def _widest(texts: Sequence[str], size: float) -> float:
    return max((_text_width(t, size) for t in texts), default=0.0)


def _box_size(box: Box) -> Size:
    wide = max(_text_width(box.title, _TITLE), _widest(box.details, _SMALL))
    return wide + 2 * _PAD, 15.0 + 13.0 * len(box.details) + _PAD


def _label_size(line: Line) -> Size:
    if not line.causes:
        return 0.0, 0.0
    return _widest(line.causes, _SMALL) + 6, 12.0 * len(line.causes) + 2


def _box_svg(box: Box, item: Item) -> str:
    fill, stroke = COLOURS[box.kind]
    left, top = item.x - item.width / 2, item.y - item.height / 2
    out = [(f'<g><title>{_xml(chr(10).join((box.title, *box.details)))}</title>'
           f'<rect x="{left:.1f}" y="{top:.1f}" width="{item.width:.1f}" '
           f'height="{item.height:.1f}" rx="5" fill="{fill}" stroke="{stroke}"/>'),
           (f'<text class="t" text-anchor="middle" x="{item.x:.1f}" y="{top + 16:.1f}">'
           f'{_xml(box.title)}</text>')]
    out += [f'<text class="d" text-anchor="middle" x="{item.x:.1f}" y="{top + 29 + 13 * k:.1f}">'
            f'{_xml(text)}</text>' for k, text in enumerate(box.details)]
    return "".join(out) + "</g>"


def _edge_svg(line: Line, route: Sequence[Item]) -> str:
    """A curve from the lower side of one box through the route to the upper side of another."""
    tail, head = route[0], route[-1]
    points = [(_port(tail, route[1]), tail.y + tail.height / 2)]
    points += [(p.x, p.y) for p in route[1:-1]]
    points.append((_port(head, route[-2]), head.y - head.height / 2))
    x, y = points[0]
    path = [f"M{x:.1f},{y:.1f}"]
    for nx, ny in points[1:]:
        middle = (y + ny) / 2
        path.append(f"C{x:.1f},{middle:.1f} {nx:.1f},{middle:.1f} {nx:.1f},{ny:.1f}")
        x, y = nx, ny
    style = "e" if line.data else "e o"
    return f'<path class="{style}" marker-end="url(#unisycl-arrow)" d="{"".join(path)}"/>'


def _port(box: Item, other: Item) -> float:
    """Return where on a box's side an edge begins: as straight as it can be."""
    half = max(0.0, box.width / 2 - 8)
    return min(max(other.x, box.x - half), box.x + half)


def _label_svg(line: Line, item: Item) -> str:
    left, top = item.x - item.width / 2, item.y - item.height / 2
    out = [(f'<rect x="{left:.1f}" y="{top:.1f}" width="{item.width:.1f}" '
           f'height="{item.height:.1f}" fill="#ffffff"/>')]
    out += [f'<text class="d" text-anchor="middle" x="{item.x:.1f}" y="{top + 10 + 12 * k:.1f}">'
            f'{_xml(text)}</text>' for k, text in enumerate(line.causes)]
    return "".join(out)
