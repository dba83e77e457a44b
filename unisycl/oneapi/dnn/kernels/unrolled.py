"""Convolutions as products of matrices, one of whose factors is read in place from a padded tensor.

Written in the kernel language. A padded tensor lies channel by channel, and of a channel image by
image, so that what all windows of all images read at one place follows one another. Non-goals: the
product. Invariant: an element of a window lies two numbers away: that of the place within windows,
and that of the window.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__kernel_language__ = True


@dataclass(eq=False)
class space:
    """Sizes in three dimensions: of a tensor's positions, or steps from one to the next."""

    z: Any
    y: Any
    x: Any


@dataclass(eq=False)
class room:
    """A tensor's sizes, those of its padded form, what lies before it, and steps within."""

    images: Any
    channels: Any
    size: Any
    padded: Any
    before: Any
    step: Any


def clear(e: Any, zero: Any, target: Any) -> None:
    """Write zero."""
    target.store(e, zero)


def spread(i: Any, r: room, source: Any, target: Any) -> None:
    """Bring an element of a tensor to its channel, its image and its padded position."""
    row, x = i[0], i[1] * r.step.x + r.before.x
    y = row % r.size.y * r.step.y + r.before.y
    row = row // r.size.y
    z = row % r.size.z * r.step.z + r.before.z
    row = row // r.size.z
    n, c = row // r.channels, row % r.channels
    inside = y >= 0 and y < r.padded.y and z >= 0 and z < r.padded.z
    if inside and x >= 0 and x < r.padded.x:
        at = ((c * r.images + n) * r.padded.z + z) * r.padded.y + y
        target.store(at * r.padded.x + x, source.load(i[0] * r.size.x + i[1]))


@dataclass(eq=False)
class everywhere:
    """Windows at all positions of a padded tensor, the first of them given."""

    first: Any

    def of(self, j: Any) -> Any:
        """Return where a window begins."""
        return self.first + j


@dataclass(eq=False)
class stepping:
    """Windows at steps, so many in each dimension, and how far images are apart."""

    first: Any
    count: Any
    step: Any
    image: Any

    def of(self, j: Any) -> Any:
        """Return where a window begins."""
        at = self.first + j
        x = at % self.count.x
        at = at // self.count.x
        y = at % self.count.y
        at = at // self.count.y
        z = at % self.count.z
        n = at // self.count.z
        return n * self.image + z * self.step.z + y * self.step.y + x * self.step.x


@dataclass(eq=False)
class windows:
    """The factor with a row for each place within windows, and a column for each window."""

    at: Any
    places: Any
    begin: Any

    def get(self, k: Any, j: Any) -> Any:
        """Return what a window reads."""
        return self.at.load(self.places.load(k) + self.begin.of(j))


@dataclass(eq=False)
class windows_turned:
    """The same factor with a row for each window."""

    at: Any
    places: Any
    begin: Any

    def get(self, j: Any, k: Any) -> Any:
        """Return what a window reads."""
        return self.at.load(self.places.load(k) + self.begin.of(j))


@dataclass(eq=False)
class images:
    """The result: a row for each channel, a column for each window, of which some are none."""

    at: Any
    channels: Any
    first: Any
    pitch: Any
    size: Any

    def get(self, i: Any, j: Any) -> Any:
        """Return what is added to, which is nothing."""
        return self.at.load(0)

    def put(self, i: Any, j: Any, value: Any) -> None:
        """Write an element where its image and channel are."""
        x = j % self.pitch.x
        r = j // self.pitch.x
        y = r % self.pitch.y
        r = r // self.pitch.y
        z = r % self.pitch.z
        n = r // self.pitch.z
        if x < self.size.x and y < self.size.y and z < self.size.z:
            row = ((n * self.channels + self.first + i) * self.size.z + z) * self.size.y + y
            self.at.store(row * self.size.x + x, value)


@dataclass(eq=False)
class turning:
    """How weights become rows: rows, columns and taps of a group, steps, whether they turn."""

    rows: Any
    columns: Any
    taps: Any
    group: Any
    row: Any
    column: Any
    turned: Any


def turn(e: Any, t: turning, source: Any, target: Any) -> None:
    """Bring a weight into the row of its result."""
    f = e % t.taps
    r = e // t.taps
    c = r % t.columns
    r = r // t.columns
    at = r // t.rows * t.group + r % t.rows * t.row + c * t.column
    target.store(e, source.load(at + (t.taps - 1 - f if t.turned else f)))
