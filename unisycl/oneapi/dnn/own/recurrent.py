"""Recurrent networks by our kernels: plain, LSTM and GRU cells, in layers and both directions.

A direction goes through its layers by itself, step by step in its own order; products of all steps
with the weights of what is below are one. What backward needs is kept in the workspace: gates,
states, cells. Non-goals: projections, whole numbers. Invariant: sums are added in one order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from unisycl.oneapi.dnn.kernels import cells, elements
from unisycl.oneapi.dnn.names import algorithm, rnn_direction, rnn_flags
from unisycl.oneapi.dnn.operations import Op
from unisycl.oneapi.dnn.own.functions import FORWARD, SLOPES
from unisycl.oneapi.dnn.own.matrices import grid, multiply
from unisycl.oneapi.dnn.own.work import Work
from unisycl.oneapi.frame.operands import Memory, Record

KINDS = ("vanilla_rnn", "lstm", "gru", "lbr_gru")
_OF_RESULT = {algorithm.eltwise_tanh: algorithm.eltwise_tanh_use_dst_for_bwd,
              algorithm.eltwise_logistic: algorithm.eltwise_logistic_use_dst_for_bwd,
              algorithm.eltwise_relu: algorithm.eltwise_relu_use_dst_for_bwd}


@dataclass(frozen=True)
class Sizes:
    """The sizes of a network.

    Args:
        steps: how many there are.
        batch: items.
        layers: layers.
        ways: directions.
        below: units of what the first layer reads.
        units: of each layer.
        gates: of a unit.
    """

    steps: int
    batch: int
    layers: int
    ways: int
    below: int
    units: int
    gates: int

    @property
    def state(self) -> int:
        """Elements of a state."""
        return self.batch * self.units

    @property
    def kept(self) -> int:
        """Elements that one layer of one direction keeps: gates, states, cells."""
        return self.steps * self.state * self.gates + 2 * (self.steps + 1) * self.state


def sizes_of(op: Op) -> Sizes:
    """Return the sizes of an operation."""
    steps, batch, below = op["src_layer"].dims
    layers, ways, _, gates, units = op["weights_layer"].dims
    return Sizes(steps, batch, layers, ways, below, units, gates)


class Net:
    """One execution of a network."""

    def __init__(self, w: Work) -> None:
        self.w, self.call, self.op = w, w.call, w.op
        self.kind = w.op.name.removesuffix("_forward").removesuffix("_backward")
        self.n = n = sizes_of(w.op)
        self.units = cells.units(n.units, n.gates, np.float32(w.op["alpha"] or 0),
                                 np.float32(w.op["beta"] or 0))
        self.below, self.iter = w.read("weights_layer"), w.read("weights_iter")
        self.biases = 4 if self.kind == "lbr_gru" else n.gates
        self.bias = w.read("bias") if w.has("bias") else self.zeros(
            n.layers * n.ways * self.biases * n.units)
        self.peep = w.read("weights_peephole") if w.has("weights_peephole") else self.zeros(
            n.layers * n.ways * 3 * n.units)

    def zeros(self, count: int) -> Memory:
        """Return zeros."""
        return Memory(self.call.kept(np.zeros(max(count, 1), np.float32)), 0, max(count, 1))

    def part(self, x: Memory, index: int, count: int) -> Memory:
        """Return one of many equal parts."""
        return x.part(index * count, (index + 1) * count)

    def copy(self, x: Memory, y: Memory, count: int) -> None:
        """Copy elements."""
        self.call.launch(count, elements.apply, elements.linear, np.float32(1), np.float32(0), x,
                         y)

    def is_turned(self, way: int) -> bool:
        """Say whether a direction goes from the last step to the first."""
        return way == 1 or self.op["direction"] is rnn_direction.unidirectional_right2left

    def turns(self, width: int, wide: int, way: int) -> Any:
        """Return how a direction's steps lie in a tensor of all."""
        first = way * width if wide > width else 0
        return cells.turns(self.n.batch, width, wide, first, self.n.steps, self.is_turned(way))

    def layer(self, kept: Memory, at: int) -> tuple[Memory, Memory, Memory]:
        """Return gates, states and cells of one layer of one direction."""
        n = self.n
        mine = self.part(kept, at, n.kept)
        gates = n.steps * n.state * n.gates
        states = (n.steps + 1) * n.state
        return (mine.part(0, gates), mine.part(gates, gates + states),
                mine.part(gates + states, n.kept))

    def weights(self, x: Memory, at: int, inner: int) -> Memory:
        """Return the weights of one layer of one direction."""
        return self.part(x, at, inner * self.n.gates * self.n.units)

    def source(self, way: int) -> Memory:
        """Return what the first layer reads, in the order of a direction."""
        n = self.n
        x = self.w.read("src_layer")
        if not self.is_turned(way):
            return x
        found = self.w.new(n.steps * n.batch * n.below)
        self.call.launch(n.steps * n.batch * n.below, cells.gather,
                         self.turns(n.below, n.below, way), x, found)
        return found

    def step(self, gates: Memory, states: Memory, cell: Memory, s: int) -> Record:
        """Return the memory of one step."""
        n = self.n
        return Record(cells.step, self.part(gates, s, n.state * n.gates),
                      self.part(states, s, n.state), self.part(cell, s, n.state),
                      self.part(states, s + 1, n.state), self.part(cell, s + 1, n.state))


class Forward(Net):
    """What a network computes."""

    def run(self) -> None:
        """Compute all layers in all directions, and store what they give."""
        n, w = self.n, self.w
        kept = w.memory("workspace") if w.has("workspace") else w.new(
            n.layers * n.ways * n.kept)
        result = w.write("dst_layer")
        last = {name: w.write(name) for name in ("dst_iter", "dst_iter_c") if w.has(name)}
        wide = w.dims("dst_layer")[2]
        for way in range(n.ways):
            x = self.fill(kept, way)
            self.call.launch(n.steps * n.state, cells.scatter, self.turns(n.units, wide, way),
                             way == 1 and wide == n.units, x, result)
        for at in range(n.layers * n.ways):
            parts = self.layer(kept, at)
            for name, held in last.items():
                source = parts[2] if name == "dst_iter_c" else parts[1]
                self.copy(self.part(source, n.steps, n.state), self.part(held, at, n.state),
                          n.state)
        w.store()

    def fill(self, kept: Memory, way: int) -> Memory:
        """Compute all layers in one direction; return the last one's states."""
        n = self.n
        x, width = self.source(way), n.below
        for layer in range(n.layers):
            parts = self.layer(kept, layer * n.ways + way)
            self.one(x, width, parts, layer * n.ways + way)
            x, width = parts[1].part(n.state, (n.steps + 1) * n.state), n.units
        return x

    def one(self, x: Memory, width: int, parts: tuple[Memory, Memory, Memory], at: int) -> None:
        """Compute one layer in one direction."""
        n, w = self.n, self.w
        gates, states, cell = parts
        across = n.gates * n.units
        multiply(w, (n.steps * n.batch, across, width), x, self.weights(self.below, at, width),
                 gates)
        for name, held in (("src_iter", states), ("src_iter_c", cell)):
            given = self.part(w.read(name), at, n.state) if w.has(name) else self.zeros(n.state)
            self.copy(given, held.part(0, n.state), n.state)
        weights = self.weights(self.iter, at, n.units)
        bias = self.part(self.bias, at, self.biases * n.units)
        for s in range(n.steps):
            getattr(self, self.kind)(self.part(states, s, n.state), weights, bias,
                                     (self.step(gates, states, cell, s),
                                      self.part(gates, s, n.state * n.gates)), at)

    def _add(self, h: Memory, weights: Memory, gates: Memory, columns: tuple[int, int]) -> None:
        """Add a state's product with some gates' weights."""
        n = self.n
        first, count = columns[0] * n.units, columns[1] * n.units
        across = n.gates * n.units
        multiply(self.w, (n.batch, count, n.units), h,
                 grid(weights.part(first, weights.size or 0), across),
                 grid(gates.part(first, gates.size or 0), across), add=True)

    def vanilla_rnn(self, h: Memory, weights: Memory, bias: Memory, held: Any, at: int) -> None:
        """Do one step of plain cells."""
        del at
        self._add(h, weights, held[1], (0, 1))
        self.call.launch(self.n.state, cells.vanilla, self.units, FORWARD[self.op["alg"]],
                         held[0], bias)

    def lstm(self, h: Memory, weights: Memory, bias: Memory, held: Any, at: int) -> None:
        """Do one step of LSTM cells."""
        self._add(h, weights, held[1], (0, 4))
        self.call.launch(self.n.state, cells.lstm, self.units, held[0], bias,
                         self.part(self.peep, at, 3 * self.n.units))

    def gru(self, h: Memory, weights: Memory, bias: Memory, held: Any, at: int) -> None:
        """Do one step of GRU cells."""
        del at
        self._add(h, weights, held[1], (0, 2))
        self.call.launch(self.n.state, cells.gru_open, self.units, held[0], bias)
        self._add(held[0].fields[4], weights, held[1], (2, 1))
        self.call.launch(self.n.state, cells.gru_close, self.units, held[0], bias)

    def lbr_gru(self, h: Memory, weights: Memory, bias: Memory, held: Any, at: int) -> None:
        """Do one step of GRU cells whose reset gate comes behind the product."""
        del at
        n = self.n
        sums = self.w.new(n.state * n.gates)
        multiply(self.w, (n.batch, n.gates * n.units, n.units), h, weights, sums)
        self.call.launch(n.state, cells.lbr, self.units, held[0], sums, bias)


class Backward(Net):
    """The gradients of a network."""

    def run(self) -> None:
        """Compute the gradients of all layers in all directions."""
        n, w = self.n, self.w
        self.found = {name: self.zeros(math.prod(w.dims(name))) for name in w.found
                      if name.startswith(("diff_weights", "diff_bias"))}
        to_source = w.write("diff_src_layer")
        self.to_iter = {name: w.write(name) for name in ("diff_src_iter", "diff_src_iter_c")
                        if w.has(name)}
        kept, above = self._kept(), w.read("diff_dst_layer")
        wide = w.dims("diff_dst_layer")[2]
        for way in range(n.ways):
            g = w.new(n.steps * n.state)
            self.call.launch(n.steps * n.state, cells.gather, self.turns(n.units, wide, way),
                             above, g)
            for layer in reversed(range(n.layers)):
                at = layer * n.ways + way
                width = n.units if layer else n.below
                x = self.source(way) if not layer else self.layer(kept, at - n.ways)[1].part(
                    n.state, (n.steps + 1) * n.state)
                g = self.one(x, width, self.layer(kept, at), g, at)
            self.call.launch(n.steps * n.batch * n.below, cells.scatter,
                             self.turns(n.below, n.below, way), way == 1, g, to_source)
        self._finish()

    def _kept(self) -> Memory:
        """Return what forward kept; compute it again where another library was forward."""
        n, w = self.n, self.w
        if w.recomputes:
            found = w.new(n.layers * n.ways * n.kept)
            for way in range(n.ways):
                Forward(w).fill(found, way)
            return found
        return w.memory("workspace")

    def _finish(self) -> None:
        """Store gradients of weights, or add them to what is there."""
        w = self.w
        flags = self.op["flags"] or rnn_flags.undef
        for name, x in self.found.items():
            count = math.prod(w.dims(name))
            if not flags & rnn_flags.diff_weights_overwrite:
                self.call.launch(count, elements.add_scaled, np.float32(1), np.float32(0),
                                 w.read(name), x)
            w.put(x, w.found[name], w.memory(name))
        w.store()

    def one(self, x: Memory, width: int, parts: tuple[Memory, Memory, Memory], above: Memory,
            at: int) -> Memory:
        """Compute the gradients of one layer in one direction; return that of what is below."""
        n, w = self.n, self.w
        gates, states, cell = parts
        across, rows = n.gates * n.units, n.steps * n.batch
        slopes = w.new(rows * across)
        to_iter = w.new(rows * across) if self.kind == "lbr_gru" else slopes
        behind, of_cell = self.zeros(n.state), self.zeros(n.state)
        for name, held in (("diff_dst_iter", behind), ("diff_dst_iter_c", of_cell)):
            if w.has(name):
                self.copy(self.part(w.read(name), at, n.state), held, n.state)
        weights = self.weights(self.iter, at, n.units)
        for s in reversed(range(n.steps)):
            mine = [self.part(g, s, n.state * n.gates) for g in (slopes, to_iter)]
            grads = Record(cells.back, self.part(above, s, n.state), behind, of_cell, *mine)
            self._step(self.step(gates, states, cell, s), grads, weights, at)
        for name, held in (("diff_src_iter", behind), ("diff_src_iter_c", of_cell)):
            if name in self.to_iter:
                self.copy(held, self.part(self.to_iter[name], at, n.state), n.state)
        self._of_weights(x, width, (slopes, to_iter), parts, at)
        found = w.new(rows * width)
        multiply(w, (rows, width, across), slopes,
                 grid(self.weights(self.below, at, width), 1, across), found)
        return found

    def _step(self, held: Record, grads: Record, weights: Memory, at: int) -> None:
        """Compute the gradients of one step, and of the state before it."""
        n, launch = self.n, self.call.launch
        behind, slopes = grads.fields[1], grads.fields[4]
        columns = n.gates
        if self.kind == "vanilla_rnn":
            launch(n.state, cells.vanilla_back, self.units,
                   SLOPES[_OF_RESULT[self.op["alg"]]], held, grads)
        elif self.kind == "lstm":
            launch(n.state, cells.lstm_back, self.units, held, grads,
                   self.part(self.peep, at, 3 * n.units))
        elif self.kind == "lbr_gru":
            launch(n.state, cells.lbr_back, self.units, held, grads)
        else:
            launch(n.state, cells.gru_back, self.units, held, grads)
            self._back(slopes, weights, grads.fields[2], (2, 1), add=False)
            launch(n.state, cells.gru_reset_back, self.units, held, grads)
            columns = 2
        self._back(slopes, weights, behind, (0, columns), add=True)

    def _back(self, slopes: Memory, weights: Memory, to: Memory, columns: tuple[int, int], *,
              add: bool) -> None:
        """Multiply gradients of some gates by their weights, transposed."""
        n = self.n
        across, first = n.gates * n.units, columns[0] * n.units
        multiply(self.w, (n.batch, n.units, columns[1] * n.units),
                 grid(slopes.part(first, slopes.size or 0), across),
                 grid(weights.part(first, weights.size or 0), 1, across), to, add=add)

    def _of_weights(self, x: Memory, width: int, slopes: tuple[Memory, Memory],
                    parts: tuple[Memory, Memory, Memory], at: int) -> None:
        """Compute the gradients of weights and biases of one layer in one direction."""
        n, w = self.n, self.w
        across, rows = n.gates * n.units, n.steps * n.batch
        multiply(w, (width, across, rows), grid(x, 1, width), slopes[0],
                 self.weights(self.found["diff_weights_layer"], at, width))
        to = self.weights(self.found["diff_weights_iter"], at, n.units)
        states, cell = parts[1], parts[2]
        first = 2 if self.kind == "gru" else n.gates
        multiply(w, (n.units, first * n.units, rows), grid(states, 1, n.units),
                 grid(slopes[1], across), grid(to, across))
        if self.kind == "gru":
            skip = 2 * n.units
            multiply(w, (n.units, n.units, rows),
                     grid(cell.part(n.state, cell.size or 0), 1, n.units),
                     grid(slopes[1].part(skip, slopes[1].size or 0), across),
                     grid(to.part(skip, to.size or 0), across))
        if "diff_bias" in self.found:
            out = self.part(self.found["diff_bias"], at, self.biases * n.units)
            self.call.launch(across, cells.sum_rows, rows, across, slopes[0], out)
            if self.kind == "lbr_gru":
                skip = 2 * n.units
                self.call.launch(n.units, cells.sum_rows, rows, across,
                                 slopes[1].part(skip, slopes[1].size or 0),
                                 out.part(3 * n.units, 4 * n.units))
        if "diff_weights_peephole" in self.found:
            self.call.launch(3 * n.units, cells.peep_back, self.units,
                             cells.row_counts(rows, n.batch), slopes[0], cell,
                             self.part(self.found["diff_weights_peephole"], at, 3 * n.units))


def forward(w: Work) -> None:
    """Compute a network."""
    Forward(w).run()


def backward(w: Work) -> None:
    """Compute the gradients of a network."""
    Backward(w).run()
