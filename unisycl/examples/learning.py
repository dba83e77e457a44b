"""Three small networks that learn, by oneDNN's primitives on any device.

``python -m unisycl.examples.learning [mlp|cnn|lstm ...] [--device D] [-o CURVES.png]``

A multilayer perceptron and a convolutional network on scikit-learn's digits, and an LSTM that
predicts a sine. Every layer is a few primitives over memory of the device; weights are updated by
a kernel. The program ends with 1 if a network does not reach the loss that is stated for it.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import unisycl as sycl
from unisycl.examples.program import fail, make_queue, optional
from unisycl.oneapi import dnn
from unisycl.oneapi.dnn import arg, memory

Floats = npt.NDArray[np.float32]
F32 = memory.data_type.f32
TRAINING = dnn.prop_kind.forward_training
STATED = {"mlp": 0.15, "cnn": 0.15, "lstm": 0.01}
"""The loss that each network reaches: mean cross-entropy, or mean square of the error."""


class Net:
    """Layers in a row on one stream: forward, backward, and steps along the gradients."""

    def __init__(self, queue: sycl.queue, seed: int = 0) -> None:
        self.engine = dnn.engine(queue)
        self.stream = dnn.stream(self.engine)
        self.rng = np.random.default_rng(seed)
        self.layers: list[Layer] = []

    def tensor(self, *dims: int, scale: float = 0.0) -> memory:
        """Return a tensor row by row: zeros, or random numbers of a scale."""
        found = memory(memory.desc(dims, F32, "abcdef"[:len(dims)]), self.engine)
        if scale:
            found.map_data()[:] = self.rng.normal(0, scale, dims)
        return found

    def run(self, what: Any, **given: memory | None) -> None:
        """Execute a primitive with tensors by the names of their arguments."""
        what.execute(self.stream, {getattr(arg, k.upper()): m for k, m in given.items()
                                   if m is not None})

    def add(self, make: Callable[..., Layer], *sizes: Any) -> None:
        """Put a layer behind the last one."""
        self.layers.append(make(self, self.layers[-1], *sizes))

    def forward(self) -> memory:
        """Compute all layers; return what the last one gives."""
        for layer in self.layers:
            layer.forward()
        return self.layers[-1].out

    def learn(self, rate: float, keep: float = 0.9) -> None:
        """Compute all gradients from that of the result, and go one step against them."""
        for layer in reversed(self.layers):
            layer.backward()
        for layer in self.layers:
            for weights, gradient, speed in layer.learned:
                self._step(weights, gradient, speed, np.float32(rate), np.float32(keep))

    def _step(self, weights: memory, gradient: memory, speed: memory, rate: np.float32,
              keep: np.float32) -> None:
        w, g, v = (m.get_data_handle() for m in (weights, gradient, speed))

        def move(i: int) -> None:
            v[i] = keep * v[i] - rate * g[i]
            w[i] = w[i] + v[i]
            g[i] = np.float32(0)  # recurrent layers add to what is there

        self.stream.get_queue().parallel_for(len(w), move)


class Layer:
    """What the layers share: a result, its gradient, and weights that learn."""

    def __init__(self, net: Net, before: Layer | None, *dims: int) -> None:
        self.net, self.before = net, before
        self.out, self.slope = net.tensor(*dims), net.tensor(*dims)
        self.learned: list[tuple[memory, memory, memory]] = []

    def weights(self, *dims: int, scale: float = 0.0) -> tuple[memory, memory]:
        """Return weights and their gradient."""
        found = self.net.tensor(*dims, scale=scale), self.net.tensor(*dims)
        self.learned.append((*found, self.net.tensor(*dims)))
        return found

    def source(self) -> tuple[memory, memory]:
        """Return what the layer before gives, and the gradient of it."""
        assert self.before is not None
        return self.before.out, self.before.slope

    def forward(self) -> None:
        """Compute the result; an input has it already."""

    def backward(self) -> None:
        """Compute the gradients of source and weights."""


class Dense(Layer):
    """All of an item times all weights."""

    def __init__(self, net: Net, before: Layer, size: int) -> None:
        src, d_src = before.out, before.slope
        dims = src.get_desc().get_dims()
        super().__init__(net, before, dims[0], size)
        self.w, self.dw = self.weights(size, *dims[1:], scale=(2 / np.prod(dims[1:])) ** 0.5)
        self.b, self.db = self.weights(size)
        s, w, b, d = (m.get_desc() for m in (src, self.w, self.b, self.out))
        e = net.engine
        hint = dnn.inner_product_forward.primitive_desc(e, TRAINING, s, w, b, d)
        self.ahead = dnn.inner_product_forward(hint)
        self.to_src = dnn.inner_product_backward_data(e, d_src.get_desc(), w, d, hint)
        self.to_w = dnn.inner_product_backward_weights(e, s, w, b, d, hint)

    def forward(self) -> None:
        src, _ = self.source()
        self.net.run(self.ahead, src=src, weights=self.w, bias=self.b, dst=self.out)

    def backward(self) -> None:
        src, d_src = self.source()
        self.net.run(self.to_w, src=src, diff_dst=self.slope, diff_weights=self.dw,
                     diff_bias=self.db)
        self.net.run(self.to_src, weights=self.w, diff_dst=self.slope, diff_src=d_src)


class Conv(Layer):
    """Windows of 3 x 3, with a ring of zeros around."""

    def __init__(self, net: Net, before: Layer, channels: int) -> None:
        src, d_src = before.out, before.slope
        n, c, height, width = src.get_desc().get_dims()
        super().__init__(net, before, n, channels, height, width)
        self.w, self.dw = self.weights(channels, c, 3, 3, scale=(2 / (9 * c)) ** 0.5)
        self.b, self.db = self.weights(channels)
        s, w, b, d = (m.get_desc() for m in (src, self.w, self.b, self.out))
        e, alg, how = net.engine, dnn.algorithm.convolution_direct, ((1, 1), (1, 1), (1, 1))
        hint = dnn.convolution_forward.primitive_desc(e, TRAINING, alg, s, w, b, d, *how)
        self.ahead = dnn.convolution_forward(hint)
        self.to_src = dnn.convolution_backward_data(e, alg, d_src.get_desc(), w, d, *how, hint)
        self.to_w = dnn.convolution_backward_weights(e, alg, s, w, b, d, *how, hint)

    forward, backward = Dense.forward, Dense.backward


class Relu(Layer):
    """What is positive."""

    def __init__(self, net: Net, before: Layer) -> None:
        super().__init__(net, before, *before.out.get_desc().get_dims())
        md, e, alg = self.out.get_desc(), net.engine, dnn.algorithm.eltwise_relu
        hint = dnn.eltwise_forward.primitive_desc(e, TRAINING, alg, md, md)
        self.ahead = dnn.eltwise_forward(hint)
        self.back = dnn.eltwise_backward(e, alg, md, md, md, hint)

    def forward(self) -> None:
        self.net.run(self.ahead, src=self.source()[0], dst=self.out)

    def backward(self) -> None:
        src, d_src = self.source()
        self.net.run(self.back, src=src, diff_dst=self.slope, diff_src=d_src)


class Pool(Layer):
    """The largest of each 2 x 2."""

    def __init__(self, net: Net, before: Layer) -> None:
        n, c, height, width = before.out.get_desc().get_dims()
        super().__init__(net, before, n, c, height // 2, width // 2)
        s, d, e = before.out.get_desc(), self.out.get_desc(), net.engine
        alg, how = dnn.algorithm.pooling_max, ((2, 2), (2, 2), (0, 0), (0, 0), (0, 0))
        hint = dnn.pooling_forward.primitive_desc(e, TRAINING, alg, s, d, *how)
        self.ahead = dnn.pooling_forward(hint)
        self.back = dnn.pooling_backward(e, alg, s, d, *how, hint)
        self.which = memory(hint.workspace_desc(), e)

    def forward(self) -> None:
        self.net.run(self.ahead, src=self.source()[0], dst=self.out, workspace=self.which)

    def backward(self) -> None:
        self.net.run(self.back, diff_dst=self.slope, diff_src=self.source()[1],
                     workspace=self.which)


class Lstm(Layer):
    """An LSTM over steps, and its state behind the last one."""

    def __init__(self, net: Net, before: Layer, units: int) -> None:
        src, d_src = before.out, before.slope
        steps, n, below = src.get_desc().get_dims()
        super().__init__(net, before, n, units)
        self.wl, self.dwl = self.weights(1, 1, below, 4, units, scale=0.4)
        self.wi, self.dwi = self.weights(1, 1, units, 4, units, scale=0.3)
        self.b, self.db = self.weights(1, 1, 4, units)
        self.all, self.d_all = (net.tensor(steps, n, units) for _ in range(2))
        self.state, self.d_state = (memory(memory.desc((1, 1, n, units), F32, "abcd"), net.engine,
                                           m.get_data_handle()) for m in (self.out, self.slope))
        x, wl, wi, b, y, h = (m.get_desc() for m in (
            src, self.wl, self.wi, self.b, self.all, self.state))
        e, way, c = net.engine, dnn.rnn_direction.unidirectional_left2right, h
        mds = [x, None, None, wl, wi, b, y, h, c]
        self.cell, self.d_cell = (net.tensor(1, 1, n, units) for _ in range(2))
        hint = dnn.lstm_forward.primitive_desc(e, TRAINING, way, *mds)
        self.ahead = dnn.lstm_forward(hint)
        self.back = dnn.lstm_backward(e, dnn.prop_kind.backward, way, *mds,
                                      d_src.get_desc(), None, None, wl, wi, b, y, h, c, hint)
        self.kept = memory(hint.workspace_desc(), e)
        self.both = {"src_layer": src, "weights_layer": self.wl, "weights_iter": self.wi,
                     "bias": self.b, "dst_layer": self.all, "dst_iter": self.state,
                     "dst_iter_c": self.cell, "workspace": self.kept}

    def forward(self) -> None:
        self.net.run(self.ahead, **self.both)

    def backward(self) -> None:
        self.net.run(self.back, **self.both, diff_src_layer=self.source()[1],
                     diff_weights_layer=self.dwl, diff_weights_iter=self.dwi, diff_bias=self.db,
                     diff_dst_layer=self.d_all, diff_dst_iter=self.d_state,
                     diff_dst_iter_c=self.d_cell)


class Classes:
    """Mean cross-entropy of the last layer's softmax, and its gradient."""

    def __init__(self, net: Net) -> None:
        self.net, self.last = net, net.layers[-1]
        md = self.last.out.get_desc()
        self.logs = net.tensor(*md.get_dims())
        self.softmax = dnn.softmax_forward(net.engine, TRAINING, dnn.algorithm.softmax_log, md, md,
                                           1)

    def __call__(self, right: npt.NDArray[Any]) -> float:
        self.net.run(self.softmax, src=self.last.out, dst=self.logs)
        self.net.stream.wait()
        logs = self.logs.map_data()
        ones = np.eye(logs.shape[1], dtype=np.float32)[right]
        self.last.slope.map_data()[:] = (np.exp(logs) - ones) / len(right)
        return float(-(logs * ones).sum() / len(right))


class Squares:
    """Mean square of the error, and its gradient."""

    def __init__(self, net: Net) -> None:
        self.net, self.last = net, net.layers[-1]

    def __call__(self, right: npt.NDArray[Any]) -> float:
        self.net.stream.wait()
        gap = self.last.out.map_data() - right
        self.last.slope.map_data()[:] = 2 * gap / gap.size
        return float((gap * gap).mean())


def mlp(queue: sycl.queue, batch: int, side: int = 8, classes: int = 10) -> Net:
    """Return a perceptron for pictures."""
    net = Net(queue)
    net.layers.append(Layer(net, None, batch, 1, side, side))
    net.add(Dense, 32)
    net.add(Relu)
    net.add(Dense, classes)
    return net


def cnn(queue: sycl.queue, batch: int, side: int = 8, classes: int = 10) -> Net:
    """Return a convolutional network for pictures."""
    net = Net(queue)
    net.layers.append(Layer(net, None, batch, 1, side, side))
    net.add(Conv, 8)
    net.add(Relu)
    net.add(Pool)
    net.add(Dense, classes)
    return net


def lstm(queue: sycl.queue, batch: int, steps: int = 12, units: int = 12) -> Net:
    """Return a network that predicts what follows a few numbers."""
    net = Net(queue)
    net.layers.append(Layer(net, None, steps, batch, 1))
    net.add(Lstm, units)
    net.add(Dense, 1)
    return net


def sines(batch: int, steps: int, seed: int = 1) -> tuple[Floats, Floats]:
    """Return pieces of a sine from random places on, and what follows each."""
    rng = np.random.default_rng(seed)
    start = rng.random(batch) * 2 * np.pi
    values = np.sin(start + 0.4 * np.arange(steps + 1)[:, None]).astype(np.float32)
    return values[:-1, :, None], values[-1][:, None]


def train(net: Net, loss: Classes | Squares, data: Iterator[tuple[Any, Any]],
          rate: float) -> list[float]:
    """Learn from pairs of input and answer; return the losses."""
    found = []
    for x, right in data:
        net.layers[0].out.map_data()[:] = x
        net.forward()
        found.append(loss(right))
        net.learn(rate)
        net.stream.wait()
    return found


def batches(x: Floats, y: npt.NDArray[Any], size: int, rounds: int) -> Iterator[tuple[Any, Any]]:
    """Yield all pictures in another order each round."""
    rng = np.random.default_rng(2)
    for _ in range(rounds):
        order = rng.permutation(len(x))
        for k in range(0, len(x) - size + 1, size):
            at = order[k:k + size]
            yield x[at], y[at]


def digits() -> tuple[Floats, npt.NDArray[Any]]:
    """Return scikit-learn's digits: 8 x 8 pictures, and what they show."""
    def load() -> Any:
        return importlib.import_module("sklearn.datasets").load_digits()

    found = optional("scikit-learn", load)
    return (found.images[:, None] / 16).astype(np.float32), found.target


def learn(name: str, queue: sycl.queue, rounds: int) -> list[float]:
    """Train one of the networks; return its losses, smoothed over a round."""
    if name == "lstm":
        net, steps = lstm(queue, 32), 12
        data = (sines(32, steps, k) for k in range(20 * rounds))
        found, width = train(net, Squares(net), data, 0.1), 20
    else:
        x, y = digits()
        net = (mlp if name == "mlp" else cnn)(queue, 64)
        found, width = train(net, Classes(net), batches(x, y, 64, rounds), 0.2), len(x) // 64
    return [float(np.mean(found[k:k + width])) for k in range(0, len(found), width)]


def draw(path: Path, curves: dict[str, list[float]]) -> None:
    """Draw the losses."""
    def load() -> Any:
        return importlib.import_module("matplotlib.figure")

    shown = optional("matplotlib", load).Figure(figsize=(6, 3.5), layout="constrained")
    axes = shown.subplots()
    for name, losses in curves.items():
        axes.semilogy(range(1, len(losses) + 1), losses, label=name)
    axes.set_xlabel("round")
    axes.set_ylabel("loss")
    axes.legend()
    shown.savefig(path, dpi=110)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program."""
    parser = argparse.ArgumentParser(prog="python -m unisycl.examples.learning")
    parser.add_argument("networks", nargs="*", default=[], help="mlp, cnn, lstm; all if none")
    parser.add_argument("--device", default="default")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("-o", "--output", type=Path, help="where to draw the losses")
    options = parser.parse_args(arguments)
    strange = set(options.networks) - set(STATED)
    if strange or options.rounds < 1:
        fail(f"networks are {', '.join(STATED)}, rounds at least 1")
    queue = make_queue(options.device)
    print("device:", queue.get_device().get_info(sycl.info.device.name), "; by",
          dnn.provider_of(queue))
    curves = {n: learn(n, queue, options.rounds) for n in options.networks or STATED}
    for name, losses in curves.items():
        print(f"{name:5} loss {losses[0]:.4f} -> {losses[-1]:.4f} (stated: {STATED[name]})")
    if options.output:
        draw(options.output, curves)
    return int(any(losses[-1] > STATED[n] for n, losses in curves.items()))


if __name__ == "__main__":
    sys.exit(main())
