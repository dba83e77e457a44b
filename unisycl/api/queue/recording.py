"""``recording``: look at what a part of a program submits, as a picture.

Not part of SYCL. Non-goals: command graphs (``command_graph`` records instead of running; this runs
everything and looks on). Invariant: outside a ``with`` block it costs nothing.
"""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any, Self

from unisycl.base.errors import UsageError, errc
from unisycl.base.tracebacks import ends_at_call
from unisycl.observe import picture, timeline
from unisycl.observe.drawing import Drawing
from unisycl.observe.history import History
from unisycl.runtime.graph import watching


@ends_at_call
class recording:
    """Notes every command that is submitted inside its ``with`` block, on any queue and thread.

    Args:
        most: how many commands a picture shows; the first ones.

    Example, in a notebook::

        with unisycl.recording() as seen:
            simulate(queue)
        seen

    The picture has a box for each command and an edge for each wait, labelled with the buffer, by
    its variable's name, and the access modes that caused it.
    """

    __slots__ = ("_first", "_history", "_last", "_most")

    def __init__(self, most: int = picture.MOST) -> None:
        self._most = most
        self._history: History | None = None
        self._first = 0
        self._last: int | None = None

    def __enter__(self) -> Self:
        if self._history is not None:
            raise UsageError(errc.invalid, "this recording was used already; make another one")
        self._history = watching.start()
        self._first = len(self._history.commands)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        if self._history is not None:
            self._last = len(self._history.commands)
        watching.stop()

    def times(self) -> list[tuple[str, str, float]]:
        """Return of each command that has ended its name, its device and how many seconds it ran.

        A command that was still running when the block ended is there as soon as it has ended.
        """
        noted = () if self._history is None else self._history.commands[self._first:self._last]
        return [(c.label, c.device, (c.end - c.start) / 1e9) for c in noted if c.start and c.end]

    def drawing(self) -> Drawing:
        """Return a drawing of what was submitted: boxes and lines."""
        noted = () if self._history is None else self._history.commands[self._first:self._last]
        return picture.of_commands(noted, self._most)

    def save(self, path: str | Path) -> None:
        """Write a file by its ending: .svg, .dot, .json (the graph) or .trace (a time line).

        Raises ``errc.invalid`` for another ending.
        """
        if Path(path).suffix == ".trace" and self._history is not None:
            timeline.write(str(path), self._history)
            return
        Path(path).write_text(text_as(self.drawing(), path), encoding="utf-8")

    def _repr_svg_(self) -> str | None:
        """Return the picture, for a notebook; None if nothing was submitted."""
        return svg_of(self.drawing())

    def __len__(self) -> int:
        return len(self.drawing().boxes)

    def __repr__(self) -> str:
        drawing = self.drawing()
        return f"<recording: {len(drawing.boxes)} commands, {len(drawing.lines)} edges>"


def svg_of(drawing: Drawing) -> str | None:
    """Return a drawing as SVG; None of an empty one, which makes a notebook show text."""
    return drawing.to_svg() if drawing.boxes else None


def text_as(drawing: Drawing, path: Any) -> str:
    """Return a drawing in the format that a file's ending names; ``errc.invalid`` for others."""
    ending = Path(path).suffix
    makers = {".svg": drawing.to_svg, ".dot": drawing.to_dot, ".json": drawing.to_json}
    if ending not in makers:
        raise UsageError(errc.invalid, f"a drawing is written as {', '.join(makers)}, not as "
                         f"'{ending}'; change the ending of '{path}'")
    return makers[ending]()
