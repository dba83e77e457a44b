"""Small networks learn on every device: to the loss that the example states for each."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.oneapi import dnn_model as model
from unisycl.examples import learning
from unisycl.oneapi import dnn
from unisycl.oneapi.dnn import arg, memory

pytestmark = pytest.mark.row("L-13")


def crosses(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return pictures of 6 x 6: a row, a column or a diagonal, with noise; and which it is."""
    rng = np.random.default_rng(0)
    x = rng.random((count, 1, 6, 6)).astype(np.float32) * 0.4
    which = rng.integers(0, 3, count)
    for k, (kind, at) in enumerate(zip(which, rng.integers(0, 6, count), strict=True)):
        if kind == 0:
            x[k, 0, at] += 1
        elif kind == 1:
            x[k, 0, :, at] += 1
        else:
            x[k, 0, np.arange(6), (np.arange(6) + at) % 6] += 1
    return x, which


def learned(net, loss, data, stated: float, *, slow: bool) -> None:
    """Learn until the stated loss is reached; a slow device a few steps, by which it must fall."""
    found: list[float] = []
    for pair in data:
        found += learning.train(net, loss, iter([pair]), 0.1)
        if slow and len(found) == 8:
            assert np.mean(found[-2:]) < found[0]
            return
        if len(found) > 5 and np.mean(found[-5:]) < stated:
            return
    raise AssertionError(found[::10])


def is_slow(queue: sycl.queue) -> bool:
    return queue.get_device().has(sycl.aspect.host_debuggable)


@pytest.mark.parametrize("name", ["mlp", "cnn"])
def test_networks_learn_to_tell_pictures_apart(queue: sycl.queue, name: str) -> None:
    x, right = crosses(160)
    net = getattr(learning, name)(queue, 16, 6, 3)
    learned(net, learning.Classes(net), learning.batches(x, right, 16, 20),
            learning.STATED[name], slow=is_slow(queue))


@pytest.mark.part("L-24")
def test_learning_again_gives_the_same_bits(queue: sycl.queue) -> None:
    """Primitives are in order, whoever computes them: nothing is read before it is written."""
    x, right = crosses(32)

    def losses() -> list[float]:
        net = learning.mlp(queue, 16, 6, 3)
        rounds = 1 if is_slow(queue) else 12
        return learning.train(net, learning.Classes(net), learning.batches(x, right, 16, rounds),
                              0.1)
    for name in model.providers(queue):
        with dnn.using(name):
            first = losses()
            assert all(losses() == first for _ in range(1 if is_slow(queue) else 3)), name


def test_an_lstm_learns_what_follows_in_a_sine(queue: sycl.queue) -> None:
    slow = is_slow(queue)
    net = learning.lstm(queue, 3 if slow else 8, 3 if slow else 6, 3 if slow else 8)
    size = net.layers[0].out.get_desc().get_dims()
    learned(net, learning.Squares(net), (learning.sines(size[1], size[0], 7 if slow else k)
                                         for k in range(150)), learning.STATED["lstm"], slow=slow)


def test_primitives_run_in_other_threads_than_they_were_made_in(queue: sycl.queue) -> None:
    e = dnn.engine(queue)
    n = 4 if queue.get_device().has(sycl.aspect.host_debuggable) else 32
    mds = [memory.desc(d, memory.data_type.f32, t) for d, t in (
        ((2, n, 16), "abc"), ((1, 1, 16, 4, 16), "abcde"), ((1, 1, 16, 4, 16), "abcde"),
        ((1, 1, 4, 16), "abcd"), ((2, n, 16), "abc"))]
    pd = dnn.lstm_forward.primitive_desc(
        e, dnn.prop_kind.forward_training, dnn.rnn_direction.unidirectional_left2right, mds[0],
        None, None, *mds[1:], None, None)
    made = dnn.lstm_forward(pd)
    results: list[np.ndarray] = []

    def work() -> None:
        names = ("SRC_LAYER", "WEIGHTS_LAYER", "WEIGHTS_ITER", "BIAS", "DST_LAYER")
        given = {getattr(arg, k): memory(md, e) for k, md in zip(names, mds, strict=True)}
        for k in names[:-1]:
            given[getattr(arg, k)].map_data()[:] = 0.1
        given[arg.WORKSPACE] = memory(pd.workspace_desc(), e)
        made.execute(dnn.stream(e), given).wait()
        results.append(given[arg.DST_LAYER].map_data().copy())

    threads = [threading.Thread(target=work) for _ in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    c = h = np.zeros((n, 16))
    for _ in range(2):
        z = 1 / (1 + np.exp(-(0.1 * 0.1 * 16 + 0.1 * h.sum(1, keepdims=True) + 0.1)))
        c = z * c + z * np.tanh(0.1 * 0.1 * 16 + 0.1 * h.sum(1, keepdims=True) + 0.1)
        h = z * np.tanh(c) * np.ones((n, 16))
    assert len(results) == 3
    for found in results:
        assert np.allclose(found[1], h, atol=1e-5)
