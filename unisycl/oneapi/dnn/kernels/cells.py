"""Kernels of recurrent cells: one step for one unit of one item of a batch, and its gradient.

Written in the kernel language. Gates of a step lie as (batch, gate, unit); they hold sums before a
cell's kernel, and the gates themselves after it. Invariant: gates are in oneDNN's order: input,
forget, candidate, output of LSTM; update, reset, output of GRU.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import unisycl as sycl

__kernel_language__ = True

ZERO, ONE = np.float32(0), np.float32(1)


@dataclass(eq=False)
class units:
    """How many units and gates a cell has, and its activation's numbers."""

    count: Any
    gates: Any
    alpha: Any
    beta: Any

    def first(self, e: Any) -> Any:
        """Return where the first gate of unit ``e`` lies."""
        return e // self.count * (self.gates * self.count) + e % self.count


@dataclass(eq=False)
class step:
    """Memory of one step: gates, what was before, and what comes of it."""

    gates: Any
    before: Any
    cell: Any
    after: Any
    cell_after: Any


@dataclass(eq=False)
class back:
    """Gradients of one step: from above, from behind (in and out), of the cell, of the gates."""

    above: Any
    behind: Any
    cell: Any
    gates: Any
    to_iter: Any


def sigma(x: Any) -> Any:
    """Return 1 / (1 + exp(-x))."""
    return ONE / (ONE + sycl.exp(-x))


def vanilla(e: Any, u: units, f: Any, s: step, bias: Any) -> None:
    """Do a step of a plain cell."""
    at = u.first(e)
    h = f(s.gates.load(at) + bias.load(e % u.count), u.alpha, u.beta)
    s.gates.store(at, h)
    s.after.store(e, h)


def vanilla_back(e: Any, u: units, slope: Any, s: step, b: back) -> None:
    """Compute the gradient of a step of a plain cell."""
    at = u.first(e)
    g = b.above.load(e) + b.behind.load(e)
    b.gates.store(at, g * slope(s.gates.load(at), u.alpha, u.beta))
    b.behind.store(e, ZERO)


def lstm(e: Any, u: units, s: step, bias: Any, peep: Any) -> None:
    """Do a step of an LSTM cell; without peepholes their weights are zeros."""
    at, j, d = u.first(e), e % u.count, u.count
    c = s.cell.load(e)
    i = sigma(s.gates.load(at) + bias.load(j) + peep.load(j) * c)
    f = sigma(s.gates.load(at + d) + bias.load(d + j) + peep.load(d + j) * c)
    g = sycl.tanh(s.gates.load(at + 2 * d) + bias.load(2 * d + j))
    c = f * c + i * g
    o = sigma(s.gates.load(at + 3 * d) + bias.load(3 * d + j) + peep.load(2 * d + j) * c)
    s.gates.store(at, i)
    s.gates.store(at + d, f)
    s.gates.store(at + 2 * d, g)
    s.gates.store(at + 3 * d, o)
    s.cell_after.store(e, c)
    s.after.store(e, o * sycl.tanh(c))


def lstm_back(e: Any, u: units, s: step, b: back, peep: Any) -> None:
    """Compute the gradient of a step of an LSTM cell."""
    at, j, d = u.first(e), e % u.count, u.count
    i, f = s.gates.load(at), s.gates.load(at + d)
    g, o = s.gates.load(at + 2 * d), s.gates.load(at + 3 * d)
    t = sycl.tanh(s.cell_after.load(e))
    h = b.above.load(e) + b.behind.load(e)
    of_o = h * t * o * (ONE - o)
    c = b.cell.load(e) + h * o * (ONE - t * t) + of_o * peep.load(2 * d + j)
    of_i = c * g * i * (ONE - i)
    of_f = c * s.cell.load(e) * f * (ONE - f)
    b.gates.store(at, of_i)
    b.gates.store(at + d, of_f)
    b.gates.store(at + 2 * d, c * i * (ONE - g * g))
    b.gates.store(at + 3 * d, of_o)
    b.cell.store(e, c * f + of_i * peep.load(j) + of_f * peep.load(d + j))
    b.behind.store(e, ZERO)


def peep_back(e: Any, u: units, rows: Any, gates: Any, cells: Any, target: Any) -> None:
    """Sum the gradient of a peephole's weight; cells of the step behind a row lie ``batch`` on."""
    k, j = e // u.count, e % u.count
    gate = k if k < 2 else 3
    total = ZERO
    for r in range(rows.count):
        c = cells.load((r + (rows.batch if k == 2 else 0)) * u.count + j)
        total += gates.load((r * u.gates + gate) * u.count + j) * c
    target.store(e, total)


@dataclass(eq=False)
class row_counts:
    """Rows of all steps, and of one."""

    count: Any
    batch: Any


def gru_open(e: Any, u: units, s: step, bias: Any) -> None:
    """Compute a GRU cell's update and reset gates, and what of the state is kept for the third."""
    at, j, d = u.first(e), e % u.count, u.count
    r = sigma(s.gates.load(at + d) + bias.load(d + j))
    s.gates.store(at, sigma(s.gates.load(at) + bias.load(j)))
    s.gates.store(at + d, r)
    s.cell_after.store(e, r * s.before.load(e))


def gru_close(e: Any, u: units, s: step, bias: Any) -> None:
    """Compute a GRU cell's third gate, and its state."""
    at, j, d = u.first(e), e % u.count, u.count
    o = sycl.tanh(s.gates.load(at + 2 * d) + bias.load(2 * d + j))
    z = s.gates.load(at)
    s.gates.store(at + 2 * d, o)
    s.after.store(e, z * s.before.load(e) + (ONE - z) * o)


def gru_back(e: Any, u: units, s: step, b: back) -> None:
    """Compute the gradients of a GRU cell's first and third gates."""
    at, d = u.first(e), u.count
    z, o = s.gates.load(at), s.gates.load(at + 2 * d)
    h = b.above.load(e) + b.behind.load(e)
    b.gates.store(at, h * (s.before.load(e) - o) * z * (ONE - z))
    b.gates.store(at + 2 * d, h * (ONE - z) * (ONE - o * o))
    b.behind.store(e, h * z)


def gru_reset_back(e: Any, u: units, s: step, b: back) -> None:
    """Compute the gradient of the reset gate from that of what it kept (``cell``)."""
    at, d = u.first(e), u.count
    r, kept = s.gates.load(at + d), b.cell.load(e)
    b.gates.store(at + d, kept * s.before.load(e) * r * (ONE - r))
    b.behind.store(e, b.behind.load(e) + kept * r)


def lbr(e: Any, u: units, s: step, states: Any, bias: Any) -> None:
    """Do a step of a GRU cell whose reset gate comes behind the product (``states``)."""
    at, j, d = u.first(e), e % u.count, u.count
    z = sigma(s.gates.load(at) + states.load(at) + bias.load(j))
    r = sigma(s.gates.load(at + d) + states.load(at + d) + bias.load(d + j))
    kept = states.load(at + 2 * d) + bias.load(3 * d + j)
    o = sycl.tanh(s.gates.load(at + 2 * d) + r * kept + bias.load(2 * d + j))
    s.gates.store(at, z)
    s.gates.store(at + d, r)
    s.gates.store(at + 2 * d, o)
    s.cell_after.store(e, kept)
    s.after.store(e, z * s.before.load(e) + (ONE - z) * o)


def lbr_back(e: Any, u: units, s: step, b: back) -> None:
    """Compute the gradients of such a step, of the sums from below and of those from before."""
    at, d = u.first(e), u.count
    z, r, o = s.gates.load(at), s.gates.load(at + d), s.gates.load(at + 2 * d)
    h = b.above.load(e) + b.behind.load(e)
    of_z = h * (s.before.load(e) - o) * z * (ONE - z)
    of_o = h * (ONE - z) * (ONE - o * o)
    of_r = of_o * s.cell_after.load(e) * r * (ONE - r)
    b.gates.store(at, of_z)
    b.gates.store(at + d, of_r)
    b.gates.store(at + 2 * d, of_o)
    b.to_iter.store(at, of_z)
    b.to_iter.store(at + d, of_r)
    b.to_iter.store(at + 2 * d, of_o * r)
    b.behind.store(e, h * z)


def sum_rows(e: Any, rows: Any, width: Any, x: Any, y: Any) -> None:
    """Sum a column over all rows."""
    total = ZERO
    for r in range(rows):
        total += x.load(r * width + e)
    y.store(e, total)


@dataclass(eq=False)
class turns:
    """How steps, items and units of a tensor go into another one, perhaps the other way round."""

    batch: Any
    width: Any
    wide: Any
    first: Any
    steps: Any
    turned: Any

    def at(self, e: Any) -> Any:
        """Return where element ``e`` of (step, item, unit) lies in the other tensor."""
        t = e // (self.batch * self.width)
        if self.turned:
            t = self.steps - 1 - t
        row = t * self.batch + e // self.width % self.batch
        return row * self.wide + self.first + e % self.width


def gather(e: Any, place: turns, x: Any, y: Any) -> None:
    """Take an element from where it lies."""
    y.store(e, x.load(place.at(e)))


def scatter(e: Any, place: turns, add: Any, x: Any, y: Any) -> None:
    """Put an element where it lies, or add it there."""
    at = place.at(e)
    v = x.load(e)
    if add:
        v += y.load(at)
    y.store(at, v)
