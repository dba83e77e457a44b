"""The prototype that differentiates a kernel."""

from __future__ import annotations

import runpy

import numpy as np
import pytest

import unisycl as sycl
from docs.dev.prototypes import reverse


def wave(i, x, y, out, a):
    u = x[i] * a + np.sin(y[i])
    v = np.exp(-u) / (1 + u * u)
    out[i] = v * x[i] - np.sqrt(y[i]) * np.log(y[i]) + np.tanh(u) * x[0]


def plain(x, y, a):
    u = x * a + np.sin(y)
    return np.exp(-u) / (1 + u * u) * x - np.sqrt(y) * np.log(y) + np.tanh(u) * x[0]


def test_a_gradient_is_that_of_differences(queue, tmp_path):
    n, rng = 40, np.random.default_rng(5)
    x, y, seed = rng.random(n) + 0.5, rng.random(n) + 0.5, rng.random(n)
    text = reverse.gradient(wave, 1, x, y, x, 1.3)
    (tmp_path / "made.py").write_text("import numpy as np\nimport unisycl as sycl\n" + text)
    space = runpy.run_path(str(tmp_path / "made.py"))
    given = [sycl.ext.unisycl.array(v, queue=queue, usm="device") for v in (
        x, y, np.zeros(n), np.zeros(n), np.zeros(n), seed)]
    xs, ys, out, dx, dy, ds = given
    queue.parallel_for(n, space["gradient"], xs, ys, out, 1.3, dx, dy, ds).wait()
    found = np.empty((3, n))
    for row, memory in zip(found, (out, dx, dy), strict=True):
        queue.memcpy(row, memory).wait()
    assert np.allclose(found[0], plain(x, y, 1.3), rtol=1e-12)
    for k, values in enumerate((x, y)):
        for i in range(n):
            step = np.zeros(n)
            step[i] = 1e-6
            far, near = ([x + s * step, y] if values is x else [x, y + s * step] for s in (1, -1))
            want = seed @ (plain(*far, 1.3) - plain(*near, 1.3)) / 2e-6
            assert np.isclose(found[1 + k][i], want, rtol=1e-6, atol=1e-8)


def branch(i, x, out):
    if x[i] > 0:
        out[i] = x[i]


def again(i, x, out):
    out[i] = x[i]
    out[i] = x[i] * 2


def reads(i, x, out):
    out[i] = x[i]
    x[i] = out[i]


def rounded(i, x, out):
    out[i] = np.floor(x[i])


@pytest.mark.parametrize("kernel", [branch, again, reads, rounded])
def test_what_has_no_derivative_here_is_refused(kernel):
    with pytest.raises(reverse.Refused):
        reverse.gradient(kernel, 1, np.zeros(3), np.zeros(3))
